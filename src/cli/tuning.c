// A tune as the command line makes it: opens spec, device and store, makes the options of the
// workflow, and views of what it found.
#include "cli/run_workflow.h"
#include "cli/tuning.h"

#include "cli/crash.h"
#include "cli/replaying.h"
#include "os/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tuning_init(struct tuning *t, const struct invocation *call, const struct spec_settings *given,
                 const struct measure_settings *measure, const struct search_settings *search)
{
    static const struct search_settings nothing_said;
    memset(t, 0, sizeof *t);
    t->search = search ? search : &nothing_said;
    work_init(&t->work, call, given, measure);
}

void tuning_release(struct tuning *t)
{
    hone_tune_free(t->handle);
    recorded_free(t->recorded);
    work_release(&t->work);
}

// ---- options -----------------------------------------------------------------------------------

bool goal_of(const struct list *given, const struct spec *spec, struct objectives *out,
             struct error *e)
{
    struct text all = TEXT_INIT;
    for (uint32_t i = 0; i < given->count; i++)
        text_addf(&all, "%s%s", i ? "," : "", given->items[i]);
    bool ok = !all.failed || error_memory(e);
    ok = ok && objective_parse(given->count ? text_cstr(&all) : NULL, spec, out, e);
    text_release(&all);
    if (!ok && e->code == ERROR_USAGE)
        error_context(e, "--objective");
    return ok;
}

int tuning_goal(struct tuning *t)
{
    struct error e = ERROR_INIT;
    struct text all = TEXT_INIT;
    const struct list *given = &t->search->objective;
    for (uint32_t i = 0; i < given->count; i++)
        text_addf(&all, "%s%s", i ? "," : "", given->items[i]);
    t->options.objective = given->count ? arena_strdup(&t->work.arena, text_cstr(&all)) : NULL;
    bool ok = (!all.failed && (!given->count || t->options.objective)) || error_memory(&e);
    text_release(&all);
    ok = ok && goal_of(given, t->work.spec, &t->goal, &e);
    return ok ? EXIT_DONE : work_failed(&e);
}

int tuning_open(struct tuning *t)
{
    int status = t->replayed ? replaying_open(t) : work_spec(&t->work);
    if (status == EXIT_DONE && !t->replayed)
        status = work_device(&t->work);
    t->options = work_options(&t->work);
    t->options.strategy = t->search->strategy;
    t->options.budget = t->search->budget;
    t->options.objective = "time";
    return status;
}

int open_kept(struct work *w)
{
    const struct spec_settings *s = w->given;
    const char *other = s->also.count ? "--also" : s->store ? "--store" : NULL;
    if (w->measure->no_store && other) {
        complain("--no-store and %s exclude each other", other);
        return EXIT_USAGE;
    }
    return w->measure->no_store ? EXIT_DONE : work_store(w, HONE_STORE_WRITE);
}

static int start_tuning(struct tuning *t, const uint32_t *choice)
{
    struct error e = ERROR_INIT;
    struct hone_error why = HONE_ERROR_INIT;
    bool storing = !t->options.build_only && !t->recorded;
    int status = storing ? open_kept(&t->work) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    t->options.store = t->work.opened;
    t->started_ns = clock_ns();
    t->handle = choice        ? hone_run_new(&t->options, choice, &why)
                : t->recorded ? engine_replay_new(&t->options, t->recorded, &why)
                              : hone_tune_new(&t->options, &why);
    if (t->handle)
        return EXIT_DONE;
    engine_error(&why, &e);
    return workflow_failed(&e);
}

int tuning_start(struct tuning *t)
{
    return start_tuning(t, NULL);
}

int tuning_start_run(struct tuning *t, const uint32_t *choice)
{
    return start_tuning(t, choice);
}

// ---- views -------------------------------------------------------------------------------------

// A metric without a value usually says why by itself; of the energy the result knows it.
static const char *why_unknown(const struct spec *spec, uint32_t metric, const struct result *r)
{
    if (!spec_metric_uses_energy(spec, metric) || !isnan(result_joule(r)))
        return "";
    return r->energy.refused[0] ? r->energy.refused
                                : "energy is counted in the ranking and by hone run";
}

// Of a record, as its tune made them.
static const struct view_metric *metrics_of_record(const struct spec *spec,
                                                   const struct tune_record *r, struct arena *a)
{
    struct view_metric *m = arena_array(a, spec->metric_count + 1, sizeof *m);
    for (uint32_t i = 0; m && i < spec->metric_count; i++) {
        m[i] = (struct view_metric){.name = spec->metrics[i].name, .unit = spec->metrics[i].name};
        m[i].known = r->timed && !isnan(r->metrics[i]);
        m[i].value = m[i].known ? r->metrics[i] : 0;
        m[i].why = m[i].known || !r->timed ? "" : why_unknown(spec, i, r->result);
    }
    return m;
}

const struct view_metric *metrics_of(const struct spec *spec, const uint32_t *choice,
                                     const struct device_info *device, double time_ns,
                                     const struct result *r, struct arena *a)
{
    const struct spec_measured measured = {.time_ns = time_ns, .joule = result_joule(r)};
    struct view_metric *m = arena_array(a, spec->metric_count + 1, sizeof *m);
    for (uint32_t i = 0; m && i < spec->metric_count; i++) {
        m[i] = (struct view_metric){.name = spec->metrics[i].name, .unit = spec->metrics[i].name};
        m[i].known =
            !isnan(time_ns) && spec_metric(spec, i, choice, device, &measured, &m[i].value);
        m[i].why = m[i].known || isnan(time_ns) ? "" : why_unknown(spec, i, r);
    }
    return m;
}

// "b=2, c=4": where one configuration differs from another.
static const char *difference(const struct spec *spec, const uint32_t *choice, const uint32_t *from,
                              struct arena *a)
{
    struct text out = TEXT_INIT;
    for (uint32_t i = 0; i < spec->parameter_count; i++) {
        const struct parameter *p = &spec->parameters[i];
        if (choice[i] == from[i])
            continue;
        text_addf(&out, "%s%s=", out.length ? ", " : "", p->name);
        value_print(&p->values[choice[i]], &out);
    }
    const char *copy = out.failed ? NULL : arena_strdup(a, text_cstr(&out));
    text_release(&out);
    return copy;
}

static struct view_place place_of(const struct tuning *t, const struct tune_record *r)
{
    struct engine_tuned tuned;
    const struct ranking_entry *entry = &r->rank;
    if (!r->ranked)
        return (struct view_place){0};
    engine_tuned(t->handle, &tuned);
    return (struct view_place){.place = entry->tied ? 1 : entry->place + 1,
                               .tied = entry->tied,
                               .winner = entry->place == 0,
                               .chosen = r == tuned.progress.ranked.chosen,
                               .ratio = entry->ratio,
                               .low = entry->ratio_low,
                               .high = entry->ratio_high,
                               .interval = entry->ratio_interval};
}

bool tuning_wants_peak(const struct tuning *t)
{
    const struct work *w = &t->work;
    bool wants = false;
    for (uint32_t i = 0; i < w->spec->metric_count; i++)
        wants |= peak_has_unit(w->spec->metrics[i].name);
    return wants && w->device && w->store;
}

// A store that cannot be read any more costs this line, not the results.
const struct peak *tuning_peak(struct tuning *t)
{
    struct work *w = &t->work;
    struct error e = ERROR_INIT;
    if (!tuning_wants_peak(t))
        return NULL;
    if (!engine_peak_known(w->opened, w->device, &w->arena, &t->peak, &e)) {
        complain("what hone peak measured cannot be read: %s", e.text);
        return NULL;
    }
    return peak_is_known(&t->peak) ? &t->peak : NULL;
}

static const char *const looks[STATUS_COUNT] = {
    [STATUS_COMPILE] = "Look at KernelFile, CompilerOptions and the constants; the whole log:",
    [STATUS_RUNTIME] = "Look at the sizes of launches and buffers; more about one:",
    [STATUS_TIMEOUT] = "Look at the sizes, or give another --timeout; more about one:",
    [STATUS_CORRECTNESS] =
        ("Is the reference right? Look at the order, types, sizes and fills of the "
         "Arguments, at Verification, and where one deviates:"),
    [STATUS_CONSTRAINTS] = "Look at LocalSize and local memory; more about one:"};

void tuning_alike(const struct tuning *t, const struct tune_progress *p, struct text *out)
{
    const struct tune_record *r = p->alike_example;
    if (!r)
        return;
    bool is_spec = fault_is_spec(r->result->fault);
    struct text configuration = TEXT_INIT;
    work_configuration(t->work.spec, r->choice, &configuration);
    text_addf(out,
              "None of the first %d configurations is correct: all ended with %s, e.g. %s: %s\n",
              ALIKE_COUNT, is_spec ? "a spec error" : status_text(r->result->status),
              r->configuration, r->result->message);
    text_addf(out, "%s\n  hone run ",
              is_spec ? "Mend the spec there; more about one:" : looks[r->result->status]);
    work_same(&t->work, out);
    text_add(out, " --config ");
    text_add_shell(out, text_cstr(&configuration));
    text_release(&configuration);
}

void tuning_tell_crash(const struct tuning *t, const struct tune_record *r)
{
    struct engine_tuned tuned;
    if (!r || !crash_has_line(r->result))
        return;
    engine_tuned(t->handle, &tuned);
    crash_tell(&t->work, r->choice, r->result, tuned.verification == VERIFICATION_NONE);
}

int tuning_spec_errors(const struct tune_progress *p, const char *spec_path)
{
    if (2 * p->spec_errors <= p->common.done)
        return EXIT_DONE;
    const struct tune_record *r = p->spec_example;
    complain("%s: %llu of %llu configurations are lost to errors of the spec%s%s: %s", spec_path,
             (unsigned long long)p->spec_errors, (unsigned long long)p->common.done,
             r->configuration[0] ? ", e.g. " : "", r->configuration, r->result->message);
    return EXIT_NOTHING;
}

bool tuning_view(struct tuning *t, const struct tune_record *r, struct view_result *out)
{
    struct arena *a = &t->work.arena;
    const struct spec *spec = t->work.spec;
    *out = (struct view_result){.configuration = r->configuration,
                                .configuration_json = r->configuration_json,
                                .result = r->result,
                                .job = r->job,
                                .timed = r->timed,
                                .stats = r->stats,
                                .metrics = metrics_of_record(spec, r, a),
                                .metric_count = spec->metric_count,
                                .dimensions = r->dimensions,
                                .is_default = r->is_default,
                                .place = place_of(t, r),
                                .has_value = r->values != NULL,
                                .pareto = r->pareto};
    memcpy(out->global, r->global, sizeof out->global);
    memcpy(out->local, r->local, sizeof out->local);
    if (r->same_as) {
        out->same_as_json = r->same_as->configuration_json;
        out->differs = difference(spec, r->choice, r->same_as->choice, a);
    }
    return out->metrics && (!r->same_as || out->differs);
}

static const char *hexadecimal(const struct digest *d, struct arena *a)
{
    char hex[65];
    digest_hex(d, hex);
    const char *copy = arena_strdup(a, hex);
    return copy ? copy : "";
}

void work_run_view(struct work *w, const struct digest *source, struct view_run *out)
{
    char date[32];
    environment_date(date);
    *out = (struct view_run){.hone_version = HONE_VERSION,
                             .spec_path = w->spec->path,
                             .spec_name = w->spec->name,
                             .spec_sha256 = hexadecimal(&w->spec->digest, &w->arena),
                             .source_sha256 = hexadecimal(source, &w->arena),
                             .constants_json = w->constants_json,
                             .constants = w->constants,
                             .command = w->call->line,
                             .seed = w->measure->seed.value,
                             .device = w->device,
                             .host = w->environment.host,
                             .date = arena_strdup(&w->arena, date),
                             .cache = w->environment.cache,
                             .store = w->store ? store_path(w->store) : NULL};
}

static struct view_goal view_goal(struct tuning *t, const struct engine_tuned *tuned)
{
    return goal_view(&tuned->options->objectives, t->work.spec, t->work.device, t->objectives,
                     &t->work.arena);
}

void tuning_run_view(struct tuning *t, struct view_run *out)
{
    struct engine_tuned tuned;
    engine_tuned(t->handle, &tuned);
    work_run_view(&t->work, &tuned.source, out);
    out->strategy = tuned.progress.strategy;
    out->strategy_description = tuned.progress.strategy_description;
    out->goal = view_goal(t, &tuned);
    out->cartesian = space_cartesian_text(tuned.space);
    out->valid = tuned.progress.valid;
    out->planned = tuned.progress.common.planned;
    out->check = (struct view_check){tuned.verification, tuned.against};
    out->build_only = t->options.build_only;
    out->replay = replaying_view(t);
    if (out->replay && !out->replay->has_spec)
        out->spec_path = out->spec_sha256 = NULL;
    if (out->replay)
        out->source_sha256 = NULL;
}

struct view_goal goal_view(const struct objectives *g, const struct spec *spec,
                           const struct device_info *device, struct view_objective *objectives,
                           struct arena *a)
{
    struct text text = TEXT_INIT;
    objective_text(g, &text);
    const char *copy = arena_strdup(a, text_cstr(&text));
    text_release(&text);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct objective *o = &g->terms[i];
        objectives[i] = (struct view_objective){.name = o->name,
                                                .maximise = o->maximise,
                                                .is_time = o->metric == OBJECTIVE_TIME,
                                                .metric = o->metric};
    }
    return (struct view_goal){.text = copy ? copy : "",
                              .objectives = objectives,
                              .count = g->count,
                              .by_time = objective_is_time(g, spec, device)};
}

static const struct view_result *view_new(struct tuning *t, const struct tune_record *record)
{
    struct view_result *v = record ? arena_alloc(&t->work.arena, sizeof *v) : NULL;
    return v && tuning_view(t, record, v) ? v : NULL;
}

static const char *identity(const uint8_t id[16], struct arena *a)
{
    char hex[33];
    bool any = false;
    for (size_t i = 0; i < 16; i++) {
        str_format(hex + 2 * i, sizeof hex - 2 * i, "%02x", id[i]);
        any = any || id[i];
    }
    return any ? arena_strdup(a, hex) : NULL;
}

static struct view_ranking ranking_of(struct tuning *t, const struct engine_tuned *tuned)
{
    const struct tune_ranked *r = &tuned->progress.ranked;
    const struct final_ranking_status *s = &r->status;
    if (!r->decided)
        return (struct view_ranking){.decided = false};
    return (struct view_ranking){.decided = true,
                                 .known = r->known,
                                 .is_short = r->is_short,
                                 .id = identity(r->id, &t->work.arena),
                                 .finalists = r->finalists,
                                 .failed = r->failed,
                                 .tied = r->tied,
                                 .chosen = r->chosen->configuration,
                                 .chosen_json = r->chosen->configuration_json,
                                 .why = arena_strdup(&t->work.arena, r->why),
                                 .level = tuned->options->terms.rules.level,
                                 .rounds = s->rounds,
                                 .repeated = s->repeated,
                                 .marked = s->marked,
                                 .by_load = s->by_load,
                                 .by_clock = s->by_clock,
                                 .mhz_least = s->mhz_least,
                                 .mhz_most = s->mhz_most,
                                 .batch = s->batch,
                                 .warmups = s->warmups,
                                 .launches = s->launches,
                                 .cold = t->options.cold};
}

static bool fill_ranking(struct tuning *t, struct view_summary *out)
{
    size_t count;
    const struct tune_record **ranking = engine_tune_ranking(t->handle, &count);
    struct view_result *views =
        ranking ? arena_array(&t->work.arena, count + 1, sizeof *views) : NULL;
    bool ok = views != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = tuning_view(t, ranking[i], &views[i]);
    free(ranking);
    out->results = views;
    out->result_count = ok ? count : 0;
    return ok;
}

static bool fill_outcomes(struct tuning *t, const struct engine_tuned *tuned,
                          struct view_summary *out)
{
    size_t count = tuned->count;
    const struct tune_record *const *records = tuned->records;
    struct view_outcome *list = arena_array(&t->work.arena, count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        list[i] = (struct view_outcome){
            .configuration = records[i]->configuration,
            .same_as = records[i]->same_as ? records[i]->same_as->configuration : NULL,
            .result = records[i]->result};
    out->outcomes = list;
    out->outcome_count = list ? count : 0;
    out->shown = report_shown(&out->check, list, out->outcome_count);
    return list != NULL;
}

static struct view_timing timing_of(const struct tuning *t, const struct tune_progress *p)
{
    const uint64_t *spans = p->times.span_ns;
    struct view_timing v = {.wall_ns = clock_ns() - t->work.call->started_ns,
                            .listing_ns = t->started_ns - t->work.call->started_ns,
                            .opening_ns = spans[SPAN_OPENING],
                            .waiting_ns = spans[SPAN_WAITING],
                            .locked_ns = spans[SPAN_LOCKED],
                            .loading_ns = spans[SPAN_LOADING],
                            .inputs_ns = spans[SPAN_INPUTS],
                            .reference_ns = spans[SPAN_REFERENCE],
                            .verifying_ns = spans[SPAN_VERIFYING],
                            .measuring_ns = spans[SPAN_MEASURING],
                            .ranking_ns = p->ranking_ns,
                            .storing_ns = spans[SPAN_STORING],
                            .kernel_ns = p->kernel_ns,
                            .build_ns = p->times.build_wall_ns,
                            .builds_ns = p->times.build_sum_ns,
                            .builders = p->times.builders};
    v.startup_ns = v.listing_ns + spans[SPAN_STARTING];
    uint64_t told = v.startup_ns + v.opening_ns + v.waiting_ns + v.locked_ns + v.loading_ns +
                    v.inputs_ns + v.reference_ns + v.verifying_ns + v.measuring_ns + v.ranking_ns +
                    v.storing_ns;
    v.rest_ns = v.wall_ns > told ? v.wall_ns - told : 0;
    return v;
}

static struct view_speedup speedup_of(const struct tuning *t)
{
    struct tune_speedup s;
    engine_tune_speedup(t->handle, &s);
    return (struct view_speedup){.known = s.known,
                                 .ranked = s.ranked,
                                 .ratio = s.ratio.ratio,
                                 .low = s.ratio.low,
                                 .high = s.ratio.high,
                                 .interval = s.ratio.interval,
                                 .significant = s.significant};
}

static const char *without_baseline(const struct tune_progress *p)
{
    const struct tune_record *base = p->default_record;
    if (!base)
        return p->has_default ? "it was not run" : "it is not in the space that was asked for";
    return base->result->status == STATUS_CORRECT ? "it was not timed" : "it failed";
}

bool tuning_summary(struct tuning *t, struct view_summary *out)
{
    struct engine_tuned tuned;
    engine_tuned(t->handle, &tuned);
    const struct tune_progress p = tuned.progress;
    *out = (struct view_summary){.goal = view_goal(t, &tuned),
                                 .valid = p.valid,
                                 .planned = p.common.planned,
                                 .done = p.common.done,
                                 .reused = p.reused - p.identical,
                                 .identical = p.identical,
                                 .samples = p.samples,
                                 .launches = p.launches,
                                 .elapsed_ns = p.common.elapsed_ns,
                                 .build_ns = p.build_ns,
                                 .load_ns = p.load_ns,
                                 .inputs_ns = p.inputs_ns,
                                 .reference_ns = p.reference_ns,
                                 .verify_ns = p.verify_ns,
                                 .measure_ns = p.measure_ns,
                                 .kernel_ns = p.kernel_ns,
                                 .rank_ns = p.rank_ns,
                                 .ranking = ranking_of(t, &tuned),
                                 .fixed = p.fixed,
                                 .build_only = t->options.build_only,
                                 .timing = timing_of(t, &p),
                                 .cancelled = p.common.cancelled,
                                 .out_of_time = p.out_of_time,
                                 .broken = t->broken.code ? t->broken.text : NULL,
                                 .check = {tuned.verification, tuned.against}};
    out->replay = replaying_view(t);
    out->peak = tuning_peak(t);
    memcpy(out->by_status, p.by_status, sizeof out->by_status);
    memcpy(out->spec_by_status, p.spec_by_status, sizeof out->spec_by_status);
    out->spec_errors = p.spec_errors;
    out->spec_example = view_new(t, p.spec_example);
    for (unsigned s = 0; s < STATUS_COUNT; s++)
        out->examples[s] = view_new(t, p.examples[s]);
    out->speedup = speedup_of(t);
    if (p.default_record && p.default_record->timed)
        out->baseline = view_new(t, p.default_record);
    else
        out->no_baseline = without_baseline(&p);
    return fill_outcomes(t, &tuned, out) && fill_ranking(t, out);
}
