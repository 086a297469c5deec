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

// Parts and wholes are counted in different launches: a part may be larger.
double counters_share(const struct counters *c, enum counter part, enum counter whole)
{
    double share = c->values[whole] > 0 ? 100 * c->values[part] / c->values[whole] : NAN;
    return share > 100 ? 100 : share;
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

#define LAUNCH_NS 4000 // a shorter launch spends more time on beginning and ending than on its work
#define ACTIVE_LEAST                                                                               \
    60 // %: multiprocessors that are active for less have too few work-groups, or uneven ones
#define BUSY_LEAST 50 // %: a unit this busy is what the launch waits for
// Shares in per cent from which the cause is named in place of the unit.
#define CONFLICTS_LEAST 30 // of the passes over shared memory
#define LOCAL_LEAST     50 // of the sectors of L1
#define ATOMICS_LEAST   50 // of the sectors of L2
#define TOGETHER_LEAST  16 // work-items of 32 that take part in an instruction

// A unit and its bound, in the order in which equals are named.
static const struct {
    enum counter busy;
    enum bound bound;
} units[] = {
    {COUNTER_dram_busy, BOUND_MEMORY},   {COUNTER_l2_busy, BOUND_L2},
    {COUNTER_l2_link_busy, BOUND_L2},    {COUNTER_l1_busy, BOUND_SHARED},
    {COUNTER_tensor_busy, BOUND_TENSOR}, {COUNTER_fma_busy, BOUND_FLOAT},
    {COUNTER_fp64_busy, BOUND_DOUBLE},   {COUNTER_alu_busy, BOUND_INTEGER},
    {COUNTER_xu_busy, BOUND_SPECIAL},
};

// The cause behind the busiest unit, if the work there is not what the kernel is for.
static enum bound cause_of(const struct counters *c, enum bound b)
{
    bool is_cache = b == BOUND_L2 || b == BOUND_SHARED || b == BOUND_LATENCY;
    double together = c->values[COUNTER_item_instructions] / c->values[COUNTER_instructions];
    if ((is_cache || b == BOUND_MEMORY) &&
        counters_share(c, COUNTER_local_sectors, COUNTER_l1_sectors) >= LOCAL_LEAST)
        return BOUND_SPILLS;
    if (is_cache && counters_share(c, COUNTER_atomic_sectors, COUNTER_l2_sectors) >= ATOMICS_LEAST)
        return BOUND_ATOMICS;
    if (b == BOUND_SHARED &&
        counters_share(c, COUNTER_bank_conflicts, COUNTER_shared_wavefronts) >= CONFLICTS_LEAST)
        return BOUND_CONFLICTS;
    bool is_pipe = !is_cache && b != BOUND_MEMORY && b != BOUND_TENSOR;
    if (is_pipe && together < TOGETHER_LEAST)
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
    // Whatever keeps a pipe busy takes issue slots, too.
    if (bound == BOUND_LATENCY && c->values[COUNTER_issue_busy] > BUSY_LEAST)
        bound = BOUND_ISSUE;
    return cause_of(c, bound);
}
