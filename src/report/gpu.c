// Describes a card's state around a measurement: its clocks, what slowed it, its energy. All
// wording is in this file.
#include "report/report.h"
#include "report/units.h"

bool report_is_slowed(const struct gpu_snapshot *g)
{
    return g->known && g->slowed != 0;
}

void report_gpu(const struct gpu_snapshot *g, struct text *out)
{
    char watts[UNITS_SIZE];
    text_addf(out, "%u MHz", g->mhz_after);
    if (g->mhz_before != g->mhz_after)
        text_addf(out, " (%u MHz before)", g->mhz_before);
    if (g->memory_mhz)
        text_addf(out, ", memory %u MHz", g->memory_mhz);
    if (g->milliwatts) {
        number_to_str(g->milliwatts / 1e3, watts);
        text_addf(out, ", %s W", watts);
    }
    if (g->celsius)
        text_addf(out, ", %u degrees Celsius", g->celsius);
}

void report_energy(const struct energy *e, struct text *out)
{
    char joule[UNITS_SIZE], watts[UNITS_SIZE], span[UNITS_SIZE];
    if (e->microjoules == 0) {
        text_addf(out, "not known: %s", e->refused);
        return;
    }
    number_to_str((double)e->microjoules / 1e6, joule);
    number_to_str((double)e->microjoules * e->launches * 1e3 / (double)e->span_ns, watts);
    duration_to_str((double)e->span_ns, span);
    text_addf(out, "%s J a launch, %s W over %u launches in %s", joule, watts, e->launches, span);
}
