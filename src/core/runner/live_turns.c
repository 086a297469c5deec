// Turns: jobs that are measured again, one after the other, in the order in which they were asked
// for. All jobs of a round stay loaded in one worker, so that between two turns nothing happens but
// one frame each way.
#include "runner/live.h"

#include <stdlib.h>
#include <string.h>

// ---- the queues --------------------------------------------------------------------------------

static void append_turn(struct turn_queue *q, struct pending_turn *t)
{
    t->next = NULL;
    *q->last = t;
    q->last = &t->next;
}

// The first of an entry (NULL: of all), taken out of the queue.
static struct pending_turn *pull_turn(struct turn_queue *q, const struct entry *n)
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

// Cancels a queued turn.
static void give_turn_up(struct pending_turn *t)
{
    t->entry->turns--;
    t->entry->build.is_urgent = t->entry->turns > 0;
    turn_free(t);
}

bool live_turn_add(struct live *v, struct entry *n, const struct turn *turn)
{
    struct pending_turn *t = calloc(1, sizeof *t);
    if (!t)
        return false;
    t->entry = n;
    t->turn = *turn;
    append_turn(&v->turns, t);
    n->turns++;
    n->build.is_urgent = true;
    return true;
}

void live_turns_forget(struct live *v, struct entry *n, bool done)
{
    struct pending_turn *t;
    while (n->turns > 0 && (t = pull_turn(&v->turns, n)))
        give_turn_up(t);
    while (done && (t = pull_turn(&v->turned, n)))
        turn_free(t);
}

// The one at the bench may come to its end.
void live_turns_cancel(struct live *v)
{
    struct entry *at_bench = v->current ? v->current : v->suspect;
    struct pending_turn *t;
    struct pending_turn *kept =
        at_bench && at_bench->turns > 0 ? pull_turn(&v->turns, at_bench) : NULL;
    while ((t = pull_turn(&v->turns, NULL)))
        give_turn_up(t);
    if (kept)
        append_turn(&v->turns, kept);
}

void live_turns_release(struct live *v)
{
    struct pending_turn *t;
    while ((t = pull_turn(&v->turns, NULL)) || (t = pull_turn(&v->turned, NULL)))
        turn_free(t);
    v->hold = false;
    v->current = v->suspect = NULL;
    live_turns_unlock(v);
}

// ---- the lock ----------------------------------------------------------------------------------

static bool take_lock(struct live *v)
{
    if (v->locked || !v->o.admission.lock)
        return true;
    if (live_admission_rests(v))
        return false;
    v->locked = live_admission_open(v, v->o.admission.lock(v->o.admission.context, &v->broken));
    return v->locked;
}

void live_turns_unlock(struct live *v)
{
    const struct entry *at_bench = v->current ? v->current : v->suspect;
    if (!v->locked || v->hold || (at_bench && at_bench->turns > 0))
        return;
    v->locked = false;
    v->o.admission.unlock(v->o.admission.context);
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
    if (!wants_build(n) && take_lock(v) && bench_ready(v->bench, &v->broken))
        live_bench_begin(v, n);
}

// Once: that a kernel which keeps the result that it computed once is not found out.
static void tell_stays(struct live *v, const struct job *j)
{
    const char *why = job_inputs_stay(j);
    if (why && !v->told_inputs && j->reference.kind != REFERENCE_NONE)
        log_add(v->o.log, LOG_WARNING, POLICY_INPUTS_SKIPPED "%s", why);
    v->told_inputs = v->told_inputs || why;
}

void live_turn_go_on(struct live *v, struct entry *n)
{
    const struct turn *t = &v->turns.first->turn;
    const struct terms *terms = &v->o.terms;
    struct policy policy = (struct policy){
        .batch =
            t->batch ? t->batch : measure_batch(&terms->rules, n->verify_ns, v->device.timer_ns),
        .warmups = t->warmups,
        .launch_limit_ns = terms_launch_limit(terms, v->limits.best_ns),
        .cold = terms->cold,
        .fixed = true};
    uint32_t have = n->result->sample_count;
    uint32_t left = have < t->launches ? t->launches - have : 0;
    n->result->warmups = t->warmups;
    const char *why = strstr(n->result->log, POLICY_INPUTS_SKIPPED);
    if (why && !v->told_inputs)
        log_add(v->o.log, LOG_WARNING, "%s", why);
    v->told_inputs = v->told_inputs || why;
    if (left == 0 || (v->cancelled && have > 0)) {
        n->result->stop = STOP_NONE; // that all was measured which was asked for says nothing
        live_bench_finish(v, n, have > 0 ? STOP_RANKED : STOP_NONE);
        return;
    }
    policy.launches = live_in_pieces(n, &policy, left);
    policy.check = POLICY_CHECK_EACH;
    policy.inputs = t->compare && policy.launches == left ? POLICY_OTHER_INPUTS : 0;
    if (policy.inputs)
        tell_stays(v, n->job);
    policy.energy = t->energy && policy.launches == left;
    policy.counters = t->counters && policy.launches == left;
    live_request_measure(v, n, &policy);
}

// Ends all turns of a job that failed in one: repeats would only show how often it kills a worker.
void live_turn_done(struct live *v, struct entry *n)
{
    bool failed = n->result->status != STATUS_CORRECT;
    struct pending_turn *t;
    do {
        t = pull_turn(&v->turns, n);
        n->turns--;
        n->build.is_urgent = n->turns > 0;
        t->result = n->turns > 0 && failed ? result_clone(n->result) : n->result;
        if (!t->result)
            live_break(v, ERROR_MEMORY, "out of memory");
        append_turn(&v->turned, t);
    } while (failed && n->turns > 0);
    n->result = NULL;
    entry_stage(&v->entries, n, STAGE_KEPT);
    live_turns_unlock(v);
}

bool live_turn_take(struct live *v, struct outcome *out)
{
    struct pending_turn *t = pull_turn(&v->turned, NULL);
    if (!t)
        return false;
    *out = (struct outcome){.ticket = t->entry->ticket, .result = t->result};
    t->result = NULL;
    turn_free(t);
    return out->result != NULL;
}
