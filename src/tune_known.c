// The fastest that the store knows of the space: they are in the ranking of a tune, asked for or
// not.
#include "measure/stats.h"
#include "space/space.h"
#include "tune_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A row that counts, of the job with this key.
struct known_row {
    struct digest key;
    size_t age; // rows come newest first
    const char *configuration;
    double median; // 0: it failed, or nothing was timed
};

struct knowing {
    struct tune *t;
    struct arena arena;
    struct store_counting here;
    char identity[65];
    uint32_t *choice;
    struct known_row *rows;
    size_t count, capacity;
    bool failed; // no memory
};

static bool known_row_add(struct knowing *k, const struct known_row *row)
{
    if (k->count == k->capacity) {
        size_t capacity = k->capacity ? 2 * k->capacity : 64;
        struct known_row *grown = realloc(k->rows, capacity * sizeof *grown);
        if (!grown)
            return false;
        k->rows = grown;
        k->capacity = capacity;
    }
    k->rows[k->count++] = *row;
    return true;
}

// Does the configuration itself fail? A time limit is the run's, and what a worker or the device
// came to says nothing.
static bool is_refuted(const struct result *r)
{
    bool own = r->fault == FAULT_CONFIGURATION || r->fault == FAULT_LOST;
    return r->status != STATUS_CORRECT && r->status != STATUS_TIMEOUT && own;
}

static bool note(void *context, const struct store_row *row)
{
    struct knowing *k = context;
    const uint64_t *samples;
    uint32_t count;
    bool timed = result_samples(row->result, &samples, &count) && count > 0;
    if (!store_row_counts(row, &k->here) || (!timed && !is_refuted(row->result)))
        return true;
    struct known_row known = {.key = row->key,
                              .age = k->count,
                              .configuration = arena_strdup(&k->arena, row->configuration),
                              .median = timed ? stats_median(samples, count) : 0};
    k->failed = !known.configuration || !known_row_add(k, &known);
    return !k->failed;
}

static int by_key(const void *a, const void *b)
{
    const struct known_row *x = a, *y = b;
    int order = memcmp(&x->key, &y->key, sizeof x->key);
    return order ? order : (x->age > y->age) - (x->age < y->age);
}

static int by_time(const void *a, const void *b)
{
    const struct known_row *x = a, *y = b;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return (x->age > y->age) - (x->age < y->age);
}

// Leaves the newest row of each job, as far as that has a time: the fastest first. What was found
// before a job failed says nothing.
static void keep_newest(struct knowing *k)
{
    size_t kept = 0;
    if (k->count > 0)
        qsort(k->rows, k->count, sizeof *k->rows, by_key);
    for (size_t i = 0; i < k->count; i++) {
        if (kept == 0 || !digest_equal(&k->rows[i].key, &k->rows[kept - 1].key))
            k->rows[kept++] = k->rows[i];
    }
    k->count = kept;
    kept = 0;
    for (size_t i = 0; i < k->count; i++) {
        if (k->rows[i].median > 0)
            k->rows[kept++] = k->rows[i];
    }
    k->count = kept;
    if (kept > 0)
        qsort(k->rows, kept, sizeof *k->rows, by_time);
}

// Is it of the space, and the same job today: the same options, sizes, arguments?
static bool is_today(struct knowing *k, const struct known_row *row, uint64_t *index)
{
    struct tune *t = k->t;
    struct error unreadable = ERROR_INIT;
    struct job *job = NULL;
    struct digest key;
    spec_default(t->o.spec, k->choice);
    bool ok = spec_parse_configuration(t->o.spec, row->configuration, k->choice, &unreadable) &&
              space_find(t->stages.space, k->choice, index) &&
              spec_job(t->o.spec, t->stages.sources, t->o.device, k->choice, &job, &unreadable);
    k->failed |= unreadable.code == ERROR_MEMORY;
    if (!ok)
        return false;
    job_key(job, t->o.device, &key);
    job_free(job);
    return digest_equal(&key, &row->key);
}

static bool is_of_use(const struct tune *t)
{
    const struct tune_options *o = &t->o;
    bool covers = t->planned >= space_count(t->stages.space) && o->budget.nanoseconds == 0;
    return o->store && !o->fresh && !o->replay && t->by_time && tune_rank_is_wanted(o) && !covers;
}

static bool read_store(struct knowing *k, struct error *e)
{
    const struct tune *t = k->t;
    const struct store_query query = {.spec_name = t->o.spec->name,
                                      .constants = t->stages.constants,
                                      .device = t->o.device->name,
                                      .source = &t->stages.source};
    return store_each(t->o.store, &query, note, k, e) && (!k->failed || error_memory(e));
}

// The fastest, as contenders.h would choose among them.
static bool take_over(struct knowing *k)
{
    struct tune *t = k->t;
    const struct measure_rules *rules = &t->o.terms.rules;
    size_t most = k->count < (size_t)rules->contenders ? k->count : (size_t)rules->contenders;
    double fastest = INFINITY;
    t->known = arena_array(&t->arena, most + 1, sizeof *t->known);
    t->known_items = arena_array(&t->arena, most + 1, sizeof(struct item *));
    k->failed |= !t->known || !t->known_items;
    for (size_t i = 0; !k->failed && i < k->count && t->known_count < most; i++) {
        const struct known_row *row = &k->rows[i];
        if (row->median > rules->near * fastest)
            break;
        if (!is_today(k, row, &t->known[t->known_count]))
            continue;
        fastest = fmin(fastest, row->median);
        t->known_count++;
    }
    return !k->failed;
}

bool tune_known_find(struct tune *t, struct error *e)
{
    if (!is_of_use(t))
        return true;
    struct digest identity;
    struct knowing k = {.t = t};
    device_info_digest(t->o.device, &identity);
    digest_hex(&identity, k.identity);
    k.here =
        (struct store_counting){.device_identity = k.identity,
                                .inputs = t->o.terms.cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM};
    arena_init(&k.arena);
    k.choice = arena_array(&k.arena, t->o.spec->parameter_count + 1, sizeof *k.choice);
    bool ok = (k.choice || error_memory(e)) && read_store(&k, e);
    if (ok) {
        keep_newest(&k);
        ok = take_over(&k) || error_memory(e);
    }
    free(k.rows);
    arena_release(&k.arena);
    return ok;
}

bool tune_known_start(struct tune *t, size_t room, struct error *e)
{
    for (; room > 0 && t->known_next < t->known_count; room--) {
        uint64_t ticket = t->item_count;
        if (!tune_start_item(t, t->known[t->known_next], e))
            return false;
        struct item *n = t->items[ticket];
        n->unasked = true;
        t->unasked++;
        t->known_items[t->known_next++] = n;
    }
    return true;
}

bool tune_known_ask(struct tune *t, uint64_t index)
{
    for (size_t i = 0; i < t->known_next; i++) {
        struct item *n = t->known_items[i];
        if (t->known[i] != index)
            continue;
        n->unasked = false;
        t->unasked--;
        if (n->record.result)
            tune_goal_tell(t, &n->record);
        return true;
    }
    return false;
}
