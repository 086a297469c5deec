// The end of a tune: the best few, what failed, where the time went. And its writers.
#include "report/members.h"
#include "report/peak_report.h"
#include "report/progress.h"
#include "model/result_fields.h"
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"
#include "report/verified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// METRIC is the first of several: those that are objectives, else the spec's first one.
#define METRICS 8
enum column {
    PLACE,
    TIME,
    INTERVAL,
    RATIO,
    METRIC,
    SPEEDUP = METRIC + METRICS,
    CONFIGURATION,
    COLUMNS
};

// Limits the screened configurations that are listed beside a ranking.
#define SCREENED_ROWS 5

// Which rows a table shows.
struct rows {
    bool ranked; // those with a place; else those without
    bool pareto; // only those of the Pareto set
    size_t most;
    size_t shown, all; // filled in
    bool below;        // the configuration stands below its times
};

static struct checked_outcome outcome_at(const void *records, size_t i)
{
    const struct tune_record *r = ((const struct tune_record *const *)records)[i];
    return (struct checked_outcome){r->configuration, r->same_as ? r->same_as->configuration : NULL,
                                    r->result};
}

struct checked_outcomes report_tune_outcomes(const struct tune_report *v)
{
    return (struct checked_outcomes){v->records, v->record_count, outcome_at};
}

enum evidence report_tune_shown(const struct tune_report *v)
{
    const struct checked_outcomes all = report_tune_outcomes(v);
    return report_shown(&v->head.check, &all);
}

// The default configuration, if it was timed; NULL: there is no speed-up.
static const struct tune_record *baseline_of(const struct tune_report *v)
{
    const struct tune_record *r = v->progress.default_record;
    return r && r->timed ? r : NULL;
}

static const char *why_no_baseline(const struct tune_report *v)
{
    const struct tune_progress *p = &v->progress;
    const struct tune_record *r = p->default_record;
    if (!r && v->head.recorded && !v->head.of_spec)
        return "a recording names no default";
    if (!r)
        return p->has_default ? "it was not run" : "it is outside the requested part of the space";
    return r->result->status == STATUS_CORRECT ? "it was not timed" : "it failed";
}

// ---- the rows ----------------------------------------------------------------------------------

static bool is_row(const struct tune_record *r, const struct rows *rows)
{
    return !r->same_as && r->ranked == rows->ranked && (!rows->pareto || r->pareto);
}

// Which metrics are shown; returns how many.
static size_t shown_metrics(const struct run_head *v, uint32_t shown[METRICS])
{
    const struct objectives *o = v->objectives;
    size_t count = 0;
    for (size_t i = 0; o && i < o->count && count < METRICS; i++) {
        if (o->terms[i].metric < v->spec->metric_count) // OBJECTIVE_TIME is beyond all
            shown[count++] = o->terms[i].metric;
    }
    if (count == 0 && v->spec->metric_count > 0)
        shown[count++] = 0;
    return count;
}

// Over the default: within the rounds of the ranking, or as it was recorded. NaN: the two do not
// compare; medians of a few launches each do not.
static double speedup_of(const struct tune_report *v, const struct tune_record *r)
{
    const struct tune_record *base = baseline_of(v);
    if (!base || v->ranking_count == 1 || !report_by_time(&v->head))
        return NAN;
    if (v->head.recorded)
        return base->stats.median / r->stats.median;
    return base->ranked && r->ranked ? base->rank.ratio / r->rank.ratio : NAN;
}

static void put_numbers(struct table *t, const struct tune_report *v, const struct tune_record *r)
{
    char number[UNITS_SIZE];
    uint32_t shown[METRICS];
    size_t count = shown_metrics(&v->head, shown);
    duration_to_str(r->stats.median, number);
    table_cell(t, TIME, "%s", r->timed ? number : "-"); // of a recording without times
    if (r->stats.count > 1)
        report_interval(&r->stats, table_text(t, INTERVAL));
    for (size_t i = 0; i < count; i++) {
        double value;
        bool known = record_metric(r, shown[i], &value);
        number_to_str(value, number);
        table_cell(t, METRIC + i, "%s", known ? number : "-");
    }
    double speedup = speedup_of(v, r);
    if (!isnan(speedup)) {
        number_to_str(speedup, number);
        table_cell(t, SPEEDUP, "%s", number);
    }
}

static void put_place(struct table *t, const struct tune_report *v, const struct tune_record *r)
{
    const struct ranking_entry *n = &r->rank;
    bool is_shared = n->tied && v->progress.ranked.tied > 1;
    table_cell(t, PLACE, "%s%s%zu", is_shared && v->frame.chosen == r ? "* " : "",
               is_shared ? "=" : "", record_place(r));
    if (v->progress.ranked.finalists < 2)
        return;
    // "1.034 [1.021 .. 1.047]"; the winner's own is 1.
    if (n->place == 0) {
        table_cell(t, RATIO, "1");
        return;
    }
    struct text *ratio = table_text(t, RATIO);
    text_addf(ratio, "%.3f ", n->ratio);
    if (n->ratio_interval || n->ratio_low < n->ratio_high)
        put_range(n->ratio_low, n->ratio_high, 3, n->ratio_interval, ratio);
    else
        text_add(ratio, "(1 round)"); // it was so far behind that it left
}

// "b=2, c=4": where a configuration differs from the identical one that was measured.
static void put_difference(const struct spec *spec, const struct tune_record *r, struct text *out)
{
    for (uint32_t i = 0; i < spec->parameter_count; i++) {
        const struct parameter *p = &spec->parameters[i];
        if (r->choice[i] == r->same_as->choice[i])
            continue;
        text_addf(out, "%s%s=", out->length ? ", " : "", p->name);
        value_print(&p->values[r->choice[i]], out);
    }
}

// Configurations that turned out to be the same work stand below the one that was measured.
static void put_identical(struct table *t, const struct tune_report *v, const struct tune_record *r,
                          bool below)
{
    struct text differs = TEXT_INIT;
    for (size_t i = 0; i < v->ranking_count; i++) {
        if (v->ranking[i]->same_as != r)
            continue;
        put_difference(v->head.spec, v->ranking[i], &differs);
        table_note(t, below ? TIME : CONFIGURATION, "= also %s", text_cstr(&differs));
        text_clear(&differs);
    }
    text_release(&differs);
}

static void put_rows(struct table *t, const struct tune_report *v, struct rows *rows)
{
    rows->shown = rows->all = 0;
    for (size_t i = 0; i < v->ranking_count; i++) {
        const struct tune_record *r = v->ranking[i];
        if (!is_row(r, rows) || (++rows->all > rows->most && r != v->frame.chosen))
            continue;
        rows->shown++;
        table_row(t);
        if (rows->ranked)
            put_place(t, v, r);
        put_numbers(t, v, r);
        bool is_only = !r->configuration[0];
        const char *mark = r->is_default && !is_only ? " (default)" : "";
        const char *text = is_only ? "(the only one)" : r->configuration;
        if (rows->below)
            table_note(t, TIME, "%s%s", text, mark);
        else
            table_cell(t, CONFIGURATION, "%s%s", text, mark);
        put_identical(t, v, r, rows->below);
        struct text words = TEXT_INIT;
        gpu_put_slowed(&r->result->gpu, &words);
        if (words.length)
            table_note(t, rows->below ? TIME : CONFIGURATION, "%s", text_cstr(&words));
        text_release(&words);
    }
}

// ---- the tables --------------------------------------------------------------------------------

static const struct tune_record *first_row(const struct tune_report *v, const struct rows *rows)
{
    for (size_t i = 0; i < v->ranking_count; i++) {
        if (is_row(v->ranking[i], rows))
            return v->ranking[i];
    }
    return NULL;
}

static void put_table_as(const struct tune_report *v, struct rows *rows, struct text *out)
{
    const struct tune_record *first = first_row(v, rows);
    bool is_decided = v->progress.ranked.decided;
    uint32_t shown[METRICS];
    size_t count = shown_metrics(&v->head, shown);
    struct table_column columns_of[COLUMNS] = {
        [PLACE] = {"place", ALIGN_RIGHT},
        [TIME] = {v->head.recorded ? v->head.recorded->statistic : "median", ALIGN_RIGHT},
        [INTERVAL] = {first->stats.interval ? "95 % interval" : "range", ALIGN_LEFT},
        [RATIO] = {"times the winner", ALIGN_LEFT},
        [SPEEDUP] = {v->head.recorded ? "speed-up (recorded)" : "speed-up", ALIGN_RIGHT},
        [CONFIGURATION] = {"configuration", ALIGN_LEFT},
    };
    struct table table;
    for (size_t i = 0; i < METRICS; i++)
        columns_of[METRIC + i] = (struct table_column){
            i < count ? v->head.spec->metrics[shown[i]].name : "", ALIGN_RIGHT};
    table_init(&table, columns_of, COLUMNS);
    put_rows(&table, v, rows);
    table_end(&table, v->format, rows->ranked || !is_decided ? "" : "  ", out);
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        str_format(line, sizeof line, "%.*s", (int)(length < 1023 ? length : 1023), text);
        widest = columns(line) > widest ? columns(line) : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

// On one line each where that fits.
static void put_table(const struct tune_report *v, struct rows *rows, struct text *out)
{
    struct text table = TEXT_INIT;
    if (!first_row(v, rows))
        return;
    put_table_as(v, rows, &table);
    rows->below = v->screen.width > 0 && widest_line(text_cstr(&table)) > v->screen.width;
    if (rows->below) {
        text_clear(&table);
        put_table_as(v, rows, &table);
    }
    text_add(out, text_cstr(&table));
    out->failed |= table.failed;
    text_release(&table);
    if (rows->all > rows->shown)
        text_addf(out, "%s... and %zu more\n", rows->ranked ? "" : "  ", rows->all - rows->shown);
}

// ---- the ranking --------------------------------------------------------------------------------

static void put_disturbed(const struct final_ranking_status *r, struct text *out)
{
    const char *separator = "";
    if (r->repeated + r->marked == 0)
        return;
    text_add(out, "; disturbed rounds:");
    if (r->repeated > 0)
        text_addf(out, " %u run again", r->repeated);
    if (r->marked > 0)
        text_addf(out, "%s %u counted all the same", r->repeated ? "," : "", r->marked);
    text_add(out, " (");
    if (r->by_load > 0) {
        text_addf(out, "other load: %u", r->by_load);
        separator = ", ";
    }
    if (r->by_clock > 0)
        text_addf(out, "%sslow reference launch: %u", separator, r->by_clock);
    text_add(out, ")");
}

// How the times came about.
static void put_rounds(const struct tune_report *v, struct text *out)
{
    const struct final_ranking_status *r = &v->progress.ranked.status;
    text_addf(out, "%u round%s%s", r->rounds, r->rounds == 1 ? "" : "s",
              v->progress.ranked.known ? " (known already)" : "");
    put_disturbed(r, out);
    if (r->batch > 1)
        text_addf(out, "; batches of %u launches", r->batch);
    if (r->mhz_most > 0 && r->mhz_least < r->mhz_most)
        text_addf(out, "; clock %u .. %u MHz", r->mhz_least, r->mhz_most);
    else if (r->mhz_most > 0)
        text_addf(out, "; clock %u MHz", r->mhz_most);
    text_addf(out, "; inputs %s\n", v->cold ? "cold" : "warm");
    if (v->progress.ranked.is_short)
        text_add(out, "The budget's time was up: the ranking is a short one.\n");
}

static void put_tie(const struct tune_report *v, struct text *out)
{
    const struct tune_ranked *r = &v->progress.ranked;
    if (r->tied < 2)
        return;
    text_addf(out,
              "=1: %zu configurations are tied (%g %% family-wise)\n"
              "*   hone best takes this one of them: %s\n",
              r->tied, 100 * v->level, r->why);
}

// "41 correct configurations (verified against gemm)", "3 configurations that agree with each other
// (not verified: the spec has no Reference)".
static void put_basis(const struct tune_report *v, const char *noun, struct text *out)
{
    uint64_t count = v->progress.by_status[STATUS_CORRECT];
    enum evidence shown = report_tune_shown(v);
    char correct[40];
    str_format(correct, sizeof correct, "correct %s", noun);
    put_count(count, shown == SHOWN_CORRECT ? correct : noun, out);
    if (shown == SHOWN_AGREEMENT)
        text_addf(out, count == 1
                           ? " that agrees with the default configuration (not verified: the "
                             "spec has no Reference)"
                           : " that agree with each other (not verified: the spec has no "
                             "Reference)");
    else if (shown == SHOWN_REPEATS)
        text_add(out, " (not verified: compared only with itself)");
    else {
        const struct checked_outcomes all = report_tune_outcomes(v);
        const struct verified_by check = report_verified(&v->head.check, &all);
        text_add(out, " (");
        report_check(&check, out);
        text_add(out, ")");
    }
}

static void put_ranking(const struct tune_report *v, struct text *out)
{
    const struct tune_ranked *r = &v->progress.ranked;
    struct rows rows = {.ranked = true, .most = v->rows};
    text_add(out, "Best of ");
    put_basis(v, "configuration", out);
    if (r->finalists > 1)
        text_addf(out, ": %zu finalists in interleaved rounds\n", r->finalists);
    else
        text_add(out, ":\n");
    put_table(v, &rows, out);
    put_tie(v, out);
    put_rounds(v, out);
    rows = (struct rows){.most = SCREENED_ROWS};
    if (!first_row(v, &rows))
        return;
    text_add(out, "Only screened, not ranked; these times are not comparable with those above:\n");
    put_table(v, &rows, out);
}

static void put_launches(const struct tune_report *v, struct text *out)
{
    uint32_t fixed = v->progress.fixed;
    if (fixed > 0)
        text_addf(out, "%u launch%s of each, one configuration after the other\n", fixed,
                  fixed == 1 ? "" : "es");
    else
        text_add(out, "screening only, one configuration after the other\n");
}

// A tune without a ranking notes times that come from earlier rankings: they were not measured
// beside the others.
static void put_other_rankings(const struct tune_report *v, struct text *out)
{
    size_t reused = 0;
    for (size_t i = 0; i < v->ranking_count; i++) {
        const struct result *r = v->ranking[i]->result;
        reused += !v->ranking[i]->ranked && r->reused && r->stop == STOP_RANKED;
    }
    if (reused == 0 || v->progress.ranked.decided || v->head.recorded)
        return;
    put_count(reused, "time", out);
    text_add(out,
             " from earlier rankings; times of different rankings cannot be compared: `hone best` "
             "uses a single ranking\n");
}

static void put_screening(const struct tune_report *v, struct text *out)
{
    struct rows rows = {.most = v->rows};
    put_basis(v, "configuration", out);
    text_add(out, ", ");
    if (!report_by_time(&v->head)) {
        text_add(out, "by ");
        report_goal(v->head.objectives, out);
        text_add(out, ", ");
    }
    text_add(out, "not ranked: ");
    put_launches(v, out);
    put_table(v, &rows, out);
    text_addf(out, "This does not decide which of several close ones is the %s.\n",
              report_by_time(&v->head) ? "fastest" : "best");
    put_other_rankings(v, out);
}

// All of the set, since each is the answer to somebody.
static void put_pareto(const struct tune_report *v, struct text *out)
{
    struct rows rows = {.pareto = true, .most = SIZE_MAX};
    size_t members = 0;
    for (size_t i = 0; i < v->ranking_count; i++)
        members += is_row(v->ranking[i], &rows);
    put_count(members, "configuration", out);
    text_addf(out, " in ");
    report_goal(v->head.objectives, out);
    text_add(out, ", of ");
    if (v->head.recorded) {
        put_count(v->progress.by_status[STATUS_CORRECT], "correct one", out);
        text_addf(out, ", replayed from %s by the recorded %s\n", v->head.recorded->path,
                  v->head.recorded->statistic);
    } else {
        put_basis(v, "one", out);
        text_add(out, ": ");
        put_launches(v, out);
    }
    put_table(v, &rows, out);
    if (members > 0)
        text_add(out, "No other one is at least as good in all of these and better in one.\n");
}

// One time of each, which was measured elsewhere: whether that is the fastest is not known here.
static void put_replayed(const struct tune_report *v, struct text *out)
{
    struct rows rows = {.most = v->rows};
    text_add(out, "Best of ");
    put_count(v->progress.by_status[STATUS_CORRECT], "correct configuration", out);
    text_addf(out, ", replayed from %s: not ranked, by ", v->head.recorded->path);
    if (!report_by_time(&v->head)) {
        report_goal(v->head.objectives, out);
        text_add(out, " at ");
    }
    text_addf(out, "the recorded %s\n", v->head.recorded->statistic);
    put_table(v, &rows, out);
    text_add(
        out,
        "Only one time is recorded for each: this does not decide whether close ones differ.\n");
}

static void put_built(const struct tune_report *v, struct text *out)
{
    const struct tune_progress *p = &v->progress;
    char wall[UNITS_SIZE], sum[UNITS_SIZE];
    duration_to_str((double)p->times.build_wall_ns, wall);
    duration_to_str((double)p->times.build_sum_ns, sum);
    put_share(p->by_status[STATUS_CORRECT], p->common.done, "configuration", out);
    text_addf(out, " built in %s, %s summed over ", wall, sum);
    put_count(p->times.builders, "worker", out);
    text_add(out, "; nothing ran\n");
}

// ---- failures and time -------------------------------------------------------------------------

static void put_example(const struct tune_record *example, struct text *out)
{
    if (example)
        text_addf(out, "%s%s: %s", example->configuration[0] ? ", e.g. " : "",
                  example->configuration, example->result->message);
    text_add(out, "\n");
}

static void put_summary_failures(const struct tune_progress *v, struct text *out)
{
    for (unsigned s = 0; s < STATUS_COUNT; s++) {
        uint64_t count = v->by_status[s] - v->spec_by_status[s];
        if (s == STATUS_CORRECT || count == 0)
            continue;
        text_addf(out, "%llu %s (%s)", (unsigned long long)count, status_text((enum status)s),
                  status_meaning((enum status)s));
        put_example(v->examples[s], out);
    }
    if (v->spec_errors == 0)
        return;
    text_addf(out, "%llu spec error%s (the spec is wrong there)",
              (unsigned long long)v->spec_errors, v->spec_errors == 1 ? "" : "s");
    put_example(v->spec_example, out);
}

// Said once, by the first result that it is so of.
static void put_clock(const struct tune_report *v, struct text *out)
{
    for (size_t i = 0; i < v->ranking_count; i++) {
        if (result_by_host(v->ranking[i]->result)) {
            report_clock(v->ranking[i]->result, out);
            return;
        }
    }
}

static void put_span(struct text *out, const char *what, uint64_t ns, const char **separator)
{
    char span[UNITS_SIZE];
    if (ns < 50000000) // what is shorter explains nothing
        return;
    duration_to_str((double)ns, span);
    text_addf(out, "%s%s %s", *separator, what, span);
    *separator = ", ";
}

static void put_spent(const struct tune_report *report, struct text *out)
{
    const struct tune_progress *v = &report->progress;
    uint64_t reused = v->reused - v->identical;
    char elapsed[UNITS_SIZE];
    const char *separator = ": ";
    if (report->head.recorded) // a moment
        duration_to_str((double)v->common.elapsed_ns, elapsed);
    else
        span_to_str(v->common.elapsed_ns, elapsed);
    put_share(v->common.done, v->valid, "configuration", out);
    if (reused > 0)
        text_addf(out, " (%llu known already)", (unsigned long long)reused);
    if (v->identical > 0)
        text_addf(out, " (%llu identical to another)", (unsigned long long)v->identical);
    text_addf(out, " in %s", elapsed);
    if (report->head.recorded) {
        char cost[UNITS_SIZE];
        text_add(out, ", replayed");
        if (!isnan(report->head.cost_ns)) {
            span_to_str((uint64_t)fmin(report->head.cost_ns, 0x1p63), cost);
            text_addf(out, "; recording them took %s", cost);
        }
        text_add(out, "\n");
        return;
    }
    if (report->in_short) {
        if (report->head.about->store)
            text_addf(out, ", kept in %s", report->head.about->store);
        if (report->head.about->store && report->ranking_count > 0)
            text_add(out, "; more: --details");
        text_add(out, "\n");
        return;
    }
    put_span(out, "builds in parallel", v->build_ns, &separator);
    put_span(out, "loading", v->load_ns, &separator);
    put_span(out, "inputs", v->inputs_ns, &separator);
    put_span(out, "reference", v->reference_ns, &separator);
    put_span(out, "verifying", v->verify_ns, &separator);
    put_span(out, "measuring", v->measure_ns, &separator);
    put_span(out, "ranking", v->rank_ns, &separator);
    if (v->launches > 0)
        text_addf(out, "%s%llu launch%s", separator, (unsigned long long)v->launches,
                  v->launches == 1 ? "" : "es");
    text_add(out, "\n");
}

// Where the interval contains 1 the default is as good, for all that is known. A ratio of times of
// screening without an interval is not a speed-up: of equal work it may be 3 by two launches each.
static void put_ratio(const struct tune_report *v, struct text *out)
{
    const struct tune_speedup *s = &v->speedup;
    char number[UNITS_SIZE];
    number_to_str(s->ratio.ratio, number);
    if (v->head.recorded)
        text_addf(out, "%s (recorded)", number);
    else if (!s->ranked && s->same)
        text_add(out, "1, it is the same work");
    else if (!s->ranked && !s->ratio.interval && s->needed > 0)
        text_addf(out,
                  "unknown: too few launches; it takes at least %u of each (--iterations %u), or "
                  "the ranking",
                  (unsigned)s->needed, (unsigned)s->needed);
    else if (!s->ranked && !s->ratio.interval)
        text_addf(out,
                  "unknown: one of the two was only screened, not ranked (by single launches the "
                  "default takes %s times the best's time)",
                  number);
    else {
        text_addf(out, "%s ", number);
        put_range(s->ratio.low, s->ratio.high, 3, s->ratio.interval, out);
        text_add(out, s->ranked ? "" : " (screened)");
        text_add(out, s->significant ? "" : ", not significant");
    }
}

// Writes the speed-up of the best configuration over the default one.
static void put_speedup(const struct tune_report *v, struct text *out)
{
    const struct tune_speedup *s = &v->speedup;
    const struct tune_record *best = report_best(v);
    text_add(out, "speed-up over the default");
    if (baseline_of(v))
        text_add_name(out, ", ", baseline_of(v)->configuration, "");
    text_add(out, ": ");
    if (!s->known)
        text_addf(out, "- (%s)", baseline_of(v) ? "not known" : why_no_baseline(v));
    else if (s->ranked && best && best->is_default)
        text_add(out, "1, it is the best");
    else
        put_ratio(v, out);
    text_add(out, "\n");
}

// A time at a lower clock is not what the configuration takes on a card that is left alone.
static void put_warning(const struct tune_report *v, struct text *out)
{
    const struct tune_record *best = report_best(v);
    if (!best || !report_is_slowed(&best->result->gpu))
        return;
    text_add(out, "Warning: the best was ");
    gpu_put_slowed(&best->result->gpu, out);
    text_add(out, "\n");
}

static void put_end(const struct tune_report *v, struct text *out)
{
    if (v->head.about->broken)
        text_add(out, "The tune broke off: these are the results up to then.\n");
    else if (v->progress.common.cancelled)
        text_add(out, "Interrupted: these are the results up to then.\n");
    else if (v->progress.out_of_time)
        text_add(out, "The time of the budget is used up.\n");
}

// The ranking's ratio; one of screening times is marked, because the time shown of the best may be a ranked one.
static void put_behind(const struct tune_speedup *behind, struct text *out)
{
    char number[UNITS_SIZE];
    number_to_str(behind->ratio.ratio, number);
    text_addf(out, "%s times the best's time%s", number,
              behind->ranked || behind->same ? "" : " (screened)");
}

// Prints, for each source of earlier results, whether it was used and how near its best came to the
// best found.
static void put_sources(const struct tune_report *v, struct text *out)
{
    const struct tune_record *best = report_best(v);
    for (uint32_t i = 0; i < v->progress.source_count; i++) {
        const struct tune_source *s = &v->progress.sources[i];
        text_add_name(out, "From ", s->name, ": ");
        put_count(s->results, "result", out);
        if (s->heard.outcome == HEARD_NOT)
            text_add(out, s->is_failed ? ", none correct\n" : ", not asked for\n");
        if (s->heard.outcome == HEARD_NOT)
            continue;
        text_add(out, s->heard.outcome == HEARD_TRUSTED ? ", used" : ", only its best were tried");
        text_addf(out, " (orders %.0f %% of pairs as they are ordered here)",
                  100 * s->heard.agrees);
        if (s->best && s->best == best) {
            text_add(out, "; its best is the best here");
        } else if (best && s->behind.known) {
            text_add(out, "; its best takes ");
            put_behind(&s->behind, out);
        }
        text_add(out, "\n");
    }
}

// The name is empty where no parameter has more than one value.
static const char *shown_name(const char *configuration)
{
    return configuration[0] ? configuration : "the only one";
}

// Prints how the configurations performed that the user started with.
static void put_starts(const struct tune_report *v, struct text *out)
{
    const struct tune_record *best = report_best(v);
    for (uint32_t i = 0; i < v->progress.start_count; i++) {
        const struct tune_start *s = &v->progress.starts[i];
        const struct tune_record *r = s->record;
        char number[UNITS_SIZE];
        text_add_name(out, "Started with ", shown_name(s->configuration), ": ");
        if (r && r->timed) {
            duration_to_str(r->stats.median, number);
            text_add(out, number);
        } else {
            text_add(out, r ? status_text(r->result->status) : "not asked for");
        }
        if (r && r == best) {
            text_add(out, ", the best here");
        } else if (best && s->behind.known && report_by_time(&v->head)) {
            text_add(out, ", ");
            put_behind(&s->behind, out);
        }
        text_add(out, "\n");
    }
}

// The energy of the best, which a metric wanted.
static void put_unknown(const struct tune_report *v, struct text *out)
{
    double value;
    const struct spec *spec = v->head.spec;
    const struct tune_record *best = report_best(v);
    if (!best && v->ranking_count > 0) // without a value it is not the best
        best = v->ranking[0];
    for (uint32_t i = 0; best && i < spec->metric_count; i++) {
        const char *why =
            record_metric(best, i, &value) ? "" : report_why_unknown(spec, i, best->result);
        if (why[0])
            text_addf(out, "%s: not known: %s\n", spec->metrics[i].name, why);
    }
}

// Correct configurations that are not compared: the fastest may be among them.
static void put_without_value(const struct tune_report *v, struct text *out)
{
    const struct objectives *o = v->head.objectives;
    for (uint32_t i = 0; o && !report_by_time(&v->head) && i < o->count; i++) {
        uint64_t count = report_without_value(v, &o->terms[i]);
        if (count == 0)
            continue;
        text_addf(out, "%llu of ", (unsigned long long)count);
        put_count(v->progress.by_status[STATUS_CORRECT], "correct configuration", out);
        text_add_name(out, count == 1 ? " has no value of " : " have no value of ",
                      o->terms[i].name,
                      count == 1 ? " and is not compared\n" : " and are not compared\n");
    }
}

// Prints the outcome if it is not a single best configuration; returns whether it did.
static bool put_other_end(const struct tune_report *v, struct text *out)
{
    size_t count = v->ranking_count;
    if (v->head.build_only)
        put_built(v, out);
    else if (count > 0 && report_is_set(&v->head) && !v->progress.ranked.decided)
        put_pareto(v, out);
    else if (count == 0 && v->progress.common.done == 0)
        text_add(out, "No configuration was tried.\n");
    else if (count == 0 && v->head.recorded)
        text_add(out, "None of the requested configurations has a correct result.\n");
    else if (count == 0)
        text_add(out, "No configuration has a correct, measured result.\n");
    else
        return false;
    return true;
}

static bool has_speedup(const struct tune_report *v)
{
    size_t count = v->ranking_count;
    bool is_alone = count == 1 && (v->ranking[0]->is_default || v->progress.valid == 1);
    return count > 0 && report_by_time(&v->head) && !v->head.build_only && !is_alone;
}

static void put_details(const struct tune_report *v, struct text *out)
{
    const struct checked_outcomes all = report_tune_outcomes(v);
    if (put_other_end(v, out))
        ;
    else if (v->progress.ranked.decided)
        put_ranking(v, out);
    else if (v->head.recorded)
        put_replayed(v, out);
    else
        put_screening(v, out);
    if (has_speedup(v))
        put_speedup(v, out);
    if (report_best(v))
        report_peak_shares(&v->frame, report_best(v), out);
    if (!v->head.build_only && !v->head.recorded)
        report_written(&all, v->head.check.kind != VERIFICATION_REFERENCE, out);
    report_check_notes(&all, out);
    put_without_value(v, out);
    put_unknown(v, out);
    report_members(v->progress.members, v->progress.member_count, v->in_short, out);
    put_warning(v, out);
    put_clock(v, out);
    put_summary_failures(&v->progress, out);
    put_starts(v, out);
    put_sources(v, out);
    put_spent(v, out);
    put_end(v, out);
}

// ---- the end in short --------------------------------------------------------------------------

// "Best: a=1, b=2", its time with metrics and geometry, and its options.
static void put_best_one(const struct tune_report *v, const struct tune_record *best,
                         struct text *out)
{
    uint32_t shown[METRICS];
    double value;
    text_add_name(out, "Best: ", shown_name(best->configuration),
                  best->is_default && best->configuration[0] ? " (default)\n  " : "\n  ");
    report_time(&best->stats, out);
    size_t count = shown_metrics(&v->head, shown);
    for (size_t i = 0; i < count; i++) {
        if (!record_metric(best, shown[i], &value))
            continue;
        text_add(out, ", ");
        report_metric(v->head.spec->metrics[shown[i]].name, value, out);
    }
    if (best->dimensions > 0) {
        text_add(out, "; ");
        report_geometry(best->global, best->local, best->dimensions, out);
    }
    text_add(out, "\n");
    if (v->options && v->options[0])
        text_add_name(out, "  ", v->options, "\n");
}

// "41 correct configurations (verified against gemm), not ranked"
static void put_of_how_many(const struct tune_report *v, struct text *out)
{
    if (v->head.recorded) {
        put_count(v->progress.by_status[STATUS_CORRECT], "correct configuration", out);
        text_addf(out, ", replayed, by the recorded %s\n", v->head.recorded->statistic);
        return;
    }
    put_basis(v, "configuration", out);
    text_add(out, v->progress.ranked.decided ? "\n" : ", not ranked\n");
}

static void put_gain(const struct tune_report *v, struct text *out)
{
    const struct tune_speedup *s = &v->speedup;
    const struct tune_ranked *r = &v->progress.ranked;
    const struct tune_record *best = report_best(v);
    if (has_speedup(v)) {
        text_add(out, "Speed-up over the default: ");
        if (best && best->is_default)
            text_add(out, "none, it is the best");
        else if (!s->known)
            text_addf(out, "not known (%s)",
                      baseline_of(v) ? "not measured together" : why_no_baseline(v));
        else
            put_ratio(v, out);
        text_add(out, "\n");
    }
    put_other_rankings(v, out);
    if (r->decided && r->tied > 1) {
        text_addf(out, "Tied with %zu other%s of %zu finalists (%g %% family-wise); taken for %s\n",
                  r->tied - 1, r->tied == 2 ? "" : "s", r->finalists, 100 * v->level, r->why);
    }
}

static unsigned kind_of_failure(const struct result *r)
{
    return fault_is_spec(r->fault) ? STATUS_COUNT : r->status; // errors of the spec come last
}

// By kind, then by what they say, then as they came.
static int by_failure(const void *a, const void *b)
{
    const struct tune_record *x = *(const struct tune_record *const *)a;
    const struct tune_record *y = *(const struct tune_record *const *)b;
    unsigned p = kind_of_failure(x->result), q = kind_of_failure(y->result);
    int said = strcmp(x->result->message, y->result->message);
    if (p != q)
        return p < q ? -1 : 1;
    return said ? said : x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

// How many of the sorted ones from `i` on are of one kind; with `alike` they also say the same.
static size_t run_of_failures(const struct tune_record *const *list, size_t i, size_t count,
                              bool alike)
{
    size_t k = i + 1;
    while (k < count && kind_of_failure(list[k]->result) == kind_of_failure(list[i]->result) &&
           (!alike || str_equal(list[k]->result->message, list[i]->result->message)))
        k++;
    return k - i;
}

// "Failed: 12 compile, 8 of them like a=9, b=1: error: no": one kind, and what most of it say.
static void put_kind(const struct tune_report *v, const struct tune_record *const *list,
                     size_t count, struct text *out)
{
    size_t from = out->length, most = 0, example = 0;
    for (size_t i = 0; i < count;) {
        size_t run = run_of_failures(list, i, count, true);
        bool is_first = run == most && list[i]->ordinal < list[example]->ordinal;
        example = run > most || is_first ? i : example;
        most = run > most ? run : most;
        i += run;
    }
    const struct tune_record *r = list[example];
    bool is_spec = kind_of_failure(r->result) == STATUS_COUNT;
    text_addf(out, "Failed: %zu %s", count,
              is_spec ? "by an error of the spec" : status_text(r->result->status));
    text_add(out, r->configuration[0] ? ", " : "");
    if (most == count)
        text_add(out, count == 1 ? "" : "all like ");
    else if (most == 1)
        text_add(out, "e.g. ");
    else
        text_addf(out, "%zu of them like ", most);
    text_add_name(out, "", r->configuration, ": ");
    text_add_name(out, "", r->result->message, "");
    report_cut(out, from, &v->screen);
    text_add(out, "\n");
}

static void put_failed(const struct tune_report *v, struct text *out)
{
    const struct tune_record **list = calloc(v->record_count + 1, sizeof(*list));
    size_t count = 0;
    out->failed |= !list;
    for (size_t i = 0; list && i < v->record_count; i++) {
        if (v->records[i]->result->status != STATUS_CORRECT)
            list[count++] = v->records[i];
    }
    if (list)
        qsort(list, count, sizeof(*list), by_failure);
    for (size_t i = 0; i < count;) {
        size_t kind = run_of_failures(list, i, count, false);
        put_kind(v, list + i, kind, out);
        i += kind;
    }
    free(list);
}

// The rounds that others disturbed, in words.
static void put_busy(const struct tune_report *v, struct text *out)
{
    const struct final_ranking_status *r = &v->progress.ranked.status;
    uint32_t disturbed = r->repeated + r->marked;
    if (!v->progress.ranked.decided || (r->marked == 0 && 4 * disturbed < r->rounds) ||
        disturbed == 0)
        return;
    text_addf(out, "Warning: the machine was busy: %u of %u rounds were disturbed by %s", disturbed,
              r->rounds + r->repeated,
              r->by_load == 0    ? "something that slowed the device"
              : r->by_clock == 0 ? "other processes"
                                 : "other processes or a slow device");
    text_addf(
        out, r->marked ? " and %u of them count; tune again when it is idle\n" : " and run again\n",
        r->marked);
}

static void put_short(const struct tune_report *v, struct text *out)
{
    const struct checked_outcomes all = report_tune_outcomes(v);
    const struct tune_record *best = report_best(v);
    if (!put_other_end(v, out)) {
        put_best_one(v, best ? best : v->ranking[0], out);
        put_gain(v, out);
        put_of_how_many(v, out);
    }
    for (size_t i = 0; i < v->advice.count; i++)
        text_addf(out, "Advice: %s\n", v->advice.lines[i]);
    if (!v->head.build_only && !v->head.recorded)
        report_written(&all, false, out);
    report_check_notes(&all, out);
    put_without_value(v, out);
    put_unknown(v, out);
    put_busy(v, out);
    report_members(v->progress.members, v->progress.member_count, v->in_short, out);
    put_warning(v, out);
    put_clock(v, out);
    put_failed(v, out);
    put_starts(v, out);
    put_sources(v, out);
    put_spent(v, out);
    put_end(v, out);
}

void report_summary(const struct tune_report *v, struct text *out)
{
    if (v->in_short)
        put_short(v, out);
    else
        put_details(v, out);
}

// ---- the writers -------------------------------------------------------------------------------

static void write_tune_head(const void *report, struct text *out)
{
    report_run(&((const struct tune_report *)report)->head, out);
}

static void write_tune_record(const void *report, const void *record, struct text *out)
{
    report_line(&((const struct tune_report *)report)->frame, record, out);
}

static void write_tune_end(const void *report, struct text *out)
{
    text_add(out, "\n");
    report_summary(report, out);
}

static void write_tune_head_json(const void *report, struct text *out)
{
    fields_line(&report_run_fields, &((const struct tune_report *)report)->head, NULL, out);
}

static void write_tune_record_json(const void *report, const void *record, struct text *out)
{
    report_result_line(&((const struct tune_report *)report)->frame, record, "result", false, out);
}

// Finalists are written again with their results from the ranking: their earlier records were
// screenings.
static void write_tune_end_json(const void *report, struct text *out)
{
    const struct tune_report *v = report;
    for (size_t i = 0; i < v->ranking_count; i++) {
        if (v->ranking[i]->ranked)
            report_result_line(&v->frame, v->ranking[i], "ranked", false, out);
    }
    fields_line(&report_summary_fields, v, NULL, out);
}

const writers tune_writers = {
    [REPORT_TEXT] = {write_tune_head, write_tune_record, write_tune_end},
    [REPORT_JSON] = {write_tune_head_json, write_tune_record_json, write_tune_end_json},
    [REPORT_MARKDOWN] = {write_tune_head, write_tune_record, write_tune_end},
};
