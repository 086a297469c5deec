// Chooses the bench's next request and handles its answers: a job is prepared for, admitted,
// loaded, verified and measured. On a device that shares the host's cores the pool's workers are
// stopped while it is launched.
#include "runner/live.h"

#include "base/text.h"
#include "os/process.h"
#include "os/process_state.h"

#include <stdlib.h>

#define ADMISSION_POLL_NS (5ull * 1000000)
// Launches that are asked for at once take about so long.
#define PIECE_NS (500ull * 1000000)
// Launches cannot take longer than the request that they are part of. By the tuner's clock it begins
// before the worker knows of it and ends after the worker has answered, whoever was stopped
// meanwhile. Twice that and a second leave room for a device whose clock runs fast, and for the steps
// of a coarse one; with a node, whose tuner may have been suspended while it went on, more.
#define BELIEVED_TIMES   2
#define BELIEVED_NS      (1ull * 1000000000)
#define BELIEVED_NODE_NS (30ull * 1000000000)
// No launch is over within a step of a clock that is so fine.
#define FINE_CLOCK_NS 200
// A card that rests keeps its clock for so long.
#define AT_WORK_NS (5ull * 1000000)

// ---- requests ----------------------------------------------------------------------------------

// The job to load beside `n`, or NULL. Neither may have ended a worker before: that would cost the
// other job its worker, too.
static struct bench_job *choose_prefetch(const struct live *v, const struct entry *n)
{
    struct entry *next = v->entries.stages[STAGE_READY].first;
    bool may = !v->o.simulated && !v->cancelled && !v->broken.code && !v->turns.first &&
               n->turns == 0 && !n->alone && n->bench_deaths == 0 &&
               !bench_is_prefetching(v->bench);
    while (next && (next->alone || next->bench_deaths > 0 || bench_has(v->bench, &next->bench) ||
                    live_image_is_measured(v, next, n)))
        next = next->next;
    return may && next && !next->bench.was_refused ? &next->bench : NULL;
}

// The verified launch is compared with the best, so nothing else shall run meanwhile; on a GPU the
// host has nothing to do then.
static void request_verify(struct live *v, struct entry *n)
{
    // A judge's buffers are fetched right afterwards: no other answer may come in between.
    bool is_apart = v->device.type == DEVICE_GPU && !v->device.shares_host && !v->o.judge;
    struct policy policy = {.launches = 1,
                            .audit = v->o.terms.audit && !live_is_apart(v, n->job),
                            .launch_limit_ns = terms_launch_limit(&v->o.terms, v->limits.best_ns)};
    if (!v->o.no_timing)
        build_pool_pause(v->pool, true);
    v->requested_ns = clock_ns();
    bench_verify(v->bench, &n->bench, &policy, is_apart ? choose_prefetch(v, n) : NULL, &v->broken);
}

void live_request_measure(struct live *v, struct entry *n, const struct policy *policy)
{
    struct policy p = *policy;
    p.host_clock = v->host_clock;
    live_apart_policy(v, n->job, &p);
    build_pool_pause(v->pool, true);
    v->requested_ns = clock_ns();
    bench_measure(v->bench, &n->bench, &p, &v->broken);
}

uint32_t live_in_pieces(const struct entry *n, const struct policy *policy, uint32_t samples)
{
    uint64_t each = n->verify_ns * policy->batch * (1 + policy->warmups);
    uint64_t most = each ? PIECE_NS / each : samples;
    return most < 1 ? 1 : most < samples ? (uint32_t)most : samples;
}

// ---- admission ---------------------------------------------------------------------------------

bool live_admission_rests(struct live *v)
{
    if (v->admission_retry_ns && clock_ns() < v->admission_retry_ns)
        return true;
    v->admission_retry_ns = 0;
    return false;
}

bool live_admission_open(struct live *v, enum admission_answer answer)
{
    if (answer == ADMISSION_BUSY)
        v->admission_retry_ns = clock_ns() + ADMISSION_POLL_NS;
    else if (answer == ADMISSION_BROKEN && !v->broken.code)
        live_break(v, ERROR_INTERNAL, "the device's lock cannot be used");
    return answer == ADMISSION_OPEN;
}

// True when the job may be measured now.
static bool ask_admission(struct live *v, struct entry *n)
{
    struct result *answer = NULL;
    if (n->admitted)
        return true;
    if (live_admission_rests(v))
        return false;
    n->known = (struct admission_known){0, 0};
    live_clock_storing(v, true);
    enum admission_answer said =
        v->o.admission.enter(v->o.admission.context, n->ticket, &n->known, &answer, &v->broken);
    live_clock_storing(v, false);
    n->admitted = live_admission_open(v, said);
    if (said == ADMISSION_ANSWERED) {
        result_free(n->result);
        n->result = answer;
        entry_stage(&v->entries, n, STAGE_DONE);
    }
    return n->admitted;
}

void live_leave_admission(struct live *v, struct entry *n)
{
    if (n->admitted)
        v->o.admission.leave(v->o.admission.context, n->ticket, NULL, NULL);
    n->admitted = false;
}

// ---- which job next ----------------------------------------------------------------------------

static void go_on_with(struct live *v, struct entry *n);

void live_bench_begin(struct live *v, struct entry *n)
{
    struct result *prefetched = bench_take_prefetched(v->bench, &n->bench);
    v->current = n;
    result_free(n->result);
    n->result = n->build.result && n->turns == 0 ? result_clone(n->build.result) : result_new();
    if (!n->result || (prefetched && !result_merge(n->result, prefetched)))
        live_break(v, ERROR_MEMORY, "out of memory");
    result_free(prefetched);
    if (v->broken.code)
        return;
    entry_stage(&v->entries, n, STAGE_AT_BENCH);
    // A program that was compiled into other caches is compiled again.
    n->build.image.primed = n->build.image.primed &&
                            n->build.has_empty_caches == bench_worker(v->bench)->has_empty_caches;
    if (!bench_has(v->bench, &n->bench))
        bench_load(v->bench, &n->bench, &v->broken);
    else if (!bench_has_verified(v->bench, &n->bench))
        request_verify(v, n);
    else
        go_on_with(v, n);
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

// The job whose inputs and reference are to be made before anything is measured, or NULL.
static struct entry *wants_preparing(struct live *v)
{
    struct entry *next = v->turns.first ? v->turns.first->entry : next_ready(v);
    if (v->cancelled || (!v->o.simulated && v->prepared))
        return NULL;
    if (v->o.simulated) // what a reference's launch does is not the job's doing
        return next && !next->prepared && next->job->reference.kind == REFERENCE_JOB ? next : NULL;
    // They are made beside the first builds.
    return next ? next : v->entries.stages[STAGE_BUILDING].first;
}

static void start_ready(struct live *v)
{
    struct entry *n = next_ready(v);
    while (n && !v->broken.code && (!ask_admission(v, n) || live_image_answer(v, n))) {
        if (v->admission_retry_ns)
            return;
        n = next_ready(v);
    }
    if (n && !v->broken.code && bench_ready(v->bench, &v->broken))
        live_bench_begin(v, n);
}

void live_bench_start(struct live *v)
{
    enum bench_state state = bench_state(v->bench);
    if (v->current || state > BENCH_IDLE || v->broken.code || v->o.build_only)
        return;
    // All that take part in a round are loaded in one worker.
    if (!v->turns.first && !v->hold && bench_is_worn(v->bench))
        bench_end(v->bench);
    struct entry *first = wants_preparing(v);
    if (!v->hold)
        live_choose_caches(v, v->turns.first ? v->turns.first->entry : next_ready(v));
    // A device or a compiler that is being taken down would disturb a measurement.
    if (bench_worker(v->bench)->dying_ns || endings_awaited(&v->endings))
        return;
    if (v->recovery.state != RECOVERY_NONE) {
        live_probe_start(v);
    } else if (first) {
        first->prepared = (!live_is_apart(v, first->job) ||
                           verifier_prepare(v->apart.verifier, first->job, &v->broken)) &&
                          bench_ready(v->bench, &v->broken) &&
                          bench_prepare(v->bench, first->job, &v->broken);
    } else if (v->turns.first) {
        live_turn_start(v);
    } else {
        start_ready(v);
    }
}

void live_bench_unload(struct live *v, struct entry *n)
{
    if (v->current == n) {
        // It is being measured: only ending the worker ends that.
        bench_end(v->bench);
        live_apart_forget(v);
        v->current = NULL;
        live_settle_pool(v);
        live_leave_admission(v, n);
    } else if (!recovery_is_probing(&v->recovery) || v->probing != n) {
        // The job that proves the device right now is unloaded afterwards.
        bench_unload(v->bench, &n->bench);
    }
}

void live_bench_finish(struct live *v, struct entry *n, enum stop_reason stop)
{
    bool correct = n->result->status == STATUS_CORRECT;
    v->current = NULL;
    if (n->turns == 0)
        bench_note_served(v->bench);
    if (correct && n->result->stop == STOP_NONE)
        n->result->stop = stop;
    if (correct && n->bench_deaths > 0 && !n->was_killed)
        live_judge_caches(v);
    if (correct)
        n->bench_deaths = 0;
    live_image_measured(v, n);
    // Stray writes of a failed kernel may hurt the next job: never share a worker with it.
    if (n->result->status == STATUS_RUNTIME)
        bench_end(v->bench);
    // The worker loads the next one while the result is stored, unless one is loaded: that is launched first.
    const struct entry *first = next_ready(v);
    bool may = correct && !v->hold && !bench_is_worn(v->bench) && first &&
               !bench_has(v->bench, &first->bench);
    struct bench_job *next = may ? choose_prefetch(v, n) : NULL;
    if (next)
        bench_prefetch(v->bench, next, &v->broken);
    live_done(v, n);
    live_settle_pool(v);
}

// ---- answers -----------------------------------------------------------------------------------

// The driver failed before a launch came to its end, rather than a check after it.
static bool was_broken_off(const struct result *r)
{
    return r->status == STATUS_RUNTIME && r->fault != FAULT_REFERENCE && r->verify_launch_ns == 0 &&
           r->sample_count == 0;
}

static const char *output_unit(const struct job *j, const char *output)
{
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        if (str_equal(j->buffers[i].name, output) && j->buffers[i].element.width > 1)
            return "component";
    }
    return "element";
}

// False: the evaluator is broken.
static bool refuse_left(struct live *v, const char *left, struct result *r)
{
    static const char hint[] =
        "there is nothing to hold others against there. Have the kernel write all of it, name the "
        "part that counts (Verification.Region of the argument), give the spec a Reference, or say "
        "that it is meant (\"Partial\": true; \"partial\" in the short form)";
    if (!v->o.own_reference)
        return live_break(v, ERROR_INPUT, "%s: %s", left, hint);
    result_fail(r, STATUS_CORRECTNESS, FAULT_REFERENCE, "%s: %s", left, hint);
    return true;
}

// The default configuration, which all are compared with, wrote only a part of an output. False: the
// evaluator is broken.
static bool judge_left(struct live *v, const struct entry *n, struct result *r)
{
    struct text left = TEXT_INIT;
    bool ok = true;
    if (!n->job->reference.agreement || !result_left(r))
        return true;
    const char *separator = "the default configuration left ";
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        const struct deviation *d = &r->deviations[i];
        if (d->left == 0)
            continue;
        text_addf(&left, "%s%llu %s%s of `%s` unwritten, of %llu", separator,
                  (unsigned long long)d->left, output_unit(n->job, d->name),
                  d->left == 1 ? "" : "s", d->name, (unsigned long long)d->components);
        separator = "; ";
    }
    if (!n->job->partial)
        ok = refuse_left(v, left.length ? left.data : "out of memory", r);
    else if (!v->told_left)
        log_add(v->o.log, LOG_WARNING,
                "%s: they are not compared, whatever other configurations write there; "
                "\"Partial\": false in KernelSpecification makes it an error",
                left.length ? left.data : "out of memory");
    v->told_left = true;
    text_release(&left);
    return ok;
}

// The time of all launches that the answer tells of, and whether one of them took none.
static double launched_ns(const struct result *r, bool *is_nothing)
{
    const double batch = r->batch ? r->batch : 1;
    double sum = (double)r->verify_launch_ns;
    *is_nothing = false;
    for (uint32_t i = 0; i < r->sample_count; i++) {
        double each = (double)r->samples_ns[i] * batch;
        sum += each;
        *is_nothing = *is_nothing || each <= 1;
    }
    return sum;
}

// Times that cannot be are not believed: the kernel may have changed the clock, or the driver lies.
static void refuse_impossible_times(const struct live *v, const struct result *r,
                                    struct result *whole)
{
    bool is_nothing;
    const double ns = launched_ns(r, &is_nothing);
    const double request_ns = (double)(clock_ns() - v->requested_ns);
    const double slack_ns = (double)(v->o.at.node ? BELIEVED_NODE_NS : BELIEVED_NS);
    char told[32], took[32];
    if (whole->status != STATUS_CORRECT)
        return;
    duration_to_str(ns, told);
    duration_to_str(request_ns, took);
    if (ns > BELIEVED_TIMES * request_ns + slack_ns)
        result_fail(whole, STATUS_RUNTIME, FAULT_CONFIGURATION,
                    "its launches took %s by the worker's clock, in a request that took %s by the "
                    "tuner's: that cannot be",
                    told, took);
    else if (is_nothing && v->device.timer_ns <= FINE_CLOCK_NS)
        result_fail(whole, STATUS_RUNTIME, FAULT_CONFIGURATION,
                    "a launch took 0 ns by a clock with steps of %llu ns: that cannot be",
                    (unsigned long long)v->device.timer_ns);
    if (whole->status == STATUS_CORRECT)
        return;
    whole->sample_count = whole->part_count = 0;
    whole->timer_fault = ""; // what was found of the clock was found of the kernel's doing
}

// False when the entry is done with, or the evaluator. Takes nothing.
static bool merge_answer(struct live *v, struct entry *n, enum bench_state asked, struct result *r)
{
    // The verifier is another process on the machine, but none that disturbs launches.
    if (r->machine.at_ns && v->apart.verifier && verifier_worker(v->apart.verifier)->running)
        r->machine.other_cpu_ns -= process_used_ns(verifier_worker(v->apart.verifier)->process.pid);
    if (r->fault == FAULT_REFERENCE && !v->o.own_reference)
        return live_break_reference(v, REFERENCE_FAILED, ERROR_INPUT, r->message);
    if (r->fault == FAULT_DEVICE) {
        live_bench_doubt(v, asked, LOSS_REFUSED, r->message);
        return false;
    }
    if (!judge_left(v, n, r))
        return false;
    if (!result_merge(n->result, r))
        return live_break(v, ERROR_MEMORY, "out of memory");
    if (was_broken_off(r)) {
        live_bench_doubt(v, asked, LOSS_FAILED, r->message);
        return false;
    }
    if (asked == BENCH_VERIFYING || asked == BENCH_MEASURING) {
        refuse_impossible_times(v, r, n->result);
        n->result->request_ns = clock_ns() - v->requested_ns;
    }
    v->host_clock = v->host_clock || result_by_host(n->result);
    return true;
}

// The outputs of the job at the bench, and what the judge says of them. False only when the bench or memory fails.
static bool ask_judge(struct live *v, struct entry *n, struct error *e)
{
    uint32_t count = n->job->buffer_count;
    struct text *outputs = calloc((size_t)count + 1, sizeof *outputs);
    const void **data = calloc((size_t)count + 1, sizeof *data);
    size_t *lengths = calloc((size_t)count + 1, sizeof *lengths);
    char why[1024] = "";
    bool ok = (outputs && data && lengths) || error_memory(e);
    for (uint32_t i = 0; ok && i < count; i++) {
        if (!n->job->buffers[i].output)
            continue;
        ok = bench_fetch(v->bench, &n->bench, VERB_OUTPUT, i, &outputs[i], e);
        data[i] = outputs[i].data;
        lengths[i] = outputs[i].length;
    }
    const struct judge *judge = v->o.judge;
    if (ok && judge->is_right(judge->context, n->job, data, lengths, why, sizeof why))
        n->result->verification = VERIFICATION_REFERENCE;
    else if (ok)
        result_fail(n->result, STATUS_CORRECTNESS, FAULT_NONE, "%s",
                    why[0] ? why : "the caller judges its outputs wrong");
    for (uint32_t i = 0; outputs && i < count; i++)
        text_release(&outputs[i]);
    free(outputs);
    free(data);
    free(lengths);
    return ok;
}

// Verified, or with new samples.
static void go_on_with(struct live *v, struct entry *n)
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

static void after_preparing(struct live *v, const struct result *r)
{
    // Anything else is found again with the jobs. A reference that cannot be made is told with the
    // first job that builds: what is wrong with a job itself comes first, and never by chance.
    v->prepared = r->fault != FAULT_DEVICE;
    if (!v->prepared)
        live_bench_doubt(v, BENCH_PREPARING, LOSS_REFUSED, r->message);
    else if (v->recovery.prepare_deaths > 0 && !remote_was_killed(v->recovery.loss.how))
        live_judge_caches(v);
    if (v->prepared && v->o.simulated)
        bench_end(v->bench);
}

// A search that was cancelled waits for the present launches only.
static bool give_up_cancelled(struct live *v, struct entry *n, enum bench_state asked)
{
    if (!v->cancelled || asked == BENCH_MEASURING)
        return false;
    v->current = NULL;
    live_leave_admission(v, n);
    live_turns_forget(v, n, false);
    live_turns_unlock(v);
    entry_stage(&v->entries, n, STAGE_KEPT); // no outcome
    return true;
}

// A card's clock is raised before the first timed launch, and falls some milliseconds after the last one.
static void note_work(struct live *v, enum bench_state asked, const struct result *r)
{
    uint64_t now = clock_ns();
    bool is_timed = asked == BENCH_MEASURING && r->sample_count > 0;
    bool goes_on = asked == BENCH_VERIFYING && v->requested_ns < v->at_work_ns;
    if (is_timed || goes_on)
        v->at_work_ns = now + AT_WORK_NS;
}

void live_bench_answered(struct live *v, enum bench_state asked, struct result *r)
{
    struct worker_limits *l = &v->limits;
    struct entry *n = v->current;
    l->inputs_ns = r->inputs_ns > l->inputs_ns ? r->inputs_ns : l->inputs_ns;
    l->checking_ns = r->verify_ns > l->checking_ns ? r->verify_ns : l->checking_ns;
    note_work(v, asked, r);
    bool is_probe = recovery_is_probing(&v->recovery);
    bool is_of_job = !is_probe && asked != BENCH_PREPARING && n;
    if (is_probe)
        live_probe_answered(v, r);
    else if (asked == BENCH_PREPARING)
        after_preparing(v, r);
    bool goes_on = is_of_job && merge_answer(v, n, asked, r) && !give_up_cancelled(v, n, asked);
    result_free(r);
    if (!goes_on)
        return;
    if (n->result->status != STATUS_CORRECT) {
        live_bench_finish(v, n, STOP_NONE);
        return;
    }
    if (asked == BENCH_LOADING)
        request_verify(v, n);
    else if (asked == BENCH_HANDING)
        live_handed(v, n);
    else if (!live_hand_out(v, n, asked) && !v->broken.code)
        live_launched(v, n, asked);
}

void live_launched(struct live *v, struct entry *n, enum bench_state asked)
{
    if (asked == BENCH_VERIFYING) {
        bench_note_verified(v->bench, &n->bench);
        n->is_verified_at_work = v->requested_ns < v->at_work_ns;
        if (!n->verify_ns)
            n->verify_ns = n->result->verify_launch_ns;
        if (v->o.judge && n->turns == 0 && !ask_judge(v, n, &v->broken))
            return;
    }
    if (n->result->status == STATUS_CORRECT)
        go_on_with(v, n);
    else
        live_bench_finish(v, n, STOP_NONE);
}

// False when the entry is done with, or the evaluator. Takes nothing.
static bool merge_compared(struct live *v, struct entry *n, const struct result *r)
{
    if (r->fault == FAULT_REFERENCE && !v->o.own_reference)
        return live_break_reference(v, REFERENCE_FAILED, ERROR_INPUT, r->message);
    if (r->status != STATUS_CORRECT && r->status != STATUS_CORRECTNESS &&
        r->fault != FAULT_REFERENCE)
        return live_break(v, ERROR_DEVICE, "outputs cannot be compared: %s", r->message);
    n->result->deviation_count = 0; // what is known without a reference
    return result_merge(n->result, r) || live_break(v, ERROR_MEMORY, "out of memory");
}

void live_compared(struct live *v, enum bench_state asked, struct result *r)
{
    struct entry *n = v->current;
    bool goes_on =
        judge_left(v, n, r) && merge_compared(v, n, r) && !give_up_cancelled(v, n, asked);
    result_free(r);
    if (goes_on && n->result->status == STATUS_CORRECT)
        live_launched(v, n, asked);
    else if (goes_on)
        live_bench_finish(v, n, STOP_NONE);
}
