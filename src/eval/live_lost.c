// Bench workers that are lost: who is to blame, and whether it is the device.
//
// A dead device ends every worker that touches it, and would have every configuration blamed that
// comes after the one that killed it. So after a loss a job that is known to work runs first, in a
// fresh worker: the last one that was correct, or a small kernel of our own. Only when that works
// does the configuration that was at the bench count as what did it; when it fails, twice, the
// device is lost, and nobody after that configuration is blamed.
#include "eval/live.h"
#include "job/probe.h"

#include <stdio.h>
#include <string.h>

// ---- a loss ------------------------------------------------------------------------------------

static const char *name_of(const struct entry *n)
{
    return n->job->configuration ? n->job->configuration : "a configuration";
}

static void lose(struct live *v, enum loss_kind kind, enum phase_kind phase, const char *how)
{
    struct loss *l = &v->loss;
    bool is_reply = kind == LOSS_REFUSED || kind == LOSS_FAILED; // to what this one asked for
    *l = (struct loss){.pending = true,
                       .kind = kind,
                       .phase = phase,
                       .preparing = v->preparing,
                       .shared = !is_reply && v->current && v->ahead,
                       .suspect = v->current};
    str_format(l->how, sizeof l->how, "%s", how);
    if (l->shared)
        l->suspect->alone = true;
    v->current = NULL;
    live_bench_forget(v);
    live_builders_settle(v);
}

static void retry_alone(struct live *v, struct entry *n)
{
    live_leave_gate(v, n);
    if (v->cancelled)
        live_turns_forget(v, n, false);
    entry_stage(&v->entries, n, v->cancelled || n->turns > 0 ? STAGE_KEPT : STAGE_READY);
    live_turns_unlock(v);
}

static void opening_died(struct live *v, const char *how)
{
    struct entry *n = v->current;
    v->current = NULL;
    live_bench_forget(v);
    live_builders_settle(v);
    if (++v->start_deaths >= LIVE_START_TRIES)
        live_opening_failed(v, how);
    else if (n)
        retry_alone(v, n);
}

void live_bench_died(struct live *v, const char *how)
{
    enum phase_kind phase = v->bench.phase.kind;
    if (v->loss.step != PROBE_NOT_YET) {
        char why[800];
        str_format(why, sizeof why, "its worker, while %s, %s", phase_text(phase), how);
        live_bench_forget(v);
        live_probe_failed(v, why);
    } else if (phase == PHASE_OPENING) {
        opening_died(v, how);
    } else {
        lose(v, LOSS_DIED, phase, how);
    }
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
    enum phase_kind phase = v->bench.phase.kind;
    uint64_t limit = v->bench.limit_ns;
    uint64_t launch = terms_launch_limit(&v->o.terms, v->best_ns);
    char message[160];
    overdue_text(phase, limit, message, sizeof message);
    if (v->loss.step != PROBE_NOT_YET) {
        live_bench_forget(v);
        live_probe_failed(v, message);
        return;
    }
    lose(v, LOSS_OVERDUE, phase, message);
    // A limit met by several launches together is told as that of one.
    v->loss.limit_ns = phase == PHASE_LAUNCHING && launch ? launch : limit;
    // Before there is a device, and in a kernel that is the user's own, there is nothing to prove.
    v->reference_failed |= phase == PHASE_REFERENCE;
    if (phase == PHASE_OPENING || phase == PHASE_REFERENCE)
        live_break(v, ERROR_DEVICE, "%s", message);
}

void live_bench_doubt(struct live *v, struct entry *n, enum loss_kind kind, const char *message)
{
    static const enum phase_kind phases[STAGE_COUNT] = {[STAGE_LOADING] = PHASE_LOADING,
                                                        [STAGE_VERIFYING] = PHASE_LAUNCHING,
                                                        [STAGE_MEASURING] = PHASE_LAUNCHING};
    char how[640];
    str_format(how, sizeof how, "said: %s", message);
    lose(v, kind, n ? phases[n->stage] : PHASE_INPUTS, how);
}

void live_lost_give_up(struct live *v, struct entry *n)
{
    if (v->loss.suspect != n)
        return;
    v->loss.suspect = NULL;
    live_leave_gate(v, n);
    live_turns_forget(v, n, false);
    entry_stage(&v->entries, n, STAGE_KEPT);
    live_turns_unlock(v);
}

// ---- the device lives --------------------------------------------------------------------------

static enum status status_of_death(enum phase_kind phase)
{
    bool building = phase == PHASE_LOADING || phase == PHASE_BUILDING || phase == PHASE_PRIMING;
    return building ? STATUS_COMPILE : STATUS_RUNTIME;
}

static bool reference_died(struct live *v, const struct loss *l)
{
    v->reference_failed = true;
    return live_break(v, ERROR_DEVICE, REFERENCE_DIED ", twice: it %s", l->how);
}

static void death_while_preparing(struct live *v, const struct loss *l)
{
    uint32_t deaths = ++v->prepare_deaths;
    if (l->phase == PHASE_REFERENCE && deaths >= 2)
        reference_died(v, l);
    else if (deaths >= 4)
        v->prepared = true; // each job will say what is wrong
}

static void death_of_job(struct live *v, const struct loss *l)
{
    struct entry *n = l->suspect;
    if (++n->bench_deaths < 2) {
        retry_alone(v, n);
        return;
    }
    struct text message = TEXT_INIT;
    if (l->phase == PHASE_REFERENCE)
        reference_died(v, l);
    text_addf(&message, "%s%s, twice and with this configuration alone: it %s",
              l->kind == LOSS_REFUSED ? "the worker lost the device while " : RESULT_DIED,
              phase_text(l->phase), l->how);
    enum status status = l->kind == LOSS_REFUSED ? STATUS_RUNTIME : status_of_death(l->phase);
    live_fail(v, n, status, 0, text_cstr(&message));
    text_release(&message);
}

// The procedure goes on where the worker was lost.
static void go_on(struct live *v)
{
    struct loss l = v->loss;
    v->loss = (struct loss){.pending = false};
    if (v->o.exact)
        live_bench_forget(v); // it serves one job
    else if (l.probe->dropped || l.probe == v->probe)
        live_bench_unload(v, l.probe);
    if (l.preparing && l.kind == LOSS_OVERDUE)
        live_break(v, ERROR_DEVICE, "%s", l.how);
    else if (l.preparing)
        death_while_preparing(v, &l);
    else if (l.suspect && l.shared)
        retry_alone(v, l.suspect);
    else if (l.suspect && l.kind == LOSS_OVERDUE)
        live_fail(v, l.suspect, STATUS_TIMEOUT, l.limit_ns, l.how);
    else if (l.suspect && l.kind == LOSS_FAILED)
        live_done(v, l.suspect);
    else if (l.suspect)
        death_of_job(v, &l);
    live_builders_settle(v);
}

// ---- the device is lost ------------------------------------------------------------------------

static void add_circumstances(struct text *t, const struct loss *l)
{
    const char *worker = l->kind == LOSS_OVERDUE ? "its worker was ended (" : "its worker ";
    text_addf(t, "%s%s%s", worker, l->how, l->kind == LOSS_OVERDUE ? ")" : "");
}

// The outcome of the job that was there last: stored, so that it is not tried again unasked.
static void fail_lost(struct live *v, struct entry *n, const struct loss *l)
{
    struct text message = TEXT_INIT;
    text_addf(&message, "the device was lost while this was %s: ", phase_text(l->phase));
    add_circumstances(&message, l);
    if (!n->result || n->result->status == STATUS_CORRECT) {
        result_free(n->result);
        n->result = n->built ? result_clone(n->built) : result_new();
    }
    if (n->result) {
        result_fail(n->result, l->kind == LOSS_OVERDUE ? STATUS_TIMEOUT : STATUS_RUNTIME,
                    FAULT_LOST, "%s", text_cstr(&message));
        n->result->fault = FAULT_LOST;
        n->result->limit_ns = l->limit_ns;
        const char *kept = arena_strdup(&n->result->arena, text_cstr(&message));
        n->result->message = kept ? kept : n->result->message;
        live_done(v, n);
    } else {
        live_break(v, ERROR_MEMORY, "out of memory");
    }
    text_release(&message);
}

static void give_device_up(struct live *v, const char *why)
{
    struct loss l = v->loss;
    struct text message = TEXT_INIT;
    if (live_blames_disk(v, phase_text(l.phase), l.how) || live_blames_disk(v, "a probe", why)) {
        v->loss.pending = false;
        return;
    }
    text_addf(&message, "device lost: while %s%s%s ", phase_text(l.phase), l.suspect ? " " : ",",
              l.suspect ? name_of(l.suspect) : "");
    add_circumstances(&message, &l);
    text_addf(&message,
              "; then, in a fresh worker, %s failed too, twice: %s. The system's log (dmesg) may "
              "say more; the device may need a reset, or the machine a restart. After that the "
              "same command goes on where this one ended",
              l.probe == v->probe ? "a small kernel of hone's own"
                                  : "a configuration that had worked",
              why);
    v->loss = (struct loss){.pending = false};
    if (l.suspect)
        fail_lost(v, l.suspect, &l);
    live_break(v, ERROR_DEVICE, "%s", text_cstr(&message));
    text_release(&message);
}

// ---- the probe ---------------------------------------------------------------------------------

// A job that is not compared with anything would not see a driver that lies; and the one that may
// have done the damage proves nothing.
static struct entry *choose_probe(struct live *v)
{
    if (v->good && v->good != v->loss.suspect && v->good->held_against)
        return v->good;
    if (!v->probe)
        v->probe = entry_new(v, job_probe(v->device.language));
    if (!v->probe)
        live_break(v, ERROR_MEMORY, "out of memory");
    return v->probe;
}

void live_probe_start(struct live *v)
{
    struct loss *l = &v->loss;
    bool wanted = l->suspect || l->preparing || v->turns.first ||
                  entry_count(&v->entries, STAGE_QUEUED, STAGE_READY) > 0;
    if (l->step != PROBE_NOT_YET || !wanted)
        return;
    l->probe = choose_probe(v);
    if (!l->probe || !live_bench_ready(v))
        return;
    l->step = PROBE_LOADS;
    live_send_load(v, l->probe);
}

uint64_t live_probe_limit(const struct live *v)
{
    uint64_t given = v->o.terms.launch_limit_ns;
    uint64_t usual = LIVE_PROBE_FACTOR * v->loss.probe->verify_ns;
    uint64_t limit = usual > LIVE_PROBE_NS ? usual : LIVE_PROBE_NS;
    return given && given < limit ? given : limit;
}

uint64_t live_driver_limit(const struct live *v, const struct remote *r, uint64_t limit,
                           uint64_t took)
{
    uint64_t patience = LIVE_PROBE_PATIENCE * took;
    if (patience < LIVE_PROBE_NS)
        patience = LIVE_PROBE_NS;
    if (r == &v->bench && v->loss.pending && took && patience < limit)
        limit = patience;
    uint64_t given = v->o.terms.driver_limit_ns;
    return given && given < limit ? given : limit;
}

void live_probe_failed(struct live *v, const char *why)
{
    v->loss.step = PROBE_NOT_YET;
    if (++v->loss.failures >= LIVE_PROBE_TRIES)
        give_device_up(v, why);
}

void live_probe_frame(struct live *v, const struct frame *f)
{
    struct loss *l = &v->loss;
    struct result *r = live_reply_result(v, f);
    if (!r)
        return;
    if (r->status != STATUS_CORRECT) {
        live_bench_forget(v);
        live_probe_failed(v, r->message);
    } else if (l->step == PROBE_LOADS) {
        l->step = PROBE_RUNS;
        l->probe->loaded_in = v->bench_serial;
        live_send_verify(v, l->probe);
    } else {
        l->probe->verified_in = v->bench_serial;
        go_on(v);
    }
    result_free(r);
}
