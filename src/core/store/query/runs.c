// The runs of hone that a store has results of: the newest row of each.

#include "store/database.h"
#include "store/query/query.h"

struct runs {
    struct arena *a;
    struct store_row *rows;
    size_t count;
    bool failed; // no memory
};

static bool take_run(void *context, const struct store_row *row)
{
    struct runs *r = context;
    r->rows = array_grown(r->a, r->rows, r->count, sizeof *r->rows);
    r->failed = !r->rows || !store_row_copy(r->a, row, &r->rows[r->count++]);
    return !r->failed;
}

bool store_runs(struct store *s, const char *spec_name, struct arena *a, struct store_row **out,
                size_t *count, struct error *e)
{
    struct runs r = {.a = a};
    const struct store_query q = {
        .spec_name = spec_name, .all_runs = true, .today = true, .newest = STORE_NEWEST_OF_SESSION};
    bool ok = store_each(s, &q, take_run, &r, e) && (!r.failed || error_memory(e));
    *out = r.rows;
    *count = ok ? r.count : 0;
    return ok;
}
