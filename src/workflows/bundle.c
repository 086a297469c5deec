// Chooses what of stores goes with a spec when it is shipped: reads the rows of all files, puts them
// into groups that compare, as `hone best` does, and keeps of each group those by which it would decide.

#include "workflows/bundle.h"

#include "base/arena.h"
#include "base/text.h"
#include "workflows/compare/compare.h"
#include "stats/stats.h"
#include "workflows/peak/peak.h"

#include <stdlib.h>
#include <string.h>

// A correct result with times.
struct candidate {
    struct candidate *next;
    struct store_row row;
    uint8_t ranking[16];
    bool is_ranked;
    bool is_whole; // ranked: of the whole space
    double median;
};

// Results that compare, as in `hone best`: as its first one.
struct group {
    struct group *next;
    struct candidate *candidates;
    size_t count;
};

struct chosen {
    uint8_t id[STORE_ID_BYTES];
};

struct choice {
    struct arena arena;
    struct group *groups;
    size_t candidates;
    struct chosen *chosen; // by id
    size_t count;
    bool failed; // no memory
};

// ---- collecting --------------------------------------------------------------------------------

static bool is_alike(const struct store_row *a, const struct store_row *b)
{
    return str_equal(a->spec_name, b->spec_name) && str_equal(a->constants, b->constants) &&
           str_equal(a->language, b->language) && digest_equal(&a->identity, &b->identity) &&
           digest_equal(&a->source, &b->source) && a->cold == b->cold;
}

// Collects a row unless a bundle must not contain it: results of libraries have no launches, a
// device's limits belong to no spec, and specs built with further options only served a comparison.
static bool collect_candidate(void *context, const struct store_row *row)
{
    struct choice *c = context;
    const struct result *r = row->result;
    static const uint8_t none[sizeof r->ranking];
    if (!*row->geometry || str_equal(row->spec_name, PEAK_SPEC) ||
        (r->stop == STOP_COMPARED && compare_is_name(row->spec_name)))
        return true;
    struct group *g = c->groups;
    while (g && !is_alike(&g->candidates->row, row))
        g = g->next;
    struct candidate *n = arena_alloc(&c->arena, sizeof *n);
    struct group *fresh = g ? g : arena_alloc(&c->arena, sizeof *fresh);
    c->failed |= !n || !fresh || !store_row_copy(&c->arena, row, &n->row);
    if (c->failed)
        return false;
    if (!g) {
        fresh->next = c->groups;
        c->groups = fresh;
    }
    n->next = fresh->candidates;
    n->is_whole = !r->part[0];
    n->is_ranked = r->stop == STOP_RANKED && memcmp(r->ranking, none, sizeof none) != 0;
    n->median = stats_median(r->samples_ns, r->sample_count);
    memcpy(n->ranking, r->ranking, sizeof n->ranking);
    fresh->candidates = n;
    fresh->count++;
    c->candidates++;
    return true;
}

static bool read_bundle_files(struct choice *c, const char *const *files, size_t count,
                              struct error *e)
{
    const struct store_query timed = {.correct_only = true, .today = true, .telling = true};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct store *s = store_open(files[i], STORE_READ, e);
        ok = s && store_each(s, &timed, collect_candidate, c, e) && (!c->failed || error_memory(e));
        store_close(s);
    }
    return ok;
}

// ---- choosing ----------------------------------------------------------------------------------

static int by_candidate_median(const void *a, const void *b)
{
    const struct candidate *x = *(const struct candidate *const *)a;
    const struct candidate *y = *(const struct candidate *const *)b;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return memcmp(x->row.id_bytes, y->row.id_bytes, STORE_ID_BYTES);
}

// The files are read one after the other, but chosen from as if all were in one store.
static bool is_newer(const struct candidate *a, const struct candidate *b)
{
    if (a->row.number != b->row.number)
        return a->row.number > b->row.number;
    int dates = strcmp(a->row.date, b->row.date);
    return dates ? dates > 0 : memcmp(a->row.id_bytes, b->row.id_bytes, STORE_ID_BYTES) > 0;
}

static int by_id(const void *a, const void *b)
{
    return memcmp(a, b, STORE_ID_BYTES);
}

// The rankings that `hone best` may decide by.
struct rankings {
    const struct candidate *newest; // (or NULL) nothing was ranked
    const struct candidate *whole;  // (or NULL) the newest of the whole space
    const struct candidate *fastest;
};

static struct rankings find_ranked(const struct group *g)
{
    struct rankings r = {NULL, NULL, NULL};
    for (const struct candidate *n = g->candidates; n; n = n->next) {
        if (!n->is_ranked)
            continue;
        if (!r.newest || is_newer(n, r.newest))
            r.newest = n;
        if (n->is_whole && (!r.whole || is_newer(n, r.whole)))
            r.whole = n;
        if (!r.fastest || n->median < r.fastest->median)
            r.fastest = n;
    }
    return r;
}

// Orders by job, each job's newest first.
static int by_job(const void *a, const void *b)
{
    const struct candidate *x = *(const struct candidate *const *)a;
    const struct candidate *y = *(const struct candidate *const *)b;
    int order = memcmp(&x->row.key, &y->row.key, sizeof x->row.key);
    return order ? order : is_newer(y, x) - is_newer(x, y);
}

static size_t newest_of_each_job(struct candidate **list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, by_job);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !digest_equal(&list[i]->row.key, &list[kept - 1]->row.key))
            list[kept++] = list[i];
    }
    return kept;
}

static bool same_ranking(const struct candidate *a, const struct candidate *b)
{
    return a->is_ranked && b->is_ranked && memcmp(a->ranking, b->ranking, sizeof a->ranking) == 0;
}

// The fastest of a ranking (NULL: of all that there is).
static void choose_fastest(struct choice *c, const struct group *g, const struct candidate *ranked,
                           struct candidate **list)
{
    size_t count = 0, most = ranked ? BUNDLE_RANKED : 1;
    for (struct candidate *n = g->candidates; n; n = n->next) {
        if (!ranked || same_ranking(n, ranked))
            list[count++] = n;
    }
    count = newest_of_each_job(list, count);
    qsort(list, count, sizeof *list, by_candidate_median);
    for (size_t i = 0; i < count && i < most; i++)
        memcpy(c->chosen[c->count++].id, list[i]->row.id_bytes, STORE_ID_BYTES);
}

static void choose_of(struct choice *c, const struct group *g, struct candidate **list)
{
    struct rankings r = find_ranked(g);
    choose_fastest(c, g, r.newest, list);
    if (r.whole && !same_ranking(r.whole, r.newest))
        choose_fastest(c, g, r.whole, list);
    if (r.newest && !same_ranking(r.fastest, r.newest) &&
        !(r.whole && same_ranking(r.fastest, r.whole)))
        choose_fastest(c, g, r.fastest, list);
}

static bool choose_of_groups(struct choice *c, struct error *e)
{
    struct candidate **list = arena_array(&c->arena, c->candidates + 1, sizeof(struct candidate *));
    c->chosen = arena_array(&c->arena, c->candidates + 1, sizeof *c->chosen);
    if (!list || !c->chosen)
        return error_memory(e);
    for (const struct group *g = c->groups; g; g = g->next)
        choose_of(c, g, list);
    qsort(c->chosen, c->count, sizeof *c->chosen, by_id);
    return true;
}

static bool is_chosen(void *context, const uint8_t id[STORE_ID_BYTES])
{
    const struct choice *c = context;
    return bsearch(id, c->chosen, c->count, sizeof *c->chosen, by_id) != NULL;
}

bool bundle_best(const char *path, const char *const *files, size_t count,
                 struct store_imported *out, struct error *e)
{
    struct choice c = {.groups = NULL};
    memset(out, 0, count * sizeof *out);
    arena_init(&c.arena);
    bool ok = read_bundle_files(&c, files, count, e) && choose_of_groups(&c, e) &&
              store_import_some(path, files, count, is_chosen, &c, out, e);
    arena_release(&c.arena);
    return ok;
}
