// JSON of a device, runs, results and summaries. The fields are for scripts and stay: a new one is
// added, none is renamed. What is not known is null.
#include "report/members.h"
#include "report/peak_report.h"
#include "report/report.h"
#include "report/verified.h"

#include <math.h>
#include <string.h>

// A number, or null where it is not known.
static void known_at(struct emit *j, const char *key, bool known, uint64_t value)
{
    if (known)
        emit_u64_at(j, key, value);
    else
        emit_null_at(j, key);
}

// ---- devices -----------------------------------------------------------------------------------

void report_device_fields(const struct device_info *d, struct emit *j)
{
    emit_text_at(j, "name", d->name);
    emit_text_at(j, "type", device_type_text(d->type));
    emit_text_at(j, "language", language_text(d->language));
    emit_text_at(j, "vendor", d->vendor);
    emit_text_at(j, "platform", d->platform);
    emit_text_at(j, "platform_version", d->platform_version);
    emit_text_at(j, "driver", d->driver);
    emit_text_at(j, "compiler", d->compiler);
    emit_text_at(j, "language_version", d->language_version);
    emit_text_at(j, "id", d->id);
    emit_text_at(j, "uuid", d->uuid);
    emit_text_at(j, "pci", d->pci);
    emit_text_at(j, "surroundings", d->surroundings);
    emit_text_at(j, "extensions", d->extensions);
    emit_u64_at(j, "compute_units", d->compute_units);
    emit_u64_at(j, "clock_mhz", d->clock_mhz);
    emit_u64_at(j, "global_bytes", d->global_bytes);
    emit_u64_at(j, "max_alloc_bytes", d->max_alloc_bytes);
    emit_u64_at(j, "local_bytes", d->local_bytes);
    emit_u64_at(j, "constant_bytes", d->constant_bytes);
    emit_u64_at(j, "cache_bytes", d->cache_bytes);
    emit_u64_at(j, "max_group_size", d->max_group_size);
    emit_u64s_at(j, "max_item_sizes", d->max_item_sizes, 3);
    emit_u64_at(j, "subgroup_size", d->subgroup_size);
    emit_u64_at(j, "capability", d->capability);
    emit_u64_at(j, "vector_float", d->vector_float);
    emit_u64_at(j, "base_align", d->base_align);
    emit_u64_at(j, "timer_ns", d->timer_ns);
    emit_bool_at(j, "fp64", d->float64);
    emit_bool_at(j, "fp16", d->float16);
    emit_bool_at(j, "shares_host", d->shares_host);
}

void report_device_json(const struct device_info *d, struct emit *j)
{
    emit_object(j);
    report_device_fields(d, j);
    emit_object_end(j);
}

// ---- the run -----------------------------------------------------------------------------------

// {"POCL_CACHE_DIR": "/home/..."}
static void settings(const char *const *pairs, struct emit *j)
{
    char name[128];
    emit_object(j);
    for (; pairs && *pairs; pairs++) {
        const char *equals = strchr(*pairs, '=');
        if (!equals)
            continue;
        str_format(name, sizeof name, "%.*s", (int)(equals - *pairs), *pairs);
        emit_text_at(j, name, equals + 1);
    }
    emit_object_end(j);
}

// How what was recorded had been checked nobody knows.
static void check_at(struct emit *j, const struct run_head *v, const struct verified_by *check)
{
    struct text words = TEXT_INIT;
    report_check(check, &words);
    emit_text_at(j, "verification", v->recorded ? NULL : text_cstr(&words));
    text_release(&words);
}

// {"population": 20, "mutation": 0.1}, of "genetic:population=20,mutation=0.1".
static void strategy_options_at(struct emit *j, const char *description)
{
    const char *at = description ? strchr(description, ':') : NULL;
    emit_object_at(j, "strategy_options");
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

static void objectives_at(struct emit *j, const struct objectives *o)
{
    struct text words = TEXT_INIT;
    if (o)
        objective_text(o, &words);
    emit_text_at(j, "objective", o ? text_cstr(&words) : "time");
    text_release(&words);
    emit_array_at(j, "objectives");
    for (size_t i = 0; o && i < o->count; i++) {
        emit_object(j);
        emit_text_at(j, "name", o->terms[i].name);
        emit_text_at(j, "direction", o->terms[i].maximise ? "max" : "min");
        emit_object_end(j);
    }
    emit_array_end(j);
}

static void replay_at(struct emit *j, const struct run_head *v)
{
    const struct recorded *r = v->recorded;
    if (!r)
        return;
    emit_object_at(j, "replayed");
    emit_text_at(j, "file", r->path);
    emit_text_at(j, "format", recorded_format_text(r->format));
    emit_text_at(j, "device", r->device);
    emit_text_at(j, "statistic", r->statistic);
    emit_u64_at(j, "recorded", r->count);
    emit_u64_at(j, "excluded", v->replay->excluded);
    emit_u64_at(j, "unrecorded", v->replay->unrecorded);
    emit_f64_at(j, "cost_ns", v->cost_ns);
    emit_object_end(j);
}

void report_about_json(const struct report_about *a, struct emit *j)
{
    emit_text_at(j, "hone", a->hone_version);
    emit_text_at(j, "command", a->command);
    emit_text_at(j, "host", a->host);
    emit_text_at(j, "date", a->date);
    emit_u64_at(j, "seed", a->seed);
    emit_text_at(j, "store", a->store);
}

static void digest_at(struct emit *j, const char *key, const struct digest *d, bool known)
{
    char hex[65];
    digest_hex(d, hex);
    emit_text_at(j, key, known ? hex : NULL);
}

void report_run_json(const struct run_head *v, struct emit *j)
{
    bool has_spec = !v->recorded || v->of_spec;
    emit_object(j);
    emit_text_at(j, "type", "run");
    emit_text_at(j, "hone", v->about->hone_version);
    emit_text_at(j, "spec", has_spec ? v->spec->path : NULL);
    emit_text_at(j, "spec_name", v->spec->name);
    digest_at(j, "spec_sha256", &v->spec->digest, has_spec);
    digest_at(j, "source_sha256", &v->source, !v->recorded);
    emit_raw_at(j, "constants", v->constants_json);
    emit_text_at(j, "command", v->about->command);
    emit_u64_at(j, "seed", v->about->seed);
    emit_text_at(j, "strategy", v->strategy);
    strategy_options_at(j, v->strategy_description);
    objectives_at(j, v->objectives);
    emit_key(j, "device");
    if (v->device)
        report_device_json(v->device, j);
    else
        emit_null(j);
    emit_text_at(j, "driver", v->device ? v->device->driver : NULL);
    emit_text_at(j, "compiler", v->device ? v->device->compiler : NULL);
    emit_text_at(j, "host", v->about->host);
    emit_text_at(j, "date", v->about->date);
    emit_key(j, "cache");
    settings(v->cache, j);
    emit_text_at(j, "store", v->about->store);
    emit_raw_at(j, "cartesian", v->cartesian);
    emit_u64_at(j, "valid", v->valid);
    emit_u64_at(j, "planned", v->planned);
    check_at(j, v, &v->check);
    replay_at(j, v);
    emit_object_end(j);
}

// ---- a result ----------------------------------------------------------------------------------

static void emit_metrics(struct emit *j, const struct record_frame *f, const struct tune_record *v)
{
    emit_object_at(j, "metrics");
    for (size_t i = 0; f->spec && i < f->spec->metric_count; i++)
        emit_f64_at(j, f->spec->metrics[i].name, v->metrics ? v->metrics[i] : NAN);
    emit_object_end(j);
}

static void size_at(struct emit *j, const char *key, const uint64_t *size, uint32_t dimensions)
{
    if (dimensions > 0 && size[0] > 0)
        emit_u64s_at(j, key, size, dimensions);
    else
        emit_null_at(j, key);
}

static void times_at(struct emit *j, const struct result *r)
{
    emit_object_at(j, "times_ns");
    emit_u64_at(j, "build", r->build_ns);
    emit_u64_at(j, "load", r->load_ns);
    emit_u64_at(j, "inputs", r->inputs_ns);
    emit_u64_at(j, "reference", r->reference_ns);
    emit_u64_at(j, "verify", r->verify_ns);
    emit_u64_at(j, "measure", r->measure_ns);
    emit_object_end(j);
}

static void samples_at(struct emit *j, const struct tune_record *v)
{
    const uint64_t *samples = NULL;
    uint32_t count = 0;
    result_samples(v->result, &samples, &count);
    bool is_imported = v->result->stop == STOP_IMPORTED;
    bool is_median = !is_imported || str_equal(v->result->statistic, "median");
    emit_f64_at(j, "median_ns", v->timed && is_median ? v->stats.median : NAN);
    emit_text_at(j, "imported", is_imported ? v->result->statistic : NULL);
    emit_pair_at(j, "interval_ns", v->timed && v->stats.interval, v->stats.low, v->stats.high);
    emit_u64s_at(j, "samples_ns", samples, count);
}

// Writes the identity of a ranking, or null if it is all zeros.
static void identity_at(struct emit *j, const char *key, const uint8_t id[16])
{
    char hex[33];
    bool any = false;
    for (size_t i = 0; i < 16; i++) {
        str_format(hex + 2 * i, 33 - 2 * i, "%02x", id[i]);
        any = any || id[i];
    }
    emit_text_at(j, key, any ? hex : NULL);
}

static void place_at(const struct record_frame *f, const struct tune_record *v, struct emit *j)
{
    const struct ranking_entry *n = &v->rank;
    identity_at(j, "ranking", v->result->ranking);
    known_at(j, "place", v->ranked, record_place(v));
    emit_bool_at(j, "tied", v->ranked && n->tied);
    emit_bool_at(j, "chosen", v->ranked && f->chosen == v);
    emit_f64_at(j, "ratio", v->ranked ? n->ratio : NAN);
    emit_pair_at(j, "ratio_interval", v->ranked && n->ratio_interval, n->ratio_low, n->ratio_high);
}

static void basics(const struct record_frame *f, const struct tune_record *v, struct emit *j)
{
    const struct result *r = v->result;
    bool verified = r->status == STATUS_CORRECT && r->verification == VERIFICATION_REFERENCE;
    emit_raw_at(j, "configuration", v->configuration_json);
    emit_text_at(j, "status", status_text(r->status));
    emit_bool_at(j, "verified", verified);
    emit_text_at(j, "verification", verification_text(r->verification));
    emit_key(j, "outputs");
    report_outputs_json(r, j);
    samples_at(j, v);
    emit_text_at(j, "time_basis",
                 !v->timed                ? NULL
                 : r->stop == STOP_RANKED ? "ranked"
                                          : "screened");
    emit_text_at(j, "stopped", r->stop == STOP_NONE ? NULL : stop_text(r->stop));
    emit_u64_at(j, "batch", r->batch ? r->batch : 1);
    emit_u64_at(j, "warmups", r->warmups);
    emit_bool_at(j, "warm", r->warm);
    emit_text_at(j, "clock", result_by_host(r) ? "host" : "device");
    emit_text_at(j, "clock_fault", result_by_host(r) ? r->timer_fault : NULL);
    emit_bool_at(j, "reused", r->reused);
    emit_text_at(j, "origin", r->origin);
    emit_text_at(j, "message", r->message);
    emit_text_at(j, "fault", fault_text(r->fault));
    emit_metrics(j, f, v);
    emit_bool_at(j, "is_default", v->is_default);
    emit_raw_at(j, "same_as", v->same_as ? v->same_as->configuration_json : NULL);
    emit_text_at(j, "same_code_as", result_is_shared(r) ? r->same_as : NULL);
    size_at(j, "global_size", v->global, v->dimensions);
    size_at(j, "local_size", v->local, v->dimensions);
    known_at(j, "limit_ns", r->status == STATUS_TIMEOUT, r->limit_ns);
    place_at(f, v, j);
    times_at(j, r);
    emit_key(j, "gpu");
    report_gpu_json(&r->gpu, j);
    emit_key(j, "energy");
    report_energy_json(&r->energy, j);
}

static void resource_at(struct emit *j, const char *key, int64_t value)
{
    known_at(j, key, value >= 0, (uint64_t)value);
}

void report_resources_json(const struct resources *r, struct emit *j)
{
    emit_object(j);
    resource_at(j, "registers", r->registers);
    resource_at(j, "spill_bytes", r->spill_bytes);
    resource_at(j, "local_bytes", r->local_bytes);
    resource_at(j, "private_bytes", r->private_bytes);
    resource_at(j, "constant_bytes", r->constant_bytes);
    resource_at(j, "preferred_multiple", r->preferred_multiple);
    resource_at(j, "max_group_size", r->max_group_size);
    resource_at(j, "groups_per_unit", r->groups_per_unit);
    emit_object_end(j);
}

// The sizes and resources of launch `i`, as far as job and result know them.
static void launch(const struct tune_record *v, uint32_t i, struct emit *j)
{
    const struct result *r = v->result;
    double part = report_part_median(r, i);
    emit_object(j);
    if (v->job) {
        const struct job_launch *l = &v->job->launches[i];
        emit_text_at(j, "name", l->name);
        emit_text_at(j, "kernel", l->kernel);
        size_at(j, "global_size", l->global, l->dimensions);
        size_at(j, "local_size", l->local, l->dimensions);
    }
    if (i < r->resource_count) {
        emit_key(j, "resources");
        report_resources_json(&r->resources[i], j);
    }
    emit_f64_at(j, "median_part_ns", part);
    emit_object_end(j);
}

static void deviation(const struct deviation *d, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "argument", d->name);
    emit_bool_at(j, "ok", d->ok);
    emit_bool_at(j, "compared", d->compared || d->components == 0);
    emit_f64_at(j, "norm", d->norm);
    emit_f64_at(j, "largest", d->largest);
    emit_u64_at(j, "index", d->index);
    emit_f64_at(j, "got", deviation_has_got(d) ? d->got : (double)NAN);
    emit_f64_at(j, "expected", d->expected);
    emit_u64_at(j, "nans", d->nans);
    emit_u64_at(j, "unwritten", d->unwritten);
    emit_u64_at(j, "wrong", d->wrong);
    emit_object_end(j);
}

static void options_at(const struct job *job, struct emit *j)
{
    emit_array_at(j, "options");
    for (uint32_t p = 0; job && p < job->program_count; p++) {
        emit_array(j);
        for (uint32_t i = 0; i < job->programs[p].option_count; i++)
            emit_text(j, job->programs[p].options[i]);
        emit_array_end(j);
    }
    emit_array_end(j);
}

static void emit_origin(const struct record_origin *origin, struct emit *j)
{
    const struct best_answer *o = origin->answer;
    const struct best_place *p = &o->place;
    emit_text_at(j, "date", o->date);
    emit_text_at(j, "device", o->device);
    emit_text_at(j, "language", language_text(o->language));
    emit_text_at(j, "platform", o->platform);
    emit_text_at(j, "driver", o->driver);
    emit_raw_at(j, "constants", origin->constants_json ? origin->constants_json : "null");
    emit_text_at(j, "hone", o->hone_version);
    emit_text_at(j, "geometry", o->geometry);
    emit_bool_at(j, "cold", o->cold);
    emit_bool_at(j, "other_driver", o->other_driver);
    emit_bool_at(j, "other_source", o->other_source);
    emit_bool_at(j, "other_job", o->other_job);
    emit_bool_at(j, "ranked", p->ranked);
    known_at(j, "contenders", p->ranked, p->finalists);
    known_at(j, "tied_count", p->ranked, p->tied);
    emit_text_at(j, "why", p->why);
    emit_text_at(j, "part", p->part);
    emit_text_at(j, "faster", p->faster);
    emit_f64_at(j, "faster_ns", p->faster ? p->faster_median : NAN);
}

static void details(const struct record_frame *f, const struct tune_record *v, struct emit *j)
{
    const struct result *r = v->result;
    bool is_own = r->stop != STOP_IMPORTED;
    bool has_mean = is_own || str_equal(r->statistic, "mean");
    bool has_least = is_own || str_equal(r->statistic, "minimum");
    emit_f64_at(j, "mean_ns", v->timed && has_mean ? v->stats.mean : NAN);
    emit_f64_at(j, "least_ns", v->timed && has_least ? v->stats.least : NAN);
    emit_f64_at(j, "most_ns", v->timed && is_own ? v->stats.most : NAN);
    uint32_t count = v->job ? v->job->launch_count : v->result->resource_count;
    emit_array_at(j, "launches");
    for (uint32_t i = 0; i < count && i < LAUNCHES_TOLD; i++)
        launch(v, i, j);
    emit_array_end(j);
    emit_array_at(j, "parts_ns");
    for (uint32_t i = 0; r->part_columns && i + r->part_columns <= r->part_count;
         i += r->part_columns) {
        emit_array(j);
        for (uint32_t k = 0; k < r->part_columns; k++)
            emit_u64(j, r->parts_ns[i + k]);
        emit_array_end(j);
    }
    emit_array_end(j);
    emit_array_at(j, "deviations");
    for (uint32_t i = 0; i < r->deviation_count; i++)
        deviation(&r->deviations[i], j);
    emit_array_end(j);
    known_at(j, "verify_launch_ns", r->verify_launch_ns > 0, r->verify_launch_ns);
    options_at(v->job, j);
    emit_text_at(j, "log", r->log);
    emit_text_at(j, "output", r->output);
    emit_key(j, "peak");
    report_peak_json(f, v, j);
}

void report_result_json(const struct record_frame *f, const struct tune_record *v, const char *type,
                        bool detail, struct emit *j)
{
    emit_object(j);
    if (type)
        emit_text_at(j, "type", type);
    basics(f, v, j);
    if (detail)
        details(f, v, j);
    if (f->origin)
        emit_origin(f->origin, j);
    emit_object_end(j);
}

void report_result_line(const struct record_frame *f, const struct tune_record *v, const char *type,
                        bool detail, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    report_result_json(f, v, type, detail, &j);
    text_add(out, "\n");
}

// ---- the summary -------------------------------------------------------------------------------

static void counts_at(const struct tune_progress *v, struct emit *j)
{
    emit_object_at(j, "counts");
    for (unsigned s = 0; s < STATUS_COUNT; s++)
        emit_u64_at(j, status_text((enum status)s), v->by_status[s]);
    emit_object_end(j);
    emit_u64_at(j, "spec_errors", v->spec_errors);
}

static void spent_at(const struct tune_progress *v, struct emit *j)
{
    emit_object_at(j, "times_ns");
    emit_u64_at(j, "build", v->build_ns);
    emit_u64_at(j, "load", v->load_ns);
    emit_u64_at(j, "inputs", v->inputs_ns);
    emit_u64_at(j, "reference", v->reference_ns);
    emit_u64_at(j, "verify", v->verify_ns);
    emit_u64_at(j, "measure", v->measure_ns);
    emit_u64_at(j, "kernel", v->kernel_ns);
    emit_u64_at(j, "rank", v->rank_ns);
    emit_object_end(j);
}

static void ranking_at(const struct tune_report *v, struct emit *j)
{
    const struct tune_ranked *r = &v->progress.ranked;
    const struct final_ranking_status *s = &r->status;
    emit_key(j, "ranking");
    if (!r->decided) {
        emit_null(j);
        return;
    }
    emit_object(j);
    identity_at(j, "id", r->id);
    emit_u64_at(j, "contenders", r->finalists);
    emit_u64_at(j, "failed", r->failed);
    emit_u64_at(j, "rounds", s->rounds);
    emit_u64_at(j, "repeated", s->repeated);
    emit_u64_at(j, "marked", s->marked);
    emit_u64_at(j, "by_load", s->by_load);
    emit_u64_at(j, "by_clock", s->by_clock);
    emit_u64_at(j, "batch", s->batch);
    emit_u64_at(j, "warmups", s->warmups);
    emit_bool_at(j, "cold", v->cold);
    emit_f64_at(j, "level", v->level);
    emit_u64_at(j, "tied", r->tied);
    emit_raw_at(j, "chosen", r->chosen->configuration_json);
    emit_text_at(j, "why", r->why);
    emit_bool_at(j, "known", r->known);
    emit_bool_at(j, "short", r->is_short);
    emit_u64_at(j, "launches", s->launches);
    emit_object_end(j);
}

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
static void without_value_at(const struct tune_report *v, struct emit *j)
{
    const struct objectives *o = v->head.objectives;
    emit_object_at(j, "without_value");
    for (uint32_t i = 0; o && !report_by_time(&v->head) && i < o->count; i++) {
        if (o->terms[i].metric < v->head.spec->metric_count)
            emit_u64_at(j, o->terms[i].name, report_without_value(v, &o->terms[i]));
    }
    emit_object_end(j);
}

static void pareto_at(const struct tune_report *v, struct emit *j)
{
    emit_key(j, "pareto");
    if (!report_is_set(&v->head)) {
        emit_null(j);
        return;
    }
    emit_array(j);
    for (size_t i = 0; i < v->ranking_count; i++) {
        if (v->ranking[i]->pareto)
            report_result_json(&v->frame, v->ranking[i], NULL, false, j);
    }
    emit_array_end(j);
}

static const char *basis_of(const struct tune_speedup *s)
{
    return !s->known ? NULL : s->ranked ? "ranked" : "screened";
}

// Times of screening without an interval give none; then it is told how many launches would.
static void speedup_at(const struct tune_report *v, struct emit *j)
{
    const struct tune_speedup *s = &v->speedup;
    const struct stats_ratio *r = &s->ratio;
    bool known = s->known && (s->ranked || s->same || r->interval || v->head.recorded);
    emit_f64_at(j, "speedup_over_default", known ? r->ratio : NAN);
    emit_pair_at(j, "speedup_over_default_interval", known && r->interval, r->low, r->high);
    emit_text_at(j, "speedup_over_default_basis",
                 !known             ? NULL
                 : v->head.recorded ? "recorded"
                                    : basis_of(s));
    emit_bool_at(j, "speedup_over_default_significant", known && s->significant);
    known_at(j, "speedup_over_default_needs", !known && s->needed > 0, s->needed);
}

static void behind_at(const struct tune_speedup *behind, struct emit *j)
{
    emit_f64_at(j, "best_ratio", behind->known ? behind->ratio.ratio : NAN);
    emit_text_at(j, "best_ratio_basis", basis_of(behind));
}

// Writes the results from elsewhere that the search started from, and how useful they were.
static void sources_at(const struct tune_report *v, struct emit *j)
{
    static const char *const outcomes[] = {
        [HEARD_NOT] = "not asked for", [HEARD_REFUSED] = "refused", [HEARD_TRUSTED] = "used"};
    emit_array_at(j, "sources");
    for (uint32_t i = 0; i < v->progress.source_count; i++) {
        const struct tune_source *s = &v->progress.sources[i];
        emit_object(j);
        emit_text_at(j, "name", s->name);
        emit_u64_at(j, "results", s->results);
        known_at(j, "parameters", !s->is_failed, s->shared);
        emit_text_at(j, "outcome", s->is_failed ? "none correct" : outcomes[s->heard.outcome]);
        emit_f64_at(j, "agrees", s->heard.outcome == HEARD_NOT ? NAN : s->heard.agrees);
        behind_at(&s->behind, j);
        emit_object_end(j);
    }
    emit_array_end(j);
}

// Writes the configurations that the user started with, and how they performed.
static void starts_at(const struct tune_report *v, struct emit *j)
{
    emit_array_at(j, "start_with");
    for (uint32_t i = 0; i < v->progress.start_count; i++) {
        const struct tune_start *s = &v->progress.starts[i];
        const struct tune_record *r = s->record;
        emit_object(j);
        emit_raw_at(j, "configuration", s->configuration_json);
        emit_text_at(j, "status", r ? status_text(r->result->status) : NULL);
        emit_f64_at(j, "median_ns", r && r->timed ? r->stats.median : NAN);
        behind_at(&s->behind, j);
        emit_object_end(j);
    }
    emit_array_end(j);
}

void report_summary_json(const struct tune_report *v, struct emit *j)
{
    const struct tune_record *best = report_best(v);
    const struct tune_progress *p = &v->progress;
    emit_object(j);
    emit_text_at(j, "type", "summary");
    emit_key(j, "best");
    if (best)
        report_result_json(&v->frame, best, NULL, false, j);
    else
        emit_null(j);
    objectives_at(j, v->head.objectives);
    without_value_at(v, j);
    pareto_at(v, j);
    counts_at(p, j);
    emit_u64_at(j, "done", p->common.done);
    emit_u64_at(j, "valid", p->valid);
    emit_u64_at(j, "planned", p->common.planned);
    emit_u64_at(j, "reused", p->reused - p->identical);
    emit_u64_at(j, "identical", p->identical);
    starts_at(v, j);
    sources_at(v, j);
    emit_u64_at(j, "samples", p->samples);
    emit_u64_at(j, "launches", p->launches);
    speedup_at(v, j);
    const struct checked_outcomes all = report_tune_outcomes(v);
    const struct verified_by check = report_verified(&v->head.check, &all);
    check_at(j, &v->head, &check);
    report_check_notes_json(&all, j);
    bool shows = !v->head.build_only && !v->head.recorded && p->by_status[STATUS_CORRECT] > 0;
    enum evidence shown = report_tune_shown(v);
    emit_bool_at(j, "verified", shows && shown == SHOWN_CORRECT);
    emit_text_at(j, "shown", shows ? report_shown_text(shown) : NULL);
    ranking_at(v, j);
    report_members_at(p->members, p->member_count, j);
    emit_bool_at(j, "cancelled", p->common.cancelled);
    emit_bool_at(j, "out_of_time", p->out_of_time);
    emit_bool_at(j, "build_only", v->head.build_only);
    emit_text_at(j, "error", v->head.about->broken);
    emit_u64_at(j, "elapsed_ns", p->common.elapsed_ns);
    spent_at(p, j);
    emit_key(j, "timing");
    report_timing_json(v, j);
    emit_key(j, "peak");
    report_peak_json(&v->frame, best, j);
    replay_at(j, &v->head);
    emit_object_end(j);
}
