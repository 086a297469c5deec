// The end of a tune: the best few, what failed, where the time went.
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

#include <string.h>

enum column { RANK, CONFIGURATION, TIME, INTERVAL, METRIC, SPEEDUP, COLUMNS };

// Is it as fast as the best, as far as the samples tell?
static bool is_tie(const struct view_result *best, const struct view_result *v)
{
    return v != best && v->stats.low <= best->stats.high;
}

// ---- the table ---------------------------------------------------------------------------------

static void put_times(struct table *t, const struct view_result *v, const struct view_result *base)
{
    char median[UNITS_SIZE], number[UNITS_SIZE];
    struct text interval = TEXT_INIT;
    duration_to_str(v->stats.median, median);
    table_cell(t, TIME, "%s", median);
    if (v->stats.count > 1)
        report_interval(&v->stats, &interval);
    table_cell(t, INTERVAL, "%s", text_cstr(&interval));
    text_release(&interval);
    if (v->metric_count > 0 && v->metrics[0].known) {
        number_to_str(v->metrics[0].value, number);
        table_cell(t, METRIC, "%s", number);
    }
    if (base) {
        number_to_str(base->stats.median / v->stats.median, number);
        table_cell(t, SPEEDUP, "%s", number);
    }
}

// Configurations that turned out to be the same work stand below the one that was measured.
static void put_identical(struct table *t, const struct view_summary *v,
                          const struct view_result *r)
{
    for (size_t i = 0; i < v->result_count; i++) {
        const struct view_result *other = &v->results[i];
        if (other->same_as_json && str_equal(other->same_as_json, r->configuration_json))
            table_note(t, CONFIGURATION, "= also %s", other->differs);
    }
}

static size_t put_rows(struct table *t, const struct view_summary *v, size_t most)
{
    size_t rank = 0;
    for (size_t i = 0; i < v->result_count && rank < most; i++) {
        const struct view_result *r = &v->results[i];
        if (r->same_as_json)
            continue;
        table_row(t);
        table_cell(t, RANK, "%s%zu", is_tie(&v->results[0], r) ? "~ " : "", ++rank);
        table_cell(t, CONFIGURATION, "%s%s", r->configuration, r->is_default ? " (default)" : "");
        put_times(t, r, v->baseline);
        put_identical(t, v, r);
    }
    return rank;
}

static bool has_tie(const struct view_summary *v, size_t most)
{
    for (size_t i = 1; i < v->result_count && i < most; i++) {
        if (!v->results[i].same_as_json && is_tie(&v->results[0], &v->results[i]))
            return true;
    }
    return false;
}

// Under a column that says "95 % interval": what is in parentheses, or empty, is none.
static bool has_range(const struct view_summary *v, size_t most)
{
    for (size_t i = 0; i < v->result_count && i < most; i++) {
        if (!v->results[i].same_as_json && !v->results[i].stats.interval)
            return v->results[0].stats.interval;
    }
    return false;
}

static void put_table(const struct view_summary *v, size_t most, struct text *out)
{
    const struct view_result *best = &v->results[0];
    const struct table_column columns_of[COLUMNS] = {
        [RANK] = {"rank", ALIGN_RIGHT},
        [CONFIGURATION] = {"configuration", ALIGN_LEFT},
        [TIME] = {"median", ALIGN_RIGHT},
        [INTERVAL] = {best->stats.interval ? "95 % interval" : "range", ALIGN_LEFT},
        [METRIC] = {best->metric_count ? best->metrics[0].name : "metric", ALIGN_RIGHT},
        [SPEEDUP] = {"speed-up", ALIGN_RIGHT},
    };
    struct table table;
    table_init(&table, columns_of, COLUMNS);
    text_addf(out, "Best of %llu correct configurations (",
              (unsigned long long)v->by_status[STATUS_CORRECT]);
    report_check(&v->check, out);
    text_add(out, "):\n");
    put_rows(&table, v, most);
    table_print(&table, "", out);
    table_release(&table);
    if (has_tie(v, most))
        text_add(out, "~ cannot be told from the best: the intervals overlap\n");
    if (has_range(v, most))
        text_add(out, "( .. ) or nothing: fewer than six launches, their range\n");
    if (v->baseline)
        text_addf(out, "speed-up: over the default, %s\n", v->baseline->configuration);
}

// ---- failures and time -------------------------------------------------------------------------

static void put_failures(const struct view_summary *v, struct text *out)
{
    for (unsigned s = 0; s < STATUS_COUNT; s++) {
        const struct view_result *example = v->examples[s];
        if (s == STATUS_CORRECT || v->by_status[s] == 0)
            continue;
        text_addf(out, "%llu %s (%s)", (unsigned long long)v->by_status[s],
                  status_text((enum status)s), status_meaning((enum status)s));
        if (example)
            text_addf(out, "%s%s: %s", example->configuration[0] ? ", e.g. " : "",
                      example->configuration, example->result->message);
        text_add(out, "\n");
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
    span_to_str(v->elapsed_ns, elapsed);
    text_addf(out, "%llu of %llu configurations", (unsigned long long)v->done,
              (unsigned long long)v->valid);
    if (v->reused > 0)
        text_addf(out, " (%llu known already)", (unsigned long long)v->reused);
    if (v->identical > 0)
        text_addf(out, " (%llu identical to another)", (unsigned long long)v->identical);
    text_addf(out, " in %s", elapsed);
    put_span(out, "builds in parallel", v->build_ns, &separator);
    put_span(out, "loading", v->load_ns, &separator);
    put_span(out, "inputs", v->inputs_ns, &separator);
    put_span(out, "reference", v->reference_ns, &separator);
    put_span(out, "verifying", v->verify_ns, &separator);
    put_span(out, "measuring", v->measure_ns, &separator);
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

void report_summary(const struct view_summary *v, size_t most, struct text *out)
{
    if (v->result_count > 0)
        put_table(v, most, out);
    else
        text_add(out, "No configuration gave a correct result that was measured.\n");
    put_failures(v, out);
    put_spent(v, out);
    put_end(v, out);
}
