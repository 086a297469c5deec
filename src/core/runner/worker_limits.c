// The limit of each phase of a worker. What is a job's own doing (building, launching) has the
// limits of the terms; what is the driver's (opening, inputs, checking, silence) has fixed ones,
// which are cut down to a multiple of what was usual while the device may be lost: a dead device
// often hangs, and nobody shall wait a quarter of an hour for that.
#include "runner/worker_limits.h"

#define OPENING_NS  (120ull * 1000000000)
#define MAKING_NS   (900ull * 1000000000) // inputs, reference
#define CHECKING_NS (300ull * 1000000000)
#define SILENCE_NS  (60ull * 1000000000) // a request taken up, or answered after its phases
// A work-group run ahead of time, on scratch data, is not the measurement: it gets this long.
#define PRIME_NS (2ull * 1000000000)
// A cold launch first writes as much as the last-level cache holds, half a GiB on some machines: it may take so much longer.
#define FLUSH_NS (10ull * 1000000000)
// A reference is launched once, and often the slow and plain kernel: it may take so many times the
// limit of a launch.
#define REFERENCE_FACTOR 4
// A launch that shall show that the device lives: this long, never longer than the limit of a launch.
#define PROBE_NS (10ull * 1000000000)
// The driver's limit in a worker that has to show that the device lives: so many times what it took before.
#define PROBE_PATIENCE 10

static uint64_t least_limit(uint64_t a, uint64_t b) // 0: none
{
    return a && b ? (a < b ? a : b) : a + b;
}

// The limit of work that is not a job's own, usually `limit`; `took` before, 0: not known.
static uint64_t driver_limit(const struct worker_limits *l, enum worker_role role, uint64_t limit,
                             uint64_t took)
{
    uint64_t patience = PROBE_PATIENCE * took > PROBE_NS ? PROBE_PATIENCE * took : PROBE_NS;
    if (role == ROLE_BENCH && l->is_doubted && took)
        limit = least_limit(limit, patience);
    return least_limit(limit, l->terms.driver_limit_ns);
}

static uint64_t launch_limit(const struct worker_limits *l, enum worker_role role)
{
    if (role == ROLE_BENCH && l->is_probing)
        return least_limit(l->terms.launch_limit_ns, PROBE_NS);
    uint64_t launch = terms_launch_limit(&l->terms, l->best_ns);
    if (role == ROLE_BUILD)
        return least_limit(launch, PRIME_NS);
    return launch && l->terms.cold ? launch + FLUSH_NS : launch;
}

uint64_t worker_limit(const struct worker_limits *l, enum worker_role role, const struct phase *p,
                      bool awaits)
{
    const struct terms *t = &l->terms;
    bool is_held = t->is_launch_given && role == ROLE_BENCH && p->kind == PHASE_LAUNCHING;
    uint64_t compiling = p->compiles && !is_held ? t->build_limit_ns : 0;
    uint64_t launch = launch_limit(l, role);
    switch (p->kind) {
    case PHASE_BUILDING:
    case PHASE_PRIMING:
    case PHASE_LOADING:
        return t->build_limit_ns;
    case PHASE_INPUTS:
        return driver_limit(l, role, MAKING_NS, l->inputs_ns);
    case PHASE_REFERENCE:
        return p->launches == 0 || t->launch_limit_ns == 0
                   ? MAKING_NS
                   : REFERENCE_FACTOR * t->launch_limit_ns + compiling;
    case PHASE_CHECKING:
        return driver_limit(l, role, CHECKING_NS, l->checking_ns);
    case PHASE_LAUNCHING:
        return launch ? launch * (p->launches ? p->launches : 1) + compiling : 0;
    case PHASE_OPENING:
        return driver_limit(l, role, OPENING_NS, l->opening_ns);
    default:
        return awaits ? driver_limit(l, role, SILENCE_NS, 0) : 0;
    }
}
