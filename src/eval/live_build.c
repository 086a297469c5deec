// The pool of build workers: started as they are needed, one job each at a time. A job whose worker
// died is tried once more, in a new worker, before it is blamed.
#include "eval/live.h"

#include <stdio.h>
#include <string.h>

// ---- handing out -------------------------------------------------------------------------------

static bool send_build(struct live *v, struct builder *b, struct entry *n)
{
    struct error e = ERROR_INIT;
    struct text payload = TEXT_INIT;
    struct policy policy = {.build_limit_ns = v->o.terms.build_limit_ns};
    live_put_job(&payload, n->job);
    live_put_policy(&payload, &policy);
    bool ok = !payload.failed || error_memory(&e);
    // A broken pipe is a death, and found as one when the channel is read.
    if (ok && !remote_send(&b->remote, VERB_BUILD, &payload, &e) && e.code == ERROR_MEMORY)
        ok = false;
    text_release(&payload);
    if (!ok)
        return live_break(v, e.code, "%s", e.text);
    b->entry = n;
    b->request = b->remote.sequence;
    entry_stage(&v->entries, n, STAGE_BUILDING);
    if (b->remote.phase.kind == PHASE_IDLE)
        live_limit_phase(v, &b->remote);
    return true;
}

// Only OpenCL needs the device to build for it; a CPU has no context worth the name.
bool live_opens_contexts(const struct device_info *d)
{
    return d->language == LANGUAGE_OPENCL && !d->shares_host;
}

static uint32_t opening(const struct live *v)
{
    uint32_t count = v->bench.running && v->bench.phase.kind == PHASE_OPENING;
    for (uint32_t i = 0; i < v->builder_limit; i++) {
        const struct remote *r = &v->builders[i].remote;
        count += r->running && !r->dying_ns && r->phase.kind == PHASE_OPENING;
    }
    return count;
}

static bool may_start_builder(const struct live *v)
{
    return !live_opens_contexts(&v->device) || opening(v) < LIVE_OPENING_MOST;
}

static bool start_builder(struct live *v, struct builder *b)
{
    struct error e = ERROR_INIT;
    if (remote_start(&b->remote, v->o.worker, v->o.environment, v->device.id, ROLE_BUILD,
                     v->o.exact, &e)) {
        live_limit_phase(v, &b->remote);
        return true;
    }
    return live_break(v, e.code, "%s", e.text);
}

// An idle worker for the job: a new one when a worker has died with it, else any; NULL when all are
// busy, or a new one has to wait until others have opened the device. Workers that are still
// opening it count as busy but take their job with them.
static struct builder *builder_for(struct live *v, const struct entry *n)
{
    struct builder *empty = NULL, *idle = NULL;
    for (uint32_t i = 0; i < v->builder_limit; i++) {
        struct builder *b = &v->builders[i];
        if (!b->remote.running)
            empty = empty ? empty : b;
        else if (!b->entry && !b->remote.dying_ns)
            idle = idle ? idle : b;
    }
    if (idle && !n->fresh)
        return idle;
    if (!empty && idle) {
        remote_end(&idle->remote, &v->endings);
        empty = idle;
    }
    return empty && may_start_builder(v) && start_builder(v, empty) ? empty : NULL;
}

// What a turn waits for comes first.
static struct entry *next_queued(const struct live *v)
{
    struct entry *first = v->entries.stages[STAGE_QUEUED].first;
    for (struct entry *n = v->turns.first ? first : NULL; n; n = n->next) {
        if (n->turns > 0)
            return n;
    }
    return first;
}

// What is built once more is built alone: others may be what was in its way.
static bool may_build(const struct live *v, const struct entry *n)
{
    const struct entry *first = v->entries.stages[STAGE_BUILDING].first;
    return !first || !(n->doubted || first->doubted);
}

void live_builders_start(struct live *v)
{
    if (v->cancelled || v->broken.code || v->paused)
        return;
    for (struct entry *n = next_queued(v); n && may_build(v, n); n = next_queued(v)) {
        struct builder *b = builder_for(v, n);
        if (!b || !send_build(v, b, n))
            return;
    }
}

void live_builders_pause(struct live *v, bool pause)
{
    if (!v->device.shares_host || (!pause && !v->paused))
        return;
    v->paused = pause;
    for (uint32_t i = 0; i < v->builder_limit; i++) {
        if (pause)
            remote_pause(&v->builders[i].remote);
        else
            remote_resume(&v->builders[i].remote);
    }
}

void live_builders_settle(struct live *v)
{
    live_builders_pause(v, live_turns_quiet(v));
}

// ---- what comes back ---------------------------------------------------------------------------

static struct result *decode_image(struct live *v, struct entry *n, const struct frame *f)
{
    struct result *r = result_new();
    struct wire w;
    if (!r) {
        live_break(v, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    wire_reader(&w, f->payload, f->length, &r->arena);
    result_codec(&w, r);
    w.arena = &n->arena;
    image_codec(&w, &n->image);
    if (f->verb == VERB_REPLY_IMAGE && wire_done(&w))
        return r;
    if (w.memory)
        live_break(v, ERROR_MEMORY, "out of memory");
    live_break(v, ERROR_WORKER, "a build worker sent a malformed '%s'", verb_text(f->verb));
    result_free(r);
    return NULL;
}

static void build_alone(struct live *v, struct entry *n)
{
    n->fresh = n->doubted = true;
    entry_stage(&v->entries, n, STAGE_QUEUED);
}

static void tell_build(struct live *v, struct entry *n)
{
    n->result = n->built;
    n->built = NULL;
    live_done(v, n);
}

void live_builder_frame(struct live *v, struct builder *b, const struct frame *f)
{
    struct entry *n = b->entry;
    if (!n || f->sequence != b->request)
        return;
    b->entry = NULL;
    b->remote.served++;
    n->built = decode_image(v, n, f);
    if (!n->built)
        return;
    n->fresh = false;
    bool failed = n->built->status != STATUS_CORRECT;
    if (failed && !n->doubted && live_build_is_doubtful(n->built)) {
        result_free(n->built);
        n->built = NULL;
        build_alone(v, n);
        return;
    }
    entry_stage(&v->entries, n, failed ? STAGE_DOUBTED : STAGE_READY);
    if (!failed && v->o.build_only)
        tell_build(v, n);
}

// On a device that has died builds fail, too, and those whose worker is quicker than the news would
// be blamed for it.
void live_builds_tell(struct live *v)
{
    struct entry *n;
    bool in_doubt = v->current || v->preparing || v->loss.pending;
    while (!in_doubt && !v->broken.code && (n = v->entries.stages[STAGE_DOUBTED].first))
        tell_build(v, n);
}

// ---- deaths and limits -------------------------------------------------------------------------

// The code is built, only running it ahead of time went wrong: the bench worker will tell the truth
// about that. What the build found is found again by the bench worker when it loads the job.
static void settle_for_unprimed(struct live *v, struct entry *n, bool compiled)
{
    memset(&n->image, 0, sizeof n->image);
    n->image.primed = compiled;
    entry_stage(&v->entries, n, STAGE_READY);
}

static bool is_ahead(enum phase_kind phase)
{
    return phase == PHASE_PRIMING || phase == PHASE_LAUNCHING;
}

void live_builder_died(struct live *v, struct builder *b, const char *how)
{
    struct entry *n = b->entry;
    enum phase_kind phase = b->remote.phase.kind;
    b->entry = NULL;
    remote_end(&b->remote, &v->endings);
    if (phase == PHASE_OPENING && ++v->start_deaths >= LIVE_START_TRIES)
        live_opening_failed(v, how);
    if (n && is_ahead(phase)) {
        settle_for_unprimed(v, n, phase == PHASE_LAUNCHING);
    } else if (n && phase != PHASE_OPENING && ++n->build_deaths >= 2) {
        struct text message = TEXT_INIT;
        text_addf(&message, "the compiler died, twice: the worker %s", how);
        live_fail(v, n, STATUS_COMPILE, 0, text_cstr(&message));
        text_release(&message);
    } else if (n && phase != PHASE_OPENING) {
        build_alone(v, n);
    } else if (n) {
        entry_stage(&v->entries, n, STAGE_QUEUED);
        n->fresh = true;
    }
}

void live_builder_overdue(struct live *v, struct builder *b)
{
    struct entry *n = b->entry;
    enum phase_kind phase = b->remote.phase.kind;
    uint64_t limit = b->remote.limit_ns;
    char took[32], message[128];
    b->entry = NULL;
    remote_end(&b->remote, &v->endings);
    duration_to_str((double)limit, took);
    if (phase == PHASE_OPENING) {
        live_break(v, ERROR_DEVICE, "opening the device took longer than the limit of %s", took);
        return;
    }
    if (!n)
        return;
    if (phase == PHASE_LAUNCHING) {
        settle_for_unprimed(v, n, true);
        return;
    }
    snprintf(message, sizeof message, "building took longer than the limit of %s", took);
    live_fail(v, n, STATUS_TIMEOUT, limit, message);
}
