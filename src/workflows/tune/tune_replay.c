// The part of a tune's workflow that answers from a recorded space. There is no job: a question is
// answered at once, with what was recorded, and the clock of the budget is what that cost then.
#include "workflows/tune/tune_inside.h"

#include <math.h>
#include <stdlib.h>

// ---- the evaluator -----------------------------------------------------------------------------

// It has nothing to evaluate; it says how many questions may be open at once.
struct replay_evaluator {
    struct evaluator base;
    const struct tune *tune;
};

static bool refuse_job(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    (void)ev;
    (void)ticket;
    job_free(job);
    return error_set(e, ERROR_INTERNAL, "a replay evaluates no jobs");
}

static int take_nothing(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    (void)ev;
    (void)timeout_ms;
    (void)out;
    (void)e;
    return 0;
}

static void drop_nothing(struct evaluator *ev, uint64_t ticket)
{
    (void)ev;
    (void)ticket;
}

static size_t room(struct evaluator *ev)
{
    const struct tune *t = ((const struct replay_evaluator *)ev)->tune;
    uint64_t most = t->o.setup.at.jobs ? t->o.setup.at.jobs : 1;
    return most > t->items.outstanding ? (size_t)(most - t->items.outstanding) : 0;
}

static bool always_idle(struct evaluator *ev)
{
    (void)ev;
    return true;
}

static void destroy(struct evaluator *ev)
{
    free(ev);
}

static const struct evaluator_operations operations = {
    .submit = refuse_job,
    .take = take_nothing,
    .drop = drop_nothing,
    .room = room,
    .idle = always_idle,
    .destroy = destroy,
};

struct evaluator *tune_replay_evaluator(const struct tune *t, struct error *e)
{
    struct replay_evaluator *ev = alloc_zeroed(sizeof *ev, e);
    if (!ev)
        return NULL;
    ev->base = (struct evaluator){.ops = &operations};
    ev->tune = t;
    return &ev->base;
}

bool tune_replay_fits(const struct tune_options *o, struct error *e)
{
    const struct replay *r = o->replay;
    if (o->budget.nanoseconds > 0 && isnan(r->mean_cost_ns))
        return error_set(e, ERROR_USAGE,
                         "%s records no costs, so that a time means nothing as a budget; give a "
                         "number of configurations (200) or a share (10%%)",
                         r->o.recorded->path);
    return replay_has_objective(r, &o->objectives, e);
}

// ---- answers -----------------------------------------------------------------------------------

static uint64_t recorded_ns(double ns)
{
    return ns >= 0 && ns < 0x1p63 ? (uint64_t)(ns + 0.5) : 0;
}

// The time as the one sample, of an earlier run. In the arena `a`, as one of its own for each of a
// million results would be large.
static bool add_sample(struct result *r, double time_ns, struct arena *a)
{
    r->samples_ns = arena_array(a, 1, sizeof *r->samples_ns);
    if (!r->samples_ns)
        return false;
    r->samples_ns[0] = time_ns < 1 ? 1 : recorded_ns(time_ns);
    r->sample_count = r->earlier = !isnan(time_ns);
    r->batch = 1;
    r->stop = STOP_REPLAYED;
    return true;
}

// Points into the replay and the arena, which outlive it.
static struct result *result_of(const struct replay *replay, const struct recorded_row *row,
                                struct arena *a)
{
    struct result *r = result_new();
    if (!r)
        return NULL;
    r->build_ns = recorded_ns(row->costs.compile_ns);
    r->verify_ns = recorded_ns(row->costs.verify_ns);
    r->measure_ns = recorded_ns(row->costs.run_ns);
    r->origin = replay->o.recorded->path;
    if (row->status != STATUS_CORRECT)
        result_fail(r, row->status, FAULT_CONFIGURATION, "%s",
                    row->message[0] ? row->message : "recorded without a message");
    else if (!add_sample(r, row->time_ns, a)) {
        result_free(r);
        return NULL;
    }
    return r;
}

bool tune_replay_answer(struct tune *t, struct tune_item *n)
{
    const struct replay *r = t->o.replay;
    n->item.result = result_of(r, replay_row(r, n->record.index), &t->arena);
    if (n->item.result && !isnan(r->mean_cost_ns))
        t->replayed_ns += replay_cost_ns(r, n->record.index);
    return n->item.result != NULL;
}

void tune_replay_progress(const struct tune *t, struct tune_progress *out)
{
    out->replayed = true;
    out->replayed_ns = isnan(t->o.replay->mean_cost_ns) ? NAN : t->replayed_ns;
}

// One time is known, and how certain that is is not.
void tune_replay_summarise(const struct tune *t, struct tune_record *r)
{
    double time = replay_row(t->o.replay, r->index)->time_ns;
    r->stats = (struct stats_summary){.count = 1,
                                      .median = time,
                                      .mean = time,
                                      .low = time,
                                      .high = time,
                                      .least = time,
                                      .most = time};
}
