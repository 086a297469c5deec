// Describes a card's state around a measurement: its clocks, what slowed it, its energy. All
// wording is in this file.
#include "report/report.h"
#include "report/units.h"

#include <math.h>

// The lowest clock that was seen.
static uint32_t least_mhz(const struct gpu_snapshot *g)
{
    bool before = g->mhz_before > 0 && (g->mhz_after == 0 || g->mhz_before < g->mhz_after);
    return before ? g->mhz_before : g->mhz_after;
}

bool report_is_slowed(const struct gpu_snapshot *g)
{
    return g->known && g->slowed != 0;
}

void report_slowed(const struct gpu_snapshot *g, struct text *out)
{
    const char *separator = ": ";
    if (!report_is_slowed(g))
        return;
    text_addf(out, "measured at %u MHz", least_mhz(g));
    for (unsigned i = 0; i < SLOWDOWN_COUNT; i++) {
        if (!(g->slowed & 1u << i))
            continue;
        text_addf(out, "%s%s", separator, slowdown_text((enum slowdown)i));
        separator = ", ";
    }
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

// ---- JSON ---------------------------------------------------------------------------------------

static void known_at(struct emit *j, const char *key, uint32_t value)
{
    if (value)
        emit_u64_at(j, key, value);
    else
        emit_null_at(j, key);
}

void report_gpu_json(const struct gpu_snapshot *g, struct emit *j)
{
    struct text words = TEXT_INIT;
    if (!g->known) {
        emit_null(j);
        return;
    }
    emit_object(j);
    known_at(j, "mhz_before", g->mhz_before);
    known_at(j, "mhz_after", g->mhz_after);
    known_at(j, "memory_mhz", g->memory_mhz);
    emit_f64_at(j, "watts", g->milliwatts ? g->milliwatts / 1e3 : NAN);
    known_at(j, "celsius", g->celsius);
    emit_array_at(j, "slowed");
    for (unsigned i = 0; i < SLOWDOWN_COUNT; i++) {
        if (g->slowed & 1u << i)
            emit_text(j, slowdown_text((enum slowdown)i));
    }
    emit_array_end(j);
    report_slowed(g, &words);
    emit_text_at(j, "note", words.length ? text_cstr(&words) : NULL);
    text_release(&words);
    emit_object_end(j);
}

void report_energy_json(const struct energy *e, struct emit *j)
{
    if (e->microjoules == 0 && e->refused[0] == '\0') { // not requested
        emit_null(j);
        return;
    }
    emit_object(j);
    emit_f64_at(j, "joule", e->microjoules ? (double)e->microjoules / 1e6 : NAN);
    emit_u64_at(j, "span_ns", e->span_ns);
    emit_u64_at(j, "launches", e->launches);
    emit_text_at(j, "refused", e->refused[0] ? e->refused : NULL);
    emit_object_end(j);
}
