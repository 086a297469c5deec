#include "report/progress.h"

#include "report/units.h"

static void put_failures(const struct view_progress *v, struct text *out)
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

static void put_rate(const struct view_progress *v, struct text *out)
{
    char left[UNITS_SIZE];
    uint64_t measured = v->done > v->reused ? v->done - v->reused : 0;
    if (measured > 0 && v->elapsed_ns > 0 && v->contenders == 0) {
        double rate = (double)measured * 1e9 / (double)v->elapsed_ns;
        text_addf(out, rate < 1 ? "  %.1f/min" : "  %.1f/s", rate < 1 ? 60 * rate : rate);
    }
    if (v->left_ns > 0) {
        span_to_str(v->left_ns, left);
        text_addf(out, "  %s left", left);
    }
}

// "ranking 12 contenders, round 7 of at most 24"
static void put_ranking(const struct view_progress *v, struct text *out)
{
    const char *plural = v->contenders == 1 ? "" : "s";
    if (v->contenders == 0)
        return;
    if (v->checking)
        text_addf(out, "  verifying %u contender%s again", v->contenders, plural);
    else if (v->round == 0)
        text_addf(out, "  getting %u contender%s ready", v->contenders, plural);
    else
        text_addf(out, "  ranking %u contender%s, round %u of at most %u", v->contenders, plural,
                  v->round, v->rounds);
}

// Before the first result there is nothing else to show.
static void put_doing(const struct view_progress *v, struct text *out)
{
    if (v->waiting)
        text_addf(out, "  waiting: %s", v->waiting);
    else if (v->cancelled)
        text_add(out, "  ending after the running launch");
    else if (v->done == v->reused && v->measuring)
        text_add(out, "  measuring");
    else if (v->done == v->reused && v->building > 0)
        text_addf(out, "  building %u", v->building);
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
    put_doing(v, out);
    put_best(v, out);
    put_failures(v, out);
    put_rate(v, out);
    if (width > 0)
        cut(out, from, width);
}
