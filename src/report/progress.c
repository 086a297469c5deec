// The lines of progress: what all workflows say of themselves (workflow.h) in one line with a bar, under it the best of a
// tune. They are cut by whoever draws them.
#include "report/progress.h"

#include "report/units.h"

#include <math.h>

// ---- the first line ----------------------------------------------------------------------------

void report_bar(uint64_t done, uint64_t planned, const struct screen *s, struct text *out)
{
    size_t width = s->width ? s->width / 4 : 20;
    width = width < 10 ? 10 : width > 40 ? 40 : width;
    size_t full = planned ? (size_t)((double)width * (double)done / (double)planned) : 0;
    for (size_t i = 0; i < width; i++) {
        if (s->utf8)
            text_add(out, i < full ? "\xe2\x94\x81" : "\xe2\x94\x80"); // heavy and light lines
        else
            text_addc(out, i < full ? '#' : '-');
    }
}

void report_cut(struct text *line, size_t from, const struct screen *s)
{
    const char *ellipsis = s->utf8 ? "\xe2\x80\xa6" : "...";
    size_t dots = columns(ellipsis);
    if (s->width == 0 || line->failed || columns(text_cstr(line) + from) <= s->width)
        return;
    size_t kept = s->width > dots ? s->width - dots : 0;
    line->length = from + bytes_in_columns(line->data + from, line->length - from, kept);
    line->data[line->length] = '\0';
    text_add(line, ellipsis);
}

static void put_running(const struct workflow_progress *p, bool is_ranking, struct text *out)
{
    const struct evaluator_status *e = &p->evaluator;
    if (e->waiting) {
        text_add_name(out, "  paused: ", e->waiting, "");
        return;
    }
    if (p->cancelled) {
        text_add(out, "  ending after the running launch");
        return;
    }
    if (e->building > 0)
        text_addf(out, "  building %u", e->building);
    if (e->measuring && !is_ranking)
        text_add_name(out, e->building ? ", measuring " : "  measuring ",
                      e->running ? e->running : "", "");
}

// Counts that are 0 are not shown, and none while finalists are ranked: all have been tried then. While others have the
// device, nothing is known of the time that is left. `ranking`: NULL if none runs.
static void put_line(const struct workflow_progress *p, uint64_t reused, uint64_t failed,
                     const struct final_ranking_status *ranking, const struct screen *s,
                     struct text *out)
{
    char left[UNITS_SIZE];
    bool is_round = ranking && ranking->round > 0;
    report_bar(is_round ? ranking->round : p->done, is_round ? ranking->most : p->planned, s, out);
    if (ranking) {
        // "ranking 12 finalists, round 7 of at most 24"
        const char *plural = ranking->in == 1 ? "" : "s";
        if (ranking->checking)
            text_addf(out, "  verifying %u finalist%s again", ranking->in, plural);
        else if (ranking->round == 0)
            text_addf(out, "  getting %u finalist%s ready", ranking->in, plural);
        else
            text_addf(out, "  ranking %u finalist%s, round %u of at most %u", ranking->in, plural,
                      ranking->round, ranking->most);
    } else {
        text_addf(out, "  %llu/%llu", (unsigned long long)p->done, (unsigned long long)p->planned);
        if (reused > 0)
            text_addf(out, " (%llu known)", (unsigned long long)reused);
        if (failed > 0)
            text_addf(out, "  %llu failed", (unsigned long long)failed);
    }
    if (p->left_ns > 0 && !p->evaluator.waiting) {
        span_to_str(p->left_ns, left);
        text_addf(out, "  %s left", left);
    }
    put_running(p, ranking != NULL, out);
}

// ---- workflows ---------------------------------------------------------------------------------

static uint64_t failures_of(const uint64_t by_status[STATUS_COUNT])
{
    uint64_t failed = 0;
    for (unsigned s = 0; s < STATUS_COUNT; s++)
        failed += s == STATUS_CORRECT ? 0 : by_status[s];
    return failed;
}

static void put_best_so_far(const struct tune_record *best, const struct objectives *o,
                            const struct spec *spec, struct text *out)
{
    char number[UNITS_SIZE];
    bool by_metric = o->terms[0].metric != OBJECTIVE_TIME;
    const double *values = by_metric ? best->values : best->metrics;
    duration_to_str(best->stats.median, number);
    text_addf(out, "\nbest so far (screened) %s", number);
    if (values && (by_metric || spec->metric_count > 0) && !isnan(values[0])) {
        number_to_str(values[0], number);
        text_addf(out, ", %s %s", number, by_metric ? o->terms[0].name : spec->metrics[0].name);
    }
    if (best->configuration[0])
        text_add_name(out, ": ", best->configuration, "");
}

static void put_leader(const struct tune_ranked *r, struct text *out)
{
    char number[UNITS_SIZE];
    duration_to_str(r->leader_ns, number);
    text_addf(out, "\nleads so far %s", number);
    if (r->leader->configuration[0])
        text_add_name(out, ": ", r->leader->configuration, "");
}

void report_tune_progress(const struct tune_progress *p, const struct objectives *o,
                          const struct spec *spec, const struct screen *s, struct text *out)
{
    put_line(&p->common, p->reused, failures_of(p->by_status),
             p->ranked.running ? &p->ranked.status : NULL, s, out);
    if (p->ranked.running && p->ranked.leader)
        put_leader(&p->ranked, out);
    else if (p->best)
        put_best_so_far(p->best, o, spec, out);
    else if (p->pareto > 0)
        text_addf(out, "\n%zu in the Pareto set", p->pareto);
}

void report_check_progress(const struct check_progress *p, const struct screen *s, struct text *out)
{
    if (p->sized < p->common.planned) {
        report_bar(p->sized, p->common.planned, s, out);
        text_addf(out, "  choosing sizes: %llu of %llu", (unsigned long long)p->sized,
                  (unsigned long long)p->common.planned);
        return;
    }
    put_line(&p->common, p->reused, failures_of(p->failed_by_status), NULL, s, out);
}

void report_compare_progress(const struct compare_progress *p, const struct screen *s,
                             struct text *out)
{
    put_line(&p->common, 0, p->failed, p->final_ranking.round ? &p->final_ranking : NULL, s, out);
}
