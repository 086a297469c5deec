// A list in the order of estimates; the last ones leave when it is too long, or when they are no longer
// near enough to the first.
#include "campaign/shortlist.h"

#include <stdlib.h>
#include <string.h>

bool shortlist_init(struct shortlist *c, size_t most, double near,
                    void (*leaves)(void *context, uint64_t ticket), void *context)
{
    *c = (struct shortlist){.most = most, .near = near, .leaves = leaves, .context = context};
    c->list = calloc(most + 1, sizeof *c->list);
    return c->list != NULL;
}

void shortlist_release(struct shortlist *c)
{
    free(c->list);
    *c = (struct shortlist){0};
}

// Where it belongs in the list; equal ones stay in the order of their tickets.
static size_t place_in_list(const struct shortlist *c, uint64_t ticket, double estimate_ns)
{
    size_t at = c->count;
    while (at > 0 && (c->list[at - 1].estimate_ns > estimate_ns ||
                      (c->list[at - 1].estimate_ns == estimate_ns && // bit for bit: a total order
                       c->list[at - 1].ticket > ticket)))
        at--;
    return at;
}

void shortlist_consider(struct shortlist *c, uint64_t ticket, double estimate_ns)
{
    if (c->most == 0) {
        c->leaves(c->context, ticket);
        return;
    }
    size_t at = place_in_list(c, ticket, estimate_ns);
    memmove(c->list + at + 1, c->list + at, (c->count - at) * sizeof *c->list);
    c->list[at] = (struct shortlisted){ticket, estimate_ns};
    c->count++;
    while (c->count > c->most ||
           c->list[c->count - 1].estimate_ns > c->near * c->list[0].estimate_ns)
        c->leaves(c->context, c->list[--c->count].ticket);
}
