// The line of progress. What it shows is gathered from a workflow's own record of its progress into
// struct view_progress, and cut to the width of the terminal by characters, not by bytes.
#include "report/progress.h"

#include "report/units.h"

#include <math.h>
#include <string.h>

static void put_progress_failures(const struct view_progress *v, struct text *out)
{
    uint64_t failed = 0;
    const char *separator = "";
    for (unsigned s = 0; s < STATUS_COUNT; s++)
        failed += s == STATUS_CORRECT ? 0 : v->by_status[s];
    if (failed == 0)
        return;
    text_addf(out, "  %llu failed (", (unsigned long long)failed);
    for (unsigned s = 0; s < STATUS_COUNT; s++) {
        uint64_t count = v->by_status[s] - v->spec_by_status[s];
        if (s == STATUS_CORRECT || count == 0)
            continue;
        text_addf(out, "%s%s %llu", separator, status_text((enum status)s),
                  (unsigned long long)count);
        separator = ", ";
    }
    if (v->spec_errors > 0)
        text_addf(out, "%sspec error %llu", separator, (unsigned long long)v->spec_errors);
    text_add(out, ")");
}

static void put_best(const struct view_progress *v, struct text *out)
{
    char time[UNITS_SIZE], metric[UNITS_SIZE];
    if (v->several && v->pareto > 0)
        text_addf(out, "  %llu in the Pareto set", (unsigned long long)v->pareto);
    if (!v->has_best)
        return;
    duration_to_str(v->best_ns, time);
    text_addf(out, "  best %s", time);
    if (!v->has_metric)
        return;
    number_to_str(v->metric, metric);
    text_addf(out, ", %s %s", metric, v->metric_unit);
}

// "ranking 12 finalists, round 7 of at most 24"
static void put_ranking(const struct view_progress *v, struct text *out)
{
    const char *plural = v->finalists == 1 ? "" : "s";
    if (v->finalists == 0)
        return;
    if (v->checking)
        text_addf(out, "  verifying %u finalist%s again", v->finalists, plural);
    else if (v->round == 0)
        text_addf(out, "  getting %u finalist%s ready", v->finalists, plural);
    else
        text_addf(out, "  ranking %u finalist%s, round %u of at most %u", v->finalists, plural,
                  v->round, v->rounds);
}

static void cut(struct text *line, size_t from, size_t width)
{
    size_t at = from, column = 0;
    for (; at < line->length; at++) {
        bool starts = ((unsigned char)line->data[at] & 0xc0) != 0x80;
        if (starts && column++ == width)
            break;
    }
    if (at < line->length) {
        line->length = at;
        line->data[at] = '\0';
    }
}

void report_progress(const struct view_progress *v, size_t width, struct text *out)
{
    size_t from = out->length;
    text_addf(out, "%llu/%llu", (unsigned long long)v->done, (unsigned long long)v->planned);
    if (v->replayed)
        text_add(out, " replayed");
    if (v->reused > 0)
        text_addf(out, " (%llu known)", (unsigned long long)v->reused);
    put_ranking(v, out);
    // Before the first result there is nothing else to show.
    if (v->waiting)
        text_addf(out, "  waiting: %s", v->waiting);
    else if (v->cancelled)
        text_add(out, "  ending after the running launch");
    else if (v->done == v->reused && v->measuring)
        text_add(out, "  measuring");
    else if (v->done == v->reused && v->building > 0)
        text_addf(out, "  building %u", v->building);
    put_best(v, out);
    put_progress_failures(v, out);
    char left[UNITS_SIZE];
    uint64_t measured = v->done > v->reused ? v->done - v->reused : 0;
    if (measured > 0 && v->elapsed_ns > 0 && v->finalists == 0) {
        double rate = (double)measured * 1e9 / (double)v->elapsed_ns;
        text_addf(out, rate < 1 ? "  %.1f/min" : "  %.1f/s", rate < 1 ? 60 * rate : rate);
    }
    if (v->left_ns > 0) {
        span_to_str(v->left_ns, left);
        text_addf(out, "  %s left", left);
    }
    if (width > 0)
        cut(out, from, width);
}

// ---- workflows ---------------------------------------------------------------------------------

static void take_status(struct view_progress *v, const struct evaluator_status *s)
{
    v->building = s->building;
    v->measuring = s->measuring;
    v->waiting = s->waiting;
}

static void take_ranking(struct view_progress *v, const struct final_ranking_status *s)
{
    v->finalists = s->in;
    v->round = s->round;
    v->rounds = s->most;
    v->checking = s->checking;
}

void report_tune_progress(const struct tune_progress *p, const struct objectives *o,
                          const struct spec *spec, size_t width, struct text *out)
{
    const struct objective *first = &o->terms[0];
    bool by_metric = first->metric != OBJECTIVE_TIME;
    struct view_progress v = {.planned = p->common.planned,
                              .done = p->common.done,
                              .reused = p->reused,
                              .elapsed_ns = p->common.elapsed_ns,
                              .left_ns = p->common.left_ns,
                              .cancelled = p->common.cancelled,
                              .replayed = p->replayed,
                              .spec_errors = p->spec_errors,
                              .several = o->count > 1,
                              .pareto = p->pareto};
    take_status(&v, &p->common.evaluator);
    if (p->ranked.running)
        take_ranking(&v, &p->ranked.status);
    memcpy(v.by_status, p->by_status, sizeof v.by_status);
    memcpy(v.spec_by_status, p->spec_by_status, sizeof v.spec_by_status);
    if (p->best) {
        v.has_best = true;
        v.best_ns = p->best->stats.median;
        const double *values = by_metric ? p->best->values : p->best->metrics;
        v.has_metric = values && (by_metric || spec->metric_count > 0) && !isnan(values[0]);
        v.metric = v.has_metric ? values[0] : 0;
        v.metric_unit = by_metric ? first->name : spec->metric_count ? spec->metrics[0].name : "";
    }
    report_progress(&v, width, out);
}

void report_check_progress(const struct check_progress *p, size_t width, struct text *out)
{
    struct view_progress v = {.planned = p->common.planned,
                              .done = p->common.done,
                              .reused = p->reused,
                              .elapsed_ns = p->common.elapsed_ns,
                              .left_ns = p->common.left_ns,
                              .cancelled = p->common.cancelled};
    if (p->sized < p->common.planned) {
        text_addf(out, "choosing sizes: %llu of %llu", (unsigned long long)p->sized,
                  (unsigned long long)p->common.planned);
        return;
    }
    take_status(&v, &p->common.evaluator);
    memcpy(v.by_status, p->failed_by_status, sizeof v.by_status);
    memcpy(v.spec_by_status, p->spec_by_status, sizeof v.spec_by_status);
    for (unsigned i = 0; i < STATUS_COUNT; i++)
        v.spec_errors += p->spec_by_status[i];
    report_progress(&v, width, out);
}

void report_compare_progress(const struct compare_progress *p, size_t width, struct text *out)
{
    struct view_progress v = {.planned = p->common.planned,
                              .done = p->common.done,
                              .elapsed_ns = p->common.elapsed_ns,
                              .left_ns = p->common.left_ns,
                              .cancelled = p->common.cancelled};
    take_status(&v, &p->common.evaluator);
    if (p->final_ranking.round)
        take_ranking(&v, &p->final_ranking);
    v.by_status[STATUS_CORRECT] = p->compared;
    report_progress(&v, width, out);
}
