// Recovery: a bench worker was lost, and before anybody is blamed or anything else runs, a probe
// shows whether the device still lives.
//
// A dead device ends every worker that touches it, and would have every configuration blamed that
// comes after the one that killed it. So after each loss a job whose result is known, the probe, is
// loaded and launched in a fresh worker. Where that succeeds the device lives, and the verdict
// follows from how the worker was lost and what it was serving (the table `verdicts`): a worker
// that died is blamed on a job only when that happens twice with the job alone, because chance, or
// what an earlier job left in the worker, may have caused the first. Where the probe fails in two
// fresh workers, one after the other, the device is lost and no later job is blamed.
//
// Both tables below list what may happen; what they do not list is an error of ours or of a worker
// that does not keep to the protocol.
#include "runner/recovery.h"

static const char *const state_names[] = {[RECOVERY_NONE] = "nothing is lost",
                                          [RECOVERY_LOST] = "a worker is lost",
                                          [RECOVERY_LOADING] = "a probe is being loaded",
                                          [RECOVERY_LAUNCHING] = "a probe is running"};
static const char *const event_names[] = {[RECOVERY_WORKER_LOST] = "a worker was lost",
                                          [RECOVERY_PROBE_SENT] = "a probe was sent",
                                          [RECOVERY_PROBE_PASSED] = "a probe passed",
                                          [RECOVERY_PROBE_FAILED] = "a probe failed"};

// A probe that failed is sent once more, until it has failed RECOVERY_TRIES times.
static const struct {
    enum recovery_state next;
    enum recovery_step step;
} transitions[RECOVERY_STATES][RECOVERY_EVENTS] = {
    [RECOVERY_NONE] = {[RECOVERY_WORKER_LOST] = {RECOVERY_LOST, RECOVERY_PROBE}},
    [RECOVERY_LOST] = {[RECOVERY_PROBE_SENT] = {RECOVERY_LOADING, RECOVERY_AWAIT},
                       [RECOVERY_PROBE_FAILED] = {RECOVERY_LOST, RECOVERY_PROBE}},
    [RECOVERY_LOADING] = {[RECOVERY_PROBE_PASSED] = {RECOVERY_LAUNCHING, RECOVERY_LAUNCH},
                          [RECOVERY_PROBE_FAILED] = {RECOVERY_LOST, RECOVERY_PROBE}},
    [RECOVERY_LAUNCHING] = {[RECOVERY_PROBE_PASSED] = {RECOVERY_NONE, RECOVERY_ALIVE},
                            [RECOVERY_PROBE_FAILED] = {RECOVERY_LOST, RECOVERY_PROBE}},
};

enum recovery_step recovery_event(struct recovery *r, enum recovery_event event, struct error *e)
{
    enum recovery_step step = transitions[r->state][event].step;
    if (step == RECOVERY_IMPOSSIBLE) {
        error_set(e, ERROR_INTERNAL, "recovery: %s while %s", event_names[event],
                  state_names[r->state]);
        return step;
    }
    log_add(r->log, LOG_DEBUG, "recovery: %s while %s", event_names[event], state_names[r->state]);
    r->state = transitions[r->state][event].next;
    if (event == RECOVERY_PROBE_FAILED && ++r->failures >= RECOVERY_TRIES) {
        r->state = RECOVERY_NONE;
        return RECOVERY_DEAD;
    }
    return step;
}

enum recovery_step recovery_begin(struct recovery *r, const struct loss *loss, struct error *e)
{
    enum recovery_step step = recovery_event(r, RECOVERY_WORKER_LOST, e);
    if (step != RECOVERY_IMPOSSIBLE) {
        r->loss = *loss;
        r->failures = 0;
    }
    return step;
}

bool recovery_is_probing(const struct recovery *r)
{
    return r->state == RECOVERY_LOADING || r->state == RECOVERY_LAUNCHING;
}

void recovery_give_up_job(struct recovery *r)
{
    if (r->loss.of == LOSS_OF_SHARED || r->loss.of == LOSS_OF_JOB)
        r->loss.of = LOSS_OF_NOTHING;
}

// ---- the device lives --------------------------------------------------------------------------

// By how the worker was lost and what it served. JOB is a first suspicion: see recovery_verdict().
static const enum verdict verdicts[LOSS_KINDS][LOSS_OF_COUNT] = {
    [LOSS_DIED] = {[LOSS_OF_PREPARATION] = VERDICT_UNPREPARED,
                   [LOSS_OF_SHARED] = VERDICT_RETRY,
                   [LOSS_OF_JOB] = VERDICT_JOB},
    [LOSS_REFUSED] = {[LOSS_OF_PREPARATION] = VERDICT_UNPREPARED,
                      [LOSS_OF_SHARED] = VERDICT_RETRY,
                      [LOSS_OF_JOB] = VERDICT_JOB},
    [LOSS_OVERDUE] = {[LOSS_OF_PREPARATION] = VERDICT_TOO_SLOW,
                      [LOSS_OF_SHARED] = VERDICT_RETRY,
                      [LOSS_OF_JOB] = VERDICT_TIMEOUT},
    [LOSS_FAILED] = {[LOSS_OF_PREPARATION] = VERDICT_UNPREPARED,
                     [LOSS_OF_SHARED] = VERDICT_RETRY,
                     [LOSS_OF_JOB] = VERDICT_KEEP},
};

enum verdict recovery_verdict(struct recovery *r, uint32_t *job_deaths)
{
    const struct loss *l = &r->loss;
    enum verdict verdict = verdicts[l->kind][l->of];
    bool of_reference = l->phase == PHASE_REFERENCE;
    if (verdict == VERDICT_UNPREPARED) {
        uint32_t deaths = ++r->prepare_deaths;
        return of_reference && deaths >= 2 ? VERDICT_REFERENCE
               : deaths >= 4               ? VERDICT_UNPREPARED
                                           : VERDICT_NOBODY;
    }
    if (verdict == VERDICT_JOB)
        return ++*job_deaths < 2 ? VERDICT_RETRY : of_reference ? VERDICT_REFERENCE : VERDICT_JOB;
    return verdict;
}

enum status recovery_tell_job(const struct loss *l, struct text *out)
{
    bool building =
        l->phase == PHASE_LOADING || l->phase == PHASE_BUILDING || l->phase == PHASE_PRIMING;
    text_addf(out, "%s%s, twice and with this configuration alone: it %s",
              l->kind == LOSS_REFUSED ? "the worker lost the device while " : RESULT_DIED,
              phase_text(l->phase), l->how);
    return building && l->kind != LOSS_REFUSED ? STATUS_COMPILE : STATUS_RUNTIME;
}

// ---- the device is lost ------------------------------------------------------------------------

static void add_circumstances(struct text *t, const struct loss *l)
{
    const char *worker = l->kind == LOSS_OVERDUE ? "its worker was ended (" : "its worker ";
    text_addf(t, "%s%s%s", worker, l->how, l->kind == LOSS_OVERDUE ? ")" : "");
}

void recovery_fail_lost(const struct loss *l, struct result *r)
{
    struct text message = TEXT_INIT;
    text_addf(&message, "the device was lost while this was %s: ", phase_text(l->phase));
    add_circumstances(&message, l);
    result_fail(r, l->kind == LOSS_OVERDUE ? STATUS_TIMEOUT : STATUS_RUNTIME, FAULT_LOST, "%s",
                text_cstr(&message));
    // A launch that the driver broke off has said so already; what became of the device counts
    // more.
    r->fault = FAULT_LOST;
    r->limit_ns = l->limit_ns;
    const char *kept = arena_strdup(&r->arena, text_cstr(&message));
    r->message = kept ? kept : r->message;
    text_release(&message);
}

void recovery_tell_dead(const struct loss *l, const char *configuration, const char *why,
                        struct text *out)
{
    text_addf(out, "device lost: while %s%s%s ", phase_text(l->phase), configuration ? " " : ",",
              configuration ? configuration : "");
    add_circumstances(out, l);
    text_addf(out,
              "; then, in a fresh worker, a small kernel of hone's own failed too, twice: %s. The "
              "system's log (dmesg) may say more; the device may need a reset, or the machine a "
              "restart. After that the same command goes on where this one ended",
              why);
}
