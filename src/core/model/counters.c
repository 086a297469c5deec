// The codec of counters, and the rule that names the bound.
#include "model/counters.h"

#include "model/codec.h"

#include <math.h>

struct counters *counters_new(struct arena *a)
{
    struct counters *c = arena_alloc(a, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct counters){.source = "", .refused = "", .stall = ""};
    for (int i = 0; i < COUNTER_COUNT; i++)
        c->values[i] = NAN;
    return c;
}

struct counters *counters_copy(struct arena *a, const struct counters *from)
{
    struct counters *c = counters_new(a);
    if (!c)
        return NULL;
    *c = *from;
    c->source = arena_strdup(a, from->source);
    c->refused = arena_strdup(a, from->refused);
    c->stall = arena_strdup(a, from->stall);
    return c->source && c->refused && c->stall ? c : NULL;
}

// The count of values is written: counters that a later hone appends are not known to this one's results.
void counters_codec(struct wire *w, struct counters *c)
{
    uint32_t count = COUNTER_COUNT;
    codec_text(w, &c->source);
    codec_text(w, &c->refused);
    codec_text(w, &c->stall);
    wire_u32(w, &c->passes);
    wire_u32(w, &count);
    if (count > COUNTER_COUNT)
        wire_fail(w, "more counters than there are");
    for (uint32_t i = 0; i < count && i < COUNTER_COUNT; i++)
        wire_f64(w, &c->values[i]);
}

double counters_share(const struct counters *c, enum counter part, enum counter whole)
{
    return c->values[whole] > 0 ? 100 * c->values[part] / c->values[whole] : NAN;
}

const char *bound_text(enum bound b)
{
    static const char *const texts[] = {
#define X(name, text) text,
        BOUNDS(X)
#undef X
    };
    return texts[b];
}

// ---- the bound ---------------------------------------------------------------------------------

// A launch that is shorter spends more time on beginning and ending than on its work.
#define LAUNCH_NS 4000
// Multiprocessors busy for less of the launch, in per cent: there are too few work-groups, or they are too uneven.
#define ACTIVE_LEAST 60
// A unit this busy, in per cent of its peak, is what the launch waits for.
#define BUSY_LEAST 60
// Of the passes over shared memory, of the sectors of L1, of those of L2: from there on they are the cause.
#define CONFLICTS_LEAST 30
#define LOCAL_LEAST     50
#define ATOMICS_LEAST   50
// Work-items of a warp that take part in an instruction, of 32.
#define TOGETHER_LEAST 16

// A unit and its bound, in the order in which equals are named.
static const struct {
    enum counter busy;
    enum bound bound;
} units[] = {
    {COUNTER_dram_busy, BOUND_MEMORY},    {COUNTER_l2_busy, BOUND_L2},
    {COUNTER_l2_link_busy, BOUND_L2},     {COUNTER_l1_busy, BOUND_SHARED},
    {COUNTER_tensor_busy, BOUND_TENSOR},  {COUNTER_fma_busy, BOUND_FLOAT},
    {COUNTER_fp64_busy, BOUND_DOUBLE},    {COUNTER_alu_busy, BOUND_INTEGER},
    {COUNTER_xu_busy, BOUND_SPECIAL},     {COUNTER_issue_busy, BOUND_ISSUE},
};

// What stands behind the busiest unit, where its work is not what the kernel is for.
static enum bound cause_of(const struct counters *c, enum bound b)
{
    bool is_cache = b == BOUND_L2 || b == BOUND_SHARED || b == BOUND_LATENCY;
    double together = c->values[COUNTER_item_instructions] / c->values[COUNTER_instructions];
    if ((is_cache || b == BOUND_MEMORY) &&
        counters_share(c, COUNTER_local_sectors, COUNTER_l1_sectors) >= LOCAL_LEAST)
        return BOUND_SPILLS;
    if (is_cache && counters_share(c, COUNTER_atomic_sectors, COUNTER_l2_sectors) >= ATOMICS_LEAST)
        return BOUND_ATOMICS;
    if (b == BOUND_SHARED && counters_share(c, COUNTER_bank_conflicts,
                                            COUNTER_shared_wavefronts) >= CONFLICTS_LEAST)
        return BOUND_CONFLICTS;
    if (!is_cache && b != BOUND_MEMORY && b != BOUND_TENSOR && together < TOGETHER_LEAST)
        return BOUND_DIVERGENCE;
    return b;
}

enum bound counters_bound(const struct counters *c)
{
    enum bound bound = BOUND_LATENCY;
    double most = BUSY_LEAST;
    if (isnan(c->values[COUNTER_elapsed_cycles]))
        return BOUND_UNKNOWN;
    if (c->values[COUNTER_counted_ns] < LAUNCH_NS)
        return BOUND_LAUNCH;
    if (counters_share(c, COUNTER_active_cycles, COUNTER_elapsed_cycles) < ACTIVE_LEAST)
        return BOUND_GROUPS;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!(c->values[units[i].busy] > most))
            continue;
        most = c->values[units[i].busy];
        bound = units[i].bound;
    }
    return cause_of(c, bound);
}
