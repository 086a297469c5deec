// The wrappers that implement the defaults of optional operations: what an evaluator lacks is the
// evaluator's that it wraps.
#include "runner/evaluator.h"

#include <string.h>

uint64_t terms_launch_limit(const struct terms *t, uint64_t best_ns)
{
    uint64_t limit = t->launch_limit_ns;
    if (!best_ns)
        return limit;
    uint64_t by_best = best_ns * POLICY_BEST_FACTOR;
    if (by_best < POLICY_BEST_LEAST_NS)
        by_best = POLICY_BEST_LEAST_NS;
    return limit && limit < by_best ? limit : by_best;
}

#define PASS_ON(ev, operation)                                                                     \
    while (!(ev)->ops->operation && (ev)->inner)                                                   \
    (ev) = (ev)->inner

bool evaluator_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    return ev->ops->submit(ev, ticket, job, e);
}

int evaluator_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    *out = (struct outcome){.ticket = 0};
    return ev->ops->take(ev, timeout_ms, out, e);
}

bool evaluator_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                     struct error *e)
{
    PASS_ON(ev, again);
    if (!ev->ops->again)
        return error_set(e, ERROR_USAGE, "this evaluator cannot measure a job again");
    return ev->ops->again(ev, ticket, turn, e);
}

void evaluator_rest(struct evaluator *ev, bool rest)
{
    PASS_ON(ev, rest);
    if (ev->ops->rest)
        ev->ops->rest(ev, rest);
}

void evaluator_hold(struct evaluator *ev, bool hold)
{
    PASS_ON(ev, hold);
    if (ev->ops->hold)
        ev->ops->hold(ev, hold);
}

bool evaluator_keep(struct evaluator *ev, uint64_t ticket, const struct result *result,
                    struct error *e)
{
    return !ev->ops->keep || ev->ops->keep(ev, ticket, result, e);
}

void evaluator_drop(struct evaluator *ev, uint64_t ticket)
{
    ev->ops->drop(ev, ticket);
}

size_t evaluator_room(struct evaluator *ev)
{
    return ev->ops->room(ev);
}

void evaluator_cancel(struct evaluator *ev)
{
    PASS_ON(ev, cancel);
    if (ev->ops->cancel)
        ev->ops->cancel(ev);
}

bool evaluator_idle(struct evaluator *ev)
{
    return ev->ops->idle(ev);
}

void evaluator_best(struct evaluator *ev, uint64_t ns, uint64_t verify_ns)
{
    PASS_ON(ev, best);
    if (ev->ops->best)
        ev->ops->best(ev, ns, verify_ns);
}

void evaluator_status(struct evaluator *ev, struct evaluator_status *out)
{
    memset(out, 0, sizeof *out);
    PASS_ON(ev, status);
    if (ev->ops->status)
        ev->ops->status(ev, out);
}

void evaluator_add_status(struct evaluator *of, struct evaluator_status *out)
{
    struct evaluator_status one;
    evaluator_status(of, &one);
    out->building += one.building;
    out->queued += one.queued;
    out->ready += one.ready;
    out->measuring = out->measuring || one.measuring;
    out->running = one.running ? one.running : out->running;
    out->waiting = one.waiting ? one.waiting : out->waiting;
    out->reference = one.reference > out->reference ? one.reference : out->reference;
    for (unsigned s = 0; s < SPAN_COUNT; s++)
        out->times.span_ns[s] += one.times.span_ns[s];
    out->times.build_wall_ns += one.times.build_wall_ns;
    out->times.build_sum_ns += one.times.build_sum_ns;
    out->times.builders += one.times.builders;
}

bool evaluator_fetch(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                     struct text *out, struct error *e)
{
    PASS_ON(ev, fetch);
    if (!ev->ops->fetch)
        return error_set(e, ERROR_USAGE, "this evaluator has no device to fetch from");
    return ev->ops->fetch(ev, ticket, what, index, out, e);
}

bool evaluator_suspects(struct evaluator *ev, uint64_t ticket)
{
    PASS_ON(ev, suspects);
    return ev->ops->suspects && ev->ops->suspects(ev, ticket);
}

size_t evaluator_watch(struct evaluator *ev, struct pollfd *fds, size_t most, uint64_t *until)
{
    PASS_ON(ev, watch);
    return ev->ops->watch ? ev->ops->watch(ev, fds, most, until) : 0;
}

void evaluator_free(struct evaluator *ev)
{
    if (ev)
        ev->ops->destroy(ev);
}
