// A dispatch table as CSV: a row for each point of each device, with the configuration that answers there.
#include "extras/deploy/formats.h"

#include <math.h>
#include <string.h>

// As RFC 4180 quotes: what has a comma, a quote or a line end.
static void add_csv_cell(const char *s, struct text *out)
{
    if (!s[strcspn(s, ",\"\r\n")]) {
        text_add(out, s);
        return;
    }
    text_addc(out, '"');
    for (; *s; s++) {
        if (*s == '"')
            text_addc(out, '"');
        text_addc(out, *s);
    }
    text_addc(out, '"');
}

static void add_csv_number(double v, struct text *out)
{
    char number[32];
    text_addc(out, ',');
    if (isnan(v))
        return;
    f64_to_str(v, number);
    text_add(out, number);
}

static void add_csv_point(const struct deploy_table *t, const struct deploy_device *d,
                          const struct deploy_point *p, struct text *out)
{
    const struct deploy_configuration *c = &t->configurations[p->configuration];
    add_csv_cell(d->name, out);
    text_addc(out, ',');
    add_csv_cell(d->architecture, out);
    for (uint32_t i = 0; i < t->column_count; i++)
        text_addf(out, ",%lld", (long long)p->shape[i]);
    add_csv_number(p->weight, out);
    text_addf(out, ",%u", p->configuration);
    for (uint32_t i = 0; i < t->spec->parameter_count; i++) {
        struct text value = TEXT_INIT;
        define_text(&c->values[i], &value);
        text_addc(out, ',');
        add_csv_cell(text_cstr(&value), out);
        out->failed |= value.failed;
        text_release(&value);
    }
    text_addc(out, ',');
    add_csv_cell(c->options, out);
    add_csv_number(p->median_ns, out);
    add_csv_number(p->above_best, out);
    add_csv_number(p->above_default, out);
    bool has_interval = p->gain.ratio > 0 && p->gain.is_in_turn && p->gain.is_interval;
    add_csv_number(has_interval ? p->gain.low : NAN, out);
    add_csv_number(has_interval ? p->gain.high : NAN, out);
    text_addc(out, '\n');
}

static bool write_csv(const struct deploy_table *t, const struct deploy_writing *w,
                      struct text *out, struct error *e)
{
    (void)w;
    text_add(out, "device,architecture");
    for (uint32_t i = 0; i < t->column_count; i++)
        text_addf(out, ",%s", t->columns[i]);
    text_add(out, ",weight,configuration");
    for (uint32_t i = 0; i < t->spec->parameter_count; i++)
        text_addf(out, ",%s", t->spec->parameters[i].name);
    text_add(out,
             ",options,median_ns,above_best,above_default,over_default_low,over_default_high\n");
    for (uint32_t i = 0; i < t->device_count; i++) {
        for (uint32_t k = 0; k < t->devices[i].point_count; k++)
            add_csv_point(t, &t->devices[i], &t->devices[i].points[k], out);
    }
    return !out->failed || error_memory(e);
}

const struct deploy_format deploy_format_csv = {
    .name = "csv",
    .ending = ".csv",
    .help = "a row for each size of each device, for a spreadsheet or a script",
    .write = write_csv,
};
