// The end of a tune: the best few, what failed, where the time went. And its writers.
#include "report/peak_report.h"
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"
#include "report/verified.h"

#include <math.h>
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

// Of configurations that were screened only, where others were ranked.
#define SCREENED_ROWS 5

// Which rows a table shows.
struct rows {
    bool ranked; // those with a place; else those without
    bool pareto; // only those of the Pareto set
    size_t most;
    size_t shown, all; // filled in
    bool below;        // the configuration stands below its times
};

// ---- the rows ----------------------------------------------------------------------------------

static bool is_row(const struct view_result *r, const struct rows *rows)
{
    return !r->same_as_json && (r->place.place > 0) == rows->ranked && (!rows->pareto || r->pareto);
}

// Which metrics are shown; returns how many.
static size_t metrics_of(const struct view_goal *g, const struct view_result *r,
                         size_t shown[METRICS])
{
    size_t count = 0;
    for (size_t i = 0; i < g->count && count < METRICS; i++) {
        if (!g->objectives[i].is_time && g->objectives[i].metric < r->metric_count)
            shown[count++] = g->objectives[i].metric;
    }
    if (count == 0 && r->metric_count > 0)
        shown[count++] = 0;
    return count;
}

// Over the default: within the rounds of the ranking, or between times of screening where nothing
// was ranked. NaN: the two do not compare.
static double speedup_of(const struct view_summary *v, const struct view_result *r)
{
    const struct view_result *base = v->baseline;
    if (!base || v->result_count == 1 || !report_by_time(&v->goal))
        return NAN;
    if (!v->ranking.decided)
        return base->stats.median / r->stats.median;
    return base->place.place && r->place.place ? base->place.ratio / r->place.ratio : NAN;
}

static void put_numbers(struct table *t, const struct view_summary *v, const struct view_result *r)
{
    char number[UNITS_SIZE];
    size_t shown[METRICS];
    size_t count = metrics_of(&v->goal, r, shown);
    char median[UNITS_SIZE];
    struct text interval = TEXT_INIT;
    duration_to_str(r->stats.median, median);
    table_cell(t, TIME, "%s", median);
    if (r->stats.count > 1)
        report_interval(&r->stats, &interval);
    table_cell(t, INTERVAL, "%s", text_cstr(&interval));
    text_release(&interval);
    for (size_t i = 0; i < count; i++) {
        const struct view_metric *m = &r->metrics[shown[i]];
        number_to_str(m->known ? m->value : 0, number);
        table_cell(t, METRIC + i, "%s", m->known ? number : "-");
    }
    double speedup = speedup_of(v, r);
    if (!isnan(speedup)) {
        number_to_str(speedup, number);
        table_cell(t, SPEEDUP, "%s", number);
    }
}

static void put_place(struct table *t, const struct view_summary *v, const struct view_place *p)
{
    bool is_shared = p->tied && v->ranking.tied > 1;
    table_cell(t, PLACE, "%s%s%zu", is_shared && p->chosen ? "* " : "", is_shared ? "=" : "",
               p->place);
    if (v->ranking.finalists > 1)
    // "1.034 [1.021 .. 1.047]"; the winner's own is 1.
    {
        struct text range = TEXT_INIT;
        put_range(p->low, p->high, 3, p->interval, &range);
        if (p->winner)
            table_cell(t, RATIO, "1");
        else
            table_cell(t, RATIO, "%.3f %s", p->ratio, text_cstr(&range));
        text_release(&range);
    }
}

// Configurations that turned out to be the same work stand below the one that was measured.
static void put_identical(struct table *t, const struct view_summary *v,
                          const struct view_result *r, bool below)
{
    for (size_t i = 0; i < v->result_count; i++) {
        const struct view_result *other = &v->results[i];
        if (other->same_as_json && str_equal(other->same_as_json, r->configuration_json))
            table_note(t, below ? TIME : CONFIGURATION, "= also %s", other->differs);
    }
}

static void put_slowed(struct table *t, const struct view_result *r, bool below)
{
    struct text words = TEXT_INIT;
    report_slowed(&r->result->gpu, &words);
    if (words.length)
        table_note(t, below ? TIME : CONFIGURATION, "%s", text_cstr(&words));
    text_release(&words);
}

static void put_rows(struct table *t, const struct view_summary *v, struct rows *rows)
{
    rows->shown = rows->all = 0;
    for (size_t i = 0; i < v->result_count; i++) {
        const struct view_result *r = &v->results[i];
        if (!is_row(r, rows) || (++rows->all > rows->most && !r->place.chosen))
            continue;
        rows->shown++;
        table_row(t);
        if (rows->ranked)
            put_place(t, v, &r->place);
        put_numbers(t, v, r);
        bool is_only = !r->configuration[0];
        const char *mark = r->is_default && !is_only ? " (default)" : "";
        const char *text = is_only ? "(the only one)" : r->configuration;
        if (rows->below)
            table_note(t, TIME, "%s%s", text, mark);
        else
            table_cell(t, CONFIGURATION, "%s%s", text, mark);
        put_identical(t, v, r, rows->below);
        put_slowed(t, r, rows->below);
    }
}

// ---- the tables --------------------------------------------------------------------------------

static const struct view_result *first_row(const struct view_summary *v, const struct rows *rows)
{
    for (size_t i = 0; i < v->result_count; i++) {
        if (is_row(&v->results[i], rows))
            return &v->results[i];
    }
    return NULL;
}

static void put_table_as(const struct view_summary *v, struct rows *rows, struct text *out)
{
    const struct view_result *first = first_row(v, rows);
    size_t shown[METRICS];
    size_t count = metrics_of(&v->goal, first, shown);
    struct table_column columns_of[COLUMNS] = {
        [PLACE] = {"place", ALIGN_RIGHT},
        [TIME] = {v->replay ? v->replay->statistic : "median", ALIGN_RIGHT},
        [INTERVAL] = {first->stats.interval ? "95 % interval" : "range", ALIGN_LEFT},
        [RATIO] = {"times the winner", ALIGN_LEFT},
        [SPEEDUP] = {v->ranking.decided ? "speed-up" : "speed-up (screened)", ALIGN_RIGHT},
        [CONFIGURATION] = {"configuration", ALIGN_LEFT},
    };
    struct table table;
    for (size_t i = 0; i < METRICS; i++)
        columns_of[METRIC + i] =
            (struct table_column){i < count ? first->metrics[shown[i]].name : "", ALIGN_RIGHT};
    table_init(&table, columns_of, COLUMNS);
    put_rows(&table, v, rows);
    table_print(&table, v->format, rows->ranked || !v->ranking.decided ? "" : "  ", out);
    table_release(&table);
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
static void put_table(const struct view_summary *v, struct rows *rows, size_t width,
                      struct text *out)
{
    struct text table = TEXT_INIT;
    if (!first_row(v, rows))
        return;
    put_table_as(v, rows, &table);
    rows->below = width > 0 && widest_line(text_cstr(&table)) > width;
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

// ---- what is said of a ranking -----------------------------------------------------------------

static void put_disturbed(const struct view_ranking *r, struct text *out)
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
static void put_rounds(const struct view_summary *v, struct text *out)
{
    const struct view_ranking *r = &v->ranking;
    text_addf(out, "%u round%s%s", r->rounds, r->rounds == 1 ? "" : "s",
              r->known ? " (known already)" : "");
    put_disturbed(r, out);
    if (r->batch > 1)
        text_addf(out, "; batches of %u launches", r->batch);
    if (r->mhz_most > 0 && r->mhz_least < r->mhz_most)
        text_addf(out, "; clock %u .. %u MHz", r->mhz_least, r->mhz_most);
    else if (r->mhz_most > 0)
        text_addf(out, "; clock %u MHz", r->mhz_most);
    text_addf(out, "; inputs %s\n", r->cold ? "cold" : "warm");
    if (r->is_short)
        text_add(out, "The budget's time was up: the ranking is a short one.\n");
}

static void put_tie(const struct view_ranking *r, struct text *out)
{
    if (r->tied < 2)
        return;
    text_addf(out,
              "=1: %zu configurations are tied (%g %% family-wise)\n"
              "*   hone best takes this one of them: %s\n",
              r->tied, 100 * r->level, r->why);
}

// "41 correct configurations (verified against gemm)", "3 configurations that agree with each other
// (not verified: the spec has no Reference)".
static void put_basis(const struct view_summary *v, const char *noun, struct text *out)
{
    uint64_t count = v->by_status[STATUS_CORRECT];
    char correct[40];
    str_format(correct, sizeof correct, "correct %s", noun);
    put_count(count, v->shown == SHOWN_CORRECT ? correct : noun, out);
    if (v->shown == SHOWN_AGREEMENT)
        text_addf(out, count == 1
                           ? " that agrees with the default configuration (not verified: the "
                             "spec has no Reference)"
                           : " that agree with each other (not verified: the spec has no "
                             "Reference)");
    else if (v->shown == SHOWN_REPEATS)
        text_add(out, " (not verified: held against itself alone)");
    else {
        text_add(out, " (");
        report_check(&v->check, out);
        text_add(out, ")");
    }
}

static void put_ranking(const struct view_summary *v, size_t most, size_t width, struct text *out)
{
    const struct view_ranking *r = &v->ranking;
    struct rows rows = {.ranked = true, .most = most};
    text_add(out, "Best of ");
    put_basis(v, "configuration", out);
    if (r->finalists > 1)
        text_addf(out, ": %zu finalists in interleaved rounds\n", r->finalists);
    else
        text_add(out, ":\n");
    put_table(v, &rows, width, out);
    put_tie(r, out);
    put_rounds(v, out);
    rows = (struct rows){.most = SCREENED_ROWS};
    if (!first_row(v, &rows))
        return;
    text_add(out, "Screened only, not ranked; these times do not compare with those above:\n");
    put_table(v, &rows, width, out);
}

static void put_launches(const struct view_summary *v, struct text *out)
{
    if (v->fixed > 0)
        text_addf(out, "%u launch%s of each, one configuration after the other\n", v->fixed,
                  v->fixed == 1 ? "" : "es");
    else
        text_add(out, "screening only, one configuration after the other\n");
}

// Measured one after the other: no decision about who is the best.
static void put_screening(const struct view_summary *v, size_t most, size_t width, struct text *out)
{
    struct rows rows = {.most = most};
    put_basis(v, "configuration", out);
    text_add(out, ", ");
    if (!report_by_time(&v->goal)) {
        text_add(out, "by ");
        report_goal(&v->goal, out);
        text_add(out, ", ");
    }
    text_add(out, "not ranked: ");
    put_launches(v, out);
    put_table(v, &rows, width, out);
    text_addf(out, "Which of those close to each other is the %s is not decided by this.\n",
              report_by_time(&v->goal) ? "fastest" : "best");
}

// All of the set, since each is the answer to somebody.
static void put_pareto(const struct view_summary *v, size_t width, struct text *out)
{
    struct rows rows = {.pareto = true, .most = SIZE_MAX};
    size_t members = 0;
    for (size_t i = 0; i < v->result_count; i++)
        members += is_row(&v->results[i], &rows);
    put_count(members, "configuration", out);
    text_addf(out, " in ");
    report_goal(&v->goal, out);
    text_add(out, ", of ");
    if (v->replay) {
        put_count(v->by_status[STATUS_CORRECT], "correct one", out);
        text_addf(out, ", replayed from %s by the recorded %s\n", v->replay->path,
                  v->replay->statistic);
    } else {
        put_basis(v, "one", out);
        text_add(out, ": ");
        put_launches(v, out);
    }
    put_table(v, &rows, width, out);
    if (members > 0)
        text_add(out, "No other one is at least as good in all of these and better in one.\n");
}

// One time of each, which was measured elsewhere: whether that is the fastest is not known here.
static void put_replayed(const struct view_summary *v, size_t most, size_t width, struct text *out)
{
    struct rows rows = {.most = most};
    text_add(out, "Best of ");
    put_count(v->by_status[STATUS_CORRECT], "correct configuration", out);
    text_addf(out, ", replayed from %s: not ranked, by ", v->replay->path);
    if (!report_by_time(&v->goal)) {
        report_goal(&v->goal, out);
        text_add(out, " at ");
    }
    text_addf(out, "the recorded %s\n", v->replay->statistic);
    put_table(v, &rows, width, out);
    text_add(out, "One time is recorded of each: whether those close to each other differ is not "
                  "decided by this.\n");
}

static void put_built(const struct view_summary *v, struct text *out)
{
    char wall[UNITS_SIZE], sum[UNITS_SIZE];
    duration_to_str((double)v->timing.build_ns, wall);
    duration_to_str((double)v->timing.builds_ns, sum);
    put_share(v->by_status[STATUS_CORRECT], v->done, "configuration", out);
    text_addf(out, " built in %s, %s summed over ", wall, sum);
    put_count(v->timing.builders, "worker", out);
    text_add(out, "; nothing ran\n");
}

// ---- failures and time -------------------------------------------------------------------------

static void put_example(const struct view_result *example, struct text *out)
{
    if (example)
        text_addf(out, "%s%s: %s", example->configuration[0] ? ", e.g. " : "",
                  example->configuration, example->result->message);
    text_add(out, "\n");
}

static void put_summary_failures(const struct view_summary *v, struct text *out)
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
static void put_clock(const struct view_summary *v, struct text *out)
{
    for (size_t i = 0; i < v->result_count; i++) {
        if (result_by_host(v->results[i].result)) {
            report_clock(v->results[i].result, out);
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

static void put_spent(const struct view_summary *v, struct text *out)
{
    char elapsed[UNITS_SIZE];
    const char *separator = ": ";
    if (v->replay) // a moment
        duration_to_str((double)v->elapsed_ns, elapsed);
    else
        span_to_str(v->elapsed_ns, elapsed);
    put_share(v->done, v->valid, "configuration", out);
    if (v->reused > 0)
        text_addf(out, " (%llu known already)", (unsigned long long)v->reused);
    if (v->identical > 0)
        text_addf(out, " (%llu identical to another)", (unsigned long long)v->identical);
    text_addf(out, " in %s", elapsed);
    if (v->replay) {
        char cost[UNITS_SIZE];
        text_add(out, ", replayed");
        if (!isnan(v->replay->cost_ns)) {
            span_to_str((uint64_t)fmin(v->replay->cost_ns, 0x1p63), cost);
            text_addf(out, "; recording them took %s", cost);
        }
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

// Of the best. Where the interval contains 1 the default is as good, for all that is known.
static void put_speedup(const struct view_summary *v, struct text *out)
{
    char number[UNITS_SIZE];
    const struct view_speedup *s = &v->speedup;
    const struct view_result *best = report_best(v);
    text_add(out, "speed-up over the default");
    if (v->baseline)
        text_add_name(out, ", ", v->baseline->configuration, "");
    text_add(out, ": ");
    number_to_str(s->known ? s->ratio : 0, number);
    if (!s->known)
        text_addf(out, "- (%s)", v->no_baseline && *v->no_baseline ? v->no_baseline : "not known");
    else if (!s->ranked)
        text_addf(out, "%s (screened)", number);
    else if (best && best->is_default)
        text_add(out, "1, it is the best");
    else
        text_addf(out, "%s%s ", s->significant ? "" : "not significant, ", number);
    if (s->known && s->ranked && !(best && best->is_default))
        put_range(s->low, s->high, 3, s->interval, out);
    text_add(out, "\n");
}

// A time at a lower clock is not what the configuration takes on a card that is left alone.
static void put_warning(const struct view_summary *v, struct text *out)
{
    const struct view_result *best = report_best(v);
    if (!best || !report_is_slowed(&best->result->gpu))
        return;
    text_add(out, "Warning: the best was ");
    report_slowed(&best->result->gpu, out);
    text_add(out, "\n");
}

static void put_end(const struct view_summary *v, struct text *out)
{
    if (v->broken)
        text_add(out, "The tune broke off: what is shown is what was known by then.\n");
    else if (v->cancelled)
        text_add(out, "Interrupted: what is shown is what was known by then.\n");
    else if (v->out_of_time)
        text_add(out, "The time of the budget is used up.\n");
}

void report_summary(const struct view_summary *v, size_t most, size_t width, struct text *out)
{
    if (v->build_only)
        put_built(v, out);
    else if (v->ranking.decided)
        put_ranking(v, most, width, out);
    else if (v->replay && v->result_count > 0 && v->goal.count < 2)
        put_replayed(v, most, width, out);
    else if (v->result_count > 0 && v->goal.count > 1)
        put_pareto(v, width, out);
    else if (v->result_count > 0)
        put_screening(v, most, width, out);
    else if (v->replay)
        text_add(out, "No configuration that was asked for has a correct result.\n");
    else
        text_add(out, "No configuration gave a correct result that was measured.\n");
    bool is_alone = v->result_count == 1 && (v->results[0].is_default || v->valid == 1);
    if (v->result_count > 0 && report_by_time(&v->goal) && !v->build_only && !is_alone)
        put_speedup(v, out);
    if (report_best(v))
        report_peak_shares(v->peak, report_best(v), out);
    if (!v->build_only && !v->replay)
        report_written(v->outcomes, v->outcome_count, v->check.kind != VERIFICATION_REFERENCE, out);
    // The energy of the best, which a metric wanted.
    const struct view_result *best = report_best(v);
    if (!best && v->result_count > 0) // without a value it is not the best
        best = &v->results[0];
    for (size_t i = 0; best && i < best->metric_count; i++) {
        const struct view_metric *m = &best->metrics[i];
        if (!m->known && m->why && m->why[0])
            text_addf(out, "%s: not known: %s\n", m->name, m->why);
    }
    put_warning(v, out);
    put_clock(v, out);
    put_summary_failures(v, out);
    put_spent(v, out);
    put_end(v, out);
}

// ---- the writers -------------------------------------------------------------------------------

static void write_tune_head(const void *report, struct text *out)
{
    report_run(report, out);
}

static void write_tune_record(const void *report, const void *record, struct text *out)
{
    (void)report;
    report_line(record, out);
}

static void write_tune_end(const void *report, struct text *out)
{
    const struct view_summary *v = report;
    text_add(out, "\n");
    report_summary(v, v->rows, v->width, out);
}

static void write_tune_head_json(const void *report, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    report_run_json(report, &j);
    text_add(out, "\n");
}

static void write_tune_record_json(const void *report, const void *record, struct text *out)
{
    (void)report;
    report_result_line(record, "result", false, out);
}

// What the ranking made of its finalists, too: what was written of them before were screenings.
static void write_tune_end_json(const void *report, struct text *out)
{
    const struct view_summary *v = report;
    struct emit j;
    for (size_t i = 0; i < v->result_count; i++) {
        if (v->results[i].place.place > 0)
            report_result_line(&v->results[i], "ranked", false, out);
    }
    emit_start(&j, out);
    report_summary_json(v, &j);
    text_add(out, "\n");
}

const writers tune_writers = {
    [REPORT_TEXT] = {write_tune_head, write_tune_record, write_tune_end},
    [REPORT_JSON] = {write_tune_head_json, write_tune_record_json, write_tune_end_json},
    [REPORT_MARKDOWN] = {write_tune_head, write_tune_record, write_tune_end},
};
