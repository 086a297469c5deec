// Prints how the best configuration of each kind of device performs on the others: a row for each
// best, a column for each device. The diagonal holds a best's time on its own device; other cells
// show how much longer it takes than that device's own best.
#include "base/fields.h"
#include "report/across_report.h"
#include "report/table.h"

#include <math.h>

static const struct across_cell *cell_of(const struct across_report *v, uint32_t best, uint32_t on)
{
    return &v->cells[(size_t)best * v->count + on];
}

// "31.2 % slower [30.8 .. 31.6]"; a range in parentheses.
static void put_loss(const struct stats_ratio *r, struct text *out)
{
    bool slower = r->ratio >= 1;
    double low = 100 * (r->low - 1), high = 100 * (r->high - 1);
    if (r->ratio >= 10) {
        text_addf(out, "%.3g times as long", r->ratio);
        return;
    }
    text_addf(out, "%.1f %% %s %c%.1f .. %.1f%c", fabs(100 * (r->ratio - 1)),
              slower ? "slower" : "faster", r->interval ? '[' : '(', slower ? low : -high,
              slower ? high : -low, r->interval ? ']' : ')');
}

static void put_across_cell(const struct across_report *v, uint32_t best, uint32_t on,
                            struct text *out)
{
    const struct across_cell *c = cell_of(v, best, on);
    const struct stats_ratio *r = &c->ratio;
    if (!c->result)
        text_add(out, "-");
    else if (!c->timed)
        text_add(out, result_word(c->result));
    else if (best == on || !c->compared)
        report_time(&c->stats, out);
    else if (r->ratio == 1 && r->low == 1 && r->high == 1)
        text_add(out, "the same");
    else if (r->interval && r->low <= 1 && r->high >= 1)
        text_addf(out, "tied [%+.1f .. %+.1f %%]", 100 * (r->low - 1), 100 * (r->high - 1));
    else
        put_loss(r, out);
}

static void put_across_rows(const struct across_report *v, struct table *t)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const struct across_device *d = &v->devices[i];
        if (!d->configuration)
            continue;
        table_row(t);
        table_cell(t, 0, "%s", d->label);
        for (uint32_t k = 0; k < v->count; k++) {
            struct text cell = TEXT_INIT;
            put_across_cell(v, i, k, &cell);
            table_cell(t, k + 1, "%s", text_cstr(&cell));
            t->failed |= cell.failed;
            text_release(&cell);
        }
        table_cell(t, v->count + 1, "%s",
                   d->configuration[0] ? d->configuration : "(the only one)");
    }
}

static void put_across_table(const struct across_report *v, enum report_format format,
                             struct text *out)
{
    struct arena a;
    struct table t;
    arena_init(&a);
    struct table_column *columns = arena_array(&a, v->count + 2, sizeof *columns);
    out->failed |= !columns;
    if (columns) {
        columns[0] = (struct table_column){"best of", ALIGN_LEFT};
        columns[v->count + 1] = (struct table_column){"configuration", ALIGN_LEFT};
        for (uint32_t i = 0; i < v->count; i++)
            columns[i + 1] =
                (struct table_column){arena_printf(&a, "on %s", v->devices[i].label), ALIGN_RIGHT};
        table_init(&t, columns, v->count + 2);
        put_across_rows(v, &t);
        table_print(&t, format, "", out);
        table_release(&t);
    }
    arena_release(&a);
}

static void put_across_failures(const struct across_report *v, struct text *out)
{
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = 0; k < v->count; k++) {
            const struct result *r = cell_of(v, i, k)->result;
            if (r && r->status != STATUS_CORRECT)
                text_addf(out, "The best of %s on %s: %s: %s\n", v->devices[i].label,
                          v->devices[k].label, result_word(r), r->message);
        }
    }
}

#define ACROSS_DEVICE(X)                                                                           \
    X(TEXT, label, (v->label), "", "")                                                             \
    X(TEXT, device, (v->device->name), "", "")                                                     \
    X(TEXT, platform, (v->device->platform), "", "")                                               \
    X(TEXT, driver, (v->device->driver), "", "")                                                   \
    X(TEXT, language, (language_text(v->device->language)), "", "")                                \
    X(JSON, configuration, (v->configuration ? v->configuration_json : NULL), "{}", "its best")
FIELDS(across_device_fields, struct across_device, struct across_report, ACROSS_DEVICE)

#define CELL(X)                                                                                    \
    X(U64, best_of, ((size_t)(v - c->cells) / c->count), "", "index of a device")                  \
    X(U64, on, ((size_t)(v - c->cells) % c->count), "", "likewise")                                \
    X(TEXT, status, (status_text(v->result->status)), "", "")                                      \
    X(F64, median_ns, (v->timed ? v->stats.median : NAN), "ns", "")                                \
    X(PAIR, interval_ns, (v->timed && v->stats.interval, v->stats.low, v->stats.high), "ns", "")   \
    X(F64, ratio, (v->compared ? v->ratio.ratio : NAN), "", "by the time of that device's best")   \
    X(PAIR, ratio_interval, (v->compared && v->ratio.interval, v->ratio.low, v->ratio.high), "",   \
      "")                                                                                          \
    X(TEXT, message, (v->result->status == STATUS_CORRECT ? NULL : v->result->message), "", "")
FIELDS(across_cell_fields, struct across_cell, struct across_report, CELL)

static void emit_across_cells(const void *record, const void *context, struct emit *j)
{
    const struct across_report *v = record;
    for (uint32_t i = 0; i < v->count * v->count && !v->why; i++) {
        if (v->cells[i].result)
            emit_record(j, &across_cell_fields, &v->cells[i], context);
    }
}

#define ACROSS(X)                                                                                  \
    X(TEXT, type, ("across"), "", "")                                                              \
    X(F64, level, (v->level), "", "of all intervals together")                                     \
    X(TEXT, why, (v->why), "", "there are no cells")                                               \
    X(RECORDS, devices, (across_device_fields, v->devices, v->count), "", "")                      \
    X(EACH, cells, (across_cell_fields, emit_across_cells, v), "", "")
FIELDS_SHARED(report_across_fields, struct across_report, struct across_report, ACROSS)

void report_across(const struct across_report *v, enum report_format format, struct text *out)
{
    if (format == REPORT_JSON) {
        fields_line(&report_across_fields, v, v, out);
        return;
    }
    text_add(out, "\n");
    if (v->why) {
        text_addf(out, "%s\n", v->why);
        return;
    }
    text_addf(
        out,
        "What the best of each takes on the others, beside their own best (interleaved, %g %% "
        "intervals):\n\n",
        100 * v->level);
    put_across_table(v, format, out);
    put_across_failures(v, out);
}
