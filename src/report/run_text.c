// The head of a run, and one line a configuration.
#include "model/result_fields.h"
#include "report/report.h"
#include "report/units.h"
#include "report/verified.h"

void report_driver(enum language l, const char *platform, const char *driver, struct text *out)
{
    const char *language = language_title(l);
    text_add(out, language);
    if (!str_equal_nocase(language, platform))
        text_add_name(out, ", ", platform, "");
    text_add_name(out, ", driver ", driver, "");
}

// One without a driver is an architecture that is built for.
void report_device(const struct device_info *d, struct text *out)
{
    if (!d->driver[0]) {
        text_add_name(out, "Device: none, built for ", d->name, "");
        text_add_name(out, " (", d->platform, ")\n");
        return;
    }
    text_add_name(out, "Device: ", d->name, " (");
    report_driver(d->language, d->platform, d->driver, out);
    text_add(out, ")\n");
}

bool report_by_time(const struct run_head *v)
{
    return !v->objectives || v->by_time;
}

bool report_is_set(const struct run_head *v)
{
    return v->objectives && v->objectives->count > 1;
}

void report_goal(const struct objectives *o, struct text *out)
{
    text_add(out, !o ? "the shortest time" : o->count > 1 ? "the Pareto set of " : "");
    for (size_t i = 0; o && i < o->count; i++) {
        const char *separator = i == 0 ? "" : i + 1 == o->count ? " and " : ", ";
        bool is_time = o->terms[i].metric == OBJECTIVE_TIME;
        text_addf(out, "%sthe %s %s", separator,
                  o->terms[i].maximise ? (is_time ? "longest" : "greatest")
                  : is_time            ? "shortest"
                                       : "least",
                  o->terms[i].name);
    }
}

// An exhaustive search for the shortest time is what anybody expects: not mentioned.
static void put_search(const struct run_head *v, struct text *out)
{
    const struct objectives *o = v->objectives;
    bool is_time =
        !o || (o->count == 1 && o->terms[0].metric == OBJECTIVE_TIME && !o->terms[0].maximise);
    if (!v->strategy_description || (is_time && str_equal(v->strategy, "exhaustive")))
        return;
    text_addf(out, "Search: %s, seed %llu", v->strategy_description,
              (unsigned long long)v->about->seed);
    if (!is_time && !v->build_only) {
        text_add(out, ", for ");
        report_goal(o, out);
    }
    text_add(out, "\n");
}

static void put_source(const struct run_head *v, struct text *out)
{
    const struct recorded *r = v->recorded;
    uint64_t excluded = v->replay->excluded, unrecorded = v->replay->unrecorded;
    text_add_name(out, "Replayed: ", r->path, " (");
    text_add_name(out, recorded_format_text(r->format), r->device[0] ? ", " : "", "");
    text_add_name(out, "", r->device, "): ");
    put_count(r->count, "recorded configuration", out);
    if (excluded > 0)
        text_addf(out, "; %llu %s recorded but not valid%s", (unsigned long long)excluded,
                  excluded == 1 ? "is" : "are", v->parts > 0 ? ", or of another part" : "");
    if (unrecorded > 0)
        text_addf(out, "; %llu %s valid but not recorded, and not tried",
                  (unsigned long long)unrecorded, unrecorded == 1 ? "is" : "are");
    text_add(out, "; no device is used\n");
}

void report_run(const struct run_head *v, struct text *out)
{
    if (v->recorded)
        put_source(v, out);
    else
        report_device(v->device, out);
    text_add(out, v->recorded && !v->of_spec ? "Space" : "Spec");
    text_add_name(out, ": ", v->spec->name, v->constants[0] ? ", " : "");
    text_add_name(out, "", v->constants, "");
    text_addf(out, ": %llu of %s configuration%s %s %s", (unsigned long long)v->valid, v->cartesian,
              str_equal(v->cartesian, "1") ? "" : "s", v->valid == 1 ? "is" : "are",
              !v->recorded ? "valid"
              : v->of_spec ? "valid and recorded"
                           : "recorded");
    if (v->parts > 0)
        text_addf(out, " and in part %u/%u", v->part, v->parts);
    if (v->planned < v->valid)
        text_addf(out, ", %llu %s tried", (unsigned long long)v->planned,
                  v->planned == 1 ? "is" : "are");
    if (v->planned < v->valid && !v->strategy_description)
        text_addf(out, " (%s, seed %llu)", v->strategy, (unsigned long long)v->about->seed);
    text_add(out, "; ");
    if (v->build_only)
        text_add(out, "built only, nothing runs");
    else if (v->recorded)
        text_addf(out, "a time is the recorded %s", v->recorded->statistic);
    else
        report_check(&v->check, out);
    text_add(out, "\n");
    put_search(v, out);
}

static void put_card(const struct gpu_snapshot *g, struct text *out)
{
    if (!g->known)
        return;
    text_add(out, ", ");
    if (report_is_slowed(g))
        gpu_put_slowed(g, out);
    else
        report_gpu(g, out);
}

void report_line(const struct record_frame *f, const struct tune_record *v, struct text *out)
{
    const struct result *r = v->result;
    const struct spec *spec = f->spec && f->spec->metric_count > 0 ? f->spec : NULL;
    text_add_name(out, "", v->configuration[0] ? v->configuration : "(the only one)", ": ");
    if (r->status != STATUS_CORRECT) {
        text_addf(out, "%s: %s", result_word(r), r->message);
    } else if (v->timed) {
        report_time(&v->stats, out);
        double value;
        bool known = spec && record_metric(v, 0, &value);
        if (known) {
            text_add(out, ", ");
            report_metric(spec->metrics[0].name, value, out);
        }
        // The first metric is of energy, and that is not known.
        const char *why = spec && !known ? report_why_unknown(spec, 0, r) : "";
        if (why[0])
            text_addf(out, ", %s - (%s)", spec->metrics[0].name, why);
        text_addf(out, ", %s",
                  r->stop == STOP_REPLAYED ? "replayed" : verification_text(r->verification));
        report_written_part(r, out);
        put_card(&r->gpu, out);
        if (r->stop == STOP_HOPELESS)
            text_add(out, ", stopped early");
    } else {
        text_addf(out, "%s, not timed, %s",
                  r->verification == VERIFICATION_REFERENCE ? "correct" : "ran",
                  verification_text(r->verification));
        report_written_part(r, out);
    }
    if (result_is_shared(r))
        text_addf(out, " (%sthe same code as %s)", r->reused ? "known already: " : "", r->same_as);
    else if (v->same_as)
        text_add(out, " (identical to one that was measured)");
    else if (r->reused && r->origin)
        text_addf(out, " (known already, from %s)", r->origin);
    else if (r->reused)
        text_add(out, " (known already)");
    text_add(out, "\n");
}
