// Every configuration, in the order of the space; the default first.
#include "search/strategies.h"
#include "search/walk.h"

#include <stdlib.h>

struct exhaustive {
    struct strategy base;
    struct walk walk;
};

static struct strategy *exhaustive_create(const struct strategy_setup *setup, struct error *e)
{
    struct exhaustive *x = alloc_zeroed(sizeof *x, e);
    if (!x)
        return NULL;
    walk_init(&x->walk, setup->space, setup->starts, setup->start_count);
    return &x->base;
}

static size_t exhaustive_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    return walk_ask(&((struct exhaustive *)s)->walk, NULL, NULL, out, capacity);
}

static void exhaustive_destroy(struct strategy *s)
{
    free(s);
}

const struct strategy_operations strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every configuration, in the order of the space",
    .create = exhaustive_create,
    .ask = exhaustive_ask,
    .destroy = exhaustive_destroy,
};
