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

bool live_bench_send(struct live *v, enum verb verb, struct text *payload)
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

void live_put_load(struct text *payload, const struct entry *n)
{
    struct image image = n->image;
    struct wire w;
    put_handle(payload, n->handle);
    live_put_job(payload, n->job);
    wire_writer(&w, payload);
    image_codec(&w, &image);
}

void live_send_load(struct live *v, const struct entry *n)
{
    struct text payload = TEXT_INIT;
    if (!live_give(v, n->job))
        return;
    live_put_load(&payload, n);
    live_bench_send(v, VERB_LOAD, &payload);
}

void live_send_verify(struct live *v, const struct entry *n)
{
    struct text payload = TEXT_INIT;
    struct policy policy = {.launches = 1, .launch_limit_ns = launch_limit(v)};
    put_handle(&payload, n->handle);
    live_put_policy(&payload, &policy);
    live_bench_send(v, VERB_VERIFY, &payload);
}

static void request_load(struct live *v, struct entry *n)
{
    entry_stage(&v->entries, n, STAGE_LOADING);
    if (!live_ahead_awaited(v, n))
        live_send_load(v, n);
}

// The verified launch is held against the best, so nothing else shall run meanwhile.
static void request_verify(struct live *v, struct entry *n)
{
    struct text load = TEXT_INIT;
    struct entry *next = live_ahead_choose(v);
    if (next) // made before the launch is asked for, so that it is there while that runs
        live_put_load(&load, next);
    entry_stage(&v->entries, n, STAGE_VERIFYING);
    if (!v->o.no_timing)
        live_builders_pause(v, true);
    live_send_verify(v, n);
    live_ahead_send(v, next, &load);
}

void live_request_measure(struct live *v, struct entry *n, const struct policy *policy)
{
    struct text payload = TEXT_INIT;
    struct policy p = *policy;
    p.host_clock = v->host_clock;
    put_handle(&payload, n->handle);
    live_put_policy(&payload, &p);
    entry_stage(&v->entries, n, STAGE_MEASURING);
    live_builders_pause(v, true);
    live_bench_send(v, VERB_MEASURE, &payload);
}

static void request_prepare(struct live *v, struct entry *n)
{
    struct text payload = TEXT_INIT;
    if (!live_give(v, n->job))
        return;
    live_put_job(&payload, n->job);
    v->preparing = n->prepared = true;
    live_bench_send(v, VERB_PREPARE, &payload);
}

static void go_on(struct live *v, struct entry *n);

// ---- which job next ----------------------------------------------------------------------------

// A CPU's driver must be told how to measure before it is loaded, so a worker that has listed
// devices does not do there.
static bool find_bench(struct live *v, struct error *e)
{
    if (!v->device.shares_host && !v->o.exact && spare_take(v->o.spare, &v->bench))
        return remote_open(&v->bench, v->device.id, ROLE_BENCH, v->o.exact, e);
    return remote_start(&v->bench, v->o.worker, v->o.environment, v->device.id, ROLE_BENCH,
                        v->o.exact, e);
}

static bool start_bench(struct live *v)
{
    struct error e = ERROR_INIT;
    v->bench_serial++;
    v->bench_started_ns = clock_ns();
    if (find_bench(v, &e)) {
        live_limit_phase(v, &v->bench);
        return true;
    }
    return live_break(v, e.code, "%s", e.text);
}

static bool set_result(struct live *v, struct entry *n)
{
    result_free(n->result);
    n->result = n->built && n->turns == 0 ? result_clone(n->built) : result_new();
    return n->result || live_break(v, ERROR_MEMORY, "out of memory");
}

bool live_gate_rests(struct live *v)
{
    if (v->gate_retry_ns && clock_ns() < v->gate_retry_ns)
        return true;
    v->gate_retry_ns = 0;
    return false;
}

bool live_gate_open(struct live *v, enum gate_answer answer)
{
    if (answer == GATE_BUSY)
        v->gate_retry_ns = clock_ns() + LIVE_LOCK_POLL_NS;
    else if (answer == GATE_BROKEN && !v->broken.code)
        live_break(v, ERROR_INTERNAL, "the device's lock cannot be used");
    return answer == GATE_OPEN;
}

// True when the job may be measured now.
static bool pass_gate(struct live *v, struct entry *n)
{
    struct result *answer = NULL;
    if (n->gated)
        return true;
    if (live_gate_rests(v))
        return false;
    n->known = (struct gate_known){0, 0};
    live_clock_storing(v, true);
    enum gate_answer said =
        v->o.gate.enter(v->o.gate.context, n->ticket, &n->known, &answer, &v->broken);
    live_clock_storing(v, false);
    n->gated = live_gate_open(v, said);
    if (said == GATE_ANSWERED) {
        result_free(n->result);
        n->result = answer;
        entry_stage(&v->entries, n, STAGE_DONE);
    }
    return n->gated;
}

void live_leave_gate(struct live *v, struct entry *n)
{
    if (n->gated)
        v->o.gate.leave(v->o.gate.context, n->ticket, NULL, NULL);
    n->gated = false;
}

bool live_bench_has(const struct live *v, const struct entry *n)
{
    return v->bench.running && n->loaded_in == v->bench_serial;
}

static bool has_verified(const struct live *v, const struct entry *n)
{
    return live_bench_has(v, n) && n->verified_in == v->bench_serial;
}

void live_bench_begin(struct live *v, struct entry *n)
{
    v->current = n;
    if (!set_result(v, n) || !live_ahead_take(v, n))
        return;
    if (!live_bench_has(v, n))
        request_load(v, n);
    else if (!has_verified(v, n))
        request_verify(v, n);
    else
        go_on(v, n);
}

static bool needs_renewal(const struct live *v)
{
    if (v->turns.first || v->hold)
        return false; // all that take part in a round are loaded
    if (v->bench.served >= (v->o.exact ? 1 : LIVE_RENEW_JOBS))
        return true;
    if (v->bench.served % 16 != 15 || !v->bench_base_bytes)
        return false;
    return remote_memory(&v->bench) > 2 * v->bench_base_bytes + (256u << 20);
}

// A job with which a worker died comes first: nothing but itself runs in its new worker.
static struct entry *next_ready(struct live *v)
{
    struct entry *first = v->entries.stages[STAGE_READY].first;
    for (struct entry *n = first; n; n = n->next) {
        if (n->bench_deaths > 0)
            return n;
    }
    return first;
}

bool live_bench_ready(struct live *v)
{
    return v->bench.running || start_bench(v);
}

// The job whose inputs and reference are to be made before anything is measured, or NULL.
static struct entry *wants_preparing(struct live *v)
{
    struct entry *next = v->turns.first ? v->turns.first->entry : next_ready(v);
    if (v->cancelled || (!v->o.exact && v->prepared))
        return NULL;
    if (v->o.exact) // what a reference's launch does is not the job's doing
        return next && !next->prepared && next->job->reference.kind == REFERENCE_JOB ? next : NULL;
    // They are made beside the first builds.
    if (!next)
        next = v->entries.stages[STAGE_QUEUED].first;
    return next ? next : v->entries.stages[STAGE_BUILDING].first;
}

static void start_ready(struct live *v)
{
    struct entry *n = next_ready(v);
    while (n && !v->broken.code && !pass_gate(v, n)) {
        if (v->gate_retry_ns)
            return;
        n = next_ready(v);
    }
    if (n && !v->broken.code && live_bench_ready(v))
        live_bench_begin(v, n);
}

void live_bench_start(struct live *v)
{
    if (v->current || v->preparing || v->broken.code || v->o.build_only)
        return;
    if (v->bench.running && needs_renewal(v))
        live_bench_forget(v);
    // A device that is being taken down, and a compiler that is, are no quiet surroundings.
    if (v->bench.dying_ns || endings_awaited(&v->endings))
        return;
    struct entry *first = wants_preparing(v);
    if (v->loss.pending)
        live_probe_start(v);
    else if (first && live_bench_ready(v))
        request_prepare(v, first);
    else if (first)
        return; // no worker could be started
    else if (v->turns.first)
        live_turn_start(v);
    else
        start_ready(v);
}

// ---- what comes back ---------------------------------------------------------------------------

void live_bench_forget(struct live *v)
{
    remote_end(&v->bench, &v->endings);
    live_ahead_forget(v, NULL);
    v->preparing = false;
    v->bench_base_bytes = 0;
}

void live_bench_unload(struct live *v, struct entry *n)
{
    struct text payload = TEXT_INIT;
    if (v->current == n) {
        // It is being measured: only ending the worker ends that.
        live_bench_forget(v);
        v->current = NULL;
        live_builders_settle(v);
        live_leave_gate(v, n);
        return;
    }
    // What proves the device right now is unloaded when that is done.
    bool in_use = v->loss.step != PROBE_NOT_YET && v->loss.probe == n;
    if (!live_bench_has(v, n) || in_use)
        return;
    put_handle(&payload, n->handle);
    n->loaded_in = 0;
    remote_send(&v->bench, VERB_UNLOAD, &payload, NULL);
    text_release(&payload);
}

void live_bench_finish(struct live *v, struct entry *n, enum stop_reason stop)
{
    bool correct = n->result->status == STATUS_CORRECT;
    v->current = NULL;
    v->bench.served += n->turns == 0;
    if (!v->bench_base_bytes)
        v->bench_base_bytes = remote_memory(&v->bench);
    if (correct && n->result->stop == STOP_NONE)
        n->result->stop = stop;
    if (correct) {
        n->bench_deaths = 0;
        entry_is_good(v, n);
    }
    // What a kernel wrote where it should not may hurt the next job: never share a worker with it.
    if (n->result->status == STATUS_RUNTIME)
        live_bench_forget(v);
    live_done(v, n);
    live_builders_settle(v);
}

// The driver failed before a launch came to its end, rather than a check after it.
static bool was_broken_off(const struct result *r)
{
    return r->status == STATUS_RUNTIME && r->fault != FAULT_REFERENCE && r->verify_launch_ns == 0 &&
           r->sample_count == 0;
}

static const char *unit_of(const struct job *j, const char *output)
{
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        if (str_equal(j->buffers[i].name, output) && j->buffers[i].element.width > 1)
            return "component";
    }
    return "element";
}

// The default configuration, which all are held against, wrote only a part of an output. False: the
// result is a failure now, or the evaluator is broken.
static bool judge_left(struct live *v, const struct entry *n, struct result *r)
{
    const struct deviation *d = n->job->reference.agreement ? result_left(r) : NULL;
    if (!d)
        return true;
    char what[400];
    str_format(what, sizeof what,
               "the default configuration left %llu %s%s of `%s` unwritten, of %llu",
               (unsigned long long)d->left, unit_of(n->job, d->name), d->left == 1 ? "" : "s",
               d->name, (unsigned long long)d->components);
    if (n->job->partial) {
        if (!v->told_left)
            log_add(v->o.log, LOG_WARNING,
                    "%s: they are not compared, whatever other configurations write there", what);
        v->told_left = true;
        return true;
    }
    static const char hint[] =
        "there is nothing to hold others against there. Have the kernel write all of it, name the "
        "part that counts (Verification.Region of the argument), or give the spec a Reference";
    if (!v->o.own_reference)
        return live_break(v, ERROR_INPUT, "%s: %s", what, hint);
    result_fail(r, STATUS_CORRECTNESS, FAULT_REFERENCE, "%s: %s", what, hint);
    return true;
}

// False when the entry is done with, or the evaluator.
static bool merge_reply(struct live *v, struct entry *n, const struct frame *f)
{
    struct result *r = live_reply_result(v, f);
    if (!r)
        return false;
    bool ok = true;
    v->host_clock = v->host_clock || result_by_host(r);
    if (r->fault == FAULT_REFERENCE && !v->o.own_reference)
        v->reference_failed = true, ok = live_break(v, ERROR_INPUT, "%s", r->message);
    else if (r->fault == FAULT_DEVICE)
        live_bench_doubt(v, n, LOSS_REFUSED, r->message), ok = false;
    else if (!judge_left(v, n, r))
        ok = false;
    else if (!result_merge(n->result, r))
        ok = live_break(v, ERROR_MEMORY, "out of memory");
    else if (was_broken_off(r))
        live_bench_doubt(v, n, LOSS_FAILED, r->message), ok = false;
    result_free(r);
    return ok;
}

uint32_t live_in_pieces(const struct entry *n, const struct policy *policy, uint32_t samples)
{
    uint64_t each = n->verify_ns * policy->batch * (1 + policy->warmups);
    uint64_t most = each ? LIVE_PIECE_NS / each : samples;
    return most < 1 ? 1 : most < samples ? (uint32_t)most : samples;
}

// Verified, or with new samples.
static void go_on(struct live *v, struct entry *n)
{
    enum stop_reason stopped = n->result->stop;
    // That the worker did all it was asked for settles nothing: that is decided here.
    if (stopped != STOP_HOPELESS && stopped != STOP_LIMIT)
        n->result->stop = STOP_NONE;
    if (n->turns > 0)
        live_turn_go_on(v, n);
    else if (v->o.no_timing || n->result->stop != STOP_NONE)
        live_bench_finish(v, n, STOP_NONE);
    else
        live_screen(v, n);
}

static void after_verifying(struct live *v, struct entry *n)
{
    n->verified_in = v->bench_serial;
    n->held_against = n->result->verification != VERIFICATION_NONE;
    if (!n->verify_ns)
        n->verify_ns = n->result->verify_launch_ns;
    go_on(v, n);
}

static void after_preparing(struct live *v, const struct frame *f)
{
    struct result *r = live_reply_result(v, f);
    // Anything else is found again with the jobs. A reference that cannot be made is told with the
    // first job that builds: what is wrong with a job itself comes first, and never by chance.
    v->prepared = !r || r->fault != FAULT_DEVICE;
    if (!v->prepared)
        live_bench_doubt(v, NULL, LOSS_REFUSED, r->message);
    v->preparing = false;
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
    live_leave_gate(v, n);
    live_turns_forget(v, n, false);
    live_turns_unlock(v);
    entry_stage(&v->entries, n, STAGE_KEPT); // no outcome
    return true;
}

void live_bench_phase(struct live *v)
{
    // The checks after a launch need not be alone.
    if (v->current && v->current->stage == STAGE_VERIFYING && v->bench.phase.kind == PHASE_CHECKING)
        live_builders_settle(v);
}

void live_bench_frame(struct live *v, const struct frame *f)
{
    struct entry *n = v->current;
    if (live_ahead_frame(v, f))
        return;
    if (f->sequence != v->request)
        return; // the answer to an UNLOAD
    if (v->loss.step != PROBE_NOT_YET) {
        live_probe_frame(v, f);
        return;
    }
    if (v->preparing) {
        after_preparing(v, f);
        return;
    }
    if (!n || !merge_reply(v, n, f) || give_up_cancelled(v, n))
        return;
    if (n->result->status != STATUS_CORRECT) {
        live_bench_finish(v, n, STOP_NONE);
        return;
    }
    if (n->stage == STAGE_LOADING) {
        n->loaded_in = v->bench_serial;
        request_verify(v, n);
    } else if (n->stage == STAGE_VERIFYING) {
        after_verifying(v, n);
    } else {
        go_on(v, n);
    }
}
