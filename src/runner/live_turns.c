// Turns: jobs that are measured again, one after the other, in the order in which they were asked
// for. All jobs of a round stay loaded in one worker, so that between two turns nothing happens but
// one frame each way.
#include "eval/live.h"

#include <stdlib.h>

// ---- the queues --------------------------------------------------------------------------------

static void append(struct turn_queue *q, struct pending_turn *t)
{
    t->next = NULL;
    *q->last = t;
    q->last = &t->next;
}

// The first of an entry (NULL: of all), taken out of the queue.
static struct pending_turn *pull(struct turn_queue *q, const struct entry *n)
{
    struct pending_turn **link = &q->first;
    while (*link && n && (*link)->entry != n)
        link = &(*link)->next;
    struct pending_turn *t = *link;
    if (!t)
        return NULL;
    *link = t->next;
    if (q->last == &t->next)
        q->last = link;
    return t;
}

static void turn_free(struct pending_turn *t)
{
    result_free(t->result);
    free(t);
}

// One that waits is given up.
static void give_up(struct pending_turn *t)
{
    t->entry->turns--;
    turn_free(t);
}

bool live_turn_add(struct live *v, struct entry *n, const struct turn *turn)
{
    struct pending_turn *t = calloc(1, sizeof *t);
    if (!t)
        return false;
    t->entry = n;
    t->turn = *turn;
    append(&v->turns, t);
    n->turns++;
    return true;
}

void live_turns_forget(struct live *v, struct entry *n, bool done)
{
    struct pending_turn *t;
    while (n->turns > 0 && (t = pull(&v->turns, n)))
        give_up(t);
    while (done && (t = pull(&v->turned, n)))
        turn_free(t);
}

// The one at the bench may come to its end.
void live_turns_cancel(struct live *v)
{
    struct entry *at_bench = v->current ? v->current : v->loss.suspect;
    struct pending_turn *t;
    struct pending_turn *kept = at_bench && at_bench->turns > 0 ? pull(&v->turns, at_bench) : NULL;
    while ((t = pull(&v->turns, NULL)))
        give_up(t);
    if (kept)
        append(&v->turns, kept);
}

void live_turns_release(struct live *v)
{
    struct pending_turn *t;
    while ((t = pull(&v->turns, NULL)) || (t = pull(&v->turned, NULL)))
        turn_free(t);
    v->hold = false;
    v->current = v->loss.suspect = NULL;
    live_turns_unlock(v);
}

// ---- the lock ----------------------------------------------------------------------------------

static bool take_lock(struct live *v)
{
    if (v->locked || !v->o.gate.lock)
        return true;
    if (live_gate_rests(v))
        return false;
    v->locked = live_gate_open(v, v->o.gate.lock(v->o.gate.context, &v->broken));
    return v->locked;
}

void live_turns_unlock(struct live *v)
{
    const struct entry *at_bench = v->current ? v->current : v->loss.suspect;
    if (!v->locked || v->hold || (at_bench && at_bench->turns > 0))
        return;
    v->locked = false;
    v->o.gate.unlock(v->o.gate.context);
}

// ---- one turn ----------------------------------------------------------------------------------

static bool wants_build(const struct entry *n)
{
    return n->stage <= STAGE_DOUBTED;
}

bool live_turns_quiet(const struct live *v)
{
    return v->hold && v->turns.first && !wants_build(v->turns.first->entry);
}

void live_turn_start(struct live *v)
{
    struct entry *n = v->turns.first->entry;
    if (!wants_build(n) && take_lock(v) && live_bench_ready(v))
        live_bench_begin(v, n);
}

static struct policy policy_of(const struct live *v, const struct entry *n, const struct turn *t)
{
    const struct terms *terms = &v->o.terms;
    return (struct policy){
        .batch =
            t->batch ? t->batch : measure_batch(&terms->rules, n->verify_ns, v->device.timer_ns),
        .warmups = t->warmups,
        .launch_limit_ns = terms_launch_limit(terms, v->best_ns),
        .cold = terms->cold,
        .fixed = true};
}

void live_turn_go_on(struct live *v, struct entry *n)
{
    const struct turn *t = &v->turns.first->turn;
    struct policy policy = policy_of(v, n, t);
    uint32_t have = n->result->sample_count;
    uint32_t left = have < t->launches ? t->launches - have : 0;
    n->result->warmups = t->warmups;
    if (left == 0 || (v->cancelled && have > 0)) {
        n->result->stop = STOP_NONE; // that all was measured which was asked for says nothing
        live_bench_finish(v, n, have > 0 ? STOP_RANKED : STOP_NONE);
        return;
    }
    policy.launches = live_in_pieces(n, &policy, left);
    policy.compare = t->compare && policy.launches == left;
    policy.energy = t->energy && policy.launches == left;
    live_request_measure(v, n, &policy);
}

// What failed once fails in all its turns: nothing would be learnt but how often it kills a worker.
void live_turn_done(struct live *v, struct entry *n)
{
    bool failed = n->result->status != STATUS_CORRECT;
    struct pending_turn *t;
    do {
        t = pull(&v->turns, n);
        n->turns--;
        t->result = n->turns > 0 && failed ? result_clone(n->result) : n->result;
        if (!t->result)
            live_break(v, ERROR_MEMORY, "out of memory");
        append(&v->turned, t);
    } while (failed && n->turns > 0);
    n->result = NULL;
    entry_stage(&v->entries, n, STAGE_KEPT);
    live_turns_unlock(v);
}

bool live_turn_take(struct live *v, struct outcome *out)
{
    struct pending_turn *t = pull(&v->turned, NULL);
    if (!t)
        return false;
    *out = (struct outcome){.ticket = t->entry->ticket, .result = t->result};
    t->result = NULL;
    turn_free(t);
    return out->result != NULL;
}
