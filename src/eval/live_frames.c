// What goes to workers and comes from them: payloads, the limits that follow from what a worker
// says it does, and the frames that every worker may send.
#include "eval/live.h"

#include <string.h>

void live_put_job(struct text *payload, const struct job *job)
{
    struct wire w;
    wire_writer(&w, payload);
    job_codec(&w, (struct job *)(uintptr_t)job); // writing reads only
}

bool live_give(struct live *v, const struct job *job)
{
    struct error e = ERROR_INIT;
    return remote_give(&v->bench, job, &e) || live_break(v, e.code, "%s", e.text);
}

void live_put_policy(struct text *payload, const struct policy *policy)
{
    struct policy copy = *policy;
    struct wire w;
    wire_writer(&w, payload);
    policy_codec(&w, &copy);
}

static void keep_longest(uint64_t *longest, uint64_t ns)
{
    if (ns > *longest)
        *longest = ns;
}

struct result *live_reply_result(struct live *v, const struct frame *f)
{
    struct error e = ERROR_INIT;
    struct result *r = NULL;
    if (f->verb == VERB_REPLY_RESULT)
        r = result_decode(f->payload, f->length, &e);
    else
        error_set(&e, ERROR_WORKER, "unexpected frame '%s'", verb_text(f->verb));
    if (!r) { // bytes that are no result are the worker's fault
        live_break(v, e.code == ERROR_MEMORY ? ERROR_MEMORY : ERROR_WORKER, "%s", e.text);
        return NULL;
    }
    keep_longest(&v->took.inputs_ns, r->inputs_ns);
    keep_longest(&v->took.checking_ns, r->verify_ns);
    return r;
}

// A reference is launched once, and often the slow and plain kernel.
static uint64_t reference_limit(const struct live *v, const struct phase *p)
{
    const struct terms *t = &v->o.terms;
    if (p->launches == 0 || t->launch_limit_ns == 0)
        return REMOTE_MAKING_NS;
    return LIVE_REFERENCE_FACTOR * t->launch_limit_ns + (p->compiles ? t->build_limit_ns : 0);
}

static uint64_t launch_limit(const struct live *v, const struct remote *r)
{
    uint64_t launch = terms_launch_limit(&v->o.terms, v->best_ns);
    if (r->role == ROLE_BUILD)
        return launch && launch < LIVE_PRIME_NS ? launch : LIVE_PRIME_NS;
    return v->loss.step == PROBE_NOT_YET ? launch : live_probe_limit(v);
}

static uint64_t phase_limit(const struct live *v, const struct remote *r)
{
    uint64_t launch = launch_limit(v, r);
    switch (r->phase.kind) {
    case PHASE_BUILDING:
    case PHASE_PRIMING:
    case PHASE_LOADING:
        return v->o.terms.build_limit_ns;
    case PHASE_INPUTS:
        return live_driver_limit(v, r, REMOTE_MAKING_NS, v->took.inputs_ns);
    case PHASE_REFERENCE:
        return reference_limit(v, &r->phase);
    case PHASE_CHECKING:
        return live_driver_limit(v, r, REMOTE_CHECKING_NS, v->took.checking_ns);
    case PHASE_LAUNCHING:
        return launch ? launch * (r->phase.launches ? r->phase.launches : 1) +
                            (r->phase.compiles ? v->o.terms.build_limit_ns : 0)
                      : 0;
    case PHASE_OPENING:
        return live_driver_limit(v, r, REMOTE_OPENING_NS, v->took.opening_ns);
    default:
        return r->outstanding ? live_driver_limit(v, r, REMOTE_SILENCE_NS, 0) : 0;
    }
}

void live_limit_phase(struct live *v, struct remote *r)
{
    remote_limit(r, phase_limit(v, r));
}

static void take_phase(struct live *v, struct remote *r, const struct frame *f)
{
    struct arena none = {0};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &none);
    phase_codec(&w, &r->phase);
    if (!wire_done(&w))
        live_break(v, ERROR_WORKER, "a worker sent a malformed phase");
    live_limit_phase(v, r);
    live_clock(v);
    if (r == &v->bench)
        live_bench_phase(v);
}

static void take_hello(struct live *v, const struct frame *f)
{
    struct arena a = {0};
    struct hello hello = {0};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &a);
    hello_codec(&w, &hello);
    if (w.memory)
        error_memory(&v->broken);
    else if (!wire_done(&w) || hello.protocol != PROTOCOL_VERSION)
        live_break(v, ERROR_WORKER,
                   "the worker speaks protocol %u (hone %s), this hone speaks %u: install both "
                   "from one build",
                   hello.protocol, hello.version ? hello.version : "?", PROTOCOL_VERSION);
    arena_release(&a);
}

// The worker cannot open its device, or makes no sense of a request.
static void take_error(struct live *v, struct remote *r, const struct frame *f)
{
    char text[1024];
    remote_error_text(f, text, sizeof text);
    if (r != &v->bench || !v->loss.pending) {
        live_break(v, ERROR_DEVICE, "%s", text);
        return;
    }
    live_bench_forget(v);
    live_probe_failed(v, text);
}

// A list has what the driver claims of its timer, an open device what was found when it was tried.
static void take_opened(struct live *v, const struct frame *f, bool is_bench)
{
    struct arena a = {0};
    struct opened opened = {.folders = ""};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &a);
    opened_codec(&w, &opened);
    bool ok = wire_done(&w);
    if (ok && is_bench && opened.info.timer_ns > v->device.timer_ns)
        v->device.timer_ns = opened.info.timer_ns;
    if (ok && !v->folders)
        v->folders = strdup(opened.folders); // without memory less is told
    arena_release(&a);
    if (is_bench)
        keep_longest(&v->took.opening_ns, clock_ns() - v->bench_started_ns);
}

// Frames that every worker may send; false for those that answer a job's request.
static bool common_frame(struct live *v, struct remote *r, const struct frame *f)
{
    if (f->verb == VERB_PHASE) {
        take_phase(v, r, f);
        return true;
    }
    if (r->outstanding > 0)
        r->outstanding--;
    if (r == &v->bench && live_ahead_beside(v, f) && f->verb == VERB_REPLY_RESULT)
        return false; // the launch goes on, and so does its limit
    // A hello was followed by the request to open the device.
    r->phase = (struct phase){.kind = f->verb == VERB_REPLY_HELLO ? PHASE_OPENING : PHASE_IDLE};
    live_limit_phase(v, r);
    if (f->verb == VERB_REPLY_HELLO) {
        take_hello(v, f);
        return true;
    }
    v->start_deaths = 0;
    if (f->verb == VERB_REPLY_OPENED) {
        v->clock.opened = true;
        take_opened(v, f, r == &v->bench);
        return true;
    }
    if (f->verb == VERB_REPLY_ERROR)
        take_error(v, r, f);
    return f->verb == VERB_REPLY_ERROR;
}

bool live_serve(struct live *v, struct remote *r, struct builder *b)
{
    struct error e = ERROR_INIT;
    struct frame f;
    bool alive = remote_pump(r, &e) && channel_receive(&r->channel, &e);
    process_drain(&r->process);
    while (r->running && !v->broken.code && channel_next(&r->channel, &f, &e) == 1) {
        if (common_frame(v, r, &f))
            continue;
        if (b)
            live_builder_frame(v, b, &f);
        else
            live_bench_frame(v, &f);
    }
    if (e.code == ERROR_MEMORY) { // it is not the worker that failed
        error_memory(&v->broken);
        return true;
    }
    if (e.code == ERROR_INPUT) { // nor here, but a file that it was to be given
        live_break(v, e.code, "%s", e.text);
        return true;
    }
    return !r->running || (alive && !r->channel.ended && !e.code);
}
