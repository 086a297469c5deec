#include "ship.h"

#include "base/arena.h"
#include "base/text.h"
#include "compare.h"
#include "measure/stats.h"
#include "peak.h"

#include <stdlib.h>
#include <string.h>

// A correct result with times.
struct candidate {
    struct candidate *next;
    uint8_t id[STORE_ID_BYTES];
    struct digest key;
    int64_t number; // these two and `id`: which is newer, see store_each()
    const char *date;
    uint8_t ranking[16];
    bool is_ranked;
    bool is_whole; // ranked: of the whole space
    double median;
};

// Results that compare, as in `hone best`.
struct group {
    struct group *next;
    const char *spec, *constants, *language, *identity;
    struct digest source;
    bool cold;
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

static const char *copy(struct choice *c, const char *text)
{
    const char *own = arena_strdup(&c->arena, text);
    c->failed |= !own;
    return own;
}

static bool belongs(const struct group *g, const struct store_row *row)
{
    return str_equal(g->spec, row->spec_name) && str_equal(g->constants, row->constants) &&
           str_equal(g->language, row->language) && str_equal(g->identity, row->device_identity) &&
           digest_equal(&g->source, &row->source) && g->cold == row->cold;
}

static struct group *group_of(struct choice *c, const struct store_row *row)
{
    struct group *g = c->groups;
    while (g && !belongs(g, row))
        g = g->next;
    if (g)
        return g;
    g = arena_alloc(&c->arena, sizeof *g);
    c->failed |= !g;
    if (!g)
        return NULL;
    *g = (struct group){.next = c->groups,
                        .spec = copy(c, row->spec_name),
                        .constants = copy(c, row->constants),
                        .language = copy(c, row->language),
                        .identity = copy(c, row->device_identity),
                        .source = row->source,
                        .cold = row->cold};
    c->groups = g;
    return g;
}

static void read_id(const char *hex, uint8_t out[STORE_ID_BYTES])
{
    for (size_t i = 0; i < STORE_ID_BYTES; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

static void add(struct choice *c, const struct store_row *row, double median)
{
    const struct result *r = row->result;
    static const uint8_t none[sizeof r->ranking];
    struct group *g = group_of(c, row);
    struct candidate *n = g ? arena_alloc(&c->arena, sizeof *n) : NULL;
    c->failed |= !n;
    if (!n)
        return;
    *n = (struct candidate){.next = g->candidates,
                            .key = row->key,
                            .number = row->number,
                            .date = copy(c, row->date),
                            .is_whole = !r->part[0],
                            .is_ranked = r->stop == STOP_RANKED &&
                                         memcmp(r->ranking, none, sizeof none) != 0,
                            .median = median};
    read_id(row->id, n->id);
    memcpy(n->ranking, r->ranking, sizeof n->ranking);
    g->candidates = n;
    g->count++;
    c->candidates++;
}

// What libraries did has no launches, what a device can do is of no spec, and nobody asks for what
// was built with further options for a comparison.
static bool is_of_spec(const struct store_row *row)
{
    bool has_options = row->result->stop == STOP_COMPARED && compare_is_name(row->spec_name);
    return *row->geometry && !str_equal(row->spec_name, PEAK_SPEC) && !has_options;
}

static bool collect(void *context, const struct store_row *row)
{
    struct choice *c = context;
    const uint64_t *samples;
    uint32_t count;
    struct stats_summary stats;
    const struct store_counting any = {.device_identity = NULL};
    if (!is_of_spec(row) || !store_row_counts(row, &any) ||
        !result_samples(row->result, &samples, &count) || count == 0)
        return true;
    stats_summarise(samples, count, 0, &stats);
    add(c, row, stats.median);
    return !c->failed;
}

static bool read_files(struct choice *c, const char *const *files, size_t count, struct error *e)
{
    const struct store_query all = {.spec_name = NULL};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct store *s = store_open(files[i], STORE_READ, e);
        ok = s && store_each(s, &all, collect, c, e) && (!c->failed || error_memory(e));
        store_close(s);
    }
    return ok;
}

// ---- choosing ----------------------------------------------------------------------------------

static int by_median(const void *a, const void *b)
{
    const struct candidate *x = *(const struct candidate *const *)a;
    const struct candidate *y = *(const struct candidate *const *)b;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return memcmp(x->id, y->id, sizeof x->id);
}

// The files are read one after the other, but chosen from as if all were in one store.
static bool is_newer(const struct candidate *a, const struct candidate *b)
{
    if (a->number != b->number)
        return a->number > b->number;
    int dates = strcmp(a->date, b->date);
    return dates ? dates > 0 : memcmp(a->id, b->id, sizeof a->id) > 0;
}

static int by_id(const void *a, const void *b)
{
    return memcmp(a, b, STORE_ID_BYTES);
}

// Those that `hone best` may decide by.
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

// Of one job the newest first.
static int by_job(const void *a, const void *b)
{
    const struct candidate *x = *(const struct candidate *const *)a;
    const struct candidate *y = *(const struct candidate *const *)b;
    int order = memcmp(&x->key, &y->key, sizeof x->key);
    return order ? order : is_newer(y, x) - is_newer(x, y);
}

static size_t newest_of_each_job(struct candidate **list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, by_job);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !digest_equal(&list[i]->key, &list[kept - 1]->key))
            list[kept++] = list[i];
    }
    return kept;
}

static bool same_ranking(const struct candidate *a, const struct candidate *b)
{
    return a->is_ranked && b->is_ranked && memcmp(a->ranking, b->ranking, sizeof a->ranking) == 0;
}

// The fastest of a ranking (NULL: of all that there is).
static void choose(struct choice *c, const struct group *g, const struct candidate *ranked,
                   struct candidate **list)
{
    size_t count = 0, most = ranked ? SHIP_RANKED : 1;
    for (struct candidate *n = g->candidates; n; n = n->next) {
        if (!ranked || same_ranking(n, ranked))
            list[count++] = n;
    }
    count = newest_of_each_job(list, count);
    qsort(list, count, sizeof *list, by_median);
    for (size_t i = 0; i < count && i < most; i++)
        memcpy(c->chosen[c->count++].id, list[i]->id, STORE_ID_BYTES);
}

static void choose_of(struct choice *c, const struct group *g, struct candidate **list)
{
    struct rankings r = find_ranked(g);
    choose(c, g, r.newest, list);
    if (r.whole && !same_ranking(r.whole, r.newest))
        choose(c, g, r.whole, list);
    if (r.newest && !same_ranking(r.fastest, r.newest) &&
        !(r.whole && same_ranking(r.fastest, r.whole)))
        choose(c, g, r.fastest, list);
}

static bool choose_all(struct choice *c, struct error *e)
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

bool ship_best(const char *path, const char *const *files, size_t count, struct store_imported *out,
               struct error *e)
{
    struct choice c = {.groups = NULL};
    memset(out, 0, count * sizeof *out);
    arena_init(&c.arena);
    bool ok = read_files(&c, files, count, e) && choose_all(&c, e) &&
              store_import_some(path, files, count, is_chosen, &c, out, e);
    arena_release(&c.arena);
    return ok;
}
