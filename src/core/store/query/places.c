// Where the results of a store are of: the newest timed row of each spec's file, its constants,
// device and language.

#include "store/database.h"
#include "store/query/query.h"

struct places {
    struct arena *a;
    struct store_row *rows;
    size_t count;
    bool failed; // no memory
};

static bool is_same_place(const struct store_row *x, const struct store_row *y)
{
    return str_equal(x->spec_path, y->spec_path) && str_equal(x->constants, y->constants) &&
           str_equal(x->device, y->device) && str_equal(x->language, y->language);
}

static bool take_place(void *context, const struct store_row *row)
{
    struct places *p = context;
    if (!row->spec_path[0] || row->stop == STOP_IMPORTED)
        return true;
    for (size_t i = 0; i < p->count; i++) {
        if (is_same_place(&p->rows[i], row))
            return true;
    }
    p->rows = array_grown(p->a, p->rows, p->count, sizeof *p->rows);
    p->failed = !p->rows || !store_row_copy(p->a, row, &p->rows[p->count++]);
    return !p->failed;
}

bool store_places(struct store *s, struct arena *a, struct store_row **out, size_t *count,
                  struct error *e)
{
    struct places p = {.a = a};
    const struct store_query q = {
        .correct_only = true, .telling = true, .newest = STORE_NEWEST_OF_JOB};
    bool ok = store_each(s, &q, take_place, &p, e) && (!p.failed || error_memory(e));
    *out = p.rows;
    *count = ok ? p.count : 0;
    return ok;
}
