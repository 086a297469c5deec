// The tables of a device, a run, a result and a summary. The fields are for scripts and stay: a new one is added, none is
// renamed. What is not known is null.
#include "model/result_fields.h"
#include "report/peak_report.h"
#include "report/report.h"
#include "report/verified.h"

#include <math.h>
#include <string.h>

// ---- devices -----------------------------------------------------------------------------------

static void emit_item_sizes(const void *record, const void *context, struct emit *j)
{
    const struct device_info *d = record;
    (void)context;
    emit_array(j);
    for (size_t i = 0; i < 3; i++)
        emit_u64(j, d->max_item_sizes[i]);
    emit_array_end(j);
}

#define DEVICE(X)                                                                                  \
    X(TEXT, name, (v->name), "", "")                                                               \
    X(TEXT, type, (device_type_text(v->type)), "", "")                                             \
    X(TEXT, language, (language_text(v->language)), "", "")                                        \
    X(TEXT, vendor, (v->vendor), "", "")                                                           \
    X(TEXT, platform, (v->platform), "", "")                                                       \
    X(TEXT, platform_version, (v->platform_version), "", "")                                       \
    X(TEXT, driver, (v->driver), "", "its version")                                                \
    X(TEXT, compiler, (v->compiler), "", "what builds kernels, with its version")                  \
    X(TEXT, language_version, (v->language_version), "", "")                                       \
    X(TEXT, id, (v->id), "", "finds it again among others of one name")                            \
    X(TEXT, uuid, (v->uuid), "", "")                                                               \
    X(TEXT, pci, (v->pci), "", "its address")                                                      \
    X(TEXT, surroundings, (v->surroundings), "", "what else has an influence on times")            \
    X(TEXT, extensions, (v->extensions), "", "separated by blanks")                                \
    X(U64, compute_units, (v->compute_units), "", "")                                              \
    X(U64, clock_mhz, (v->clock_mhz), "MHz", "")                                                   \
    X(U64, global_bytes, (v->global_bytes), "bytes", "")                                           \
    X(U64, max_alloc_bytes, (v->max_alloc_bytes), "bytes", "")                                     \
    X(U64, local_bytes, (v->local_bytes), "bytes", "of a work-group")                              \
    X(U64, constant_bytes, (v->constant_bytes), "bytes", "")                                       \
    X(U64, cache_bytes, (v->cache_bytes), "bytes", "of the last level")                            \
    X(U64, max_group_size, (v->max_group_size), "", "")                                            \
    X(PUT, max_item_sizes, (emit_item_sizes, v), "[]", "")                                         \
    X(U64, subgroup_size, (v->subgroup_size), "", "of a warp; 0: not known")                       \
    X(U64, capability, (v->capability), "", "CUDA's compute capability times 10; 0: none")         \
    X(U64, vector_float, (v->vector_float), "", "preferred width of a vector of float")            \
    X(U64, base_align, (v->base_align), "bytes", "of sub-buffers")                                 \
    X(U64, timer_ns, (v->timer_ns), "ns", "resolution of event times")                             \
    X(BOOL, fp64, (v->float64), "", "")                                                            \
    X(BOOL, fp16, (v->float16), "", "")                                                            \
    X(BOOL, shares_host, (v->shares_host), "", "uses the host's cores or memory")
FIELDS_SHARED(report_device_fields, struct device_info, void, DEVICE)

// ---- the run -----------------------------------------------------------------------------------

#define ABOUT(X)                                                                                   \
    X(TEXT, hone, (v->hone_version), "", "its version")                                            \
    X(TEXT, command, (v->command), "", "as it was typed")                                          \
    X(TEXT, host, (v->host), "", "")                                                               \
    X(TEXT, date, (v->date), "", "")                                                               \
    X(U64, seed, (v->seed), "", "")                                                                \
    X(TEXT, store, (v->store), "", "its path; null: nothing is kept")
FIELDS_SHARED(report_about_fields, struct report_about, void, ABOUT)

// {"POCL_CACHE_DIR": "/home/..."}
static void emit_cache(const void *record, const void *context, struct emit *j)
{
    char name[128];
    (void)context;
    emit_object(j);
    for (const char *const *pair = ((const struct run_head *)record)->cache; pair && *pair;
         pair++) {
        const char *equals = strchr(*pair, '=');
        if (!equals)
            continue;
        str_format(name, sizeof name, "%.*s", (int)(equals - *pair), *pair);
        emit_text_at(j, name, equals + 1);
    }
    emit_object_end(j);
}

// {"population": 20, "mutation": 0.1}, of "genetic:population=20,mutation=0.1".
static void emit_strategy_options(const void *record, const void *context, struct emit *j)
{
    const char *description = ((const struct run_head *)record)->strategy_description;
    const char *at = description ? strchr(description, ':') : NULL;
    (void)context;
    emit_object(j);
    while (at) {
        char name[64], value[64];
        double number;
        const char *equals = strchr(++at, '=');
        if (!equals)
            break;
        size_t length = strcspn(equals, ",") - 1;
        str_format(name, sizeof name, "%.*s", (int)(equals - at), at);
        str_format(value, sizeof value, "%.*s", (int)length, equals + 1);
        if (str_to_f64(value, &number))
            emit_f64_at(j, name, number);
        at = equals[length + 1] == ',' ? equals + length + 1 : NULL;
    }
    emit_object_end(j);
}

static const char *objective_words(const struct objectives *o, struct arena *a)
{
    struct text words = TEXT_INIT;
    if (!o)
        return "time";
    objective_text(o, &words);
    return text_to_arena(&words, a);
}

const char *report_check_words(const struct verified_by *check, struct arena *a)
{
    struct text words = TEXT_INIT;
    report_check(check, &words);
    return text_to_arena(&words, a);
}

// NULL: it is all zeros, since nobody recorded it.
static const char *digest_words(const struct digest *d, struct arena *a)
{
    static const struct digest none = {{0}};
    char hex[65];
    if (digest_equal(d, &none))
        return NULL;
    digest_hex(d, hex);
    return arena_strdup(a, hex);
}

#define OBJECTIVE(X)                                                                               \
    X(TEXT, name, (v->name), "", "time, or a metric")                                              \
    X(TEXT, direction, (v->maximise ? "max" : "min"), "", "")
FIELDS(objective_fields, struct objective, void, OBJECTIVE)

#define OBJECTIVES(X, o)                                                                           \
    X(TEXT, objective, (objective_words(o, a)), "", "several are separated by commas")             \
    X(RECORDS, objectives, (objective_fields, (o) ? (o)->terms : NULL, (o) ? (o)->count : 0), "",  \
      "")

#define REPLAYED(X)                                                                                \
    X(TEXT, file, (v->recorded->path), "", "")                                                     \
    X(TEXT, format, (recorded_format_text(v->recorded->format)), "", "")                           \
    X(TEXT, device, (v->recorded->device), "", "")                                                 \
    X(TEXT, statistic, (v->recorded->statistic), "", "what a time is")                             \
    X(U64, recorded, (v->recorded->count), "", "configurations")                                   \
    X(U64, excluded, (v->replay->excluded), "", "of them, by the spec")                            \
    X(U64, unrecorded, (v->replay->unrecorded), "", "valid, and not recorded")                     \
    X(F64, cost_ns, (v->cost_ns), "ns", "what the results cost when they were recorded")
FIELDS(replayed_fields, struct run_head, void, REPLAYED)

#define HAS_SPEC (!v->recorded || v->of_spec)
#define RUN(X)                                                                                     \
    X(TEXT, type, ("run"), "", "")                                                                 \
    X(TEXT, hone, (v->about->hone_version), "", "its version")                                     \
    X(TEXT, spec, (HAS_SPEC ? v->spec->path : NULL), "", "")                                       \
    X(TEXT, spec_name, (v->spec->name), "", "")                                                    \
    X(TEXT, spec_sha256, (HAS_SPEC ? digest_words(&v->spec->digest, a) : NULL), "", "")            \
    X(TEXT, source_sha256, (!v->recorded ? digest_words(&v->source, a) : NULL), "", "")            \
    X(JSON, constants, (v->constants_json), "{}", "")                                              \
    X(TEXT, command, (v->about->command), "", "as it was typed")                                   \
    X(U64, seed, (v->about->seed), "", "")                                                         \
    X(TEXT, strategy, (v->strategy), "", "its name")                                               \
    X(PUT, strategy_options, (emit_strategy_options, v), "{}", "")                                 \
    OBJECTIVES(X, v->objectives)                                                                   \
    X(RECORD, device, (report_device_fields, v->device), "", "null: a recording answers")          \
    X(TEXT, driver, (v->device ? v->device->driver : NULL), "", "")                                \
    X(TEXT, compiler, (v->device ? v->device->compiler : NULL), "", "")                            \
    X(TEXT, host, (v->about->host), "", "")                                                        \
    X(TEXT, date, (v->about->date), "", "")                                                        \
    X(PUT, cache, (emit_cache, v), "{}", "the folders of compilers' caches")                       \
    X(TEXT, store, (v->about->store), "", "its path; null: nothing is kept")                       \
    X(JSON, cartesian, (v->cartesian), "", "all combinations of values")                           \
    X(U64, valid, (v->valid), "", "configurations of the space")                                   \
    X(U64, planned, (v->planned), "", "that the budget allows")                                    \
    X(TEXT, verification, (v->recorded ? NULL : report_check_words(&v->check, a)), "",             \
      "how results are verified")                                                                  \
    X(PART, replayed, (replayed_fields, v->recorded ? v : NULL), "", "with --replay")
FIELDS_SHARED(report_run_fields, struct run_head, void, RUN)

// ---- a result ----------------------------------------------------------------------------------

struct launch_view {
    const struct result *result;
    const struct job_launch *job; // (or NULL)
    uint32_t index;
};

#define IS_SIZE(sizes) (v->dimensions > 0 && v->sizes[0] > 0)
#define JOB_LAUNCH(X)                                                                              \
    X(TEXT, name, (v->name), "", "")                                                               \
    X(TEXT, kernel, (v->kernel), "", "")                                                           \
    X(U64S, global_size, (IS_SIZE(global), v->global, v->dimensions), "", "")                      \
    X(U64S, local_size, (IS_SIZE(local), v->local, v->dimensions), "", "")
FIELDS(job_launch_fields, struct job_launch, void, JOB_LAUNCH)

#define HAS_RESOURCES (v->index < v->result->resource_count)
#define LAUNCH(X)                                                                                  \
    X(MEMBERS, job, (job_launch_fields, v->job), "", "")                                           \
    X(PART, resources,                                                                             \
      (result_resources_fields, HAS_RESOURCES ? &v->result->resources[v->index] : NULL), "", "")   \
    X(F64, median_part_ns, (report_part_median(v->result, v->index)), "ns", "of several launches")
FIELDS(launch_fields, struct launch_view, void, LAUNCH)

static void emit_launches(const void *record, const void *context, struct emit *j)
{
    const struct tune_record *v = record;
    uint32_t count = v->job ? v->job->launch_count : v->result->resource_count;
    for (uint32_t i = 0; i < count && i < LAUNCHES_TOLD; i++) {
        const struct launch_view view = {v->result, v->job ? &v->job->launches[i] : NULL, i};
        emit_record(j, &launch_fields, &view, context);
    }
}

static void emit_samples_of_parts(const void *record, const void *context, struct emit *j)
{
    const struct result *r = ((const struct tune_record *)record)->result;
    (void)context;
    emit_array(j);
    for (uint32_t i = 0; r->part_columns && i + r->part_columns <= r->part_count;
         i += r->part_columns) {
        emit_array(j);
        for (uint32_t k = 0; k < r->part_columns; k++)
            emit_u64(j, r->parts_ns[i + k]);
        emit_array_end(j);
    }
    emit_array_end(j);
}

static void emit_options(const void *record, const void *context, struct emit *j)
{
    const struct job *job = ((const struct tune_record *)record)->job;
    (void)context;
    emit_array(j);
    for (uint32_t p = 0; job && p < job->program_count; p++) {
        emit_array(j);
        for (uint32_t i = 0; i < job->programs[p].option_count; i++)
            emit_text(j, job->programs[p].options[i]);
        emit_array_end(j);
    }
    emit_array_end(j);
}

#define IS_OWN (v->result->stop != STOP_IMPORTED)
#define DETAILS(X)                                                                                 \
    X(F64, mean_ns, (RECORD_TIME(record_is_statistic(v, "mean"), mean)), "ns", "")                 \
    X(F64, least_ns, (RECORD_TIME(record_is_statistic(v, "minimum"), least)), "ns", "")            \
    X(F64, most_ns, (RECORD_TIME(IS_OWN, most)), "ns", "")                                         \
    X(EACH, launches, (launch_fields, emit_launches, v), "", "the kernels of one run")             \
    X(PUT, parts_ns, (emit_samples_of_parts, v), "[[]]", "a sample's time by launch, in ns")       \
    X(RECORDS, deviations, (deviation_fields, v->result->deviations, v->result->deviation_count),  \
      "", "of the outputs")                                                                        \
    X(KNOWN, verify_launch_ns, (v->result->verify_launch_ns > 0, v->result->verify_launch_ns),     \
      "ns", "")                                                                                    \
    X(PUT, options, (emit_options, v), "[[]]", "of the compiler, for each program")                \
    X(TEXT, log, (v->result->log), "", "of the build")                                             \
    X(TEXT, output, (v->result->output), "", "what the kernel and its worker printed")             \
    X(PUT, peak, (report_peak_json, v), "{}", "limits as of hone peak, and shares of them")
FIELDS_SHARED(report_details_fields, struct tune_record, struct record_frame, DETAILS)

#define ORIGIN(X)                                                                                  \
    X(TEXT, date, (v->answer->date), "", "")                                                       \
    X(TEXT, device, (v->answer->device), "", "")                                                   \
    X(TEXT, language, (language_text(v->answer->language)), "", "")                                \
    X(TEXT, platform, (v->answer->platform), "", "")                                               \
    X(TEXT, driver, (v->answer->driver), "", "")                                                   \
    X(JSON, constants, (v->constants_json), "{}", "")                                              \
    X(TEXT, hone, (v->answer->hone_version), "", "the version that measured it")                   \
    X(TEXT, spec_sha256, (digest_words(&c->spec->digest, a)), "", "of the spec's file, today")     \
    X(TEXT, source_sha256, (digest_words(&v->answer->source, a)), "", "of what was measured")      \
    X(TEXT, job_sha256, (digest_words(&v->answer->key, a)), "", "of all that may change a result") \
    X(TEXT, geometry, (v->answer->geometry), "", "")                                               \
    X(BOOL, cold, (v->answer->cold), "", "inputs")                                                 \
    X(BOOL, other_driver, (v->answer->other_driver), "", "than today's")                           \
    X(BOOL, other_source, (v->answer->other_source), "", "than today's")                           \
    X(BOOL, other_job, (v->answer->other_job), "", "other sizes, arguments or options than today") \
    X(BOOL, ranked, (v->answer->place.ranked), "", "it comes from a ranking")                      \
    X(KNOWN, contenders, (v->answer->place.ranked, v->answer->place.finalists), "", "")            \
    X(KNOWN, tied_count, (v->answer->place.ranked, v->answer->place.tied), "", "")                 \
    X(TEXT, why, (v->answer->place.why), "", "it was chosen of those tied")                        \
    X(TEXT, part, (v->answer->place.part), "", "of the space, of which the ranking is")            \
    X(TEXT, faster, (v->answer->place.faster), "", "clearly, and not ranked with it")              \
    X(F64, faster_ns, (v->answer->place.faster ? v->answer->place.faster_median : NAN), "ns", "")
FIELDS_SHARED(report_origin_fields, struct record_origin, struct record_frame, ORIGIN)

struct result_line {
    const char *type; // NULL: it has none
    const struct tune_record *record;
    bool detail;
};

#define TYPED(X) X(TEXT, type, (v->type), "", "")
FIELDS(typed_fields, struct result_line, void, TYPED)

#define RESULT_LINE(X)                                                                             \
    X(MEMBERS, type, (typed_fields, v->type ? v : NULL), "", "")                                   \
    X(MEMBERS, record, (record_fields, v->record), "", "")                                         \
    X(MEMBERS, details, (report_details_fields, v->detail ? v->record : NULL), "", "")             \
    X(MEMBERS, origin, (report_origin_fields, c->origin), "", "")
FIELDS(result_line_fields, struct result_line, struct record_frame, RESULT_LINE)

void report_result_line(const struct record_frame *f, const struct tune_record *v, const char *type,
                        bool detail, struct text *out)
{
    const struct result_line line = {type, v, detail};
    fields_line(&result_line_fields, &line, f, out);
}

// ---- the summary -------------------------------------------------------------------------------

#define COUNTS(X)                                                                                  \
    X(U64, correct, (v[STATUS_CORRECT]), "", "")                                                   \
    X(U64, compile, (v[STATUS_COMPILE]), "", "")                                                   \
    X(U64, runtime, (v[STATUS_RUNTIME]), "", "")                                                   \
    X(U64, timeout, (v[STATUS_TIMEOUT]), "", "")                                                   \
    X(U64, correctness, (v[STATUS_CORRECTNESS]), "", "")                                           \
    X(U64, constraints, (v[STATUS_CONSTRAINTS]), "", "")
FIELDS_SHARED(report_counts_fields, uint64_t, void, COUNTS)

#define SPENT(X)                                                                                   \
    RESULT_TIME_ROWS(X)                                                                            \
    X(U64, kernel, (v->kernel_ns), "ns", "all launches, by the device's clock")                    \
    X(U64, rank, (v->rank_ns), "ns", "")
FIELDS(spent_fields, struct tune_progress, void, SPENT)

#define RANKED    v->progress.ranked
#define OF_ROUNDS v->progress.ranked.status
#define RANKING(X)                                                                                 \
    X(TEXT, id, (record_ranking_id(RANKED.id, a)), "", "that its results share")                   \
    X(U64, contenders, (RANKED.finalists), "", "")                                                 \
    X(U64, failed, (RANKED.failed), "", "of them, while they were ranked")                         \
    X(U64, rounds, (OF_ROUNDS.rounds), "", "")                                                     \
    X(U64, repeated, (OF_ROUNDS.repeated), "", "disturbed rounds that were run again")             \
    X(U64, marked, (OF_ROUNDS.marked), "", "disturbed rounds that count all the same")             \
    X(U64, by_load, (OF_ROUNDS.by_load), "", "disturbed by other processes")                       \
    X(U64, by_clock, (OF_ROUNDS.by_clock), "", "disturbed: the reference launch was slow")         \
    X(U64, batch, (OF_ROUNDS.batch), "", "launches of a sample")                                   \
    X(U64, warmups, (OF_ROUNDS.warmups), "", "untimed launches before a sample")                   \
    X(BOOL, cold, (v->cold), "", "inputs")                                                         \
    X(F64, level, (v->level), "", "of all intervals together")                                     \
    X(U64, tied, (RANKED.tied), "", "with the winner, which counts")                               \
    X(JSON, chosen, (RANKED.chosen->configuration_json), "{}", "of those tied")                    \
    X(TEXT, why, (RANKED.why), "", "it was chosen")                                                \
    X(BOOL, known, (RANKED.known), "", "from the store: nothing was launched")                     \
    X(BOOL, short, (RANKED.is_short), "", "the budget's time was up")                              \
    X(U64, launches, (OF_ROUNDS.launches), "", "")
FIELDS(ranking_fields, struct tune_report, void, RANKING)

const struct tune_record *report_best(const struct tune_report *v)
{
    if (v->frame.chosen)
        return v->frame.chosen;
    const struct tune_record *first = v->ranking_count ? v->ranking[0] : NULL;
    bool is_one = !report_is_set(&v->head) && first && (report_by_time(&v->head) || first->values);
    return is_one ? first : NULL;
}

uint64_t report_without_value(const struct tune_report *v, const struct objective *o)
{
    uint64_t count = 0;
    double value;
    for (size_t i = 0; i < v->record_count && o->metric < v->head.spec->metric_count; i++) {
        const struct tune_record *r = v->records[i];
        count += r->timed && !(record_metric(r, o->metric, &value) && isfinite(value));
    }
    return count;
}

// Every record has a time. If the shortest time decides, no record lacks a value.
static void emit_without_value(const void *record, const void *context, struct emit *j)
{
    const struct tune_report *v = record;
    const struct objectives *o = v->head.objectives;
    (void)context;
    emit_object(j);
    for (uint32_t i = 0; o && !report_by_time(&v->head) && i < o->count; i++) {
        if (o->terms[i].metric < v->head.spec->metric_count)
            emit_u64_at(j, o->terms[i].name, report_without_value(v, &o->terms[i]));
    }
    emit_object_end(j);
}

static void emit_pareto(const void *record, const void *context, struct emit *j)
{
    const struct tune_report *v = record;
    (void)context;
    if (!report_is_set(&v->head)) {
        emit_null(j);
        return;
    }
    emit_array(j);
    for (size_t i = 0; i < v->ranking_count; i++) {
        if (v->ranking[i]->pareto)
            emit_record(j, &record_fields, v->ranking[i], &v->frame);
    }
    emit_array_end(j);
}

static const char *basis_of(const struct tune_speedup *s)
{
    return !s->known ? NULL : s->ranked ? "ranked" : "screened";
}

// Times of screening without an interval give none; then it is told how many launches would.
static bool has_speedup(const struct tune_report *v)
{
    const struct tune_speedup *s = &v->speedup;
    return s->known && (s->ranked || s->same || s->ratio.interval || v->head.recorded);
}

static const char *speedup_basis(const struct tune_report *v)
{
    return !has_speedup(v) ? NULL : v->head.recorded ? "recorded" : basis_of(&v->speedup);
}

#define BEHIND(X)                                                                                  \
    X(F64, best_ratio, (v->behind.known ? v->behind.ratio.ratio : NAN), "",                        \
      "its time, or that of its best, by that of the tune's best")                                 \
    X(TEXT, best_ratio_basis, (basis_of(&v->behind)), "", "ranked, screened")

static const char *outcome_of(const struct tune_source *s)
{
    static const char *const outcomes[] = {
        [HEARD_NOT] = "not asked for", [HEARD_REFUSED] = "refused", [HEARD_TRUSTED] = "used"};
    return s->is_failed ? "none correct" : outcomes[s->heard.outcome];
}

#define SOURCE(X)                                                                                  \
    X(TEXT, name, (v->name), "", "device, language, constants")                                    \
    X(U64, results, (v->results), "", "")                                                          \
    X(KNOWN, parameters, (!v->is_failed, v->shared), "", "that both have and vary")                \
    X(TEXT, outcome, (outcome_of(v)), "", "not asked for, refused, used, none correct")            \
    X(F64, agrees, (v->heard.outcome == HEARD_NOT ? NAN : v->heard.agrees), "", "of pairs, here")  \
    BEHIND(X)
FIELDS(source_fields, struct tune_source, void, SOURCE)

#define START(X)                                                                                   \
    X(JSON, configuration, (v->configuration_json), "{}", "")                                      \
    X(TEXT, status, (v->record ? status_text(v->record->result->status) : NULL), "",               \
      "null: not run")                                                                             \
    X(F64, median_ns, (v->record && v->record->timed ? v->record->stats.median : NAN), "ns", "")   \
    BEHIND(X)
FIELDS(start_fields, struct tune_start, void, START)

static const char *tune_check_words(const struct tune_report *v, struct arena *a)
{
    const struct checked_outcomes all = report_tune_outcomes(v);
    const struct verified_by check = report_verified(&v->head.check, &all);
    return v->head.recorded ? NULL : report_check_words(&check, a);
}

static void emit_tune_notes(const void *record, const void *context, struct emit *j)
{
    const struct checked_outcomes all = report_tune_outcomes(record);
    (void)context;
    report_emit_check_notes(&all, j);
}

static bool shows(const struct tune_report *v)
{
    return !v->head.build_only && !v->head.recorded && v->progress.by_status[STATUS_CORRECT] > 0;
}

static void emit_best_peak(const void *record, const void *context, struct emit *j)
{
    const struct tune_report *v = record;
    (void)context;
    report_peak_json(report_best(v), &v->frame, j);
}

#define SPEEDUP v->speedup
#define TUNED   v->progress
#define SUMMARY(X)                                                                                 \
    X(TEXT, type, ("summary"), "", "")                                                             \
    X(WITHIN, best, (record_fields, report_best(v), &v->frame), "", "null: none, or a Pareto set") \
    OBJECTIVES(X, v->head.objectives)                                                              \
    X(PUT, without_value, (emit_without_value, v), "{}",                                           \
      "by objective: timed, but not comparable")                                                   \
    X(PUT, pareto, (emit_pareto, v), "[{}]", "of several objectives the set, each as a result")    \
    X(RECORD, counts, (report_counts_fields, TUNED.by_status), "", "")                             \
    X(U64, spec_errors, (TUNED.spec_errors), "", "of these: the spec is wrong there")              \
    X(U64, done, (TUNED.common.done), "", "configurations")                                        \
    X(U64, valid, (TUNED.valid), "", "in the space")                                               \
    X(U64, planned, (TUNED.common.planned), "", "that the budget allows")                          \
    X(U64, reused, (TUNED.reused - TUNED.identical), "", "known from the store")                   \
    X(U64, identical, (TUNED.identical), "", "to another one of this run")                         \
    X(RECORDS, start_with, (start_fields, TUNED.starts, TUNED.start_count), "", "tried first")     \
    X(RECORDS, sources, (source_fields, TUNED.sources, TUNED.source_count), "", "from elsewhere")  \
    X(U64, samples, (TUNED.samples), "", "timed")                                                  \
    X(U64, launches, (TUNED.launches), "", "of kernels: verified, warming up and timed")           \
    X(F64, speedup_over_default, (has_speedup(v) ? SPEEDUP.ratio.ratio : NAN), "", "")             \
    X(PAIR, speedup_over_default_interval,                                                         \
      (has_speedup(v) && SPEEDUP.ratio.interval, SPEEDUP.ratio.low, SPEEDUP.ratio.high), "",       \
      "of the ranking's level")                                                                    \
    X(TEXT, speedup_over_default_basis, (speedup_basis(v)), "",                                    \
      "ranked: within rounds; screened: between launches at different times; recorded")            \
    X(BOOL, speedup_over_default_significant, (has_speedup(v) && SPEEDUP.significant), "",         \
      "the interval lies above 1")                                                                 \
    X(KNOWN, speedup_over_default_needs, (!has_speedup(v) && SPEEDUP.needed > 0, SPEEDUP.needed),  \
      "", "launches for an interval")                                                              \
    X(TEXTS, advice, (v->advice.lines, v->advice.count), "", "what to try next")                   \
    X(TEXT, verification, (tune_check_words(v, a)), "", "how results were verified")               \
    X(EACH, check_notes, (report_check_note_fields, emit_tune_notes, v), "", "the first of each")  \
    X(BOOL, verified, (shows(v) && report_tune_shown(v) == SHOWN_CORRECT), "", "by a reference")   \
    X(TEXT, shown, (shows(v) ? report_shown_text(report_tune_shown(v)) : NULL), "",                \
      "correct only where a reference says so")                                                    \
    X(RECORD, ranking, (ranking_fields, RANKED.decided ? v : NULL), "", "null: there is none")     \
    X(LIST, devices,                                                                               \
      (farm_member_fields, TUNED.member_count > 0, TUNED.members, TUNED.member_count), "",         \
      "that shared it")                                                                            \
    X(BOOL, cancelled, (TUNED.common.cancelled), "", "")                                           \
    X(BOOL, out_of_time, (TUNED.out_of_time), "", "the budget's")                                  \
    X(BOOL, build_only, (v->head.build_only), "", "counts.correct are those that built")           \
    X(TEXT, error, (v->head.about->broken), "", "why it could not go on")                          \
    X(U64, elapsed_ns, (TUNED.common.elapsed_ns), "ns", "")                                        \
    X(RECORD, times_ns, (spent_fields, &TUNED), "", "summed over the results of this run")         \
    X(RECORD, timing, (report_timing_fields, v), "", "where the program's time went")              \
    X(PUT, peak, (emit_best_peak, v), "{}", "as of hone run, of the best")                         \
    X(PART, replayed, (replayed_fields, v->head.recorded ? &v->head : NULL), "", "as in run")
FIELDS_SHARED(report_summary_fields, struct tune_report, void, SUMMARY)
