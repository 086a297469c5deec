#include "contenders.h"

#include <stdlib.h>
#include <string.h>

bool contenders_init(struct contenders *c, size_t most, double near,
                     void (*leaves)(void *context, uint64_t ticket), void *context)
{
    *c = (struct contenders){.most = most, .near = near, .leaves = leaves, .context = context};
    c->list = calloc(most + 1, sizeof *c->list);
    return c->list != NULL;
}

void contenders_release(struct contenders *c)
{
    free(c->list);
    *c = (struct contenders){0};
}

// Where it belongs in the list; equal ones stay in the order of their tickets.
static size_t place_of(const struct contenders *c, uint64_t ticket, double estimate_ns)
{
    size_t at = c->count;
    while (at > 0 && (c->list[at - 1].estimate_ns > estimate_ns ||
                      (c->list[at - 1].estimate_ns == estimate_ns && // bit for bit: a total order
                       c->list[at - 1].ticket > ticket)))
        at--;
    return at;
}

void contenders_consider(struct contenders *c, uint64_t ticket, double estimate_ns)
{
    if (c->most == 0) {
        c->leaves(c->context, ticket);
        return;
    }
    size_t at = place_of(c, ticket, estimate_ns);
    memmove(c->list + at + 1, c->list + at, (c->count - at) * sizeof *c->list);
    c->list[at] = (struct contender){ticket, estimate_ns};
    c->count++;
    while (c->count > c->most ||
           c->list[c->count - 1].estimate_ns > c->near * c->list[0].estimate_ns)
        c->leaves(c->context, c->list[--c->count].ticket);
}
