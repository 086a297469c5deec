// The tables of a result's parts: the card's state, energy, resources, times, outputs.
#include "model/result_fields.h"

#include <math.h>

// ---- the card ----------------------------------------------------------------------------------

void gpu_put_slowed(const struct gpu_snapshot *g, struct text *out)
{
    const char *separator = ": ";
    bool is_before = g->mhz_before > 0 && (g->mhz_after == 0 || g->mhz_before < g->mhz_after);
    if (!g->known || !g->slowed)
        return;
    text_addf(out, "measured at %u MHz", is_before ? g->mhz_before : g->mhz_after);
    for (unsigned i = 0; i < SLOWDOWN_COUNT; i++) {
        if (!(g->slowed & 1u << i))
            continue;
        text_addf(out, "%s%s", separator, slowdown_text((enum slowdown)i));
        separator = ", ";
    }
}

static const char *gpu_note(const struct gpu_snapshot *g, struct arena *a)
{
    struct text words = TEXT_INIT;
    gpu_put_slowed(g, &words);
    return words.length ? text_to_arena(&words, a) : NULL;
}

static void emit_slowed(const void *record, const void *context, struct emit *j)
{
    const struct gpu_snapshot *g = record;
    (void)context;
    emit_array(j);
    for (unsigned i = 0; i < SLOWDOWN_COUNT; i++) {
        if (g->slowed & 1u << i)
            emit_text(j, slowdown_text((enum slowdown)i));
    }
    emit_array_end(j);
}

#define GPU(X)                                                                                     \
    X(KNOWN, mhz_before, (v->mhz_before, v->mhz_before), "MHz", "before the first timed launch")   \
    X(KNOWN, mhz_after, (v->mhz_after, v->mhz_after), "MHz", "after the last, still busy")         \
    X(KNOWN, memory_mhz, (v->memory_mhz, v->memory_mhz), "MHz", "")                                \
    X(F64, watts, (v->milliwatts ? v->milliwatts / 1e3 : NAN), "W", "")                            \
    X(KNOWN, celsius, (v->celsius, v->celsius), "degrees", "")                                     \
    X(PUT, slowed, (emit_slowed, v), "[]", "what slowed the card")                                 \
    X(TEXT, note, (gpu_note(v, a)), "", "the same in words")
FIELDS_SHARED(result_gpu_fields, struct gpu_snapshot, void, GPU)

#define ENERGY(X)                                                                                  \
    X(F64, joule, (v->microjoules ? (double)v->microjoules / 1e6 : NAN), "J", "of one launch")     \
    X(U64, span_ns, (v->span_ns), "ns", "over which it was counted")                               \
    X(U64, launches, (v->launches), "", "in that span")                                            \
    X(SOME, refused, (v->refused), "", "why it is not known")
FIELDS_SHARED(result_energy_fields, struct energy, void, ENERGY)

#define COUNTER_FIELD(X, name, unit, meaning)                                                      \
    X(F64, name, (v->values[COUNTER_##name]), unit, meaning)
#define COUNTER_FIELD_VALUE(...) COUNTER_FIELD(FIELD_VALUE, __VA_ARGS__)
#define COUNTER_FIELD_ROW(...)   COUNTER_FIELD(FIELD_ROW, __VA_ARGS__)
#define COUNTED(X)                                                                                 \
    X(SOME, source, (v->source), "", "what counted")                                               \
    X(SOME, refused, (v->refused), "", "why nothing was counted")                                  \
    X(U64, passes, (v->passes), "", "launches that it took")                                       \
    X(TEXT, bound, (counters_bound(v) ? bound_text(counters_bound(v)) : NULL), "",                 \
      "what keeps the launch from being faster")                                                   \
    X(SOME, stall, (v->stall), "", "the most frequent reason of waiting warps")                    \
    LAUNCH_COUNTERS(COUNTER_##X)
FIELDS_SHARED(result_counters_fields, struct counters, void, COUNTED)

// ---- resources and times -----------------------------------------------------------------------

#define RESOURCE_ROW(X, name, unit, meaning) X(KNOWN, name, (v->name >= 0, v->name), unit, meaning)
#define RESOURCE_FIELD_VALUE(...)            RESOURCE_ROW(FIELD_VALUE, __VA_ARGS__)
#define RESOURCE_FIELD_ROW(...)              RESOURCE_ROW(FIELD_ROW, __VA_ARGS__)
#define RESOURCES(X)                         RESULT_RESOURCES(RESOURCE_##X)
FIELDS_SHARED(result_resources_fields, struct resources, void, RESOURCES)

FIELDS_SHARED(result_times_fields, struct result, void, RESULT_TIME_ROWS)

// ---- outputs -----------------------------------------------------------------------------------

#define DEVIATION(X)                                                                               \
    X(TEXT, argument, (v->name), "", "")                                                           \
    X(BOOL, ok, (v->ok), "", "within the tolerance")                                               \
    X(BOOL, compared, (v->compared || v->components == 0), "", "with a reference")                 \
    X(F64, norm, (v->norm), "", "of the difference, by that of the reference")                     \
    X(F64, largest, (v->largest), "", "difference of a component")                                 \
    X(U64, index, (v->index), "", "of that component")                                             \
    X(F64, got, (deviation_has_got(v) ? v->got : (double)NAN), "", "there")                        \
    X(F64, expected, (v->expected), "", "there")                                                   \
    X(U64, nans, (v->nans), "", "NaN or infinite where that is refused")                           \
    X(U64, unwritten, (v->unwritten), "", "components that the reference writes, and this not")    \
    X(U64, wrong, (v->wrong), "", "components outside the tolerance")
FIELDS_SHARED(deviation_fields, struct deviation, void, DEVIATION)

#define OUTPUT_CHECK(X)                                                                            \
    X(F64, narrowed, (v->compared ? v->narrowed : (double)NAN), "",                                \
      "factor on hone's tolerance, without which it would let wrong outputs pass")                 \
    X(BOOL, blind, (v->blind), "", "the check shows nothing: wrong outputs pass all the same")     \
    X(SOME, note, (v->note), "", "why it was narrowed, or what it lets pass")
FIELDS_SHARED(output_check_fields, struct deviation, void, OUTPUT_CHECK)

#define OUTPUT(X)                                                                                  \
    X(TEXT, argument, (v->name), "", "")                                                           \
    X(BOOL, compared, (v->compared), "", "with a reference")                                       \
    X(U64, components, (v->components), "", "in the output")                                       \
    X(KNOWN, written, (deviation_has_written(v), v->written), "", "by the kernel, of them")        \
    X(U64, left_by_reference, (v->left), "", "that the reference left unwritten")                  \
    X(U64, nans, (v->output_nans), "", "")                                                         \
    X(U64, wrong, (v->wrong), "", "components outside the tolerance")                              \
    X(U64, reference_nans, (v->reference_nans), "", "")                                            \
    X(BOOL, changed, (v->changes), "", "written counts what a launch changed of what was there")   \
    X(MEMBERS, check, (output_check_fields, v), "", "")
FIELDS_SHARED(output_fields, struct deviation, void, OUTPUT)

void result_emit_outputs(const void *result, const void *context, struct emit *j)
{
    const struct result *r = result;
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        if (r->deviations[i].components > 0)
            emit_record(j, &output_fields, &r->deviations[i], context);
    }
}
