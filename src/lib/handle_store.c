// Stores of the public interface: the best that is known, and walks over records, runs and bests,
// each handed out as a record like those of a tune.
#include "base/array.h"
#include "lib/handle.h"

#include "workflows/best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)HONE_STORE_IMMUTABLE == (int)STORE_IMMUTABLE, "modes of a store");

struct hone_store *hone_store_open(const char *path, enum hone_store_mode mode,
                                   struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct store *st = store_open(path, (enum store_mode)mode, &why);
    hand_over(&why, e);
    return (struct hone_store *)st;
}

void hone_store_close(struct hone_store *st)
{
    store_close(store_of(st));
}

const char *hone_store_path(const struct hone_store *st)
{
    return store_path((const struct store *)st);
}

struct hone_store *hone_store_stack(struct hone_store *st, struct hone_store *behind)
{
    return (struct hone_store *)store_stack(store_of(st), store_of(behind));
}

bool hone_store_kept(struct hone_store *st, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    store_kept(store_of(st), &why);
    return hand_over(&why, e);
}

// ---- the best -----------------------------------------------------------------------------------

// Searches one language, with the sources as they are now; results of another driver, source or job
// do not count. Returns false without an error if nothing is known.
static bool find_best_in(struct store *st, const struct spec *spec, enum language l,
                         const struct device_info *device, uint32_t *configuration,
                         double *median_ns, struct error *e)
{
    struct best_answer answer = {0};
    struct arena arena;
    bool found = false;
    arena_init(&arena);
    struct spec_sources *sources = spec_sources_read(spec, l, device, NULL, e);
    struct best_options options = {
        .spec = spec, .sources = sources, .store = st, .device = device, .languages = 1u << l};
    found = sources && best_find(&options, &arena, &answer, &found, e) && found &&
            best_is_of_today(&answer);
    if (found) {
        memcpy(configuration, answer.choice, spec->parameter_count * sizeof *configuration);
        *median_ns = answer.stats.median;
    }
    result_free(answer.result);
    spec_sources_free(sources);
    arena_release(&arena);
    return found;
}

bool hone_store_best(struct hone_store *st, const struct hone_spec *s,
                     const struct hone_device *device, uint32_t *configuration, double *median_ns,
                     struct hone_error *e)
{
    const struct spec *spec = spec_of(s);
    const struct device_info *info = info_of(device);
    struct error why = ERROR_INIT;
    struct spec_languages languages = {.count = 1};
    struct arena arena = {NULL, 0};
    uint32_t *choice = arena_array(&arena, spec->parameter_count + 1, sizeof *choice);
    double time = 0;
    bool found = false, ok = choice || error_memory(&why);
    if (info)
        languages.list[0] = info->language;
    else
        ok = ok && spec_languages(spec, &languages, &why);
    for (uint32_t i = 0; ok && !why.code && i < languages.count; i++) {
        if (!find_best_in(store_of(st), spec, languages.list[i], info, choice, &time, &why) ||
            (found && time >= *median_ns))
            continue;
        found = true;
        *median_ns = time;
        memcpy(configuration, choice, spec->parameter_count * sizeof *configuration);
    }
    arena_release(&arena);
    return hand_over(&why, e) && found;
}

// ---- records ------------------------------------------------------------------------------------

// A walk over stored results on behalf of a caller.
struct record_walk {
    struct hone_query q;
    const struct spec *spec;
    struct text constants; // of the spec
    const char *identity;  // of the device: hexadecimal
    uint32_t *choice;
    double *metrics;
    struct arena arena;
    hone_each_record *each;
    void *context;
    struct hone_run_info *runs; // newest first
    size_t run_count, run_room;
    struct error why;
};

static bool walk_start(struct record_walk *w, const struct hone_query *q, struct store_query *out)
{
    struct digest identity;
    char *hex = NULL;
    arena_init(&w->arena);
    if (!take_sized(q, &w->q, sizeof w->q, "HONE_QUERY_INIT", &w->why))
        return false;
    w->spec = w->q.spec ? spec_of(w->q.spec) : NULL;
    *out = (struct store_query){.correct_only = w->q.correct_only, .all_runs = true};
    if (w->spec) {
        spec_constants_text(w->spec, &w->constants);
        w->choice = arena_array(&w->arena, w->spec->parameter_count + 1, sizeof *w->choice);
        w->metrics = arena_array(&w->arena, w->spec->metric_count + 1, sizeof *w->metrics);
        if (!w->choice || !w->metrics || w->constants.failed)
            return error_memory(&w->why);
        out->spec_name = w->spec->name;
        out->constants = w->q.any_constants ? NULL : text_cstr(&w->constants);
    }
    if (w->q.device) {
        hex = arena_alloc(&w->arena, 65);
        if (!hex)
            return error_memory(&w->why);
        device_info_digest(info_of(w->q.device), &identity);
        digest_hex(&identity, hex);
        w->identity = hex;
    }
    return true;
}

static void walk_release(struct record_walk *w)
{
    free(w->runs);
    text_release(&w->constants);
    arena_release(&w->arena);
}

static bool is_meant(const struct record_walk *w, const struct store_row *row)
{
    return (!w->identity || str_equal(w->identity, row->device_identity)) &&
           (!w->q.run || str_equal(w->q.run, row->session));
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

// Hands one result out as a record.
static bool hand_record(struct record_walk *w, const struct result *result,
                        const char *configuration, const char *json, const char *constants,
                        const struct hone_origin *origin)
{
    struct error ignored = ERROR_INIT;
    const struct device_info *device = info_of(w->q.device);
    struct tune_record record = {
        .configuration = configuration, .configuration_json = json, .result = result};
    const uint64_t *samples;
    uint32_t count;
    if (result_samples(result, &samples, &count) && count > 0) {
        stats_summarise(samples, count, result->terms.resolution_ns, &record.stats);
        record.timed = true;
    }
    if (w->spec && str_equal(constants, text_cstr(&w->constants))) {
        for (uint32_t i = 0; i < w->spec->parameter_count; i++) // one of one value is not named
            w->choice[i] = w->spec->parameters[i].count == 1 ? 0 : UINT32_MAX;
        bool ok = spec_parse_configuration(w->spec, configuration, w->choice, &ignored);
        for (uint32_t i = 0; i < w->spec->parameter_count; i++)
            ok = ok && w->choice[i] != UINT32_MAX;
        record.choice = ok ? w->choice : NULL;
    }
    if (w->spec && record.choice && record.timed) {
        const struct spec_measured measured = {.time_ns = record.stats.median,
                                               .joule = result_joule(result)};
        for (uint32_t i = 0; i < w->spec->metric_count; i++) {
            if (!spec_metric(w->spec, i, w->choice, device, &measured, &w->metrics[i]))
                w->metrics[i] = NAN;
        }
        record.metrics = w->metrics;
        record.metric_count = w->spec->metric_count;
    }
    return w->each(w->context, (const struct hone_record *)&record, origin);
}

// Facts of a result that a row of the store and a best answer have alike.
#define ORIGIN_OF(from)                                                                            \
    .date = (from)->date, .constants = (from)->constants, .device = (from)->device,                \
    .platform = (from)->platform, .driver = (from)->driver,                                        \
    .geometry = text_or_empty((from)->geometry),                                                   \
    .hone_version = text_or_empty((from)->hone_version),                                           \
    .file = text_or_empty((from)->result->origin)

static bool walk_row(void *context, const struct store_row *row)
{
    struct record_walk *w = context;
    char hexadecimal[65];
    if (!is_meant(w, row))
        return true;
    digest_hex(&row->key, hexadecimal);
    const struct hone_origin origin = {.size = sizeof origin,
                                       ORIGIN_OF(row),
                                       .id = row->id,
                                       .run = row->session,
                                       .command = text_or_empty(row->command),
                                       .spec = row->spec_name,
                                       .language = row->language,
                                       .job = hexadecimal};
    return hand_record(w, row->result, row->configuration, row->configuration_json, row->constants,
                       &origin);
}

bool hone_store_records(struct hone_store *st, const struct hone_query *q, hone_each_record *each,
                        void *context, struct hone_error *e)
{
    struct record_walk w = {.each = each, .context = context, .why = ERROR_INIT};
    struct store_query query;
    if (walk_start(&w, q, &query))
        store_each(store_of(st), &query, walk_row, &w, &w.why);
    walk_release(&w);
    return hand_over(&w.why, e);
}

// ---- runs ---------------------------------------------------------------------------------------

static struct hone_run_info *find_run(const struct record_walk *w, const char *id)
{
    for (size_t i = w->run_count; i > 0; i--) { // rows of one run stand together, mostly
        if (str_equal(w->runs[i - 1].id, id))
            return &w->runs[i - 1];
    }
    return NULL;
}

static bool add_run(struct record_walk *w, const struct store_row *row)
{
    struct arena *a = &w->arena;
    bool failed = false;
    if (!ARRAY_ROOM(w->runs, w->run_room, w->run_count + 1))
        return error_memory(&w->why);
    w->runs[w->run_count] = (struct hone_run_info){
        .size = sizeof *w->runs,
        .id = copy_text(a, row->session, &failed),
        .command = copy_text(a, text_or_empty(row->command), &failed),
        .date = copy_text(a, row->date, &failed),
        .spec = copy_text(a, row->spec_name, &failed),
        .constants = copy_text(a, row->constants, &failed),
        .language = copy_text(a, row->language, &failed),
        .device = copy_text(a, row->device, &failed),
        .platform = copy_text(a, row->platform, &failed),
        .driver = copy_text(a, row->driver, &failed),
        .hone_version = copy_text(a, text_or_empty(row->hone_version), &failed)};
    w->run_count += !failed;
    return !failed || error_memory(&w->why);
}

static bool count_row(void *context, const struct store_row *row)
{
    struct record_walk *w = context;
    if (!is_meant(w, row))
        return true;
    struct hone_run_info *run = find_run(w, row->session);
    if (!run && !add_run(w, row))
        return false;
    run = run ? run : &w->runs[w->run_count - 1];
    run->records++;
    run->correct += row->result->status == STATUS_CORRECT;
    return true;
}

bool hone_store_runs(struct hone_store *st, const struct hone_query *q, hone_each_run *each,
                     void *context, struct hone_error *e)
{
    struct record_walk w = {.why = ERROR_INIT};
    struct store_query query;
    bool ok = walk_start(&w, q, &query) &&
              store_each(store_of(st), &query, count_row, &w, &w.why) && !w.why.code;
    for (size_t i = 0; ok && i < w.run_count && each(context, &w.runs[i]); i++)
        ;
    walk_release(&w);
    return hand_over(&w.why, e);
}

// ---- bests --------------------------------------------------------------------------------------

static bool hand_best(struct record_walk *w, const struct best_answer *b)
{
    char hexadecimal[65];
    digest_hex(&b->key, hexadecimal);
    const struct hone_origin origin = {.size = sizeof origin,
                                       ORIGIN_OF(b),
                                       .id = "",
                                       .run = "",
                                       .command = "",
                                       .spec = w->spec->name,
                                       .language = language_text(b->language),
                                       .job = hexadecimal};
    return hand_record(w, b->result, b->configuration, b->configuration_json, b->constants,
                       &origin);
}

bool hone_store_bests(struct hone_store *st, const struct hone_spec *s, hone_each_record *each,
                      void *context, struct hone_error *e)
{
    const struct hone_query q = {.size = sizeof q, .spec = s};
    struct record_walk w = {.each = each, .context = context, .why = ERROR_INIT};
    struct store_query ignored;
    struct spec_languages languages = {.count = 0};
    bool more = walk_start(&w, &q, &ignored) && spec_languages(w.spec, &languages, &w.why);
    for (uint32_t i = 0; more && i < languages.count; i++) {
        enum language l = languages.list[i];
        struct spec_sources *sources = spec_sources_read(w.spec, l, NULL, NULL, &w.why);
        struct best_options o = {
            .spec = w.spec, .sources = sources, .store = store_of(st), .languages = 1u << l};
        struct best_answer *answers = NULL;
        size_t count = 0;
        more = sources && best_all(&o, &w.arena, &answers, &count, &w.why);
        for (size_t k = 0; more && k < count; k++)
            more = hand_best(&w, &answers[k]);
        best_release_all(answers, count);
        spec_sources_free(sources);
    }
    walk_release(&w);
    return hand_over(&w.why, e);
}

// ---- texts --------------------------------------------------------------------------------------

bool hone_store_texts(struct hone_store *st, const char *job, hone_each_text *each, void *context,
                      struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct digest key;
    if (digest_parse(job, &key))
        store_texts(store_of(st), &key, each, context, &why);
    else
        error_set(&why, ERROR_USAGE, "'%s' is not a job: take hone_origin.job", job);
    return hand_over(&why, e);
}
