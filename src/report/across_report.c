// Prints how the best configuration of each kind of device performs on the others: a row for each
// best, a column for each device. The diagonal holds a best's time on its own device; other cells
// show how much longer it takes than that device's own best.
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

static void put_across_json(const struct across_report *v, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "type", "across");
    emit_f64_at(&j, "level", v->level);
    emit_text_at(&j, "why", v->why);
    emit_array_at(&j, "devices");
    for (uint32_t i = 0; i < v->count; i++) {
        const struct across_device *d = &v->devices[i];
        emit_object(&j);
        emit_text_at(&j, "label", d->label);
        emit_text_at(&j, "device", d->device->name);
        emit_text_at(&j, "platform", d->device->platform);
        emit_text_at(&j, "driver", d->device->driver);
        emit_text_at(&j, "language", language_text(d->device->language));
        emit_raw_at(&j, "configuration", d->configuration ? d->configuration_json : "null");
        emit_object_end(&j);
    }
    emit_array_end(&j);
    emit_array_at(&j, "cells");
    for (uint32_t i = 0; i < v->count * v->count && !v->why; i++) {
        const struct across_cell *c = &v->cells[i];
        const struct result *r = c->result;
        if (!r)
            continue;
        emit_object(&j);
        emit_u64_at(&j, "best_of", i / v->count);
        emit_u64_at(&j, "on", i % v->count);
        emit_text_at(&j, "status", status_text(r->status));
        emit_f64_at(&j, "median_ns", c->timed ? c->stats.median : NAN);
        emit_pair_at(&j, "interval_ns", c->timed && c->stats.interval, c->stats.low, c->stats.high);
        emit_f64_at(&j, "ratio", c->compared ? c->ratio.ratio : NAN);
        emit_pair_at(&j, "ratio_interval", c->compared && c->ratio.interval, c->ratio.low,
                     c->ratio.high);
        emit_text_at(&j, "message", r->status == STATUS_CORRECT ? NULL : r->message);
        emit_object_end(&j);
    }
    emit_array_end(&j);
    emit_object_end(&j);
    text_add(out, "\n");
}

void report_across(const struct across_report *v, enum report_format format, struct text *out)
{
    if (format == REPORT_JSON) {
        put_across_json(v, out);
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
