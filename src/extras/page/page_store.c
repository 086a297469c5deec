// A recorded space of a store as a set: the newest result of each configuration, and beside them what `hone best` says
// of the same, by the same functions: the answer, and the ranking that it comes from.
#include "extras/page/page.h"

#include "report/peak_report.h"
#include "report/report.h"
#include "space/space.h"
#include "workflows/peak/peak.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define LOGS_MOST 24 // build logs of failures that are kept: one of each message

struct taking_rows {
    struct page *page;
    struct page_set *set;
    const struct spec *spec;
    const struct space *only; // (or NULL) what is shown
    size_t room;
    struct page_messages messages;
    struct page_index index;
    uint32_t logs;
    double first; // seconds of the epoch of the oldest so far; NaN
    bool failed;
};

// "2026-11-23T12:00:00.125Z", in seconds; NaN if it is not a date.
static double seconds_of(const char *date)
{
    struct tm t = {0};
    double part = 0;
    const char *end = strptime(date, "%Y-%m-%dT%H:%M:%S", &t);
    for (double digit = 0.1; end && (end[0] == '.' || (end[0] >= '0' && end[0] <= '9')); end++) {
        part += end[0] == '.' ? 0 : digit * (end[0] - '0');
        digit /= end[0] == '.' ? 1 : 10;
    }
    return end ? (double)timegm(&t) + part : NAN;
}

static const double *metrics_of_row(struct taking_rows *t, const struct page_row *r,
                                    const struct result *result)
{
    double *out = arena_array(&t->page->arena, t->spec->metric_count + (size_t)1, sizeof *out);
    t->failed |= !out;
    for (uint32_t i = 0; out && i < t->spec->metric_count; i++) {
        if (!r->timed || !report_metric_at(t->spec, i, r->choice, NULL, r->median, result, &out[i]))
            out[i] = NAN;
    }
    return out;
}

static void take_result(struct taking_rows *t, const struct store_row *row, struct page_row *r)
{
    const struct result *result = row->result;
    const uint64_t *samples;
    uint32_t count;
    bool is_new;
    r->status = result->status;
    t->failed |= !page_note_message(t->page, t->set, &t->messages,
                                    result->status == STATUS_CORRECT ? "" : result->message,
                                    &r->message, &is_new);
    if (result_samples(result, &samples, &count) && count > 0) {
        struct stats_summary sum;
        stats_summarise(samples, count, result->terms.resolution_ns, &sum);
        r->timed = true;
        r->median = sum.median;
        r->low = sum.low;
        r->high = sum.high;
        r->interval = sum.interval;
        r->samples = count;
        r->ranked = result->stop == STOP_RANKED;
    }
    r->build_ns = result->build_ns ? (double)result->build_ns : NAN;
    if (result_is_shared(result)) {
        r->same_as = arena_strdup(&t->page->arena, result->same_as);
        t->failed |= !r->same_as;
    }
    if (result->resource_count > 0)
        r->resources = result->resources[0];
    r->key = row->key;
    r->id = arena_strdup(&t->page->arena, row->id);
    t->failed |= !r->id;
    if (is_new && result->log && result->log[0] && t->logs++ < LOGS_MOST)
        r->log = page_without_folders(result->log, &t->page->arena);
    r->metrics = metrics_of_row(t, r, result);
}

// Takes the time of a ranked row that was measured alone, before the ranking.
static void take_screened(struct page_row *r, const struct store_row *row)
{
    const uint64_t *samples;
    uint32_t count;
    if (!r->ranked || !isnan(r->screened) || row->result->stop == STOP_RANKED ||
        !result_samples(row->result, &samples, &count) || count == 0)
        return;
    r->screened = stats_median(samples, count);
    r->at = seconds_of(row->date);
}

static void note_run(struct taking_rows *t, const struct store_row *row)
{
    struct page_set *s = t->set;
    struct arena *a = &t->page->arena;
    double at = seconds_of(row->date);
    if (!s->command) {
        s->command = page_without_folders(row->command ? row->command : "", a);
        s->host = arena_strdup(a, row->host ? row->host : "");
        s->seed = arena_strdup(a, row->seed ? row->seed : "");
        s->surroundings = page_without_members(row->surroundings ? row->surroundings : "", a);
        if (s->surroundings)
            s->surroundings = page_without_folders(s->surroundings, a);
        s->last_date = arena_strdup(a, row->date);
        s->hone_version = arena_strdup(a, row->hone_version);
    }
    if (s->member_count == 0 && row->surroundings)
        t->failed |= !page_read_members(s, row->surroundings, a);
    if (isnan(t->first) || at < t->first) {
        t->first = at;
        s->first_date = arena_strdup(a, row->date);
    }
}

// Rows come newest first.
static bool take_page_row(void *context, const struct store_row *row)
{
    struct taking_rows *t = context;
    struct page_set *s = t->set;
    struct error ignored = ERROR_INIT;
    struct arena *a = &t->page->arena;
    uint32_t *choice = arena_array(a, t->spec->parameter_count + (size_t)1, sizeof *choice);
    t->failed |= !choice || !ARENA_ROOM(a, s->rows, t->room, s->count + 1);
    if (t->failed)
        return false;
    spec_default(t->spec, choice);
    if (!spec_parse_configuration(t->spec, row->configuration, choice, &ignored)) {
        s->unreadable++;
        return true;
    }
    uint64_t index;
    if (t->only && !space_find(t->only, choice, &index))
        return true;
    t->failed |= !page_index_rows(s, &t->index);
    if (t->failed)
        return false;
    note_run(t, row);
    uint32_t *slot = page_index_slot(s, &t->index, choice);
    if (*slot > 0) {
        take_screened(&s->rows[*slot - 1], row);
        return true;
    }
    struct page_row *r = &s->rows[s->count++];
    *r = (struct page_row){.choice = choice,
                           .at = seconds_of(row->date),
                           .ranked_at = NAN,
                           .screened = NAN,
                           .resources = RESOURCES_UNKNOWN,
                           .median = NAN,
                           .low = NAN,
                           .high = NAN};
    *slot = (uint32_t)s->count;
    take_result(t, row, r);
    r->ranked_at = r->ranked ? r->at : NAN;
    return !t->failed;
}

struct placed_row {
    struct page_row row;
    size_t place;
};

static int by_moment(const void *a, const void *b)
{
    const struct placed_row *x = a, *y = b;
    if (x->row.at != y->row.at)
        return x->row.at < y->row.at ? -1 : 1;
    return (x->place < y->place) - (x->place > y->place);
}

// In the order in which they were first measured, which is not that of what is newest.
static bool order_by_moment(struct page_set *s, double first)
{
    struct placed_row *all = calloc(s->count + 1, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < s->count; i++)
        all[i] = (struct placed_row){s->rows[i], i};
    qsort(all, s->count, sizeof *all, by_moment);
    for (size_t i = 0; i < s->count; i++) {
        s->rows[i] = all[i].row;
        s->rows[i].at -= first;
        s->rows[i].ranked_at -= first;
    }
    free(all);
    return true;
}

// The default, or where the restrictions exclude it the first that is valid.
static bool find_usual(struct page *p, struct page_set *s, const struct spec *spec)
{
    uint64_t index;
    struct error ignored = ERROR_INIT;
    uint32_t *choice = arena_array(&p->arena, spec->parameter_count + (size_t)1, sizeof *choice);
    if (!choice)
        return false;
    spec_default(spec, choice);
    if (!spec->uses_device) {
        struct space *sp = space_new(spec, NULL, &ignored);
        if (sp && space_count(sp) > 0 && !space_find(sp, choice, &index))
            space_get(sp, 0, choice);
        space_free(sp);
    }
    s->usual = page_row_of(s, choice);
    return true;
}

// The Pareto set that `hone best` says.
static bool find_stored_front(struct page *p, struct page_set *s, const struct best_options *o,
                              struct error *e)
{
    struct best_answer *answers;
    size_t count;
    if (!best_pareto(o, &p->arena, &answers, &count, e)) {
        s->no_front = e->code == ERROR_MEMORY ? NULL : arena_strdup(&p->arena, e->text);
        if (s->no_front)
            error_clear(e);
        return s->no_front != NULL;
    }
    s->front = arena_array(&p->arena, count + 1, sizeof *s->front);
    for (size_t i = 0; s->front && i < count; i++) {
        size_t row = page_row_of(s, answers[i].choice);
        if (row != SIZE_MAX)
            s->front[s->front_count++] = row;
    }
    best_release_all(answers, count);
    return s->front || error_memory(e);
}

static bool find_page_answer(struct page *p, struct page_set *s, struct store *store,
                             const struct spec *spec, enum language language,
                             const struct page_choice *choice, struct error *e)
{
    struct best_options o = {.spec = spec,
                             .store = store,
                             .name = s->device,
                             .platform = s->platform,
                             .languages = 1u << language,
                             .among.device_identity = &s->space->identity,
                             .among.source = &s->space->source,
                             .among.session = s->space->session,
                             .among.inputs = s->space->cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM,
                             .space.where = choice ? choice->where : NULL,
                             .space.where_count = choice ? choice->where_count : 0};
    bool is_set = s->objectives.count > 1;
    if (!is_set)
        o.objectives = s->objectives;
    if (!best_find(&o, &p->arena, &s->answer, &s->has_answer, e) ||
        !best_ranking(&o, &p->arena, &s->ranking, e))
        return false;
    o.objectives = s->objectives;
    if (is_set && !s->no_front && !find_stored_front(p, s, &o, e))
        return false;
    s->best = s->has_answer ? page_row_of(s, s->answer.choice) : SIZE_MAX;
    return true;
}

// The first metric that is a rate, as a sweep shows it.
static void find_rate(struct page_set *s, const struct spec *spec)
{
    struct stats_summary sum;
    struct page_rate *r = &s->rate;
    uint32_t i = report_rate_metric(spec);
    if (i == UINT32_MAX || !s->has_answer || !s->answer.choice || !page_best_stats(s, &sum))
        return;
    const uint32_t *choice = s->answer.choice;
    const struct result *of = s->answer.result;
    r->low = r->high = NAN;
    if (!report_metric_at(spec, i, choice, NULL, sum.median, of, &r->value))
        return;
    r->name = spec->metrics[i].name;
    if (sum.interval && (!report_metric_at(spec, i, choice, NULL, sum.high, of, &r->low) ||
                         !report_metric_at(spec, i, choice, NULL, sum.low, of, &r->high)))
        r->low = r->high = NAN;
}

// The properties that distinguish the set's results from others of its device.
static bool say_what_counts(struct page *p, struct page_set *s, const struct stored_space *space)
{
    char text[65];
    digest_hex(&space->source, text);
    s->inputs = space->cold ? "cold" : "warm";
    s->text = arena_strndup(&p->arena, text, 8);
    s->run = space->run ? arena_printf(&p->arena, "run %u", space->run) : "";
    return s->text && s->run;
}

// The code of the answer and of each detail.
static bool find_code(struct page *p, struct page_set *s, struct store *store,
                      const struct spec *spec, enum language language, struct error *e)
{
    struct error ignored = ERROR_INIT;
    struct spec_sources *sources =
        language < LANGUAGE_COUNT ? spec_sources_read(spec, language, NULL, NULL, &ignored) : NULL;
    bool ok = !s->has_answer || !s->answer.choice ||
              page_code_of(p, spec, sources, s->answer.choice, &s->code) || error_memory(e);
    ok = ok && (s->is_recorded || page_find_details(p, s, store, spec, sources, e));
    spec_sources_free(sources);
    return ok;
}

bool page_add_stored(struct page *p, struct store *store, const struct stored_space *space,
                     const struct spec *spec, const char *origin, const struct page_choice *choice,
                     struct error *e)
{
    struct space *only;
    enum language language = LANGUAGE_COUNT;
    struct page_set *s = page_new_set(p, e);
    if (!s)
        return false;
    if (!space->is_imported && !say_what_counts(p, s, space))
        return error_memory(e);
    s->origin = origin;
    s->spec = space->spec;
    s->constants = space->constants;
    s->device = space->device;
    s->platform = space->platform;
    s->driver = space->driver;
    s->language = space->language;
    s->statistic = space->statistic;
    s->is_recorded = space->is_imported;
    s->space = space;
    s->hone_version = space->hone_version;
    s->parameters = spec->parameters;
    s->parameter_count = spec->parameter_count;
    s->metric_count = spec->metric_count;
    const char **names = arena_array(&p->arena, spec->metric_count + (size_t)1, sizeof *names);
    for (uint32_t i = 0; names && i < spec->metric_count; i++)
        names[i] = spec->metrics[i].name;
    s->metrics = names;
    if (!page_chosen_space(spec, choice, &only, e))
        return false;
    struct taking_rows t = {
        .page = p, .set = s, .spec = spec, .only = only, .first = NAN, .failed = !names};
    uint32_t none;
    bool is_new;
    t.failed |= !page_note_message(p, s, &t.messages, "", &none, &is_new);
    bool ok = !t.failed && stored_space_each_result(store, space, take_page_row, &t, e);
    page_index_release(&t.index);
    page_index_release(&t.messages.index);
    space_free(only);
    if (!ok && e->code != ERROR_NONE)
        return false;
    if (t.failed || !order_by_moment(s, t.first) || !find_usual(p, s, spec) ||
        !page_find_file(p, s))
        return error_memory(e);
    if (!page_find_objectives(p, s, spec, choice, e))
        return false;
    if (language_parse(space->language, &language) &&
        !find_page_answer(p, s, store, spec, language, choice, e))
        return false;
    find_rate(s, spec);
    if (!s->is_recorded && !page_find_libraries(p, s, store, spec, e))
        return false;
    return peak_find_of(store, &space->identity, &p->arena, &s->peak, e) &&
           page_finish_set(p, s, e) && find_code(p, s, store, spec, language, e);
}
