// A comparison as text and Markdown.
#include "report/compare.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the head ----------------------------------------------------------------------------------

static void put_side(const struct view_side *s, struct text *out)
{
    text_addf(out, s->routine ? "%s: in place of %s" : "%s: %s", s->label, s->spec);
    if (s->constants && s->constants[0])
        text_addf(out, ", %s", s->constants);
    for (uint32_t i = 0; i < s->flag_count; i++)
        text_addf(out, "%s%s", i ? " " : ", built with ", s->flags[i]);
    if (s->device) {
        text_add_name(out, "; ", s->device->name, "");
        text_add_name(out, ", ", s->device->platform, " (");
        text_add_name(out, "", s->device->driver, ")");
    }
    if (s->run)
        text_addf(out, "; run %.8s of %s", s->run, s->date);
    if (s->device) {
        text_add(out, "; ");
        report_check(&s->check, out);
    }
    text_add(out, "\n");
}

void report_compare_head(const struct view_compare *v, struct text *out)
{
    for (uint32_t i = 0; i < v->side_count; i++)
        put_side(&v->sides[i], out);
    if (v->of_specs)
        return;
    put_count(v->planned, "configuration", out);
    text_add(out, v->sampled ? ", drawn at random (--sample, --where, --config and --top choose)\n"
                             : "\n");
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

static void put_time(const struct view_compared_side *s, struct text *out)
{
    if (s->timed)
        report_time(&s->stats, out);
    else
        text_add(out, s->result ? result_word(s->result) : "-");
}

// Three decimals near 1, three digits far from it.
static void put_number(double ratio, struct text *out)
{
    text_addf(out, ratio >= 0.1 && ratio < 100 ? "%.3f" : "%.3g", ratio);
}

// "1.034 [1.021 .. 1.047]", in parentheses where it is only the range.
static void put_ratio(const struct stats_ratio *r, struct text *out)
{
    put_number(r->ratio, out);
    text_add(out, r->interval ? " [" : " (");
    put_number(r->low, out);
    text_add(out, " .. ");
    put_number(r->high, out);
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
static void put_both(const struct view_compared *row, uint32_t sides,
                     int64_t (*of)(const struct result *), struct text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < sides; i++)
        any = any || of(row->sides[i].result) >= 0;
    for (uint32_t i = 0; any && i < sides; i++) {
        text_add(out, i ? " / " : "");
        put_known(of(row->sides[i].result), out);
    }
}

// ---- the order ---------------------------------------------------------------------------------

static double least_of(const struct view_compared *r)
{
    double least = INFINITY;
    for (int i = 0; i < 2; i++)
        least = r->sides[i].timed ? fmin(least, r->sides[i].stats.median) : least;
    return least;
}

static int by_least(const void *a, const void *b)
{
    const struct view_compared *x = *(const struct view_compared *const *)a;
    const struct view_compared *y = *(const struct view_compared *const *)b;
    double p = least_of(x), q = least_of(y);
    return p != q ? (p < q ? -1 : 1) : strcmp(x->configuration, y->configuration);
}

// Those that were compared, the fastest first; free().
static const struct view_compared **sorted(const struct view_compare *v, size_t *count)
{
    const struct view_compared **list = calloc(v->row_count + 1, sizeof(*list));
    *count = 0;
    for (size_t i = 0; list && i < v->row_count; i++) {
        if (v->rows[i].compared)
            list[(*count)++] = &v->rows[i];
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

// Cells are made once and put into a text table or a Markdown one.
static void fill(const struct view_compared *row, struct text *cells)
{
    put_time(&row->sides[0], &cells[FIRST]);
    put_time(&row->sides[1], &cells[SECOND]);
    put_ratio(&row->ratio, &cells[RATIO]);
    text_add(&cells[SAME], row->apart ? "" : "=");
    put_both(row, 2, registers_of, &cells[REGISTERS]);
    put_both(row, 2, spills_of, &cells[SPILLS]);
    text_addf(&cells[CONFIGURATION], "%s%s", name_of(row->configuration),
              row->same_as_json ? " (identical to another)" : "");
}

static void add_row(struct table *t, const struct view_compared *row)
{
    struct text cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = (struct text)TEXT_INIT;
    fill(row, cells);
    table_row(t);
    for (size_t i = 0; i < COLUMNS; i++) {
        table_cell(t, i, "%s", text_cstr(&cells[i]));
        text_release(&cells[i]);
    }
}

static void ratio_title(const struct view_compare *v, char *out, size_t size)
{
    str_format(out, size, "%s / %s", v->sides[0].label, v->sides[1].label);
}

static void put_table(const struct view_compare *v, const struct view_compared *const *rows,
                      size_t count, struct text *out)
{
    char title[256];
    ratio_title(v, title, sizeof title);
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
    for (size_t i = 0; i < count; i++)
        add_row(&table, rows[i]);
    table_print(&table, "", out);
    table_release(&table);
}

// ---- the summary -------------------------------------------------------------------------------

static uint32_t rounds_of(const struct view_compare *v)
{
    uint32_t rounds = 0;
    for (size_t i = 0; i < v->row_count; i++)
        rounds = v->rows[i].rounds > rounds ? v->rows[i].rounds : rounds;
    return rounds;
}

static void put_mean(const struct view_compare *v, struct text *out)
{
    if (isnan(v->mean))
        return;
    struct stats_ratio mean = {v->mean, v->mean_low, v->mean_high, v->mean_interval};
    text_addf(out, "%s / %s: ", v->sides[0].label, v->sides[1].label);
    if (mean.interval)
        put_ratio(&mean, out);
    else
        put_number(mean.ratio, out);
    text_add(out, ", geometric mean over ");
    put_count(v->compared - v->identical, "configuration", out);
    text_add(out, ".\n");
}

static void put_apart(const struct view_compare *v, struct text *out)
{
    uint64_t tested = v->compared - v->identical;
    if (tested == 0)
        return;
    text_addf(out, "%llu of %llu differ (%g %% family-wise)", (unsigned long long)v->apart,
              (unsigned long long)tested, 100 * v->level);
    if (v->second_faster > 0)
        text_addf(out, "; %s is faster in %llu", v->sides[1].label,
                  (unsigned long long)v->second_faster);
    if (v->first_faster > 0)
        text_addf(out, "%s %s is faster in %llu", v->second_faster ? "," : ";", v->sides[0].label,
                  (unsigned long long)v->first_faster);
    text_add(out, ".\n");
    if (v->paired && rounds_of(v) < v->needed)
        text_addf(out,
                  "%u rounds are too few to tell any%s apart, however much they differ: "
                  "%u are needed.\n",
                  rounds_of(v), tested > 1 ? " of so many" : "", v->needed);
    if (!isnan(v->correlation))
        text_addf(out, "Rank correlation of the two (Kendall's tau): %.2f.\n", v->correlation);
    if (!v->paired)
        text_add(out, "Times of a stored run were not taken in turn with the others: what drifted "
                      "in between is in the ratios.\n");
}

static void put_best(const struct view_compare *v, int side, struct text *out)
{
    const struct view_compared *row = v->best[side];
    if (!row)
        return;
    const struct view_compared_side *s = &row->sides[side];
    text_addf(out, "Best of %s: ", v->sides[side].label);
    report_time(&s->stats, out);
    if (s->metric && s->metric->known) {
        text_add(out, ", ");
        report_metric(s->metric, out);
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

// A range of a few ratios tells nothing apart, and one configuration that is the best of both sides
// is no more apart here than in its row.
static bool bests_differ(const struct view_compare *v)
{
    const struct stats_ratio *r = &v->ratio_of_bests;
    bool is_one = v->best[0] && v->best[0] == v->best[1] && v->best[0]->compared;
    return r->interval && (r->low > 1 || r->high < 1) && (!is_one || v->best[0]->apart);
}

static void put_bests(const struct view_compare *v, struct text *out)
{
    const struct stats_ratio *r = &v->ratio_of_bests;
    put_best(v, 0, out);
    put_best(v, 1, out);
    if (!v->has_bests)
        return;
    text_addf(out, "Best against best%s: ", v->paired ? ", in turn" : "");
    if (!bests_differ(v)) {
        text_addf(out, "not told apart, %s / %s ", v->sides[0].label, v->sides[1].label);
        put_ratio(r, out);
    } else {
        put_faster(v->sides[0].label, v->sides[1].label, r, r->ratio > 1, out);
    }
    text_add(out, ".\n");
}

static void put_failures(const struct view_compare *v, const char *before, struct text *out)
{
    for (size_t i = 0; i < v->row_count; i++) {
        const struct view_compared *row = &v->rows[i];
        for (uint32_t s = 0; s < v->side_count; s++) {
            const struct result *r = row->sides[s].result;
            if (!r || r->status == STATUS_CORRECT)
                continue;
            text_addf(out, "%s%s", before, v->sides[s].label);
            if (!v->sides[s].routine)
                text_addf(out, ", %s", name_of(row->sides[s].configuration));
            text_addf(out, ": %s: %s\n", result_word(r), r->message);
        }
    }
}

static void put_only(const struct view_compare *v, struct text *out)
{
    for (int i = 0; i < 2; i++) {
        if (v->only[i] == 0)
            continue;
        put_count(v->only[i], "configuration", out);
        text_addf(out, " of %s alone left out, e.g. %s\n", v->sides[i].label,
                  name_of(v->only_examples[i]));
    }
}

static void put_end(const struct view_compare *v, struct text *out)
{
    char elapsed[UNITS_SIZE];
    uint32_t rounds = rounds_of(v), repeated = 0, routines = 0;
    for (size_t i = 0; i < v->row_count; i++)
        repeated += v->rows[i].repeated;
    span_to_str(v->elapsed_ns, elapsed);
    for (uint32_t i = 0; i < v->side_count; i++)
        routines += v->sides[i].routine != NULL;
    if (v->of_specs)
        put_count(v->side_count - routines, "spec", out);
    if (v->of_specs && routines > 0)
        text_addf(out, " and %u librar%s", routines, routines == 1 ? "y" : "ies");
    if (!v->of_specs)
        put_share(v->row_count, v->planned, "configuration", out);
    if (rounds > 0)
        text_addf(out, ", %u rounds%s", rounds, v->of_specs ? "" : " each");
    if (repeated > 0)
        text_addf(out, " (%u disturbed and run again)", repeated);
    text_addf(out, "; %llu launches; %s\n", (unsigned long long)v->launches, elapsed);
    if (v->broken)
        text_add(out, "The comparison broke off: what is shown is what was known by then.\n");
    else if (v->cancelled)
        text_add(out, "Interrupted: what is shown is what was known by then.\n");
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

static const struct view_compared_side *at_place(const struct view_compare *v, size_t place,
                                                 uint32_t *side)
{
    for (uint32_t i = 0; i < v->side_count && v->row_count > 0; i++) {
        const struct view_compared_side *s = &v->rows[0].sides[i];
        *side = i;
        if (s->ranked && s->place == place)
            return s;
    }
    return NULL;
}

static bool has_tie(const struct view_compare *v)
{
    uint32_t side;
    const struct view_compared_side *second = at_place(v, 1, &side);
    return second && second->tied;
}

static void fill_contest(const struct view_compare *v, const struct view_compared_side *s,
                         uint32_t side, struct text *cells)
{
    bool shared = s->tied && has_tie(v); // the winner is tied with itself
    text_addf(&cells[PLACE], "%s%zu", shared ? "=" : "", s->tied ? (size_t)1 : s->place + 1);
    put_time(s, &cells[TIME]);
    if (s->place > 0)
        put_ratio(&s->to_fastest, &cells[TIMES]);
    else
        text_add(&cells[TIMES], "1");
    if (s->metric && s->metric->known)
        report_metric(s->metric, &cells[METRIC]);
    if (report_error_norm(s->result) >= 0)
        text_addf(&cells[ERROR], "%.2g", report_error_norm(s->result));
    if (registers_of(s->result) >= 0)
        put_known(registers_of(s->result), &cells[CONTEST_REGISTERS]);
    if (spills_of(s->result) >= 0)
        put_known(spills_of(s->result), &cells[CONTEST_SPILLS]);
    text_add(&cells[SPEC], v->sides[side].label);
    text_add(&cells[CONTEST_CONFIGURATION],
             v->sides[side].routine ? "" : name_of(s->configuration));
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

static void put_contest(const struct view_compare *v, struct text *out)
{
    struct table table;
    const struct view_compared_side *s;
    uint32_t side;
    table_init(&table, contest_columns, CONTEST_COLUMNS);
    for (size_t place = 0; (s = at_place(v, place, &side)); place++) {
        struct text cells[CONTEST_COLUMNS];
        for (int i = 0; i < CONTEST_COLUMNS; i++)
            cells[i] = (struct text)TEXT_INIT;
        fill_contest(v, s, side, cells);
        table_row(&table);
        for (size_t i = 0; i < CONTEST_COLUMNS; i++) {
            table_cell(&table, i, "%s", text_cstr(&cells[i]));
            text_release(&cells[i]);
        }
    }
    table_print(&table, "", out);
    table_release(&table);
}

// What the libraries say of themselves: version, threads, file.
static void put_libraries(const struct view_compare *v, const char *before, struct text *out)
{
    for (uint32_t i = 0; i < v->side_count && v->row_count > 0; i++) {
        const struct result *r = v->rows[0].sides[i].result;
        if (v->sides[i].routine && r && r->log[0])
            text_addf(out, "%s%s: %s\n", before, v->sides[i].label, r->log);
    }
}

// "tiled is 2.9 (2.8 .. 3.0) times faster than shared".
static void put_sentences(const struct view_compare *v, struct text *out)
{
    uint32_t best, side;
    const struct view_compared_side *fastest = at_place(v, 0, &best), *s;
    for (size_t place = 1; fastest && (s = at_place(v, place, &side)); place++) {
        if (s->tied) {
            text_addf(out, "%s and %s are not told apart (%g %% family-wise).\n",
                      v->sides[best].label, v->sides[side].label, 100 * v->level);
            continue;
        }
        put_faster(v->sides[side].label, v->sides[best].label, &s->to_fastest, true, out);
        text_add(out, ".\n");
    }
}

// ---- the whole ---------------------------------------------------------------------------------

static void put_rows(const struct view_compare *v, size_t most, struct text *out)
{
    size_t count;
    const struct view_compared **rows = sorted(v, &count);
    size_t shown = most > 0 && count > most ? most : count;
    out->failed |= !rows;
    if (rows && count > 0)
        put_table(v, rows, shown, out);
    if (count > shown)
        text_addf(out, "... and %zu more (--verbose shows all)\n", count - shown);
    if (rows && count > v->apart)
        text_add(out, "=  not told apart\n");
    free(rows);
}

void report_compare(const struct view_compare *v, size_t most, struct text *out)
{
    if (v->of_specs) {
        put_contest(v, out);
        put_failures(v, "", out);
        put_libraries(v, "", out);
        text_add(out, "\n");
        put_sentences(v, out);
        put_end(v, out);
        return;
    }
    put_rows(v, most, out);
    put_failures(v, "", out);
    put_only(v, out);
    text_add(out, "\n");
    put_mean(v, out);
    put_apart(v, out);
    put_bests(v, out);
    put_end(v, out);
}

// ---- Markdown ----------------------------------------------------------------------------------

// A bar ends a cell.
static void put_markdown_cell(const char *cell, struct text *out)
{
    text_add(out, " ");
    for (const char *s = cell; *s; s++) {
        text_add(out, *s == '|' ? "\\" : "");
        text_addc(out, *s);
    }
    text_add(out, " |");
}

static void put_markdown_row(struct text *cells, size_t count, struct text *out)
{
    text_add(out, "|");
    for (size_t i = 0; i < count; i++) {
        put_markdown_cell(text_cstr(&cells[i]), out);
        text_release(&cells[i]);
    }
    text_add(out, "\n");
}

static void put_markdown_titles(const char *const *titles, size_t count, struct text *out)
{
    text_add(out, "|");
    for (size_t i = 0; i < count; i++)
        put_markdown_cell(titles[i], out);
    text_add(out, "\n|");
    for (size_t i = 0; i < count; i++)
        text_add(out, i + 1 < count ? " ---: |" : " :--- |");
    text_add(out, "\n");
}

static void put_markdown_contest(const struct view_compare *v, struct text *out)
{
    const char *titles[CONTEST_COLUMNS];
    const struct view_compared_side *s;
    uint32_t side;
    for (int i = 0; i < CONTEST_COLUMNS; i++)
        titles[i] = contest_columns[i].title;
    put_markdown_titles(titles, CONTEST_COLUMNS, out);
    for (size_t place = 0; (s = at_place(v, place, &side)); place++) {
        struct text cells[CONTEST_COLUMNS];
        for (int i = 0; i < CONTEST_COLUMNS; i++)
            cells[i] = (struct text)TEXT_INIT;
        fill_contest(v, s, side, cells);
        put_markdown_row(cells, CONTEST_COLUMNS, out);
    }
    text_add(out, "\n"); // else they would be rows of the table
    size_t table = out->length;
    put_failures(v, "- ", out);
    put_libraries(v, "- ", out);
    if (out->length > table)
        text_add(out, "\n");
    put_sentences(v, out);
}

void report_compare_markdown(const struct view_compare *v, size_t most, struct text *out)
{
    size_t count;
    char title[256];
    if (v->of_specs) {
        put_markdown_contest(v, out);
        return;
    }
    const struct view_compared **rows = sorted(v, &count);
    ratio_title(v, title, sizeof title);
    const char *const titles[COLUMNS] = {v->sides[0].label, v->sides[1].label, title,          "",
                                         "registers",       "spilled bytes",   "configuration"};
    put_markdown_titles(titles, COLUMNS, out);
    for (size_t i = 0; rows && i < count && (most == 0 || i < most); i++) {
        struct text cells[COLUMNS];
        for (int k = 0; k < COLUMNS; k++)
            cells[k] = (struct text)TEXT_INIT;
        fill(rows[i], cells);
        put_markdown_row(cells, COLUMNS, out);
    }
    out->failed |= !rows;
    free(rows);
    text_add(out, "\n");
    put_mean(v, out);
    put_apart(v, out);
    put_bests(v, out);
}
