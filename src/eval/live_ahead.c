// Loading the next job while the verified launch of the present one runs: on a GPU the host has
// nothing else to do then, and the load of a program takes as long as many a launch.
//
// The LOAD goes out right behind the VERIFY. The worker serves it once the launch is in the
// driver's queue or, where it comes too late for that, after it has answered for the launch. Either
// way the entry stays READY, and what went wrong with its load is forgotten: it is loaded again
// when it is its turn, and then tells. Nor has the other to answer for it: when the worker is lost
// before the load was answered for, the job that was verified is tried again in a worker of its
// own.
#include "eval/live.h"

static bool may_have_company(const struct live *v)
{
    const struct entry *n = v->current;
    return v->device.type == DEVICE_GPU && !v->device.shares_host && !v->o.exact && !v->cancelled &&
           !v->turns.first && n->turns == 0 && !n->alone && n->bench_deaths == 0;
}

struct entry *live_ahead_choose(const struct live *v)
{
    struct entry *next = v->entries.stages[STAGE_READY].first;
    if (v->ahead || !may_have_company(v))
        return NULL;
    while (next && (next->alone || next->bench_deaths > 0 || live_bench_has(v, next)))
        next = next->next;
    return next;
}

void live_ahead_send(struct live *v, struct entry *next, struct text *load)
{
    uint32_t request = v->request;
    if (!next || v->broken.code || !live_give(v, next->job)) {
        text_release(load);
        return;
    }
    live_bench_send(v, VERB_LOAD, load);
    v->ahead = next;
    v->ahead_request = v->request;
    v->request = request;
}

bool live_ahead_beside(const struct live *v, const struct frame *f)
{
    return v->ahead && f->sequence == v->ahead_request && v->current &&
           v->current->stage == STAGE_VERIFYING;
}

bool live_ahead_frame(struct live *v, const struct frame *f)
{
    struct entry *n = v->ahead;
    if (!n || f->sequence != v->ahead_request)
        return false;
    v->ahead = NULL;
    struct result *r = live_reply_result(v, f);
    bool is_loaded = r && r->status == STATUS_CORRECT;
    result_free(n->ahead);
    n->ahead = is_loaded ? r : NULL;
    n->loaded_in = is_loaded ? v->bench_serial : 0;
    if (!is_loaded)
        result_free(r);
    return true;
}

bool live_ahead_awaited(struct live *v, const struct entry *n)
{
    if (v->ahead != n)
        return false;
    v->ahead = NULL;
    v->request = v->ahead_request;
    return true;
}

void live_ahead_forget(struct live *v, const struct entry *n)
{
    if (!n || v->ahead == n)
        v->ahead = NULL;
}

bool live_ahead_take(struct live *v, struct entry *n)
{
    struct result *r = n->ahead;
    n->ahead = NULL;
    bool ok = !r || !live_bench_has(v, n) || result_merge(n->result, r) ||
              live_break(v, ERROR_MEMORY, "out of memory");
    result_free(r);
    return ok;
}
