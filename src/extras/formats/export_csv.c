// CSV as csv.c reads it.

#include "extras/formats/csv.h"
#include "extras/formats/export_inside.h"

#include <math.h>
#include <string.h>

static void put_csv_number(double value, struct text *out)
{
    char number[32];
    if (isnan(value))
        return;
    f64_to_str(value, number);
    text_add(out, number);
}

static double known(uint64_t ns)
{
    return ns > 0 ? (double)ns : NAN;
}

static void put_csv_head(const struct export_options *o, struct text *out)
{
    const struct spec *s = o->spec;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        text_add_csv(out, s->parameters[i].name);
        text_addc(out, ',');
    }
    for (int i = 0; i < CSV_COLUMN_COUNT; i++)
        text_addf(out, "%s%s", i ? "," : "", csv_column_names[i]);
    for (uint32_t i = 0; i < s->metric_count; i++) {
        text_addc(out, ',');
        text_add_csv(out, s->metrics[i].name);
    }
    text_addc(out, '\n');
}

static void put_column(const struct exported *x, enum csv_column column, struct text *out)
{
    const struct result *r = x->row->result;
    bool is_timed = x->samples != NULL, is_own = is_timed && r->stop != STOP_IMPORTED;
    switch (column) {
    case CSV_STATUS:
        text_add_csv(out, status_text(r->status));
        break;
    case CSV_TIME:
        put_csv_number(is_timed ? x->stats.median : NAN, out);
        break;
    case CSV_STATISTIC:
        text_add_csv(out, x->statistic);
        break;
    case CSV_MEAN:
        put_csv_number(is_own ? x->stats.mean : NAN, out);
        break;
    case CSV_MINIMUM:
        put_csv_number(is_own ? x->stats.least : NAN, out);
        break;
    case CSV_SAMPLES:
        if (is_own)
            text_addf(out, "%zu", x->stats.count);
        break;
    case CSV_COMPILE:
        put_csv_number(known(r->build_ns), out);
        break;
    case CSV_RUN:
        put_csv_number(known(r->measure_ns), out);
        break;
    case CSV_VERIFY:
        put_csv_number(known(r->verify_ns + r->reference_ns), out);
        break;
    case CSV_FRAMEWORK:
        put_csv_number(known(r->load_ns + r->inputs_ns), out);
        break;
    case CSV_SEARCH:
    case CSV_COLUMN_COUNT:
        break;
    case CSV_MESSAGE:
        text_add_csv(out, r->message ? r->message : "");
        break;
    case CSV_DATE:
        text_add_csv(out, x->row->date);
        break;
    case CSV_NAME:
        text_add_csv(out, x->row->spec_name);
        break;
    case CSV_CONSTANTS:
        text_add_csv(out, x->row->constants);
        break;
    case CSV_DEVICE:
        text_add_csv(out, x->row->device);
        break;
    }
}

static void put_csv_line(const struct exported *x, struct text *out)
{
    const struct spec *s = x->o->spec;
    struct text value = TEXT_INIT;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        text_clear(&value);
        export_value_text(&s->parameters[i].values[x->choice[i]], &value);
        text_add_csv(out, text_cstr(&value));
        text_addc(out, ',');
    }
    for (int i = 0; i < CSV_COLUMN_COUNT; i++) {
        text_add(out, i ? "," : "");
        put_column(x, (enum csv_column)i, out);
    }
    for (uint32_t i = 0; i < s->metric_count; i++) {
        text_addc(out, ',');
        put_csv_number(x->metrics[i], out);
    }
    out->failed |= value.failed;
    text_release(&value);
}

const struct export_writer export_csv = {put_csv_head, put_csv_line, "\n", "\n"};
