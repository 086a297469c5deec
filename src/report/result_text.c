// Everything about one result, as `hone run` and `hone best` show it.
#include "report/counters_report.h"
#include "report/peak_report.h"
#include "model/result_fields.h"
#include "report/report.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

static void put_size(struct text *out, const uint64_t *size, uint32_t dimensions)
{
    for (uint32_t axis = 0; axis < dimensions; axis++)
        text_addf(out, "%s%llu", axis ? " x " : "", (unsigned long long)size[axis]);
}

static bool is_one_call(const uint64_t *global, const uint64_t *local, uint32_t dimensions)
{
    uint64_t items = 1;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        items *= global[axis] * local[axis];
    return items == 1;
}

void report_geometry(const uint64_t *global, const uint64_t *local, uint32_t dimensions,
                     struct text *out)
{
    if (is_one_call(global, local, dimensions)) {
        text_add(out, "one call");
        return;
    }
    put_size(out, global, dimensions);
    text_add(out, " work-items in work-groups of ");
    if (local[0])
        put_size(out, local, dimensions);
    else
        text_add(out, "the driver's choice");
}

// The lines of a text, indented, under a title; nothing for an empty text.
static void put_block(struct text *out, const char *title, const char *body)
{
    if (!body || !body[0])
        return;
    text_addf(out, "%s:\n", title);
    while (*body) {
        size_t length = strcspn(body, "\n");
        text_add(out, length ? "  " : "");
        text_addn(out, body, length);
        text_add(out, "\n");
        body += length + (body[length] == '\n');
    }
}

// ---- resources and launches --------------------------------------------------------------------

static void put_resource(struct text *out, const char *name, int64_t value, bool bytes,
                         const char **separator)
{
    char number[UNITS_SIZE];
    if (value < 0)
        return;
    bytes_to_str((uint64_t)value, number);
    if (bytes)
        text_addf(out, "%s%s %s", *separator, number, name);
    else
        text_addf(out, "%s%s %lld", *separator, name, (long long)value);
    *separator = ", ";
}

static void put_launch(const struct tune_record *v, uint32_t i, struct text *out)
{
    const struct result *r = v->result;
    const struct job_launch *l = &v->job->launches[i];
    double part = v->job->launch_count > 1 ? report_part_median(r, i) : NAN;
    char time[UNITS_SIZE];
    bool renamed = l->name && !str_equal(l->name, l->kernel);
    text_addf(out, "Launch: %s%s%s%s: ", l->kernel, renamed ? " (" : "", renamed ? l->name : "",
              renamed ? ")" : "");
    report_geometry(l->global, l->local, l->dimensions, out);
    if (isfinite(part)) {
        duration_to_str(part, time);
        text_addf(out, ": %s, %.1f %%", time, 100 * part / v->stats.median);
    }
    text_add(out, "\n");
}

// Are the resources those of an earlier launch of the same kernel?
static bool is_told(const struct tune_record *v, uint32_t i)
{
    const struct job_launch *l = v->job->launches;
    for (uint32_t k = 0; k < i; k++) {
        if (l[k].program == l[i].program && str_equal(l[k].kernel, l[i].kernel) &&
            memcmp(&v->result->resources[k], &v->result->resources[i], sizeof(struct resources)) ==
                0)
            return true;
    }
    return false;
}

static void put_launches(const struct tune_record *v, struct text *out)
{
    uint32_t launches = v->job ? v->job->launch_count : 0;
    for (uint32_t i = 0; i < launches && i < LAUNCHES_TOLD; i++)
        put_launch(v, i, out);
    if (launches > LAUNCHES_TOLD)
        text_addf(out, "Launch: ... and %u more\n", (unsigned)(launches - LAUNCHES_TOLD));
    if (!v->job && v->dimensions > 0) {
        text_add(out, "Launch: ");
        report_geometry(v->global, v->local, v->dimensions, out);
        text_add(out, "\n");
    }
    for (uint32_t i = 0; i < v->result->resource_count; i++) {
        bool one_of_several = v->job && v->job->launch_count > 1 && i < v->job->launch_count;
        if (one_of_several && is_told(v, i))
            continue;
        text_addf(out, "Resources%s%s: ", one_of_several ? " of " : "",
                  one_of_several ? v->job->launches[i].kernel : "");
        const char *separator = "";
        put_resource(out, "registers", v->result->resources[i].registers, false, &separator);
        put_resource(out, "spilled", v->result->resources[i].spill_bytes, true, &separator);
        put_resource(out, "local memory", v->result->resources[i].local_bytes, true, &separator);
        put_resource(out, "private memory", v->result->resources[i].private_bytes, true,
                     &separator);
        put_resource(out, "constant memory", v->result->resources[i].constant_bytes, true,
                     &separator);
        put_resource(out, "preferred multiple", v->result->resources[i].preferred_multiple, false,
                     &separator);
        put_resource(out, "largest work-group", v->result->resources[i].max_group_size, false,
                     &separator);
        put_resource(out, "work-groups a unit", v->result->resources[i].groups_per_unit, false,
                     &separator);
        text_add(out, *separator ? "\n" : "not reported by the driver\n");
    }
}

// ---- verification ------------------------------------------------------------------------------

static void put_written(const struct deviation *d, struct text *out)
{
    if (d->components == 0)
        return;
    if (d->written == WRITTEN_UNKNOWN)
        text_add(out, ", how much the kernel wrote is unknown");
    else if (d->written == d->components)
        text_addf(out, ", all %llu %s", (unsigned long long)d->components,
                  d->changes ? "changed" : "written");
    else
        text_addf(out, ", %llu of %llu %s", (unsigned long long)d->written,
                  (unsigned long long)d->components, d->changes ? "changed" : "written");
    if (d->left > 0)
        text_addf(out, ", %llu not compared: the reference does not write them",
                  (unsigned long long)d->left);
}

static void put_deviation(const struct deviation *d, struct text *out)
{
    text_addf(out, "  %s: ", d->name);
    if (d->components > 0 && !d->compared) {
        text_add(out, "not compared");
        put_written(d, out);
        text_add(out, "\n");
        return;
    }
    text_addf(out, "%s, relative norm %.3g, largest deviation %.3g",
              d->ok ? "within the tolerance" : "OUTSIDE THE TOLERANCE", d->norm, d->largest);
    if (deviation_has_got(d) && (d->largest > 0 || !d->ok))
        text_addf(out, " at %llu (%.9g instead of %.9g)", (unsigned long long)d->index, d->got,
                  d->expected);
    if (d->wrong > 0)
        text_addf(out, ", %llu wrong", (unsigned long long)d->wrong);
    if (d->output_nans > 0 || d->reference_nans > 0)
        text_addf(out, ", %llu NaN (%llu in the reference)", (unsigned long long)d->output_nans,
                  (unsigned long long)d->reference_nans);
    else if (d->nans > 0)
        text_addf(out, ", %llu NaN or infinite", (unsigned long long)d->nans);
    if (d->unwritten > 0)
        text_addf(out, ", %llu not written", (unsigned long long)d->unwritten);
    put_written(d, out);
    text_add(out, "\n");
    if (d->note && d->note[0])
        text_addf(out, "    its check: %s\n", d->note);
}

static void put_verification(const struct tune_record *v, struct text *out)
{
    const struct result *r = v->result;
    const char *against = v->job ? v->job->reference.name : NULL;
    bool is_wrong = r->status == STATUS_CORRECTNESS;
    bool is_named = against && (is_wrong || r->verification == VERIFICATION_REFERENCE);
    text_add(out, "Verification: ");
    if (!is_wrong && result_is_blind(r))
        text_add(out, "not verified: the check shows nothing");
    else if (is_wrong || r->verification != VERIFICATION_AGREES)
        text_add(out, is_wrong ? "FAILED" : verification_text(r->verification));
    else
        text_addf(out, "not verified: %s",
                  v->is_default
                      ? "the default configuration was compared with itself, in two launches"
                      : "agrees with the default configuration");
    text_addf(out, "%s%s\n", is_named ? " against " : "", is_named ? against : "");
    for (uint32_t i = 0; i < r->deviation_count; i++)
        put_deviation(&r->deviations[i], out);
}

// ---- times -------------------------------------------------------------------------------------

void report_clock(const struct result *r, struct text *out)
{
    if (result_by_host(r))
        text_addf(out,
                  "Times are the host's clock around batches of launches, not the device's: %s.\n",
                  r->timer_fault);
}

static void put_samples(const struct tune_record *v, struct text *out)
{
    const uint64_t *samples;
    uint32_t count;
    char time[UNITS_SIZE];
    if (!result_samples(v->result, &samples, &count) || count == 0)
        return;
    text_addf(out, "Samples (%u%s, %s, ns):", count, v->result->batch > 1 ? " batches" : "",
              v->result->warm ? "warm" : "cold");
    for (uint32_t i = 0; i < count; i++)
        text_addf(out, " %llu", (unsigned long long)samples[i]);
    text_add(out, "\n");
    report_clock(v->result, out);
    if (v->result->verify_launch_ns == 0)
        return;
    duration_to_str((double)v->result->verify_launch_ns, time);
    text_addf(out, "Verified launch: %s (not counted)\n", time);
}

static void put_times(const struct record_frame *f, const struct tune_record *v, struct text *out)
{
    if (!v->timed)
        return;
    text_add(out, "Time: ");
    if (v->result->stop == STOP_IMPORTED) {
        char time[UNITS_SIZE];
        duration_to_str(v->stats.median, time);
        text_addf(out, "%s, the %s that was recorded\n", time, v->result->statistic);
    } else {
        report_time(&v->stats, out);
        text_addf(out, ", %s (%s)\n",
                  v->stats.interval ? "median and 95 % interval" : "median and range",
                  stop_text(v->result->stop));
    }
    for (uint32_t i = 0; f->spec && i < f->spec->metric_count; i++) {
        char number[UNITS_SIZE];
        double value;
        bool known = record_metric(v, i, &value);
        const char *why = known ? "" : report_why_unknown(f->spec, i, v->result);
        number_to_str(value, number);
        text_addf(out, "%s: %s%s%s\n", f->spec->metrics[i].name, known ? number : "not known",
                  why[0] ? ": " : "", why);
    }
    report_peak_shares(f, v, out);
}

// Writes counts over the measured time: rates for which the spec needs no formula.
static void put_rates(const struct record_frame *f, const struct counters *c, double ns,
                      struct text *out)
{
    double moved = c->values[COUNTER_dram_read_bytes] + c->values[COUNTER_dram_write_bytes];
    bool requested = isnan(moved);
    double flops = c->values[COUNTER_operations] / ns;
    double bytes = (requested ? c->values[COUNTER_requested_read_bytes] +
                                    c->values[COUNTER_requested_write_bytes]
                              : moved) /
                   ns;
    char rate[UNITS_SIZE];
    struct text line = TEXT_INIT;
    if (flops > 0) {
        number_to_str(flops, rate);
        text_addf(&line, "%s GFLOP/s", rate);
    }
    if (bytes > 0) {
        number_to_str(bytes, rate);
        text_addf(&line, "%s%s GB/s %s", line.length ? ", " : "", rate,
                  requested ? "requested" : "moved");
    }
    if (flops > 0 && bytes > 0)
        text_addf(&line, ", %.3g FLOP for each byte", flops / bytes);
    if (line.length)
        text_addf(out, "Rates, as counted: %s\n", text_cstr(&line));
    out->failed |= line.failed;
    text_release(&line);
    if (flops > 0)
        report_peak_share(f->peak, "GFLOP/s", flops, out);
    if (!requested && bytes > 0)
        report_peak_share(f->peak, "GB/s", bytes, out);
}

static void put_counted(const struct record_frame *f, const struct counters *c, double ns,
                        struct text *out)
{
    struct text bound = TEXT_INIT;
    if (c->refused[0])
        text_addf(out, "Counters: none: %s\n", c->refused);
    if (!c->source[0])
        return;
    report_bound(c, &bound);
    if (bound.length)
        text_addf(out, "Bound: %s\n", text_cstr(&bound));
    text_addf(out, "Counters, of one launch, by %s%s:\n", c->source,
              isnan(c->values[COUNTER_operations]) && isnan(c->values[COUNTER_requested_read_bytes])
                  ? ""
                  : ", which moves nothing: bytes are those that instructions ask for");
    report_counters(&c, NULL, 1, REPORT_TEXT, out);
    put_rates(f, c, ns, out);
    text_release(&bound);
}

static void put_card(const struct record_frame *f, const struct tune_record *v, struct text *out)
{
    const struct result *r = v->result;
    if (r->counters)
        put_counted(f, r->counters, v->timed ? v->stats.median : NAN, out);
    if (r->energy.microjoules > 0) {
        text_add(out, "Energy: ");
        report_energy(&r->energy, out);
        text_add(out, "\n");
    }
    if (!r->gpu.known)
        return;
    text_add(out, "GPU: ");
    report_gpu(&r->gpu, out);
    text_add(out, "\n");
    if (!report_is_slowed(&r->gpu))
        return;
    text_add(out, "Slowed: ");
    gpu_put_slowed(&r->gpu, out);
    text_add(out, "\n");
}

static void put_spent(const struct result *r, struct text *out)
{
    const struct {
        const char *what;
        uint64_t ns;
    } steps[] = {{"build", r->build_ns},         {"load", r->load_ns},
                 {"inputs", r->inputs_ns},       {"reference", r->reference_ns},
                 {"verification", r->verify_ns}, {"measuring", r->measure_ns}};
    const char *separator = "Spent: ";
    char time[UNITS_SIZE];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].ns == 0)
            continue;
        duration_to_str((double)steps[i].ns, time);
        text_addf(out, "%s%s %s", separator, steps[i].what, time);
        separator = ", ";
    }
    text_add(out, separator[0] == ',' ? "\n" : "");
}

// Where a stored result stands in its ranking, and why it is the answer.
static void put_standing(const struct record_origin *origin, struct text *out)
{
    const struct best_answer *b = origin->answer;
    const struct best_place *p = &b->place;
    char time[UNITS_SIZE];
    if (b->known > 0)
        text_addf(out, "Not ranked: %s of %zu configurations measured one after the other\n",
                  origin->goal, b->known);
    else if (!p->ranked)
        text_add(
            out,
            "Not ranked: the shortest median of configurations measured one after the other\n");
    else if (p->tied > 1)
        text_addf(out, "Chosen among %zu that are tied, of %zu ranked: %s\n", p->tied, p->finalists,
                  p->why);
    else if (p->finalists > 1)
        text_addf(out, "Clearly faster than all others of %zu ranked\n", p->finalists);
    if (p->ranked && p->rank.place > 0) {
        text_addf(out, "Relative to the fastest of them: %.3f ", p->rank.ratio);
        put_range(p->rank.ratio_low, p->rank.ratio_high, 3, p->rank.ratio_interval, out);
        text_add(out, "\n");
    }
    if (p->part && p->part[0])
        text_addf(out, "Ranked only within a part of the space: %s\n", p->part);
    else if (p->part)
        text_add(out, "Ranked among the best of the whole space, which are not in this part\n");
    if (!p->faster)
        return;
    duration_to_str(p->faster_median, time);
    text_addf(out, "Measured faster, but not ranked with it: %s (%s)\n", p->faster, time);
}

// Never compared with times of another statistic, or measured by another program.
static void put_recorded(const struct best_answer *o, struct text *out)
{
    text_add_name(out, "IMPORTED: recorded by another tool on ", o->device, "; ");
    text_add_name(out, "the least ", o->result->statistic, " of what was imported\n");
    text_add_name(out, "Imported: ", o->date, "");
    text_add_name(out, " by hone ", o->hone_version, "\n");
    if (o->constants && o->constants[0])
        text_add_name(out, "Constants: ", o->constants, "\n");
}

static void put_measured(const struct best_answer *o, struct text *out)
{
    text_add_name(out, "Measured: ", o->date, o->cold ? " with cold inputs" : " with warm inputs");
    text_add_name(out, " on ", o->device, " (");
    report_driver(o->language, o->platform, o->driver, out);
    text_add_name(out, ") by hone ", o->hone_version, "");
}

static void put_origin(const struct record_origin *origin, struct text *out)
{
    const struct best_answer *o = origin->answer;
    if (o->result->stop == STOP_IMPORTED) {
        put_recorded(o, out);
        return;
    }
    put_standing(origin, out);
    put_measured(o, out);
    text_add(out, "\n");
    if (o->constants && o->constants[0])
        text_add_name(out, "Constants: ", o->constants, "\n");
}

// Never call a result correct that was not compared with a reference.
static const char *told_status(const struct result *r)
{
    bool ran = r->verification == VERIFICATION_AGREES || r->verify_launch_ns > 0;
    bool is_verified = r->verification == VERIFICATION_REFERENCE;
    return r->status == STATUS_CORRECT && ran && !is_verified ? "ran; not verified"
                                                              : status_text(r->status);
}

// "9.216 us [9.216 .. 9.216], 5.333 GB/s; 4096 work-items in work-groups of 32"
static void put_figures(const struct record_frame *f, const struct tune_record *v, struct text *out)
{
    char number[UNITS_SIZE];
    double value;
    text_add(out, "Time: ");
    if (v->result->stop == STOP_IMPORTED) {
        duration_to_str(v->stats.median, number);
        text_addf(out, "%s, the %s that was recorded", number, v->result->statistic);
    } else {
        report_time(&v->stats, out);
    }
    for (uint32_t i = 0; f->spec && i < f->spec->metric_count; i++) {
        if (!record_metric(v, i, &value))
            continue;
        number_to_str(value, number);
        text_addf(out, ", %s %s", number, f->spec->metrics[i].name);
    }
    if (v->dimensions > 0) {
        text_add(out, "; ");
        report_geometry(v->global, v->local, v->dimensions, out);
    }
    text_add(out, "\n");
}

void report_answer(const struct record_frame *f, const struct tune_record *v, const char *options,
                   struct text *out)
{
    const struct best_answer *b = f->origin->answer;
    const char *against = v->job ? v->job->reference.name : NULL;
    text_add_name(out, "Configuration: ", v->configuration, "\n");
    put_figures(f, v, out);
    if (options[0])
        text_addf(out, "Options: %s\n", options);
    if (b->result->stop == STOP_IMPORTED) {
        put_recorded(b, out);
        return;
    }
    put_standing(f->origin, out);
    put_measured(b, out);
    bool agrees = b->result->verification == VERIFICATION_AGREES;
    text_addf(out, "; %s%s", agrees ? "not verified: " : "",
              verification_text(b->result->verification));
    if (against && b->result->verification == VERIFICATION_REFERENCE)
        text_addf(out, " against %s", against);
    text_add(out, "; more: --details\n");
}

void report_result(const struct record_frame *f, const struct tune_record *v, struct text *out)
{
    const struct result *r = v->result;
    text_add_name(out, "Configuration: ", v->configuration, v->is_default ? " (default)\n" : "\n");
    text_addf(out, "Status: %s%s%s\n", told_status(r),
              fault_is_spec(r->fault) ? " (an error of the spec)" : "",
              r->reused ? " (known already)" : "");
    if (r->origin)
        text_addf(out, "From: %s\n", r->origin);
    if (r->message[0])
        text_addf(out, "Message: %s\n", r->message);
    put_times(f, v, out);
    put_card(f, v, out);
    if (f->origin)
        put_origin(f->origin, out);
    for (uint32_t p = 0; v->job && p < v->job->program_count; p++) {
        const struct job_program *program = &v->job->programs[p];
        text_addf(out, "Source: %s (%llu bytes), options", program->name,
                  (unsigned long long)program->length);
        for (uint32_t i = 0; i < program->option_count; i++) {
            bool quoted = strpbrk(program->options[i], " \t'\"") != NULL;
            text_addf(out, quoted ? " \"%s\"" : " %s", program->options[i]);
        }
        text_add(out, "\n");
    }
    put_launches(v, out);
    put_verification(v, out);
    put_samples(v, out);
    put_spent(r, out);
    put_block(out, "Build log", r->log);
    put_block(out, "Printed by the kernel", r->output);
}

static void write_run_record(const void *report, const void *record, struct text *out)
{
    const struct record_frame *f = report;
    report_device(f->device, out);
    report_result(f, record, out);
}

static void write_run_record_json(const void *report, const void *record, struct text *out)
{
    report_result_line(report, record, "result", true, out);
}

const writers run_writers = {[REPORT_TEXT] = {.record = write_run_record},
                             [REPORT_JSON] = {.record = write_run_record_json},
                             [REPORT_MARKDOWN] = {.record = write_run_record}};
