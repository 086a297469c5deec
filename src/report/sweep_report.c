// A sweep as a table (text or Markdown), JSON and CSV. All of them read struct view_sweep, whose
// entries point to those of the workflow and add what is computed of them: metrics and shares.
#include "report/sweep_report.h"

#include "report/convert.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what is shown -----------------------------------------------------------------------------

static const struct view_metric *shown_of(const struct view_sweep *v,
                                          const struct view_sweep_entry *n)
{
    bool has =
        n->n->timed && n->metrics && v->shown < v->metric_count && n->metrics[v->shown].known;
    return has ? &n->metrics[v->shown] : NULL;
}

// "M=512, N=512": those that vary, or all where none does.
static void put_point(const struct view_sweep *v, const struct view_sweep_row *row, bool all,
                      struct text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < v->name_count; i++) {
        if (!all && !v->names[i].varies)
            continue;
        text_addf(out, "%s%s=%s", any ? ", " : "", v->names[i].name, row->values[i]);
        any = true;
    }
    if (!any && !all)
        put_point(v, row, true, out);
}

// The ratio and its interval, as one over the other line's time.
static void put_sweep_ratio(const struct stats_ratio *r, struct text *number, struct text *interval)
{
    text_addf(number, "%.3f", r->ratio);
    put_range(r->low, r->high, 3, r->interval, interval);
}

static void write_sweep_head(const void *report, struct text *out)
{
    const struct view_sweep *v = report;
    report_device(v->device, out);
    text_addf(out, "Sweep: %s at ", v->lines[0].label);
    put_count(v->planned, "point", out);
    for (uint32_t i = 1; i < v->line_count; i++)
        text_addf(out, "%s%s",
                  i == 1                   ? ", against "
                  : i + 1 == v->line_count ? " and "
                                           : ", ",
                  v->lines[i].label);
    text_add(out, "\n\n");
}

void report_sweep_row(const struct view_sweep *v, const struct view_sweep_row *row,
                      struct text *out)
{
    char number[UNITS_SIZE];
    const struct view_sweep_entry *first = &row->entries[0];
    put_point(v, row, false, out);
    text_add(out, ": ");
    if (!first->n->timed) {
        text_add(out, first->n->why ? first->n->why : "not measured");
        return;
    }
    duration_to_str(first->n->stats.median, number);
    text_add(out, number);
    const struct view_metric *m = shown_of(v, first);
    if (m) {
        number_to_str(m->value, number);
        text_addf(out, ", %s %s", number, m->name);
    }
    for (uint32_t i = 1; i < v->line_count; i++) {
        const struct view_sweep_entry *n = &row->entries[i];
        if (n->n->compared)
            text_addf(out, ", %.3f times as fast as %s", n->n->ratio.ratio, v->lines[i].label);
        else if (n->n->why)
            text_addf(out, "; %s: %s", v->lines[i].label, n->n->why);
    }
    if (first->n->known)
        text_add(out, " (known from the store");
    if (first->n->known && first->n->subspace)
        text_addf(out, ", of a part%s%s", first->n->subspace[0] ? ": " : "", first->n->subspace);
    if (first->n->known)
        text_add(out, ")");
}

// ---- tables ------------------------------------------------------------------------------------

// The columns of a table: constants, what the first line has, three of each further line, its
// configuration. Titles and columns are in the table's arena.
struct layout {
    size_t time, metrics, share, others, configuration, count;
};

static struct layout layout_of(const struct view_sweep *v)
{
    struct layout l = {.time = v->name_count};
    l.metrics = l.time + 2;
    l.share = l.metrics + v->metric_count;
    l.others = l.share + 1;
    l.configuration = l.others + 3 * (size_t)(v->line_count - 1);
    l.count = l.configuration + 1;
    return l;
}

static const char *title(struct arena *a, const char *format, const char *label)
{
    struct text t = TEXT_INIT;
    text_addf(&t, format, label); // NOLINT: formats of this file
    const char *copy = t.failed ? NULL : arena_strdup(a, text_cstr(&t));
    text_release(&t);
    return copy ? copy : "";
}

static bool is_same(const struct view_sweep *v, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < v->row_count; i++) {
        if (!str_equal(v->rows[i].values[a], v->rows[i].values[b]))
            return false;
    }
    return true;
}

// Names that vary, or of a single point all, have a column; those that are the same at every point
// share one.
static bool has_column(const struct view_sweep *v, uint32_t name)
{
    bool has = v->names[name].varies || v->row_count == 1;
    for (uint32_t i = 0; has && i < name; i++)
        has = !is_same(v, i, name);
    return has;
}

// "M = N = K"
static const char *name_title(const struct view_sweep *v, uint32_t name, struct arena *a)
{
    struct text t = TEXT_INIT;
    text_add(&t, v->names[name].name);
    for (uint32_t i = name + 1; i < v->name_count; i++) {
        if (is_same(v, name, i))
            text_addf(&t, " = %s", v->names[i].name);
    }
    const char *copy = t.failed ? NULL : arena_strdup(a, text_cstr(&t));
    text_release(&t);
    return copy ? copy : "";
}

static void make_columns(const struct view_sweep *v, const struct layout *l, struct arena *a,
                         struct table_column *columns_of)
{
    for (size_t i = 0; i < l->count; i++)
        columns_of[i] = (struct table_column){"", ALIGN_RIGHT};
    for (uint32_t i = 0; i < v->name_count; i++)
        columns_of[i].title = name_title(v, i, a);
    columns_of[l->time].title = "median";
    columns_of[l->time + 1] = (struct table_column){"95 % interval", ALIGN_LEFT};
    for (size_t i = 0; i < v->metric_count; i++)
        columns_of[l->metrics + i].title = v->metrics[i];
    columns_of[l->share].title = "of peak";
    for (uint32_t i = 1; i < v->line_count; i++) {
        size_t at = l->others + 3 * (size_t)(i - 1);
        columns_of[at].title = v->lines[i].label;
        columns_of[at + 1].title = title(a, "times %s", v->lines[i].label);
        columns_of[at + 2] = (struct table_column){"95 % interval", ALIGN_LEFT};
    }
    columns_of[l->configuration] = (struct table_column){"configuration", ALIGN_LEFT};
}

// A further line's metric, or its time where that is what is shown.
static void put_other(const struct view_sweep *v, const struct view_sweep_entry *n,
                      struct text *cells)
{
    char number[UNITS_SIZE];
    const struct view_metric *m = shown_of(v, n);
    if (!n->n->timed)
        return;
    if (m)
        number_to_str(m->value, number);
    else
        duration_to_str(n->n->stats.median, number);
    text_add(&cells[0], number);
    if (n->n->compared)
        put_sweep_ratio(&n->n->ratio, &cells[1], &cells[2]);
}

static void fill(const struct view_sweep *v, const struct layout *l,
                 const struct view_sweep_row *row, struct text *cells)
{
    char number[UNITS_SIZE];
    const struct view_sweep_entry *first = &row->entries[0];
    for (uint32_t i = 0; i < v->name_count; i++)
        text_add(&cells[i], has_column(v, i) ? row->values[i] : "");
    if (first->n->timed) {
        duration_to_str(first->n->stats.median, number);
        text_add(&cells[l->time], number);
        if (first->n->stats.count > 1)
            report_interval(&first->n->stats, &cells[l->time + 1]);
    }
    for (size_t i = 0; first->n->timed && first->metrics && i < v->metric_count; i++) {
        if (!first->metrics[i].known)
            continue;
        number_to_str(first->metrics[i].value, number);
        text_add(&cells[l->metrics + i], number);
    }
    if (!isnan(first->share))
        text_addf(&cells[l->share], "%.1f %%", 100 * first->share);
    for (uint32_t i = 1; i < v->line_count; i++)
        put_other(v, &row->entries[i], &cells[l->others + 3 * (size_t)(i - 1)]);
    text_add(&cells[l->configuration], first->n->configuration ? first->n->configuration : "");
}

// ---- sentences ---------------------------------------------------------------------------------

// The geometric mean over all points at which both are known.
static void put_means(const struct view_sweep *v, struct text *out)
{
    for (uint32_t i = 1; i < v->line_count; i++) {
        double logarithms = 0;
        uint32_t count = 0;
        for (uint32_t k = 0; k < v->row_count; k++) {
            const struct view_sweep_entry *n = &v->rows[k].entries[i];
            if (!n->n->compared)
                continue;
            logarithms += log(n->n->ratio.ratio);
            count++;
        }
        if (count > 1) {
            text_addf(out, "%s is %.3f times as fast as %s, geometric mean over ",
                      v->lines[0].label, exp(logarithms / count), v->lines[i].label);
            put_count(count, "point", out);
            text_add(out, "; both interleaved at each\n");
        }
    }
}

static bool has_share(const struct view_sweep *v)
{
    for (uint32_t i = 0; i < v->row_count; i++) {
        if (!isnan(v->rows[i].entries[0].share))
            return true;
    }
    return false;
}

static bool is_beyond(const struct view_sweep *v)
{
    for (uint32_t i = 0; i < v->row_count; i++) {
        if (v->rows[i].entries[0].share > v->limit_high / v->limit)
            return true;
    }
    return false;
}

static void put_sentences(const struct view_sweep *v, struct text *out)
{
    char span[UNITS_SIZE], number[UNITS_SIZE];
    uint32_t known = 0, parts = 0;
    for (uint32_t i = 0; i < v->row_count; i++) {
        known += v->rows[i].entries[0].n->known;
        parts += v->rows[i].entries[0].n->subspace != NULL;
    }
    for (uint32_t i = 0; i < v->row_count; i++) {
        for (uint32_t k = 0; k < v->line_count; k++) {
            const struct view_sweep_entry *n = &v->rows[i].entries[k];
            if (!n->n->why)
                continue;
            put_point(v, &v->rows[i], false, out);
            text_addf(out, ": %s: %s\n", v->lines[k].label, n->n->why);
        }
    }
    put_means(v, out);
    if (!isnan(v->limit) && has_share(v)) {
        number_to_str(v->limit, number);
        text_addf(out,
                  "of peak: of the %s %s that the device's %s was measured to have "
                  "(hone peak)\n",
                  number, v->metrics[v->shown], v->limit_title);
        if (is_beyond(v))
            text_add(out, "More than the peak: other units had a part (tensor cores, half "
                          "precision), or others used the device while it was measured (then "
                          "again: hone peak)\n");
    }
    put_share(v->row_count, v->planned, "point", out);
    span_to_str(v->elapsed_ns, span);
    text_addf(out, " in %s, ", span);
    text_addf(out, "%llu launch%s", (unsigned long long)v->launches, v->launches == 1 ? "" : "es");
    if (known > 0)
        text_addf(out, "; %u known from the store", known);
    if (parts > 0)
        text_addf(out, ", %u of them the best of a part of the space only", parts);
    text_add(out, v->cancelled ? "; ended early\n" : "\n");
    if (v->about->broken)
        text_addf(out, "Broken off: %s\n", v->about->broken);
}

static void put_sweep(const struct view_sweep *v, enum report_format format, struct text *out)
{
    struct arena a;
    struct table table;
    struct layout l = layout_of(v);
    arena_init(&a);
    struct table_column *columns_of = arena_array(&a, l.count, sizeof *columns_of);
    struct text *cells = arena_array(&a, l.count, sizeof *cells);
    out->failed |= !columns_of || !cells;
    if (columns_of && cells) {
        make_columns(v, &l, &a, columns_of);
        table_init(&table, columns_of, l.count);
        for (uint32_t i = 0; i < v->row_count; i++) {
            fill(v, &l, &v->rows[i], cells);
            table_row(&table);
            for (size_t k = 0; k < l.count; k++) {
                table_cell(&table, k, "%s", text_cstr(&cells[k]));
                out->failed |= cells[k].failed;
                text_release(&cells[k]);
            }
            if (!v->rows[i].entries[0].n->timed) // the reason stands below
                table_cell(&table, l.time, "failed");
        }
        table_print(&table, format, "", out);
        table_release(&table);
    }
    put_sentences(v, out);
    arena_release(&a);
}

// ---- JSON --------------------------------------------------------------------------------------

static void entry_json(const struct view_sweep *v, uint32_t line, const struct view_sweep_entry *n,
                       struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "label", v->lines[line].label);
    emit_raw_at(j, "configuration", n->n->configuration_json);
    emit_text_at(j, "status", n->n->result ? status_text(n->n->result->status) : NULL);
    emit_bool_at(j, "known", n->n->known);
    emit_text_at(j, "part", n->n->subspace);
    emit_bool_at(j, "in_turn", n->n->in_turn);
    emit_f64_at(j, "median_ns", n->n->timed ? n->n->stats.median : NAN);
    emit_pair_at(j, "interval_ns", n->n->timed && n->n->stats.interval, n->n->stats.low,
                 n->n->stats.high);
    emit_u64_at(j, "samples", n->n->timed ? n->n->stats.count : 0);
    emit_key(j, "metrics");
    emit_object(j);
    for (size_t i = 0; i < v->metric_count; i++)
        emit_f64_at(j, v->metrics[i],
                    n->metrics && n->metrics[i].known ? n->metrics[i].value : NAN);
    emit_object_end(j);
    emit_f64_at(j, "share", n->share);
    emit_f64_at(j, "times_as_fast", n->n->compared ? n->n->ratio.ratio : NAN);
    emit_pair_at(j, "times_as_fast_interval", n->n->compared && n->n->ratio.interval,
                 n->n->ratio.low, n->n->ratio.high);
    emit_text_at(j, "message", n->n->why);
    emit_object_end(j);
}

static void row_json(const struct view_sweep *v, const struct view_sweep_row *row, struct emit *j)
{
    emit_object(j);
    emit_key(j, "constants");
    emit_object(j);
    for (uint32_t i = 0; i < v->name_count; i++) {
        // A number as it stands: an integer remains one.
        bool stands = isfinite(row->numbers[i]) && strchr("-0123456789", row->values[i][0]);
        if (isnan(row->numbers[i]))
            emit_text_at(j, v->names[i].name, row->values[i]);
        else if (stands)
            emit_raw_at(j, v->names[i].name, row->values[i]);
        else
            emit_f64_at(j, v->names[i].name, row->numbers[i]);
    }
    emit_object_end(j);
    emit_key(j, "lines");
    emit_array(j);
    for (uint32_t i = 0; i < v->line_count; i++)
        entry_json(v, i, &row->entries[i], j);
    emit_array_end(j);
    emit_object_end(j);
}

static void limit_json(const struct view_sweep *v, struct emit *j)
{
    emit_key(j, "limit");
    if (isnan(v->limit)) {
        emit_null(j);
        return;
    }
    emit_object(j);
    emit_text_at(j, "metric", v->metrics[v->shown]);
    emit_text_at(j, "what", v->limit_title);
    emit_f64_at(j, "value", v->limit);
    emit_pair_at(j, "interval", true, v->limit_low, v->limit_high);
    emit_object_end(j);
}

static void put_sweep_json(const struct view_sweep *v, struct emit *j)
{
    emit_object(j);
    report_about_json(v->about, j);
    emit_text_at(j, "spec", v->spec_path);
    emit_key(j, "device");
    report_device_json(v->device, j);
    emit_key(j, "names");
    emit_array(j);
    for (uint32_t i = 0; i < v->name_count; i++)
        emit_text(j, v->names[i].name);
    emit_array_end(j);
    emit_key(j, "lines");
    emit_array(j);
    for (uint32_t i = 0; i < v->line_count; i++) {
        emit_object(j);
        emit_text_at(j, "label", v->lines[i].label);
        emit_text_at(j, "spec", v->lines[i].spec);
        emit_bool_at(j, "routine", v->lines[i].is_routine);
        emit_object_end(j);
    }
    emit_array_end(j);
    emit_text_at(j, "metric", v->shown < v->metric_count ? v->metrics[v->shown] : NULL);
    limit_json(v, j);
    emit_u64_at(j, "points", v->planned);
    emit_key(j, "rows");
    emit_array(j);
    for (uint32_t i = 0; i < v->row_count; i++)
        row_json(v, &v->rows[i], j);
    emit_array_end(j);
    emit_u64_at(j, "launches", v->launches);
    emit_u64_at(j, "elapsed_ns", v->elapsed_ns);
    emit_bool_at(j, "cancelled", v->cancelled);
    emit_text_at(j, "error", v->about->broken);
    emit_object_end(j);
}

// ---- CSV ---------------------------------------------------------------------------------------

static void put_field(const char *s, struct text *out)
{
    report_csv_field(s, "", out);
    text_addc(out, ',');
}

static void put_sweep_number(double value, struct text *out)
{
    char number[32];
    f64_to_str(value, number);
    put_field(isnan(value) ? "" : number, out);
}

static void put_csv_row(const struct view_sweep *v, const struct view_sweep_row *row, uint32_t line,
                        struct text *out)
{
    const struct view_sweep_entry *n = &row->entries[line];
    const struct view_sweep_line *l = &v->lines[line];
    for (uint32_t i = 0; i < v->name_count; i++)
        put_field(row->values[i], out);
    put_field(l->label, out);
    put_field(l->is_routine ? "routine" : "tuned", out);
    put_field(n->n->configuration ? n->n->configuration : "", out);
    put_field(n->n->result ? status_text(n->n->result->status) : "", out);
    put_sweep_number(n->n->timed ? n->n->stats.median : NAN, out);
    put_sweep_number(n->n->timed ? n->n->stats.low : NAN, out);
    put_sweep_number(n->n->timed ? n->n->stats.high : NAN, out);
    text_addf(out, "%zu,", n->n->timed ? n->n->stats.count : 0);
    for (size_t i = 0; i < v->metric_count; i++) {
        bool has = n->n->timed && n->metrics && n->metrics[i].known;
        put_sweep_number(has ? n->metrics[i].value : NAN, out);
        put_sweep_number(has && n->slow[i].known ? n->slow[i].value : NAN, out);
        put_sweep_number(has && n->fast[i].known ? n->fast[i].value : NAN, out);
    }
    put_sweep_number(n->share, out);
    put_sweep_number(n->n->compared ? n->n->ratio.ratio : NAN, out);
    put_sweep_number(n->n->compared ? n->n->ratio.low : NAN, out);
    put_sweep_number(n->n->compared ? n->n->ratio.high : NAN, out);
    put_field(n->n->in_turn ? "1" : "0", out);
    put_field(n->n->why ? n->n->why : "", out);
    put_field(l->spec, out);
    put_field(v->device->name, out);
    put_field(v->device->driver, out);
    if (!out->failed)
        out->data[out->length - 1] = '\n';
}

void report_sweep_csv(const struct view_sweep *v, struct text *out)
{
    for (uint32_t i = 0; i < v->name_count; i++)
        put_field(v->names[i].name, out);
    text_add(out, "line,kind,configuration,status,median_ns,low_ns,high_ns,samples,");
    for (size_t i = 0; i < v->metric_count; i++) {
        struct text name = TEXT_INIT;
        put_field(v->metrics[i], out);
        for (int end = 0; end < 2; end++) {
            text_addf(&name, "%s %s", v->metrics[i], end ? "fast" : "slow");
            put_field(text_cstr(&name), out);
            out->failed |= name.failed;
            text_clear(&name);
        }
        text_release(&name);
    }
    text_add(out, "share_of_peak,times_as_fast,times_as_fast_low,times_as_fast_high,in_turn,"
                  "message,spec,device,driver\n");
    for (uint32_t i = 0; i < v->row_count && !out->failed; i++) {
        for (uint32_t k = 0; k < v->line_count && !out->failed; k++)
            put_csv_row(v, &v->rows[i], k, out);
    }
}

// ---- the writers -------------------------------------------------------------------------------

static void write_sweep_end(const void *report, struct text *out)
{
    put_sweep(report, REPORT_TEXT, out);
}

static void write_sweep_end_markdown(const void *report, struct text *out)
{
    put_sweep(report, REPORT_MARKDOWN, out);
}

static void write_sweep_end_json(const void *report, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    put_sweep_json(report, &j);
    text_add(out, "\n");
}

static void write_sweep_end_csv(const void *report, struct text *out)
{
    report_sweep_csv(report, out);
}

const writers sweep_writers = {
    [REPORT_TEXT] = {.head = write_sweep_head, .end = write_sweep_end},
    [REPORT_JSON] = {.end = write_sweep_end_json},
    [REPORT_MARKDOWN] = {.end = write_sweep_end_markdown},
    [REPORT_CSV] = {.end = write_sweep_end_csv},
};
