// The fastest that a store knows: of each job or configuration the newest row that says anything,
// as far as that has a time, sorted by their medians.

#include "stats/stats.h"
#include "store/database.h"
#include "store/query/query.h"

#include <stdlib.h>

struct collected {
    struct arena *a;
    struct store_fastest *items;
    size_t count;
    bool failed; // no memory
};

static bool take_timed_row(void *context, const struct store_row *row)
{
    struct collected *c = context;
    const uint64_t *samples;
    uint32_t count;
    if (!result_samples(row->result, &samples, &count) || count == 0)
        return true;
    c->items = array_grown(c->a, c->items, c->count, sizeof *c->items);
    const char *configuration = arena_strdup(c->a, row->configuration);
    c->failed = !c->items || !configuration;
    if (!c->failed) {
        c->items[c->count] = (struct store_fastest){
            .key = row->key,
            .configuration = configuration,
            .median = stats_median(samples, count),
            .age = c->count,
        };
        c->count++;
    }
    return !c->failed;
}

static int by_median_and_age(const void *a, const void *b)
{
    const struct store_fastest *x = a, *y = b;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return (x->age > y->age) - (x->age < y->age);
}

bool store_fastest(struct store *s, const struct store_query *q, struct arena *a,
                   struct store_fastest **out, size_t *count, struct error *e)
{
    struct collected c = {.a = a};
    bool ok = store_each(s, q, take_timed_row, &c, e) && (!c.failed || error_memory(e));
    if (ok && c.count > 0)
        qsort(c.items, c.count, sizeof *c.items, by_median_and_age);
    *out = c.items;
    *count = ok ? c.count : 0;
    return ok;
}
