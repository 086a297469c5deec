// Where the time goes: the evaluator's life is cut into spans that follow each other, each booked
// under what the bench worker was about when it began.
#include "runner/live.h"

// Between its phases a request is at what it is for.
static enum evaluator_span span_at_work(const struct live *v)
{
    static const enum evaluator_span of_phase[PHASE_COUNT] = {[PHASE_OPENING] = SPAN_OPENING,
                                                              [PHASE_LOADING] = SPAN_LOADING,
                                                              [PHASE_INPUTS] = SPAN_INPUTS,
                                                              [PHASE_REFERENCE] = SPAN_REFERENCE,
                                                              [PHASE_CHECKING] = SPAN_VERIFYING};
    static const enum evaluator_span of_state[BENCH_STATES] = {[BENCH_PREPARING] = SPAN_INPUTS,
                                                               [BENCH_LOADING] = SPAN_LOADING,
                                                               [BENCH_VERIFYING] = SPAN_VERIFYING,
                                                               [BENCH_MEASURING] = SPAN_MEASURING};
    enum evaluator_span span = of_phase[bench_worker(v->bench)->phase.kind];
    return span ? span : of_state[bench_state(v->bench)];
}

static enum evaluator_span span_now(const struct live *v)
{
    if (v->clock.started && !v->clock.opened)
        return SPAN_STARTING;
    if (v->clock.storing)
        return SPAN_STORING;
    if (bench_state(v->bench) > BENCH_IDLE)
        return span_at_work(v);
    if (!v->clock.sleeping)
        return SPAN_OWN;
    return v->admission_retry_ns ? SPAN_LOCKED : SPAN_WAITING;
}

void live_clock(struct live *v)
{
    struct evaluator_times *t = &v->clock.times;
    uint64_t now = clock_ns(), past = v->clock.at_ns ? now - v->clock.at_ns : 0;
    struct build_pool_status pool;
    t->span_ns[v->clock.span] += past;
    t->build_wall_ns += v->clock.busy ? past : 0;
    t->build_sum_ns += v->clock.busy * past;
    v->clock.at_ns = now;
    build_pool_status(v->pool, &pool);
    v->clock.busy = pool.busy;
    v->clock.started = v->clock.started || pool.running > 0 || bench_state(v->bench) != BENCH_NONE;
    v->clock.span = span_now(v);
    if (pool.running > t->builders)
        t->builders = pool.running;
}

void live_clock_sleeping(struct live *v, bool sleeping)
{
    live_clock(v);
    v->clock.sleeping = sleeping;
    v->clock.span = span_now(v);
}

void live_clock_storing(struct live *v, bool storing)
{
    live_clock(v);
    v->clock.storing = storing;
    v->clock.span = span_now(v);
}
