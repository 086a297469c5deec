#include "best.h"

#include "base/wire.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

// The store is read twice: first what decides, then the one result that was chosen; a store may
// hold many results with long build logs.

struct entry {
    struct entry *next;
    const char *id;
    const char *configuration;
    struct digest key;
    double median;
};

// Results that compare: one device with its driver, constants, source.
struct group {
    struct group *next;
    const char *device, *platform, *driver, *identity, *constants, *newest;
    struct digest source;
    bool same_driver, same_source;
    struct entry *entries;
    size_t count;
};

#define BUCKETS 4096

struct seen {
    struct seen *next;
    struct digest key;
};

struct search {
    const struct best_options *o;
    struct arena *a;
    const char *constants; // only these; NULL: all
    char identity[65];     // of the device that is here
    struct digest source;
    struct space *space; // (or NULL) what --config and --where leave
    struct group *groups;
    struct seen *buckets[BUCKETS];
    bool failed; // no memory
};

// ---- collecting --------------------------------------------------------------------------------

static void identify(const struct device_info *device, char out[65])
{
    struct digest_state state;
    struct digest digest;
    struct wire w;
    struct device_info copy = *device;
    digest_start(&state);
    wire_hasher(&w, &state);
    device_info_identity(&w, &copy);
    digest_finish(&state, &digest);
    digest_hex(&digest, out);
}

static const uint32_t *read_choice(struct search *s, const char *configuration)
{
    struct error ignored = ERROR_INIT;
    const struct spec *spec = s->o->spec;
    uint32_t *choice = arena_array(s->a, spec->parameter_count + 1, sizeof *choice);
    s->failed |= !choice;
    if (!choice)
        return NULL;
    spec_default(spec, choice);
    return spec_parse_configuration(spec, configuration, choice, &ignored) ? choice : NULL;
}

static bool is_wanted(struct search *s, const struct store_row *row)
{
    uint64_t index;
    const struct best_options *o = s->o;
    const char *name = o->device ? o->device->name : o->name;
    const char *platform = o->device ? o->device->platform : o->platform;
    if (name && !str_equal(row->device, name))
        return false;
    if (platform && !str_equal(row->platform, platform))
        return false;
    if (!s->space)
        return true;
    const uint32_t *choice = read_choice(s, row->configuration);
    return choice && space_find(s->space, choice, &index);
}

// Rows come newest first: an older result of the same job does not count.
static bool is_superseded(struct search *s, const struct digest *key)
{
    struct seen **bucket = &s->buckets[(key->bytes[0] | key->bytes[1] << 8) % BUCKETS];
    for (const struct seen *known = *bucket; known; known = known->next) {
        if (digest_equal(&known->key, key))
            return true;
    }
    struct seen *fresh = arena_alloc(s->a, sizeof *fresh);
    s->failed |= !fresh;
    if (fresh) {
        *fresh = (struct seen){*bucket, *key};
        *bucket = fresh;
    }
    return false;
}

static bool belongs(const struct group *g, const struct store_row *row)
{
    return str_equal(g->identity, row->device_identity) &&
           str_equal(g->constants, row->constants) && digest_equal(&g->source, &row->source);
}

static const char *copy(struct search *s, const char *text)
{
    const char *own = arena_strdup(s->a, text ? text : "");
    s->failed |= !own;
    return own;
}

static struct group *group_of(struct search *s, const struct store_row *row)
{
    struct group **last = &s->groups;
    for (; *last; last = &(*last)->next) {
        if (belongs(*last, row))
            return *last;
    }
    struct group *g = arena_alloc(s->a, sizeof *g);
    s->failed |= !g;
    if (!g)
        return NULL;
    *g =
        (struct group){.device = copy(s, row->device),
                       .platform = copy(s, row->platform),
                       .driver = copy(s, row->driver),
                       .identity = copy(s, row->device_identity),
                       .constants = copy(s, row->constants),
                       .newest = copy(s, row->date),
                       .source = row->source,
                       .same_driver = !s->o->device || str_equal(s->identity, row->device_identity),
                       .same_source = digest_equal(&s->source, &row->source)};
    *last = g;
    return g;
}

static bool collect(void *context, const struct store_row *row)
{
    struct search *s = context;
    const uint64_t *samples;
    uint32_t count;
    bool counts = row->measuring_version == HONE_MEASURING_VERSION && is_wanted(s, row) &&
                  result_samples(row->result, &samples, &count) && count > 0 &&
                  !is_superseded(s, &row->key);
    struct group *g = counts ? group_of(s, row) : NULL;
    struct entry *n = g ? arena_alloc(s->a, sizeof *n) : NULL;
    s->failed |= g && !n;
    if (!n)
        return !s->failed;
    *n = (struct entry){.next = g->entries,
                        .id = copy(s, row->id),
                        .configuration = copy(s, row->configuration),
                        .key = row->key,
                        .median = stats_median(samples, count)};
    g->entries = n;
    g->count++;
    return !s->failed;
}

static bool read_store(struct search *s, struct error *e)
{
    struct store_query query = {
        .spec_name = s->o->spec->name, .constants = s->constants, .correct_only = true};
    return store_each(s->o->store, &query, collect, s, e) && (!s->failed || error_memory(e));
}

static bool make_space(struct search *s, struct error *e)
{
    const struct best_options *o = s->o;
    struct space_options options = {.device = o->device,
                                    .configurations = o->configurations,
                                    .configuration_count = o->configuration_count,
                                    .where = o->where,
                                    .where_count = o->where_count};
    if (o->configuration_count == 0 && o->where_count == 0)
        return true;
    s->space = space_new(o->spec, &options, e);
    return s->space != NULL;
}

// Fills `s`, whose space is the caller's to free.
static bool start(struct search *s, const struct best_options *o, struct arena *a, bool all,
                  struct error *e)
{
    struct text constants = TEXT_INIT;
    *s = (struct search){.o = o, .a = a};
    if (o->device)
        identify(o->device, s->identity);
    if (o->sources)
        spec_sources_digest(o->sources, &s->source);
    spec_constants_text(o->spec, &constants);
    s->constants = all ? NULL : copy(s, text_cstr(&constants));
    s->failed |= constants.failed;
    text_release(&constants);
    return (!s->failed || error_memory(e)) && make_space(s, e) && read_store(s, e);
}

// ---- choosing ----------------------------------------------------------------------------------

static int by_median(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return strcmp(x->configuration, y->configuration);
}

static struct entry **sorted(struct search *s, const struct group *g)
{
    struct entry **list = arena_array(s->a, g->count + 1, sizeof(struct entry *));
    size_t count = 0;
    s->failed |= !list;
    for (struct entry *n = list ? g->entries : NULL; n; n = n->next)
        list[count++] = n;
    if (list)
        qsort(list, count, sizeof *list, by_median);
    return list;
}

// Would the configuration be the same job today? Without the device that cannot be told: then yes.
static bool is_same_job(struct search *s, const struct entry *n)
{
    const struct best_options *o = s->o;
    struct error ignored = ERROR_INIT;
    struct job *job = NULL;
    struct digest key;
    const uint32_t *choice = o->device && o->sources ? read_choice(s, n->configuration) : NULL;
    if (!o->device || !o->sources)
        return true;
    if (!choice || !spec_job(o->spec, o->sources, o->device, choice, &job, &ignored))
        return false;
    job_key(job, o->device, &key);
    job_free(job);
    return digest_equal(&key, &n->key);
}

static int rank(const struct group *g)
{
    return 2 * !g->same_source + !g->same_driver;
}

static const struct group *nearest(const struct search *s)
{
    const struct group *best = NULL;
    for (const struct group *g = s->groups; g; g = g->next) {
        if (!best || rank(g) < rank(best)) // groups come newest first
            best = g;
    }
    return best;
}

// The fastest entry that is the same job; else the fastest.
static const struct entry *fastest(struct search *s, const struct group *g, bool *other_job)
{
    struct entry **list = sorted(s, g);
    *other_job = false;
    if (!list)
        return NULL;
    bool comparable = g->same_driver && g->same_source;
    for (size_t i = 0; i < g->count; i++) {
        if (!comparable || is_same_job(s, list[i]))
            return list[i];
    }
    *other_job = true;
    return list[0];
}

// ---- the answer --------------------------------------------------------------------------------

struct fetch_row {
    struct search *search;
    const char *id;
    struct best_answer *out;
    bool done;
};

static bool keep_row(void *context, const struct store_row *row)
{
    struct fetch_row *f = context;
    struct search *s = f->search;
    struct best_answer *out = f->out;
    const uint64_t *samples;
    uint32_t count;
    if (!str_equal(row->id, f->id))
        return true;
    out->configuration = copy(s, row->configuration);
    out->configuration_json = copy(s, row->configuration_json);
    out->device = copy(s, row->device);
    out->platform = copy(s, row->platform);
    out->driver = copy(s, row->driver);
    out->constants = copy(s, row->constants);
    out->date = copy(s, row->date);
    out->hone_version = copy(s, row->hone_version);
    out->geometry = copy(s, row->geometry);
    out->choice = read_choice(s, row->configuration);
    out->key = row->key;
    out->source = row->source;
    out->result = result_clone(row->result);
    s->failed |= !out->result;
    if (out->result)
        out->result->reused = true;
    if (result_samples(row->result, &samples, &count))
        stats_summarise(samples, count, s->o->device ? s->o->device->timer_ns : 0, &out->stats);
    f->done = true;
    return false;
}

static bool answer(struct search *s, const struct group *g, struct best_answer *out,
                   struct error *e)
{
    memset(out, 0, sizeof *out);
    const struct entry *n = fastest(s, g, &out->other_job);
    struct fetch_row f = {.search = s, .id = n ? n->id : "", .out = out};
    struct store_query query = {.spec_name = s->o->spec->name,
                                .constants = g->constants,
                                .source = &g->source,
                                .correct_only = true};
    out->other_driver = !g->same_driver;
    out->other_source = !g->same_source;
    bool ok = n && store_each(s->o->store, &query, keep_row, &f, e);
    if (ok && f.done && !s->failed)
        return true;
    result_free(out->result);
    out->result = NULL;
    if (s->failed || !n)
        return error_memory(e);
    return error_set(e, ERROR_STORE, "%s: a result is gone", store_path(s->o->store));
}

bool best_find(const struct best_options *o, struct arena *a, struct best_answer *out, bool *found,
               struct error *e)
{
    struct search s;
    *found = false;
    bool ok = start(&s, o, a, false, e);
    const struct group *g = ok ? nearest(&s) : NULL;
    *found = g != NULL;
    if (g)
        ok = answer(&s, g, out, e);
    space_free(s.space);
    return ok;
}

// ---- all ---------------------------------------------------------------------------------------

// The first group of its device and constants: the others are of older drivers or sources.
static bool is_first(const struct search *s, const struct group *g)
{
    for (const struct group *other = s->groups; other != g; other = other->next) {
        if (str_equal(other->device, g->device) && str_equal(other->platform, g->platform) &&
            str_equal(other->constants, g->constants))
            return false;
    }
    return true;
}

bool best_all(const struct best_options *o, struct arena *a, struct best_answer **out,
              size_t *count, struct error *e)
{
    struct search s;
    size_t groups = 0;
    *count = 0;
    bool ok = start(&s, o, a, true, e);
    for (const struct group *g = ok ? s.groups : NULL; g; g = g->next)
        groups++;
    *out = arena_array(a, groups + 1, sizeof **out);
    if (ok && !*out)
        ok = error_memory(e);
    for (const struct group *g = ok ? s.groups : NULL; g && ok; g = g->next) {
        if (!is_first(&s, g))
            continue;
        ok = answer(&s, g, &(*out)[*count], e);
        *count += ok;
    }
    space_free(s.space);
    return ok;
}

void best_release_all(struct best_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result_free(answers[i].result);
}

bool best_devices(const struct best_options *o, struct arena *a, struct device_info **out,
                  size_t *count, struct error *e)
{
    struct search s;
    size_t groups = 0;
    *count = 0;
    bool ok = start(&s, o, a, true, e);
    for (const struct group *g = ok ? s.groups : NULL; g; g = g->next)
        groups++;
    *out = arena_array(a, groups + 1, sizeof **out);
    if (ok && !*out)
        ok = error_memory(e);
    for (const struct group *g = ok ? s.groups : NULL; g; g = g->next) {
        bool known = false;
        for (size_t i = 0; i < *count; i++)
            known = known || (str_equal((*out)[i].name, g->device) &&
                              str_equal((*out)[i].platform, g->platform));
        if (!known)
            (*out)[(*count)++] = (struct device_info){
                .name = g->device, .platform = g->platform, .driver = g->driver, .id = ""};
    }
    space_free(s.space);
    return ok;
}
