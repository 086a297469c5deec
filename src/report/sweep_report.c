// A sweep as a table (text or Markdown), JSON and CSV. All of them read the
// workflow's records; metrics and shares are computed where they are shown.
#include "base/fields.h"
#include "report/sweep_report.h"

#include "report/convert.h"
#include "report/peak_report.h"
#include "report/table.h"
#include "report/units.h"
#include "report/values.h"

#include <math.h>
#include <string.h>

// ---- what is shown -----------------------------------------------------------------------------

uint32_t report_sweep_shown(const struct sweep_report *v)
{
    return report_rate_metric(v->spec);
}

double report_sweep_metric(const struct sweep_report *v, uint32_t line, const struct sweep_entry *n,
                           uint32_t metric, double ns)
{
    const struct sweep_report_line *l = &v->lines[line];
    double value, found = NAN;
    for (uint32_t k = 0; n->timed && k < n->spec->metric_count; k++) {
        bool is_it = str_equal(n->spec->metrics[k].name, v->spec->metrics[metric].name) &&
                     (!l->is_routine || spec_metric_is_of_time(n->spec, k));
        if (is_it && report_metric_at(n->spec, k, n->choice, l->device, ns, n->result, &value))
            found = value;
    }
    return found;
}

const char *report_sweep_value(const struct sweep_report *v, const struct sweep_record *r,
                               uint32_t name)
{
    return v->plan->points[r->point].set[name] + strlen(v->plan->names[name].name) + 1;
}

bool report_sweep_limit(const struct sweep_report *v, struct sweep_limit *out)
{
    struct peak_share share;
    uint32_t shown = report_sweep_shown(v);
    if (shown == UINT32_MAX || !peak_share(v->peak, v->spec->metrics[shown].name, 1, &share))
        return false;
    const struct peak_rate *rate = &v->peak->rates[share.limit];
    *out = (struct sweep_limit){rate->median / share.scale, rate->low / share.scale,
                                rate->high / share.scale, peak_limit_title(share.limit)};
    return true;
}

// The metric that is shown, at the median; NaN: none is, or it has no value.
static double shown_of(const struct sweep_report *v, uint32_t line, const struct sweep_entry *n)
{
    uint32_t shown = report_sweep_shown(v);
    return shown == UINT32_MAX ? NAN : report_sweep_metric(v, line, n, shown, n->stats.median);
}

// The share of the limit that the shown metric reaches; NaN: not known.
static double share_of(const struct sweep_report *v, uint32_t line, const struct sweep_entry *n)
{
    struct peak_share share;
    double value = shown_of(v, line, n);
    bool known = !isnan(value) &&
                 peak_share(v->peak, v->spec->metrics[report_sweep_shown(v)].name, value, &share);
    return known ? share.share : NAN;
}

// "M=512, N=512": those that vary, or all where none does.
static void put_point(const struct sweep_report *v, const struct sweep_record *row, bool all,
                      struct text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < v->plan->name_count; i++) {
        if (!all && !v->plan->names[i].varies)
            continue;
        text_addf(out, "%s%s=%s", any ? ", " : "", v->plan->names[i].name,
                  report_sweep_value(v, row, i));
        any = true;
    }
    if (!any && !all)
        put_point(v, row, true, out);
}

static void write_sweep_head(const void *report, struct text *out)
{
    const struct sweep_report *v = report;
    report_device(v->device, out);
    text_addf(out, "Sweep: %s at ", v->lines[0].label);
    put_count(v->plan->point_count, "point", out);
    for (uint32_t i = 1; i < v->line_count; i++)
        text_addf(out, "%s%s",
                  i == 1                   ? ", against "
                  : i + 1 == v->line_count ? " and "
                                           : ", ",
                  v->lines[i].label);
    text_add(out, "\n\n");
}

void report_sweep_row(const struct sweep_report *v, const struct sweep_record *row,
                      struct text *out)
{
    char number[UNITS_SIZE];
    const struct sweep_entry *first = &row->entries[0];
    put_point(v, row, false, out);
    text_add(out, ": ");
    if (!first->timed) {
        text_add(out, first->why ? first->why : "not measured");
        return;
    }
    duration_to_str(first->stats.median, number);
    text_add(out, number);
    double shown = shown_of(v, 0, first);
    if (!isnan(shown)) {
        text_add(out, ", ");
        report_metric(v->spec->metrics[report_sweep_shown(v)].name, shown, out);
    }
    for (uint32_t i = 1; i < v->line_count; i++) {
        const struct sweep_entry *n = &row->entries[i];
        if (n->compared)
            text_addf(out, ", %.3f times as fast as %s", n->ratio.ratio, v->lines[i].label);
        else if (n->why)
            text_addf(out, "; %s: %s", v->lines[i].label, n->why);
    }
    if (first->known)
        text_add(out, " (known from the store");
    if (first->known && first->subspace)
        text_addf(out, ", of a part%s%s", first->subspace[0] ? ": " : "", first->subspace);
    if (first->known)
        text_add(out, ")");
}

// ---- tables ------------------------------------------------------------------------------------

// The columns of a table: constants, what the first line has, three of each further line, its
// configuration. Titles and columns are in the table's arena.
struct layout {
    size_t time, metrics, share, others, configuration, count;
};

static struct layout layout_of(const struct sweep_report *v)
{
    struct layout l = {.time = v->plan->name_count};
    l.metrics = l.time + 2;
    l.share = l.metrics + v->spec->metric_count;
    l.others = l.share + 1;
    l.configuration = l.others + 3 * (size_t)(v->line_count - 1);
    l.count = l.configuration + 1;
    return l;
}

static const char *title(struct arena *a, const char *format, const char *label)
{
    struct text t = TEXT_INIT;
    text_addf(&t, format, label); // NOLINT: formats of this file
    const char *copy = text_to_arena(&t, a);
    return copy ? copy : "";
}

static bool is_same(const struct sweep_report *v, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < v->count; i++) {
        if (!str_equal(report_sweep_value(v, &v->records[i], a),
                       report_sweep_value(v, &v->records[i], b)))
            return false;
    }
    return true;
}

// Names that vary, or of a single point all, have a column; those that are the same at every point
// share one.
static bool has_column(const struct sweep_report *v, uint32_t name)
{
    bool has = v->plan->names[name].varies || v->count == 1;
    for (uint32_t i = 0; has && i < name; i++)
        has = !is_same(v, i, name);
    return has;
}

// "M = N = K"
static const char *name_title(const struct sweep_report *v, uint32_t name, struct arena *a)
{
    struct text t = TEXT_INIT;
    text_add(&t, v->plan->names[name].name);
    for (uint32_t i = name + 1; i < v->plan->name_count; i++) {
        if (is_same(v, name, i))
            text_addf(&t, " = %s", v->plan->names[i].name);
    }
    const char *copy = text_to_arena(&t, a);
    return copy ? copy : "";
}

static void make_columns(const struct sweep_report *v, const struct layout *l, struct arena *a,
                         struct table_column *columns_of)
{
    for (size_t i = 0; i < l->count; i++)
        columns_of[i] = (struct table_column){"", ALIGN_RIGHT};
    for (uint32_t i = 0; i < v->plan->name_count; i++)
        columns_of[i].title = name_title(v, i, a);
    columns_of[l->time].title = "median";
    columns_of[l->time + 1] = (struct table_column){"95 % interval", ALIGN_LEFT};
    for (size_t i = 0; i < v->spec->metric_count; i++)
        columns_of[l->metrics + i].title = v->spec->metrics[i].name;
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
static void put_other(const struct sweep_report *v, uint32_t line, const struct sweep_entry *n,
                      struct table *t, size_t column)
{
    char number[UNITS_SIZE];
    double shown = shown_of(v, line, n);
    if (!n->timed)
        return;
    if (!isnan(shown))
        number_to_str(shown, number);
    else
        duration_to_str(n->stats.median, number);
    table_cell(t, column, "%s", number);
    if (!n->compared)
        return;
    table_cell(t, column + 1, "%.3f", n->ratio.ratio);
    put_range(n->ratio.low, n->ratio.high, 3, n->ratio.interval, table_text(t, column + 2));
}

static void fill(const struct sweep_report *v, const struct layout *l,
                 const struct sweep_record *row, struct table *t)
{
    char number[UNITS_SIZE];
    const struct sweep_entry *first = &row->entries[0];
    table_row(t);
    for (uint32_t i = 0; i < v->plan->name_count; i++)
        table_cell(t, i, "%s", has_column(v, i) ? report_sweep_value(v, row, i) : "");
    duration_to_str(first->stats.median, number);
    table_cell(t, l->time, "%s", first->timed ? number : "failed"); // the reason stands below
    if (first->timed && first->stats.count > 1)
        report_interval(&first->stats, table_text(t, l->time + 1));
    for (uint32_t i = 0; i < v->spec->metric_count; i++) {
        double value = report_sweep_metric(v, 0, first, i, first->stats.median);
        number_to_str(value, number);
        table_cell(t, l->metrics + i, "%s", isnan(value) ? "" : number);
    }
    double share = share_of(v, 0, first);
    if (!isnan(share))
        table_cell(t, l->share, "%.1f %%", 100 * share);
    for (uint32_t i = 1; i < v->line_count; i++)
        put_other(v, i, &row->entries[i], t, l->others + 3 * (size_t)(i - 1));
    table_cell(t, l->configuration, "%s", first->configuration ? first->configuration : "");
}

// ---- sentences ---------------------------------------------------------------------------------

// The geometric mean over all points at which both are known.
static void put_means(const struct sweep_report *v, struct text *out)
{
    for (uint32_t i = 1; i < v->line_count; i++) {
        double logarithms = 0;
        uint32_t count = 0;
        for (uint32_t k = 0; k < v->count; k++) {
            const struct sweep_entry *n = &v->records[k].entries[i];
            if (!n->compared)
                continue;
            logarithms += log(n->ratio.ratio);
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

// The greatest share of the limit that the first line has; NaN: none is known.
static double greatest_share(const struct sweep_report *v)
{
    double most = NAN;
    for (uint32_t i = 0; i < v->count; i++)
        most = fmax(most, share_of(v, 0, &v->records[i].entries[0])); // a number beats NaN
    return most;
}

static void put_sentences(const struct sweep_report *v, struct text *out)
{
    char span[UNITS_SIZE], number[UNITS_SIZE];
    uint32_t known = 0, parts = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        known += v->records[i].entries[0].known;
        parts += v->records[i].entries[0].subspace != NULL;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = 0; k < v->line_count; k++) {
            const struct sweep_entry *n = &v->records[i].entries[k];
            if (!n->why)
                continue;
            put_point(v, &v->records[i], false, out);
            text_addf(out, ": %s: %s\n", v->lines[k].label, n->why);
        }
    }
    put_means(v, out);
    double share = greatest_share(v);
    struct sweep_limit limit;
    if (!isnan(share) && report_sweep_limit(v, &limit)) {
        number_to_str(limit.value, number);
        text_addf(out,
                  "of peak: of the %s %s that the device's %s was measured to have (hone peak)\n",
                  number, v->spec->metrics[report_sweep_shown(v)].name, limit.title);
        if (share > limit.high / limit.value)
            text_add(out,
                     "More than the peak: other units contributed (tensor cores, half precision), "
                     "or the device was shared while it was measured (then repeat hone peak)\n");
    }
    put_share(v->count, v->plan->point_count, "point", out);
    span_to_str(v->progress.common.elapsed_ns, span);
    text_addf(out, " in %s, ", span);
    text_addf(out, "%llu launch%s", (unsigned long long)v->progress.launches,
              v->progress.launches == 1 ? "" : "es");
    if (known > 0)
        text_addf(out, "; %u known from the store", known);
    if (parts > 0)
        text_addf(out, ", %u of them the best of a part of the space only", parts);
    text_add(out, v->progress.common.cancelled ? "; ended early\n" : "\n");
}

static void put_sweep(const struct sweep_report *v, enum report_format format, struct text *out)
{
    struct arena a;
    struct table table;
    struct layout l = layout_of(v);
    arena_init(&a);
    struct table_column *columns_of = arena_array(&a, l.count, sizeof *columns_of);
    out->failed |= !columns_of;
    if (columns_of) {
        make_columns(v, &l, &a, columns_of);
        table_init(&table, columns_of, l.count);
        for (uint32_t i = 0; i < v->count; i++)
            fill(v, &l, &v->records[i], &table);
        table_end(&table, format, "", out);
    }
    put_sentences(v, out);
    if (v->about->broken) // beside a text the reason is the error
        text_addf(out, "Broken off%s%s\n", format == REPORT_MARKDOWN ? ": " : "",
                  format == REPORT_MARKDOWN ? v->about->broken : "");
    arena_release(&a);
}

// ---- JSON --------------------------------------------------------------------------------------

// The cell of a line at a point.
struct sweep_cell {
    const struct sweep_entry *entry;
    uint32_t line;
};

static void emit_sweep_metrics(const void *record, const void *context, struct emit *j)
{
    const struct sweep_cell *v = record;
    const struct sweep_report *report = context;
    emit_object(j);
    for (uint32_t i = 0; i < report->spec->metric_count; i++)
        emit_f64_at(j, report->spec->metrics[i].name,
                    report_sweep_metric(report, v->line, v->entry, i, v->entry->stats.median));
    emit_object_end(j);
}

#define N v->entry
#define SWEEP_CELL(X)                                                                              \
    X(TEXT, label, (c->lines[v->line].label), "", "")                                              \
    X(JSON, configuration, (N->configuration_json), "{}", "")                                      \
    X(TEXT, status, (N->result ? status_text(N->result->status) : NULL), "", "as of hone tune")    \
    X(BOOL, known, (N->known), "", "from the store")                                               \
    X(TEXT, part, (N->subspace), "", "of the space that it is the best of, with --known")          \
    X(BOOL, in_turn, (N->in_turn), "", "launches were interleaved with the other lines'")          \
    X(F64, median_ns, (N->timed ? N->stats.median : NAN), "ns", "")                                \
    X(PAIR, interval_ns, (N->timed && N->stats.interval, N->stats.low, N->stats.high), "ns",       \
      "null below six samples")                                                                    \
    X(U64, samples, (N->timed ? N->stats.count : 0), "", "")                                       \
    X(PUT, metrics, (emit_sweep_metrics, v), "{}", "the spec's")                                   \
    X(F64, share, (share_of(c, v->line, N)), "", "of the device's peak")                           \
    X(F64, times_as_fast, (N->compared ? N->ratio.ratio : NAN), "", "the first line is")           \
    X(PAIR, times_as_fast_interval,                                                                \
      (N->compared && N->ratio.interval, N->ratio.low, N->ratio.high), "", "")                     \
    X(TEXT, message, (N->why), "", "")
FIELDS(sweep_cell_fields, struct sweep_cell, struct sweep_report, SWEEP_CELL)

static void emit_sweep_cells(const void *record, const void *context, struct emit *j)
{
    const struct sweep_record *row = record;
    for (uint32_t i = 0; i < ((const struct sweep_report *)context)->line_count; i++) {
        const struct sweep_cell cell = {&row->entries[i], i};
        emit_record(j, &sweep_cell_fields, &cell, context);
    }
}

static void emit_point(const void *record, const void *context, struct emit *j)
{
    const struct sweep_record *row = record;
    const struct sweep_plan *plan = ((const struct sweep_report *)context)->plan;
    emit_object(j);
    for (uint32_t i = 0; i < plan->name_count; i++) {
        emit_key(j, plan->names[i].name);
        value_emit(&plan->points[row->point].values[i], j);
    }
    emit_object_end(j);
}

#define SWEEP_ROW(X)                                                                               \
    X(PUT, constants, (emit_point, v), "{}", "")                                                   \
    X(EACH, lines, (sweep_cell_fields, emit_sweep_cells, v), "", "")
FIELDS(sweep_row_fields, struct sweep_record, struct sweep_report, SWEEP_ROW)

#define SWEEP_LINE(X)                                                                              \
    X(TEXT, label, (v->label), "", "")                                                             \
    X(TEXT, spec, (v->spec), "", "")                                                               \
    X(BOOL, routine, (v->is_routine), "", "of a vendor")
FIELDS(sweep_line_fields, struct sweep_report_line, struct sweep_report, SWEEP_LINE)

static const char *shown_name(const struct sweep_report *v)
{
    uint32_t shown = report_sweep_shown(v);
    return shown == UINT32_MAX ? NULL : v->spec->metrics[shown].name;
}

#define SWEEP_LIMIT(X)                                                                             \
    X(TEXT, metric, (shown_name(c)), "", "")                                                       \
    X(TEXT, what, (v->title), "", "")                                                              \
    X(F64, value, (v->value), "", "")                                                              \
    X(PAIR, interval, (true, v->low, v->high), "", "")
FIELDS(sweep_limit_fields, struct sweep_limit, struct sweep_report, SWEEP_LIMIT)

static const struct sweep_limit *limit_of(const struct sweep_report *v, struct arena *a)
{
    struct sweep_limit limit;
    return report_sweep_limit(v, &limit) ? arena_copy(a, &limit, sizeof limit) : NULL;
}

static const char *const *names_of(const struct sweep_plan *plan, struct arena *a)
{
    const char **names = arena_array(a, plan->name_count, sizeof *names);
    for (uint32_t i = 0; names && i < plan->name_count; i++)
        names[i] = plan->names[i].name;
    return names;
}

#define SWEEP(X)                                                                                   \
    X(MEMBERS, about, (report_about_fields, v->about), "", "")                                     \
    X(TEXT, spec, (v->spec->path), "", "")                                                         \
    X(RECORD, device, (report_device_fields, v->device), "", "")                                   \
    X(TEXTS, names, (names_of(v->plan, a), v->plan->name_count), "", "of the constants")           \
    X(RECORDS, lines, (sweep_line_fields, v->lines, v->line_count), "", "")                        \
    X(TEXT, metric, (shown_name(v)), "", "the one shown; null: the time")                          \
    X(RECORD, limit, (sweep_limit_fields, limit_of(v, a)), "", "of the device")                    \
    X(U64, points, (v->plan->point_count), "", "")                                                 \
    X(RECORDS, rows, (sweep_row_fields, v->records, v->count), "", "")                             \
    X(U64, launches, (v->progress.launches), "", "")                                               \
    X(U64, elapsed_ns, (v->progress.common.elapsed_ns), "ns", "")                                  \
    X(BOOL, cancelled, (v->progress.common.cancelled), "", "")                                     \
    X(TEXT, error, (v->about->broken), "", "")
FIELDS_SHARED(report_sweep_fields, struct sweep_report, struct sweep_report, SWEEP)

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

static void put_csv_row(const struct sweep_report *v, const struct sweep_record *row, uint32_t line,
                        struct text *out)
{
    const struct sweep_entry *n = &row->entries[line];
    const struct sweep_report_line *l = &v->lines[line];
    for (uint32_t i = 0; i < v->plan->name_count; i++)
        put_field(report_sweep_value(v, row, i), out);
    put_field(l->label, out);
    put_field(l->is_routine ? "routine" : "tuned", out);
    put_field(n->configuration ? n->configuration : "", out);
    put_field(n->result ? status_text(n->result->status) : "", out);
    put_sweep_number(n->timed ? n->stats.median : NAN, out);
    put_sweep_number(n->timed ? n->stats.low : NAN, out);
    put_sweep_number(n->timed ? n->stats.high : NAN, out);
    text_addf(out, "%zu,", n->timed ? n->stats.count : 0);
    for (uint32_t i = 0; i < v->spec->metric_count; i++) {
        put_sweep_number(report_sweep_metric(v, line, n, i, n->stats.median), out);
        put_sweep_number(report_sweep_metric(v, line, n, i, n->stats.high), out);
        put_sweep_number(report_sweep_metric(v, line, n, i, n->stats.low), out);
    }
    put_sweep_number(share_of(v, line, n), out);
    put_sweep_number(n->compared ? n->ratio.ratio : NAN, out);
    put_sweep_number(n->compared ? n->ratio.low : NAN, out);
    put_sweep_number(n->compared ? n->ratio.high : NAN, out);
    put_field(n->in_turn ? "1" : "0", out);
    put_field(n->why ? n->why : "", out);
    put_field(l->spec, out);
    put_field(v->device->name, out);
    put_field(v->device->driver, out);
    if (!out->failed)
        out->data[out->length - 1] = '\n';
}

void report_sweep_csv(const void *report, struct text *out)
{
    const struct sweep_report *v = report;
    for (uint32_t i = 0; i < v->plan->name_count; i++)
        put_field(v->plan->names[i].name, out);
    text_add(out, "line,kind,configuration,status,median_ns,low_ns,high_ns,samples,");
    for (size_t i = 0; i < v->spec->metric_count; i++) {
        struct text name = TEXT_INIT;
        put_field(v->spec->metrics[i].name, out);
        for (int end = 0; end < 2; end++) {
            text_addf(&name, "%s %s", v->spec->metrics[i].name, end ? "fast" : "slow");
            put_field(text_cstr(&name), out);
            out->failed |= name.failed;
            text_clear(&name);
        }
        text_release(&name);
    }
    text_add(out, "share_of_peak,times_as_fast,times_as_fast_low,times_as_fast_high,in_turn,"
                  "message,spec,device,driver\n");
    for (uint32_t i = 0; i < v->count && !out->failed; i++) {
        for (uint32_t k = 0; k < v->line_count && !out->failed; k++)
            put_csv_row(v, &v->records[i], k, out);
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

const writers sweep_writers = {
    [REPORT_TEXT] = {.head = write_sweep_head, .end = write_sweep_end},
    [REPORT_JSON] = {.end_fields = &report_sweep_fields},
    [REPORT_MARKDOWN] = {.end = write_sweep_end_markdown},
    [REPORT_CSV] = {.end = report_sweep_csv},
};
