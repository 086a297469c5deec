// The bench worker: loads, verifies and measures one job at a time. On a device that shares the
// host's cores the build workers are stopped while it measures.
#include "eval/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t launch_limit(const struct live *v)
{
    return terms_launch_limit(&v->o.terms, v->best_ns);
}

// ---- requests ----------------------------------------------------------------------------------

static bool send(struct live *v, enum verb verb, struct text *payload)
{
    struct error e = ERROR_INIT;
    bool ok = !payload->failed || error_memory(&e);
    // A broken pipe is a death, and found as one when the channel is read.
    if (ok && !remote_send(&v->bench, verb, payload, &e) && e.code == ERROR_MEMORY)
        ok = false;
    text_release(payload);
    if (!ok)
        return live_break(v, e.code, "%s", e.text);
    v->request = v->bench.sequence;
    if (v->bench.phase.kind == PHASE_IDLE)
        live_limit_phase(v, &v->bench);
    return true;
}

static void put_handle(struct text *payload, uint32_t handle)
{
    struct wire w;
    wire_writer(&w, payload);
    wire_u32(&w, &handle);
}

static void request_load(struct live *v, struct entry *n)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    put_handle(&payload, n->handle);
    live_put_job(&payload, n->job);
    wire_writer(&w, &payload);
    image_codec(&w, &n->image);
    n->stage = STAGE_LOADING;
    send(v, VERB_LOAD, &payload);
}

static void request_verify(struct live *v, struct entry *n)
{
    struct text payload = TEXT_INIT;
    struct policy policy = {.launches = 1, .launch_limit_ns = launch_limit(v)};
    put_handle(&payload, n->handle);
    live_put_policy(&payload, &policy);
    n->stage = STAGE_VERIFYING;
    send(v, VERB_VERIFY, &payload);
}

static void request_measure(struct live *v, struct entry *n, uint32_t launches)
{
    const struct measure_rules *rules = &v->o.terms.rules;
    struct text payload = TEXT_INIT;
    struct policy policy = {.launches = launches,
                            .batch = 1,
                            .launch_limit_ns = launch_limit(v),
                            .cold = v->o.terms.cold,
                            .fixed = rules->fixed > 0 || n->again > 0};
    if (!policy.fixed) {
        policy.budget_ns = (uint64_t)(1e9 * rules->budget);
        policy.hopeless_ns = (uint64_t)((double)v->best_ns * rules->hopeless);
    }
    put_handle(&payload, n->handle);
    live_put_policy(&payload, &policy);
    n->stage = STAGE_MEASURING;
    live_builders_pause(v, true);
    send(v, VERB_MEASURE, &payload);
}

static void request_prepare(struct live *v, struct entry *n)
{
    struct text payload = TEXT_INIT;
    live_put_job(&payload, n->job);
    v->preparing = n->prepared = true;
    send(v, VERB_PREPARE, &payload);
}

// ---- which job next ----------------------------------------------------------------------------

static bool start_bench(struct live *v)
{
    struct error e = ERROR_INIT;
    if (remote_start(&v->bench, v->o.worker, v->o.environment, v->device.id, ROLE_BENCH, v->o.exact,
                     &e))
        return true;
    return live_break(v, e.code, "%s", e.text);
}

static bool set_result(struct live *v, struct entry *n)
{
    result_free(n->result);
    n->result = n->built && !n->again ? result_clone(n->built) : result_new();
    return n->result || live_break(v, ERROR_MEMORY, "out of memory");
}

// True when the job may be measured now.
static bool pass_gate(struct live *v, struct entry *n)
{
    struct result *answer = NULL;
    if (n->gated)
        return true;
    if (v->gate_retry_ns && clock_ns() < v->gate_retry_ns)
        return false;
    v->gate_retry_ns = 0;
    switch (v->o.gate.enter(v->o.gate.context, n->ticket, &n->known, &answer, &v->broken)) {
    case GATE_OPEN:
        n->gated = true;
        return true;
    case GATE_BUSY:
        v->gate_retry_ns = clock_ns() + LIVE_LOCK_POLL_NS;
        return false;
    case GATE_ANSWERED:
        result_free(n->result);
        n->result = answer;
        n->stage = STAGE_DONE;
        return false;
    default:
        if (!v->broken.code)
            live_break(v, ERROR_INTERNAL, "the device's lock cannot be used");
        return false;
    }
}

static void begin(struct live *v, struct entry *n)
{
    v->current = n;
    if (!set_result(v, n))
        return;
    if (!n->loaded)
        request_load(v, n);
    else if (!n->verified)
        request_verify(v, n);
    else
        request_measure(v, n, n->again);
}

static bool needs_renewal(const struct live *v)
{
    if (v->bench.served >= (v->o.exact ? 1 : LIVE_RENEW_JOBS))
        return true;
    if (v->bench.served % 16 != 15 || !v->bench_base_bytes)
        return false;
    return remote_memory(&v->bench) > 2 * v->bench_base_bytes + (256u << 20);
}

// A job with which a worker died comes first: nothing but itself runs in its new worker.
static struct entry *next_ready(struct live *v)
{
    for (struct entry *n = v->entries; n; n = n->next) {
        if (n->stage == STAGE_READY && n->bench_deaths > 0)
            return n;
    }
    return live_first(v, STAGE_READY);
}

// The job whose inputs and reference are to be made before anything is measured, or NULL.
static struct entry *wants_preparing(struct live *v, struct entry *next)
{
    if (v->cancelled || (!v->o.exact && v->prepared))
        return NULL;
    if (v->o.exact) // what a reference's launch does is not the job's doing
        return next && !next->prepared && next->job->reference.kind == REFERENCE_JOB ? next : NULL;
    // They are made beside the first builds.
    if (!next)
        next = live_first(v, STAGE_QUEUED);
    return next ? next : live_first(v, STAGE_BUILDING);
}

void live_bench_start(struct live *v)
{
    if (v->current || v->preparing || v->broken.code || v->o.build_only)
        return;
    if (v->bench.running && needs_renewal(v))
        live_bench_forget(v);
    struct entry *n = next_ready(v), *first = wants_preparing(v, n);
    if (first) {
        if (v->bench.running || start_bench(v))
            request_prepare(v, first);
        return;
    }
    while (n && !v->broken.code && !pass_gate(v, n)) {
        if (v->gate_retry_ns)
            return;
        n = next_ready(v);
    }
    if (n && !v->broken.code && (v->bench.running || start_bench(v)))
        begin(v, n);
}

// ---- what comes back ---------------------------------------------------------------------------

void live_bench_forget(struct live *v)
{
    remote_end(&v->bench);
    v->preparing = false;
    v->bench_base_bytes = 0;
    for (struct entry *n = v->entries; n; n = n->next)
        n->loaded = n->verified = false;
}

void live_bench_unload(struct live *v, struct entry *n)
{
    struct text payload = TEXT_INIT;
    if (v->current == n) {
        // Dropped while it is measured: only ending the worker ends that.
        live_bench_forget(v);
        live_builders_pause(v, false);
        v->current = NULL;
        if (n->gated)
            v->o.gate.leave(v->o.gate.context, n->ticket, NULL, NULL);
        return;
    }
    if (!n->loaded || !v->bench.running)
        return;
    put_handle(&payload, n->handle);
    remote_send(&v->bench, VERB_UNLOAD, &payload, NULL);
    text_release(&payload);
}

static void finish(struct live *v, struct entry *n, enum stop_reason stop)
{
    v->current = NULL;
    v->bench.served++;
    if (!v->bench_base_bytes)
        v->bench_base_bytes = remote_memory(&v->bench);
    live_builders_pause(v, false);
    n->again = 0;
    if (n->result->status == STATUS_CORRECT && n->result->stop == STOP_NONE)
        n->result->stop = stop;
    // What a kernel wrote where it should not may hurt the next job: never share a worker with it.
    if (n->result->status == STATUS_RUNTIME)
        live_bench_forget(v);
    live_done(v, n);
}

static bool merge_reply(struct live *v, struct entry *n, const struct frame *f)
{
    struct result *r = live_reply_result(v, f);
    if (!r)
        return false;
    bool ok = result_merge(n->result, r) || live_break(v, ERROR_MEMORY, "out of memory");
    if (r->fault == FAULT_REFERENCE)
        ok = live_break(v, ERROR_INPUT, "%s", r->message);
    else if (r->fault == FAULT_DEVICE)
        ok = live_break(v, ERROR_DEVICE, "%s", r->message);
    result_free(r);
    return ok;
}

// A request cannot be taken back: a search that is cancelled waits for no more than a piece.
static uint32_t in_pieces(const struct entry *n, uint32_t launches)
{
    uint64_t each = n->result->verify_launch_ns;
    uint64_t most = each ? LIVE_PIECE_NS / each : launches;
    return most < 1 ? 1 : most < launches ? (uint32_t)most : launches;
}

static void after_measuring(struct live *v, struct entry *n)
{
    static const enum stop_reason stops[] = {[MEASURE_SETTLED] = STOP_SETTLED,
                                             [MEASURE_HOPELESS] = STOP_HOPELESS,
                                             [MEASURE_LIMIT] = STOP_LIMIT,
                                             [MEASURE_FIXED] = STOP_FIXED};
    uint32_t more = 0;
    enum stop_reason stopped = n->result->stop;
    // That the worker did all it was asked for settles nothing: that is decided here.
    if (stopped != STOP_HOPELESS && stopped != STOP_LIMIT)
        n->result->stop = STOP_NONE;
    if (n->again || n->result->stop != STOP_NONE) {
        finish(v, n, STOP_FIXED);
        return;
    }
    struct screening screening = {.verify_ns = n->result->verify_launch_ns,
                                  .samples = n->result->samples_ns,
                                  .count = n->result->sample_count,
                                  .resolution_ns = v->device.timer_ns,
                                  .best_ns = v->best_ns,
                                  .best_verify_ns = v->best_verify_ns};
    enum measure_verdict verdict = measure_next(&v->o.terms.rules, &screening, &more);
    if (verdict != MEASURE_MORE)
        finish(v, n, stops[verdict]);
    else if (v->cancelled)
        finish(v, n, STOP_LIMIT);
    else
        request_measure(v, n, in_pieces(n, more));
}

static void after_verifying(struct live *v, struct entry *n)
{
    const struct measure_rules *rules = &v->o.terms.rules;
    n->verified = true;
    if (v->o.no_timing)
        finish(v, n, STOP_NONE);
    else if (n->again)
        request_measure(v, n, n->again);
    else
        request_measure(v, n, in_pieces(n, rules->fixed ? rules->fixed : (uint32_t)rules->first));
}

static void after_preparing(struct live *v, const struct frame *f)
{
    struct result *r = live_reply_result(v, f);
    v->preparing = false;
    v->prepared = true;
    if (r && r->fault == FAULT_DEVICE)
        live_break(v, ERROR_DEVICE, "%s", r->message);
    // Anything else is found again with the jobs. A reference that cannot be made is told with the
    // first job that builds: what is wrong with a job itself comes first, and never by chance.
    result_free(r);
    if (v->o.exact)
        live_bench_forget(v);
}

// A search that was cancelled waits for the present launches only.
static bool give_up_cancelled(struct live *v, struct entry *n)
{
    if (!v->cancelled || n->stage == STAGE_MEASURING)
        return false;
    v->current = NULL;
    if (n->gated)
        v->o.gate.leave(v->o.gate.context, n->ticket, NULL, NULL);
    n->gated = false;
    n->stage = STAGE_KEPT; // no outcome
    return true;
}

void live_bench_frame(struct live *v, const struct frame *f)
{
    struct entry *n = v->current;
    if (f->sequence != v->request)
        return; // the answer to an UNLOAD
    if (v->preparing) {
        after_preparing(v, f);
        return;
    }
    if (!n || !merge_reply(v, n, f) || give_up_cancelled(v, n))
        return;
    if (n->stage == STAGE_LOADING)
        n->loaded = n->result->status == STATUS_CORRECT;
    if (n->result->status != STATUS_CORRECT)
        finish(v, n, STOP_NONE);
    else if (n->stage == STAGE_LOADING)
        request_verify(v, n);
    else if (n->stage == STAGE_VERIFYING)
        after_verifying(v, n);
    else
        after_measuring(v, n);
}

// ---- deaths and limits -------------------------------------------------------------------------

static enum status status_of_death(enum phase_kind phase)
{
    bool building = phase == PHASE_LOADING || phase == PHASE_BUILDING || phase == PHASE_PRIMING;
    return building ? STATUS_COMPILE : STATUS_RUNTIME;
}

static void retry_alone(struct live *v, struct entry *n)
{
    if (n->gated)
        v->o.gate.leave(v->o.gate.context, n->ticket, NULL, NULL);
    n->gated = false;
    n->stage = v->cancelled ? STAGE_KEPT : STAGE_READY;
}

static void death_of_job(struct live *v, struct entry *n, enum phase_kind phase, const char *how)
{
    v->current = NULL;
    if (++n->bench_deaths < 2) {
        retry_alone(v, n);
        return;
    }
    struct text message = TEXT_INIT;
    if (phase == PHASE_REFERENCE)
        live_break(v, ERROR_DEVICE, "making the reference ended the worker, twice: it %s", how);
    text_addf(&message, "the worker died while %s, twice and with this configuration alone: it %s",
              phase_text(phase), how);
    live_fail(v, n, status_of_death(phase), 0, text_cstr(&message));
    text_release(&message);
}

void live_bench_died(struct live *v)
{
    struct text how = TEXT_INIT;
    struct entry *n = v->current;
    enum phase_kind phase = v->bench.phase.kind;
    bool preparing = v->preparing;
    remote_autopsy(&v->bench, &how);
    live_bench_forget(v);
    live_builders_pause(v, false);
    if (phase == PHASE_OPENING && ++v->start_deaths >= LIVE_START_TRIES)
        live_break(v, ERROR_WORKER, "%u workers died while opening the device; the last %s",
                   LIVE_START_TRIES, text_cstr(&how));
    else if (preparing && phase == PHASE_REFERENCE && ++v->prepare_deaths >= 2)
        live_break(v, ERROR_DEVICE, "making the reference ended the worker, twice: it %s",
                   text_cstr(&how));
    else if (preparing && phase != PHASE_OPENING && ++v->prepare_deaths >= 4)
        v->prepared = true; // each job will say what is wrong
    else if (n && phase == PHASE_OPENING)
        v->current = NULL, retry_alone(v, n);
    else if (n)
        death_of_job(v, n, phase, text_cstr(&how));
    text_release(&how);
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
    else
        snprintf(out, size, "%s took longer than the limit of %s", phase_text(phase), took);
}

void live_bench_overdue(struct live *v)
{
    struct entry *n = v->current;
    enum phase_kind phase = v->bench.phase.kind;
    uint64_t limit = v->bench.limit_ns;
    char message[160];
    overdue_text(phase, limit, message, sizeof message);
    live_bench_forget(v);
    live_builders_pause(v, false);
    v->current = NULL;
    if (phase == PHASE_OPENING || phase == PHASE_REFERENCE || !n) {
        live_break(v, ERROR_DEVICE, "%s", message);
        return;
    }
    // A limit met by several launches together is told as that of one.
    if (phase == PHASE_LAUNCHING && launch_limit(v))
        limit = launch_limit(v);
    live_fail(v, n, STATUS_TIMEOUT, limit, message);
}
