// A comparison as text and Markdown.
#include "report/compare_report.h"
#include "report/members.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the head ----------------------------------------------------------------------------------

static void put_side(const struct compare_report *v, uint32_t side, struct text *out)
{
    const struct compare_side *s = &v->sides[side];
    struct text constants = TEXT_INIT;
    text_addf(out, v->routines[side] ? "%s: in place of %s" : "%s: %s", s->label, s->spec->name);
    spec_constants_text(s->spec, &constants);
    const char *words = s->stored ? s->stored->constants : text_cstr(&constants);
    if (words && words[0])
        text_addf(out, ", %s", words);
    text_release(&constants);
    for (uint32_t i = 0; i < s->flag_count; i++)
        text_addf(out, "%s%s", i ? " " : ", built with ", s->flags[i]);
    if (s->device) {
        text_add_name(out, "; ", s->device->name, "");
        text_add_name(out, ", ", s->device->platform, " (");
        text_add_name(out, "", s->device->driver, ")");
    }
    if (s->stored)
        text_addf(out, "; run %.8s of %s", s->stored->session, s->stored->date);
    if (s->device) {
        struct verified_by check = {VERIFICATION_NONE, NULL, NULL, false};
        if (!s->stored)
            check.kind = compare_verification(v->compare, side, &check.against);
        text_add(out, "; ");
        report_check(&check, out);
    }
    text_add(out, "\n");
}

static void write_compare_head(const void *report, struct text *out)
{
    const struct compare_report *v = report;
    for (uint32_t i = 0; i < v->side_count; i++)
        put_side(v, i, out);
    if (!v->of_specs) {
        put_count(v->found.progress.common.planned, "configuration", out);
        text_add(out, v->found.progress.sampled
                          ? ", drawn at random (--sample, --where and --config choose)\n"
                          : "\n");
    }
    text_add(out, "\n");
}

// ---- what records say --------------------------------------------------------------------------

bool report_is_compared(const struct compare_report *v, const struct compare_record *r)
{
    return r->compared && !v->of_specs;
}

// A routine has no parameters that a metric could read.
bool report_entry_metric(const struct compare_report *v, const struct compare_record *r,
                         uint32_t side, double *value)
{
    const struct compare_entry *n = &r->entries[side];
    const struct spec *spec = v->sides[side].spec;
    if (!n->timed || spec->metric_count == 0 || !v->sides[side].device)
        return false;
    if (v->routines[side] && !spec_metric_is_of_time(spec, 0))
        return false;
    return report_metric_at(spec, 0, n->choice, v->sides[side].device, n->stats.median, n->result,
                            value);
}

// ---- cells -------------------------------------------------------------------------------------

// The sum over the launches of a job; -1 where one is not known.
static int64_t registers_of(const struct result *r)
{
    int64_t most = -1;
    for (uint32_t i = 0; r && i < r->resource_count; i++)
        most = r->resources[i].registers > most ? r->resources[i].registers : most;
    return most;
}

static int64_t spills_of(const struct result *r)
{
    int64_t sum = -1;
    for (uint32_t i = 0; r && i < r->resource_count; i++) {
        if (r->resources[i].spill_bytes >= 0)
            sum = (sum < 0 ? 0 : sum) + r->resources[i].spill_bytes;
    }
    return sum;
}

static void put_time(const struct compare_entry *s, struct text *out)
{
    if (s->timed)
        report_time(&s->stats, out);
    else
        text_add(out, s->result ? result_word(s->result) : "-");
}

// Three decimals near 1, three digits far from it.
static void put_ratio_number(double ratio, struct text *out)
{
    text_addf(out, ratio >= 0.1 && ratio < 100 ? "%.3f" : "%.3g", ratio);
}

// "1.034 [1.021 .. 1.047]", in parentheses where it is only the range.
static void put_compare_ratio(const struct stats_ratio *r, struct text *out)
{
    put_ratio_number(r->ratio, out);
    text_add(out, r->interval ? " [" : " (");
    put_ratio_number(r->low, out);
    text_add(out, " .. ");
    put_ratio_number(r->high, out);
    text_add(out, r->interval ? "]" : ")");
}

static void put_known(int64_t value, struct text *out)
{
    if (value < 0)
        text_add(out, "?");
    else
        text_addf(out, "%lld", (long long)value);
}

// "40 / 38"; nothing where neither driver tells.
static void put_both(const struct compare_record *row, uint32_t sides,
                     int64_t (*of)(const struct result *), struct text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < sides; i++)
        any = any || of(row->entries[i].result) >= 0;
    for (uint32_t i = 0; any && i < sides; i++) {
        text_add(out, i ? " / " : "");
        put_known(of(row->entries[i].result), out);
    }
}

// ---- the order ---------------------------------------------------------------------------------

static double least_of(const struct compare_record *r)
{
    double least = INFINITY;
    for (int i = 0; i < 2; i++)
        least = r->entries[i].timed ? fmin(least, r->entries[i].stats.median) : least;
    return least;
}

static int by_least(const void *a, const void *b)
{
    const struct compare_record *x = *(const struct compare_record *const *)a;
    const struct compare_record *y = *(const struct compare_record *const *)b;
    double p = least_of(x), q = least_of(y);
    return p != q ? (p < q ? -1 : 1) : strcmp(x->configuration, y->configuration);
}

// The compared records, fastest first; free().
static const struct compare_record **sorted(const struct compare_report *v, size_t *count)
{
    const struct compare_record **list = calloc(v->found.count + 1, sizeof(*list));
    *count = 0;
    for (size_t i = 0; list && i < v->found.count; i++) {
        if (v->found.records[i]->compared)
            list[(*count)++] = v->found.records[i];
    }
    if (list)
        qsort(list, *count, sizeof(*list), by_least);
    return list;
}

// ---- the table of configurations ---------------------------------------------------------------

enum column { FIRST, SECOND, RATIO, SAME, REGISTERS, SPILLS, CONFIGURATION, COLUMNS };

static const char *name_of(const char *configuration)
{
    return configuration[0] ? configuration : "(the only one)";
}

static void add_row(struct table *t, const struct compare_record *row)
{
    table_row(t);
    put_time(&row->entries[0], table_text(t, FIRST));
    put_time(&row->entries[1], table_text(t, SECOND));
    put_compare_ratio(&row->ratio, table_text(t, RATIO));
    table_cell(t, SAME, "%s", row->apart ? "" : "=");
    put_both(row, 2, registers_of, table_text(t, REGISTERS));
    put_both(row, 2, spills_of, table_text(t, SPILLS));
    table_cell(t, CONFIGURATION, "%s%s", name_of(row->configuration),
               row->same_as ? " (identical to another)" : "");
}

// ---- the summary -------------------------------------------------------------------------------

static uint32_t rounds_of(const struct compare_report *v)
{
    uint32_t rounds = 0;
    for (size_t i = 0; i < v->found.count; i++)
        rounds = v->found.records[i]->rounds > rounds ? v->found.records[i]->rounds : rounds;
    return rounds;
}

static void put_mean(const struct compare_report *v, struct text *out)
{
    if (isnan(v->found.progress.mean))
        return;
    struct stats_ratio mean = {v->found.progress.mean, v->found.progress.mean_low,
                               v->found.progress.mean_high, v->found.progress.mean_interval};
    text_addf(out, "%s / %s: ", v->sides[0].label, v->sides[1].label);
    if (mean.interval)
        put_compare_ratio(&mean, out);
    else
        put_ratio_number(mean.ratio, out);
    text_add(out, ", geometric mean over ");
    put_count(v->found.progress.compared - v->found.progress.identical, "configuration", out);
    text_add(out, ".\n");
}

static void put_apart(const struct compare_report *v, struct text *out)
{
    uint64_t tested = v->found.progress.compared - v->found.progress.identical;
    if (tested == 0)
        return;
    text_addf(out, "%llu of %llu differ (%g %% family-wise)",
              (unsigned long long)v->found.progress.apart, (unsigned long long)tested,
              100 * v->found.level);
    if (v->found.progress.second_faster > 0)
        text_addf(out, "; %s is faster in %llu", v->sides[1].label,
                  (unsigned long long)v->found.progress.second_faster);
    if (v->found.progress.first_faster > 0)
        text_addf(out, "%s %s is faster in %llu", v->found.progress.second_faster ? "," : ";",
                  v->sides[0].label, (unsigned long long)v->found.progress.first_faster);
    text_add(out, ".\n");
    if (v->found.progress.paired && rounds_of(v) < v->found.progress.needed)
        text_addf(out,
                  "%u rounds are too few to distinguish any%s, however much they differ: %u are "
                  "needed.\n",
                  rounds_of(v), tested > 1 ? " of so many" : "", v->found.progress.needed);
    if (!isnan(v->found.progress.correlation))
        text_addf(out, "Rank correlation of the two (Kendall's tau): %.2f.\n",
                  v->found.progress.correlation);
    if (!v->found.progress.paired)
        text_add(out, "Times of a stored run were not interleaved with the others: drift in "
                      "between is part of the ratios.\n");
}

static void put_best(const struct compare_report *v, int side, struct text *out)
{
    const struct compare_record *row = v->found.progress.best[side];
    double metric;
    if (!row)
        return;
    const struct compare_entry *s = &row->entries[side];
    text_addf(out, "Best of %s: ", v->sides[side].label);
    report_time(&s->stats, out);
    if (report_entry_metric(v, row, (uint32_t)side, &metric)) {
        text_add(out, ", ");
        report_metric(v->sides[side].spec->metrics[0].name, metric, out);
    }
    text_addf(out, "; %s\n", name_of(s->configuration));
}

// "A is 1.20 (1.18 .. 1.22) times faster than B", whichever is the faster one.
static void put_faster(const char *first, const char *second, const struct stats_ratio *r,
                       bool is_second, struct text *out)
{
    double ratio = is_second ? r->ratio : 1 / r->ratio;
    double low = is_second ? r->low : 1 / r->high, high = is_second ? r->high : 1 / r->low;
    const char *const format = ratio < 1.995  ? "%s is %.3f (%.3f .. %.3f) times faster than %s"
                               : ratio < 99.5 ? "%s is %.2f (%.2f .. %.2f) times faster than %s"
                                              : "%s is %.0f (%.0f .. %.0f) times faster than %s";
    text_addf(out, format, is_second ? second : first, ratio, low, high,
              is_second ? first : second);
}

// A few ratios with a range cannot tell the sides apart, and a single configuration that is the
// best of both sides is judged here as in its row.
static bool bests_differ(const struct compare_report *v)
{
    const struct stats_ratio *r = &v->found.progress.ratio_of_bests;
    bool is_one = v->found.progress.best[0] &&
                  v->found.progress.best[0] == v->found.progress.best[1] &&
                  v->found.progress.best[0]->compared;
    return r->interval && (r->low > 1 || r->high < 1) &&
           (!is_one || v->found.progress.best[0]->apart);
}

static void put_bests(const struct compare_report *v, struct text *out)
{
    const struct stats_ratio *r = &v->found.progress.ratio_of_bests;
    put_best(v, 0, out);
    put_best(v, 1, out);
    if (!v->found.progress.has_bests)
        return;
    text_addf(out, "Best against best%s: ", v->found.progress.paired ? ", interleaved" : "");
    if (!bests_differ(v)) {
        text_addf(out, "tied, %s / %s ", v->sides[0].label, v->sides[1].label);
        put_compare_ratio(r, out);
    } else {
        put_faster(v->sides[0].label, v->sides[1].label, r, r->ratio > 1, out);
    }
    text_add(out, ".\n");
}

static void put_only(const struct compare_report *v, struct text *out)
{
    for (int i = 0; i < 2; i++) {
        const struct compare_missing *only = &v->found.progress.only[i];
        if (only->count == 0)
            continue;
        put_count(only->count, "configuration", out);
        text_addf(out, " of %s alone left out, e.g. %s\n", v->sides[i].label,
                  name_of(only->examples[0]));
    }
}

static void put_end(const struct compare_report *v, struct text *out)
{
    char elapsed[UNITS_SIZE];
    uint32_t rounds = rounds_of(v), repeated = 0, routines = 0;
    for (size_t i = 0; i < v->found.count; i++)
        repeated += v->found.records[i]->repeated;
    span_to_str(v->found.progress.common.elapsed_ns, elapsed);
    for (uint32_t i = 0; i < v->side_count; i++)
        routines += v->routines[i] != NULL;
    if (v->of_specs)
        put_count(v->side_count - routines, "spec", out);
    if (v->of_specs && routines > 0)
        text_addf(out, " and %u librar%s", routines, routines == 1 ? "y" : "ies");
    if (!v->of_specs)
        put_share(v->found.count, v->found.progress.common.planned, "configuration", out);
    if (rounds > 0)
        text_addf(out, ", %u rounds%s", rounds, v->of_specs ? "" : " each");
    if (repeated > 0)
        text_addf(out, " (%u disturbed and run again)", repeated);
    text_addf(out, "; %llu launches; %s\n", (unsigned long long)v->found.progress.launches,
              elapsed);
    if (v->about->broken)
        text_add(out, "The comparison broke off: these are the results up to then.\n");
    else if (v->found.progress.common.cancelled)
        text_add(out, "Interrupted: these are the results up to then.\n");
}

double report_error_norm(const struct result *r)
{
    double norm = NAN;
    for (uint32_t i = 0; r && r->status == STATUS_CORRECT && i < r->deviation_count; i++)
        norm = fmax(norm, r->deviations[i].norm); // a number beats NaN
    return norm;
}

// ---- several specs -----------------------------------------------------------------------------

enum contest_column {
    PLACE,
    TIME,
    TIMES,
    METRIC,
    ERROR,
    CONTEST_REGISTERS,
    CONTEST_SPILLS,
    SPEC,
    CONTEST_CONFIGURATION,
    CONTEST_COLUMNS
};

static const struct compare_entry *at_place(const struct compare_report *v, size_t place,
                                            uint32_t *side)
{
    for (uint32_t i = 0; i < v->side_count && v->found.count > 0; i++) {
        const struct compare_entry *s = &v->found.records[0]->entries[i];
        *side = i;
        if (s->timed && s->ranked && s->rank.place == place)
            return s;
    }
    return NULL;
}

// To the fastest, with the simultaneous interval.
static struct stats_ratio ratio_of(const struct compare_entry *s)
{
    return (struct stats_ratio){.ratio = s->rank.ratio,
                                .low = s->rank.ratio_low,
                                .high = s->rank.ratio_high,
                                .interval = s->rank.ratio_interval};
}

static bool has_tie(const struct compare_report *v)
{
    uint32_t side;
    const struct compare_entry *second = at_place(v, 1, &side);
    return second && second->rank.tied;
}

static const struct table_column contest_columns[CONTEST_COLUMNS] = {
    [PLACE] = {"place", ALIGN_RIGHT},
    [TIME] = {"median", ALIGN_RIGHT},
    [TIMES] = {"times the fastest", ALIGN_LEFT},
    [METRIC] = {"metric", ALIGN_RIGHT},
    [ERROR] = {"error", ALIGN_RIGHT},
    [CONTEST_REGISTERS] = {"registers", ALIGN_RIGHT},
    [CONTEST_SPILLS] = {"spilled bytes", ALIGN_RIGHT},
    [SPEC] = {"spec", ALIGN_LEFT},
    [CONTEST_CONFIGURATION] = {"configuration", ALIGN_LEFT},
};

static void put_contest(const struct compare_report *v, enum report_format format, struct text *out)
{
    struct table table;
    const struct compare_entry *s;
    uint32_t side;
    table_init(&table, contest_columns, CONTEST_COLUMNS);
    for (size_t place = 0; (s = at_place(v, place, &side)); place++) {
        bool shared = s->rank.tied && has_tie(v); // the winner is tied with itself
        const struct stats_ratio ratio = ratio_of(s);
        double metric;
        table_row(&table);
        table_cell(&table, PLACE, "%s%zu", shared ? "=" : "",
                   s->rank.tied ? (size_t)1 : s->rank.place + 1);
        put_time(s, table_text(&table, TIME));
        if (s->rank.place > 0)
            put_compare_ratio(&ratio, table_text(&table, TIMES));
        else
            table_cell(&table, TIMES, "1");
        if (report_entry_metric(v, v->found.records[0], side, &metric))
            report_metric(v->sides[side].spec->metrics[0].name, metric, table_text(&table, METRIC));
        if (report_error_norm(s->result) >= 0)
            table_cell(&table, ERROR, "%.2g", report_error_norm(s->result));
        if (registers_of(s->result) >= 0)
            put_known(registers_of(s->result), table_text(&table, CONTEST_REGISTERS));
        if (spills_of(s->result) >= 0)
            put_known(spills_of(s->result), table_text(&table, CONTEST_SPILLS));
        table_cell(&table, SPEC, "%s", v->sides[side].label);
        table_cell(&table, CONTEST_CONFIGURATION, "%s",
                   v->routines[side] ? "" : name_of(s->configuration));
    }
    table_end(&table, format, "", out);
}

// Prints what each library reports about itself: version, threads, file.
static void put_libraries(const struct compare_report *v, const char *before, struct text *out)
{
    for (uint32_t i = 0; i < v->side_count && v->found.count > 0; i++) {
        const struct result *r = v->found.records[0]->entries[i].result;
        if (v->routines[i] && r && r->log[0])
            text_addf(out, "%s%s: %s\n", before, v->sides[i].label, r->log);
    }
}

// "tiled is 2.9 (2.8 .. 3.0) times faster than shared".
static void put_sentences(const struct compare_report *v, struct text *out)
{
    uint32_t best, side;
    const struct compare_entry *fastest = at_place(v, 0, &best), *s;
    for (size_t place = 1; fastest && (s = at_place(v, place, &side)); place++) {
        if (s->rank.tied) {
            text_addf(out, "%s and %s are tied (%g %% family-wise).\n", v->sides[best].label,
                      v->sides[side].label, 100 * v->found.level);
            continue;
        }
        const struct stats_ratio ratio = ratio_of(s);
        put_faster(v->sides[side].label, v->sides[best].label, &ratio, true, out);
        text_add(out, ".\n");
    }
}

// ---- the whole ---------------------------------------------------------------------------------

static void put_rows(const struct compare_report *v, enum report_format format, struct text *out)
{
    size_t count;
    const struct compare_record **rows = sorted(v, &count);
    size_t shown = v->most > 0 && count > v->most ? v->most : count;
    out->failed |= !rows;
    if (rows && count > 0) {
        char title[256];
        str_format(title, sizeof title, "%s / %s", v->sides[0].label, v->sides[1].label);
        const struct table_column columns_of[COLUMNS] = {
            [FIRST] = {v->sides[0].label, ALIGN_RIGHT},
            [SECOND] = {v->sides[1].label, ALIGN_RIGHT},
            [RATIO] = {title, ALIGN_LEFT},
            [SAME] = {"", ALIGN_LEFT},
            [REGISTERS] = {"registers", ALIGN_RIGHT},
            [SPILLS] = {"spilled bytes", ALIGN_RIGHT},
            [CONFIGURATION] = {"configuration", ALIGN_LEFT},
        };
        struct table table;
        table_init(&table, columns_of, COLUMNS);
        for (size_t i = 0; i < shown; i++)
            add_row(&table, rows[i]);
        table_end(&table, format, "", out);
    }
    if (count > shown)
        text_addf(out, "... and %zu more (--verbose shows all)\n", count - shown);
    if (rows && count > v->found.progress.apart)
        text_add(out, "=  tied\n");
    free(rows);
}

static void put_comparison(const struct compare_report *v, enum report_format format,
                           struct text *out)
{
    const char *before = format == REPORT_MARKDOWN ? "- " : "";
    if (v->of_specs)
        put_contest(v, format, out);
    else
        put_rows(v, format, out);
    size_t table = out->length;
    for (size_t i = 0; i < v->found.count; i++) {
        const struct compare_record *row = v->found.records[i];
        for (uint32_t s = 0; s < v->side_count; s++) {
            const struct result *r = row->entries[s].result;
            if (!r || r->status == STATUS_CORRECT)
                continue;
            text_addf(out, "%s%s", before, v->sides[s].label);
            if (!v->routines[s])
                text_addf(out, ", %s", name_of(row->entries[s].configuration));
            text_addf(out, ": %s: %s\n", result_word(r), r->message);
        }
    }
    if (v->of_specs)
        put_libraries(v, before, out);
    else
        put_only(v, out);
    if (format == REPORT_TEXT || out->length > table)
        text_add(out, "\n");
    if (v->of_specs) {
        put_sentences(v, out);
    } else {
        put_mean(v, out);
        put_apart(v, out);
        put_bests(v, out);
    }
    report_members(v->found.progress.members, v->found.progress.member_count, false, out);
    put_end(v, out);
    text_add(out, v->why ? "\n" : "");
}

static void write_compare_end(const void *report, struct text *out)
{
    const struct compare_report *v = report;
    put_comparison(v, REPORT_TEXT, out);
    if (v->why)
        report_why(v->why, out);
}

static void write_compare_end_markdown(const void *report, struct text *out)
{
    const struct compare_report *v = report;
    put_comparison(v, REPORT_MARKDOWN, out);
    if (v->why)
        report_why_markdown(v->why, out);
}

const writers compare_writers = {
    [REPORT_TEXT] = {.head = write_compare_head, .end = write_compare_end},
    [REPORT_JSON] = {.end_fields = &report_compare_fields},
    [REPORT_MARKDOWN] = {.end = write_compare_end_markdown},
};
