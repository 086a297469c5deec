// The head of a run, and one line a configuration.
#include "report/report.h"
#include "report/units.h"
#include "report/verified.h"

#include <string.h>

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

bool report_by_time(const struct view_goal *g)
{
    return g->count == 0 || g->by_time;
}

void report_goal(const struct view_goal *g, struct text *out)
{
    text_add(out, g->count == 0 ? "the least time" : g->count > 1 ? "the Pareto set of " : "");
    for (size_t i = 0; i < g->count; i++) {
        const char *separator = i == 0 ? "" : i + 1 == g->count ? " and " : ", ";
        text_addf(out, "%sthe %s %s", separator, g->objectives[i].maximise ? "greatest" : "least",
                  g->objectives[i].name);
    }
}

// All of them, for the least time, is what anybody expects.
static void put_search(const struct view_run *v, struct text *out)
{
    bool is_time = v->goal.count == 0 || (v->goal.count == 1 && v->goal.objectives[0].is_time &&
                                          !v->goal.objectives[0].maximise);
    if (!v->strategy_description || (is_time && str_equal(v->strategy, "exhaustive")))
        return;
    text_addf(out, "Search: %s, seed %llu", v->strategy_description, (unsigned long long)v->seed);
    if (!is_time && !v->build_only) {
        text_add(out, ", for ");
        report_goal(&v->goal, out);
    }
    text_add(out, "\n");
}

static void put_source(const struct view_replay *r, struct text *out)
{
    text_add_name(out, "Replayed: ", r->path, " (");
    text_add_name(out, r->format, r->device[0] ? ", " : "", "");
    text_add_name(out, "", r->device, "): ");
    put_count(r->recorded, "recorded configuration", out);
    // "12 that are valid are not recorded and not tried"
    if (r->excluded > 0)
        text_addf(out, "; %llu %s recorded and not valid", (unsigned long long)r->excluded,
                  r->excluded == 1 ? "is" : "are");
    if (r->unrecorded > 0)
        text_addf(out, "; %llu %s valid and not recorded, and not tried",
                  (unsigned long long)r->unrecorded, r->unrecorded == 1 ? "is" : "are");
    text_add(out, "; no device is used\n");
}

void report_run(const struct view_run *v, struct text *out)
{
    if (v->replay)
        put_source(v->replay, out);
    else
        report_device(v->device, out);
    text_add(out, v->replay && !v->replay->has_spec ? "Space" : "Spec");
    text_add_name(out, ": ", v->spec_name, v->constants[0] ? ", " : "");
    text_add_name(out, "", v->constants, "");
    text_addf(out, ": %llu of %s configuration%s %s %s", (unsigned long long)v->valid, v->cartesian,
              str_equal(v->cartesian, "1") ? "" : "s", v->valid == 1 ? "is" : "are",
              !v->replay            ? "valid"
              : v->replay->has_spec ? "valid and recorded"
                                    : "recorded");
    if (v->planned < v->valid)
        text_addf(out, ", %llu %s tried", (unsigned long long)v->planned,
                  v->planned == 1 ? "is" : "are");
    if (v->planned < v->valid && !v->strategy_description)
        text_addf(out, " (%s, seed %llu)", v->strategy, (unsigned long long)v->seed);
    text_add(out, "; ");
    if (v->build_only)
        text_add(out, "built only, nothing runs");
    else if (v->replay)
        text_addf(out, "a time is the recorded %s", v->replay->statistic);
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
        report_slowed(g, out);
    else
        report_gpu(g, out);
}

void report_line(const struct view_result *v, struct text *out)
{
    const struct result *r = v->result;
    text_add_name(out, "", v->configuration[0] ? v->configuration : "(the only one)", ": ");
    if (r->status != STATUS_CORRECT) {
        text_addf(out, "%s: %s", result_word(r), r->message);
    } else if (v->timed) {
        report_time(&v->stats, out);
        if (v->metric_count > 0 && v->metrics[0].known) {
            text_add(out, ", ");
            report_metric(&v->metrics[0], out);
        }
        // The first metric is of energy, and that is not known.
        const struct view_metric *m = v->metric_count > 0 ? &v->metrics[0] : NULL;
        if (m && !m->known && m->why && m->why[0])
            text_addf(out, ", %s - (%s)", m->name, m->why);
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
    if (v->same_as_json)
        text_add(out, " (identical to one that was measured)");
    else if (r->reused && r->origin)
        text_addf(out, " (known already, from %s)", r->origin);
    else if (r->reused)
        text_add(out, " (known already)");
    text_add(out, "\n");
}
