// The live evaluator's part of a recovery (recovery.h): tells it what became of the bench worker,
// runs the probe that it asks for, and carries out its verdict.
//
// The probe is a small kernel of hone's own, whose result is known: a job of the user's, even one that
// was right before, may be what has spoiled the device or its worker. The job that was at the bench
// (`suspect`) keeps its stage and its admission until there is a verdict.
#include "runner/live.h"
#include "model/probe.h"

#include <stdio.h>

// ---- a worker is lost --------------------------------------------------------------------------

static void lose_bench(struct live *v, enum loss_kind kind, bool is_preparing,
                       enum phase_kind phase, uint64_t limit_ns, const char *how)
{
    bool is_reply = kind == LOSS_REFUSED || kind == LOSS_FAILED; // to what this one asked for
    struct loss loss = {.kind = kind, .phase = phase, .limit_ns = limit_ns};
    str_format(loss.how, sizeof loss.how, "%s", how);
    v->suspect = v->current;
    if (is_preparing)
        loss.of = LOSS_OF_PREPARATION;
    else if (v->suspect)
        loss.of = !is_reply && bench_is_prefetching(v->bench) ? LOSS_OF_SHARED : LOSS_OF_JOB;
    if (v->suspect && loss.of == LOSS_OF_SHARED)
        v->suspect->alone = true;
    v->current = NULL;
    bench_end(v->bench);
    live_apart_forget(v);
    recovery_begin(&v->recovery, &loss, &v->broken);
    v->limits.is_doubted = true;
    live_settle_pool(v);
}

static void retry_alone(struct live *v, struct entry *n)
{
    live_leave_admission(v, n);
    if (v->cancelled)
        live_turns_forget(v, n, false);
    entry_stage(&v->entries, n, v->cancelled || n->turns > 0 ? STAGE_KEPT : STAGE_READY);
    live_turns_unlock(v);
}

void live_bench_died(struct live *v, const char *how)
{
    enum phase_kind phase = bench_worker(v->bench)->phase.kind;
    struct entry *n = v->current;
    if (recovery_is_probing(&v->recovery)) {
        char why[800];
        str_format(why, sizeof why, "its worker, while %s, %s", phase_text(phase), how);
        live_probe_failed(v, why);
        return;
    }
    if (phase != PHASE_OPENING) {
        lose_bench(v, LOSS_DIED, bench_state(v->bench) == BENCH_PREPARING, phase, 0, how);
        return;
    }
    v->current = NULL;
    bench_end(v->bench);
    live_settle_pool(v);
    live_opening_died(v, how);
    if (!v->broken.code && n)
        retry_alone(v, n);
}

static void overdue_text(enum phase_kind phase, uint64_t limit, char *out, size_t size)
{
    char took[32];
    duration_to_str((double)limit, took);
    if (phase == PHASE_LAUNCHING)
        snprintf(out, size, "still running after %s, its limit: ended", took);
    else if (phase == PHASE_REFERENCE)
        snprintf(out, size,
                 "the reference was not there after %s: its kernel does not end, or needs a longer "
                 "limit for launches",
                 took);
    else if (phase == PHASE_IDLE)
        snprintf(
            out, size,
            "the worker has not answered for %s: its driver hangs, or the machine is overloaded",
            took);
    else
        snprintf(out, size, "%s took longer than the limit of %s", phase_text(phase), took);
}

void live_bench_overdue(struct live *v)
{
    enum phase_kind phase = bench_worker(v->bench)->phase.kind;
    uint64_t limit = bench_worker(v->bench)->limit_ns;
    uint64_t launch = terms_launch_limit(&v->o.terms, v->limits.best_ns);
    char message[160];
    overdue_text(phase, limit, message, sizeof message);
    if (recovery_is_probing(&v->recovery)) {
        live_probe_failed(v, message);
        return;
    }
    // A limit met by several launches together is told as that of one.
    lose_bench(v, LOSS_OVERDUE, bench_state(v->bench) == BENCH_PREPARING, phase,
               phase == PHASE_LAUNCHING && launch ? launch : limit, message);
    // Before there is a device, and in a kernel that is the user's own, there is nothing to prove.
    if (phase == PHASE_REFERENCE)
        live_break_reference(v, REFERENCE_FAILED, ERROR_DEVICE, message);
    else if (phase == PHASE_OPENING)
        live_break(v, ERROR_DEVICE, "%s", message);
}

void live_bench_doubt(struct live *v, enum bench_state asked, enum loss_kind kind,
                      const char *message)
{
    static const enum phase_kind phases[BENCH_STATES] = {[BENCH_PREPARING] = PHASE_INPUTS,
                                                         [BENCH_LOADING] = PHASE_LOADING,
                                                         [BENCH_VERIFYING] = PHASE_LAUNCHING,
                                                         [BENCH_MEASURING] = PHASE_LAUNCHING,
                                                         [BENCH_HANDING] = PHASE_CHECKING};
    char how[640];
    str_format(how, sizeof how, "said: %s", message);
    lose_bench(v, kind, asked == BENCH_PREPARING, phases[asked], 0, how);
}

void live_give_up_suspect(struct live *v, struct entry *n)
{
    if (v->suspect != n)
        return;
    v->suspect = NULL;
    recovery_give_up_job(&v->recovery);
    live_leave_admission(v, n);
    live_turns_forget(v, n, false);
    entry_stage(&v->entries, n, STAGE_KEPT);
    live_turns_unlock(v);
}

// ---- the verdict -------------------------------------------------------------------------------

static void fail_suspect(struct live *v, struct entry *n, const struct loss *l)
{
    struct text message = TEXT_INIT;
    enum status status = recovery_tell_job(l, &message);
    live_fail(v, n, status, 0, text_cstr(&message));
    text_release(&message);
}

// The device lives, and the procedure goes on where the worker was lost.
static void carry_out_verdict(struct live *v)
{
    const struct loss l = v->recovery.loss;
    struct entry *n = v->suspect, *probe = v->probing;
    struct text message = TEXT_INIT;
    uint32_t nobody = 0;
    v->suspect = v->probing = NULL;
    v->limits.is_doubted = false;
    if (v->o.simulated)
        bench_end(v->bench); // it serves one job
    else
        live_bench_unload(v, probe);
    if (n)
        n->was_killed = remote_was_killed(l.how);
    enum verdict verdict = recovery_verdict(&v->recovery, n ? &n->bench_deaths : &nobody);
    switch (verdict) {
    case VERDICT_NOBODY:
        break;
    case VERDICT_RETRY:
        if (n)
            retry_alone(v, n);
        break;
    case VERDICT_KEEP:
        live_done(v, n);
        break;
    case VERDICT_TIMEOUT:
        live_fail(v, n, STATUS_TIMEOUT, l.limit_ns, l.how);
        break;
    case VERDICT_REFERENCE:
        text_addf(&message, "making the reference ended the worker, twice: it %s", l.how);
        live_break_reference(v, REFERENCE_CRASHED, ERROR_DEVICE, text_cstr(&message));
        if (n)
            fail_suspect(v, n, &l);
        break;
    case VERDICT_JOB:
        fail_suspect(v, n, &l);
        break;
    case VERDICT_TOO_SLOW:
        live_break(v, ERROR_DEVICE, "%s", l.how);
        break;
    case VERDICT_UNPREPARED:
        v->prepared = true; // each job will say what is wrong
        break;
    }
    text_release(&message);
    live_settle_pool(v);
}

static void give_device_up(struct live *v, const char *why)
{
    const struct loss *l = &v->recovery.loss;
    struct entry *n = v->suspect;
    struct text message = TEXT_INIT;
    v->probing = v->suspect = NULL;
    v->limits.is_doubted = false;
    if (surroundings_blame_disk(&v->surroundings, phase_text(l->phase), l->how, &v->broken) ||
        surroundings_blame_disk(&v->surroundings, "a probe", why, &v->broken)) {
        v->suspect = n;
        return;
    }
    recovery_tell_dead(l, n ? entry_name(n) : NULL, why, &message);
    if (n && (!n->result || n->result->status == STATUS_CORRECT)) {
        result_free(n->result);
        n->result = n->build.result ? result_clone(n->build.result) : result_new();
    }
    if (n && n->result) {
        recovery_fail_lost(l, n->result);
        live_done(v, n);
    } else if (n) {
        live_break(v, ERROR_MEMORY, "out of memory");
    }
    live_break(v, ERROR_DEVICE, "%s", text_cstr(&message));
    text_release(&message);
}

// ---- the probe ---------------------------------------------------------------------------------

static struct entry *take_probe(struct live *v)
{
    if (!v->own_probe)
        v->own_probe = entry_new(v, job_probe(v->device.language));
    if (!v->own_probe)
        live_break(v, ERROR_MEMORY, "out of memory");
    return v->own_probe;
}

void live_probe_start(struct live *v)
{
    bool wanted = v->suspect || v->recovery.loss.of == LOSS_OF_PREPARATION || v->turns.first ||
                  entry_count(&v->entries, STAGE_BUILDING, STAGE_READY) > 0;
    if (v->recovery.state != RECOVERY_LOST || !wanted)
        return;
    v->probing = take_probe(v);
    if (!v->probing)
        return;
    v->limits.is_probing = true;
    if (bench_ready(v->bench, &v->broken) && bench_load(v->bench, &v->probing->bench, &v->broken))
        recovery_event(&v->recovery, RECOVERY_PROBE_SENT, &v->broken);
}

void live_probe_failed(struct live *v, const char *why)
{
    bench_end(v->bench);
    v->limits.is_probing = false;
    if (recovery_event(&v->recovery, RECOVERY_PROBE_FAILED, &v->broken) == RECOVERY_DEAD)
        give_device_up(v, why);
}

void live_probe_answered(struct live *v, const struct result *r)
{
    struct policy policy = {.launches = 1,
                            .launch_limit_ns = terms_launch_limit(&v->o.terms, v->limits.best_ns)};
    struct bench_job *probe = &v->probing->bench;
    if (r->status != STATUS_CORRECT) {
        live_probe_failed(v, r->message);
    } else if (recovery_event(&v->recovery, RECOVERY_PROBE_PASSED, &v->broken) == RECOVERY_LAUNCH) {
        bench_verify(v->bench, probe, &policy, NULL, &v->broken);
    } else {
        bench_note_verified(v->bench, probe);
        v->limits.is_probing = false;
        carry_out_verdict(v);
    }
}
