// A device at a place: which card it is, and its node.
#include "runner/place.h"

#include "base/text.h"

bool place_same_card(const struct place *a, const struct place *b)
{
    const struct device_info *x = a->device, *y = b->device;
    bool is_host = x->language != y->language && x->type == DEVICE_CPU && y->type == DEVICE_CPU;
    return a->node == b->node && ((x->language == y->language && str_equal(x->id, y->id)) ||
                                  is_host || device_same_card(x, y));
}

const char *node_lost(struct node *n)
{
    return n->host.ops->lost(&n->host);
}

bool node_open_lock(struct node *n, struct device_lock *l, const char *folder,
                    const struct device_info *d, struct error *e)
{
    if (!n)
        return device_lock_open(l, folder, d, e);
    device_lock_open_on(l, &n->locks, d);
    return true;
}

struct place place_with_jobs(const struct place *p, uint32_t jobs)
{
    struct place own = *p;
    own.jobs = p->jobs ? p->jobs : jobs;
    return own;
}
