// Uniformly at random without replacement, until the space is used up; the default first.
#include "search/permutation.h"
#include "search/strategies.h"
#include "search/walk.h"

#include <stdlib.h>

struct random_search {
    struct strategy base;
    struct walk walk;
    struct permutation permutation;
};

static struct strategy *random_create(const struct strategy_setup *setup, struct error *e)
{
    struct random_search *r = alloc_zeroed(sizeof *r, e);
    if (!r)
        return NULL;
    walk_init(&r->walk, setup->space, setup->starts, setup->start_count);
    if (r->walk.count > 0)
        permutation_init(&r->permutation, r->walk.count, setup->seed);
    return &r->base;
}

static size_t random_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    struct random_search *r = (struct random_search *)s;
    return walk_ask(&r->walk, permutation_order, &r->permutation, out, capacity);
}

static void random_destroy(struct strategy *s)
{
    free(s);
}

const struct strategy_operations strategy_random = {
    .name = "random",
    .summary = "uniformly at random, none twice, until the space is used up",
    .create = random_create,
    .ask = random_ask,
    .destroy = random_destroy,
};
