// Times of one configuration, as tables and lines show them.
#include "report/report.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How the median is shown decides how its bounds are: same unit, same decimals.
struct scale {
    double ns;
    int decimals;
};

static struct scale scale_of(const char *shown)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{" us", 1e3}, {" ms", 1e6}, {" s", 1e9}, {" min", 60e9}, {" h", 3600e9}};
    struct scale scale = {1, 0};
    const char *blank = strchr(shown, ' '), *point = strchr(shown, '.');
    for (size_t i = 0; blank && i < sizeof units / sizeof *units; i++) {
        if (str_equal(blank, units[i].name))
            scale.ns = units[i].ns;
    }
    if (point && blank)
        scale.decimals = (int)(blank - point) - 1;
    return scale;
}

void report_interval(const struct stats_summary *s, struct text *out)
{
    char median[UNITS_SIZE];
    duration_to_str(s->median, median);
    struct scale scale = scale_of(median);
    put_range(s->low / scale.ns, s->high / scale.ns, scale.decimals, s->interval, out);
}

void report_time(const struct stats_summary *s, struct text *out)
{
    char median[UNITS_SIZE];
    duration_to_str(s->median, median);
    text_add(out, isnan(s->median) ? "-" : median);
    if (s->count > 1) {
        text_addc(out, ' ');
        report_interval(s, out);
    }
}

void report_metric(const char *name, double value, struct text *out)
{
    char number[UNITS_SIZE];
    number_to_str(value, number);
    text_addf(out, "%s %s", number, name);
}

bool report_metric_at(const struct spec *spec, uint32_t metric, const uint32_t *choice,
                      const struct device_info *device, double time_ns, const struct result *r,
                      double *value)
{
    const struct spec_measured measured = {.time_ns = time_ns, .joule = result_joule(r)};
    return spec_metric(spec, metric, choice, device, &measured, value);
}

const char *report_why_unknown(const struct spec *spec, uint32_t metric, const struct result *r)
{
    if (!spec_metric_uses_energy(spec, metric) || !isnan(result_joule(r)))
        return "";
    return r->energy.refused[0] ? r->energy.refused
                                : "energy is counted in the ranking and by hone run";
}

double report_part_median(const struct result *r, uint32_t column)
{
    uint32_t rows = r->part_columns ? r->part_count / r->part_columns : 0;
    uint64_t *times = rows && column < r->part_columns ? calloc(rows, sizeof *times) : NULL;
    if (!times)
        return NAN;
    for (uint32_t row = 0; row < rows; row++)
        times[row] = r->parts_ns[(size_t)row * r->part_columns + column];
    double median = stats_median(times, rows);
    free(times);
    return median;
}
