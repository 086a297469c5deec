// Where the time goes: the evaluator's life is cut into spans that follow each other, each booked
// under what the bench worker was about when it began.
#include "eval/live.h"

static bool is_at_work(const struct live *v)
{
    return v->current || v->preparing || v->loss.step != PROBE_NOT_YET;
}

// Between its phases a request is at what it is for.
static enum evaluator_span span_of_request(const struct live *v)
{
    if (!v->current)
        return v->preparing ? SPAN_INPUTS : SPAN_VERIFYING; // or it shows that the device lives
    if (v->current->stage == STAGE_LOADING)
        return SPAN_LOADING;
    return v->current->stage == STAGE_VERIFYING ? SPAN_VERIFYING : SPAN_MEASURING;
}

static enum evaluator_span span_at_work(const struct live *v)
{
    switch (v->bench.phase.kind) {
    case PHASE_OPENING:
        return SPAN_OPENING;
    case PHASE_LOADING:
        return SPAN_LOADING;
    case PHASE_INPUTS:
        return SPAN_INPUTS;
    case PHASE_REFERENCE:
        return SPAN_REFERENCE;
    case PHASE_CHECKING:
        return SPAN_VERIFYING;
    default:
        return span_of_request(v);
    }
}

static enum evaluator_span span_now(const struct live *v)
{
    if (v->clock.started && !v->clock.opened)
        return SPAN_STARTING;
    if (v->clock.storing)
        return SPAN_STORING;
    if (is_at_work(v))
        return span_at_work(v);
    if (!v->clock.sleeping)
        return SPAN_OWN;
    return v->gate_retry_ns ? SPAN_LOCKED : SPAN_WAITING;
}

static uint32_t builders_at_work(const struct live *v, uint32_t *running)
{
    uint32_t busy = 0;
    *running = 0;
    for (uint32_t i = 0; i < v->builder_limit; i++) {
        const struct builder *b = &v->builders[i];
        bool is_open = b->remote.running && b->remote.phase.kind != PHASE_OPENING;
        *running += b->remote.running;
        busy += is_open && b->entry && !b->remote.stopped_ns;
    }
    return busy;
}

void live_clock(struct live *v)
{
    struct evaluator_times *t = &v->clock.times;
    uint64_t now = clock_ns(), past = v->clock.at_ns ? now - v->clock.at_ns : 0;
    uint32_t running;
    t->span_ns[v->clock.span] += past;
    t->build_wall_ns += v->clock.busy ? past : 0;
    t->build_sum_ns += v->clock.busy * past;
    v->clock.at_ns = now;
    v->clock.busy = builders_at_work(v, &running);
    v->clock.started = v->clock.started || running > 0 || v->bench.running;
    v->clock.span = span_now(v);
    if (running > t->builders)
        t->builders = running;
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
