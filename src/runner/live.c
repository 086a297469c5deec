// The live evaluator: jobs go through a pool of build workers to the one bench worker. One poll()
// loop serves all channels; nothing else blocks.
#include "eval/live.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct live *self(struct evaluator *ev)
{
    return (struct live *)ev;
}

// ---- what comes of a job ------------------------------------------------------------------------

void live_done(struct live *v, struct entry *n)
{
    if (!live_blame(v, n))
        return;
    if (n->gated) {
        n->gated = false;
        live_clock_storing(v, true);
        if (!v->o.gate.leave(v->o.gate.context, n->ticket, n->result, &v->broken) &&
            !v->broken.code)
            live_break(v, ERROR_INTERNAL, "the result could not be kept");
        live_clock_storing(v, false);
    }
    if (n->turns > 0)
        live_turn_done(v, n);
    else
        entry_stage(&v->entries, n, STAGE_DONE);
}

void live_fail(struct live *v, struct entry *n, enum status status, uint64_t limit_ns,
               const char *message)
{
    if (!n->result)
        n->result = n->built ? result_clone(n->built) : result_new();
    if (!n->result) {
        live_break(v, ERROR_MEMORY, "out of memory");
        return;
    }
    result_fail(n->result, status, FAULT_CONFIGURATION, "%s", message);
    if (status == STATUS_TIMEOUT)
        n->result->limit_ns = limit_ns;
    live_done(v, n);
}

bool live_break(struct live *v, enum error_code code, const char *format, ...)
{
    char message[1600];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return error_set(&v->broken, code, "%s", message);
}

// ---- the loop ----------------------------------------------------------------------------------

static struct remote *remote_at(struct live *v, uint32_t i)
{
    return i < v->builder_limit ? &v->builders[i].remote : &v->bench;
}

static uint32_t gather(struct live *v, struct pollfd *fds, struct remote **remotes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i <= v->builder_limit; i++) {
        struct remote *r = remote_at(v, i);
        if (!r->running || r->stopped_ns || r->dying_ns)
            continue;
        short events = POLLIN | (remote_pending(r) ? POLLOUT : 0);
        remotes[n] = r;
        fds[n++] = (struct pollfd){.fd = r->process.channel, .events = events};
        if (r->process.printed >= 0) {
            remotes[n] = r;
            fds[n++] = (struct pollfd){.fd = r->process.printed, .events = POLLIN};
        }
    }
    return n;
}

static struct builder *builder_of(struct live *v, struct remote *r)
{
    return r == &v->bench ? NULL : (struct builder *)(void *)r;
}

static void handle(struct live *v, struct remote *r)
{
    if (r->running && !live_serve(v, r, builder_of(v, r)))
        remote_dies(r);
}

// What a worker's end means is seen once it has ended: how it did belongs to it.
static void see_who_died(struct live *v)
{
    for (uint32_t i = 0; i <= v->builder_limit; i++) {
        struct remote *r = remote_at(v, i);
        struct text how = TEXT_INIT;
        if (r->running && r->dying_ns && remote_autopsy(r, &how)) {
            if (builder_of(v, r))
                live_builder_died(v, builder_of(v, r), text_cstr(&how));
            else
                live_bench_died(v, text_cstr(&how));
        }
        text_release(&how);
    }
    endings_reap(&v->endings);
}

static void check_limits(struct live *v)
{
    uint64_t now = clock_ns();
    for (uint32_t i = 0; i < v->builder_limit; i++) {
        if (remote_overdue(&v->builders[i].remote, now))
            live_builder_overdue(v, &v->builders[i]);
    }
    if (remote_overdue(&v->bench, now))
        live_bench_overdue(v);
}

// When those that end are looked at again: no descriptor tells of it everywhere.
static uint64_t next_look(const struct live *v, uint64_t now)
{
    uint64_t next = UINT64_MAX, look;
    for (uint32_t i = 0; i <= v->builder_limit; i++) {
        const struct remote *r = i < v->builder_limit ? &v->builders[i].remote : &v->bench;
        look = r->running && r->dying_ns ? now + remote_look_ns(r->dying_ns, now) : next;
        next = look < next ? look : next;
    }
    if (endings_awaited(&v->endings)) {
        look = now + remote_look_ns(v->endings.first->since_ns, now);
        next = look < next ? look : next;
    }
    return next;
}

// How long poll() may sleep: until the caller's time, the nearest deadline, or the gate's next try.
static int sleep_ms(const struct live *v, uint64_t until)
{
    uint64_t now = clock_ns(), next = next_look(v, now);
    next = until < next ? until : next;
    for (uint32_t i = 0; i <= v->builder_limit; i++) {
        const struct remote *r = i < v->builder_limit ? &v->builders[i].remote : &v->bench;
        if (r->running && !r->stopped_ns && r->deadline_ns && r->deadline_ns < next)
            next = r->deadline_ns;
    }
    if (v->gate_retry_ns && v->gate_retry_ns < next)
        next = v->gate_retry_ns;
    if (next <= now)
        return 0;
    uint64_t ms = (next - now + 999999) / 1000000;
    return ms > 3600000 ? 3600000 : (int)ms;
}

static bool anything_done(const struct live *v)
{
    return v->turned.first || v->entries.stages[STAGE_DONE].count > 0;
}

static void work(struct live *v, uint64_t until)
{
    struct pollfd fds[2 * 257];
    struct remote *remotes[2 * 257];
    if (!v->current)
        live_builders_settle(v);
    live_builds_tell(v);
    live_builders_start(v);
    live_bench_start(v);
    if (v->broken.code || anything_done(v))
        until = 0;
    uint32_t n = gather(v, fds, remotes);
    live_clock_sleeping(v, true);
    int ready = poll(fds, n, sleep_ms(v, until));
    live_clock_sleeping(v, false);
    if (ready > 0) {
        for (uint32_t i = 0; i < n && !v->broken.code; i++) {
            if (fds[i].revents)
                handle(v, remotes[i]);
        }
    }
    if (!v->broken.code)
        see_who_died(v);
    check_limits(v);
    live_clock(v);
}

static bool give_outcome(struct live *v, struct outcome *out)
{
    struct entry *n = v->entries.stages[STAGE_DONE].first;
    if (live_turn_take(v, out))
        return true;
    if (!n)
        return false;
    out->ticket = n->ticket;
    out->result = n->result;
    n->result = NULL;
    entry_stage(&v->entries, n, STAGE_KEPT);
    return true;
}

static int live_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct live *v = self(ev);
    uint64_t until = timeout_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)timeout_ms * 1000000;
    for (;;) {
        // What is finished is given out even when nothing more can come.
        if (give_outcome(v, out))
            return 1;
        if (v->broken.code) {
            error_set_driver(e, v->broken.code, v->broken.driver, "%s", v->broken.text);
            return -1;
        }
        work(v, until);
        if (give_outcome(v, out))
            return 1;
        if (!v->broken.code && clock_ns() >= until)
            return 0;
    }
}

// ---- the other operations ----------------------------------------------------------------------

static bool live_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    struct live *v = self(ev);
    struct entry *n = entry_new(v, job);
    if (n && entry_add(&v->entries, n, ticket))
        return true;
    entry_free(n);
    return error_memory(e);
}

// Nothing is on its way but so many entries.
static bool is_idle_but(const struct live *v, uint32_t count)
{
    return entry_count(&v->entries, STAGE_QUEUED, STAGE_DONE) == count && !v->turns.first &&
           !v->turned.first;
}

static bool live_idle(struct evaluator *ev)
{
    return is_idle_but(self(ev), 0);
}

static bool live_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                       struct error *e)
{
    struct live *v = self(ev);
    struct entry *n = entry_find(&v->entries, ticket);
    bool is_on_its_way = n && (n->stage <= STAGE_READY || n->turns > 0);
    if (!n || (n->stage != STAGE_KEPT && !is_on_its_way))
        return error_set(e, ERROR_USAGE, "only a job that was taken can be measured again");
    // One that waits to be built was submitted since: cancelling leaves none.
    if (v->cancelled && !is_idle_but(v, n->stage == STAGE_QUEUED))
        return error_set(e, ERROR_USAGE, "what was cancelled has not come to its end yet");
    v->cancelled = false;
    return live_turn_add(v, n, turn) || error_memory(e);
}

static void live_hold(struct evaluator *ev, bool hold)
{
    self(ev)->hold = hold;
    live_turns_unlock(self(ev));
}

static void live_drop(struct evaluator *ev, uint64_t ticket)
{
    struct live *v = self(ev);
    struct entry *n = entry_find(&v->entries, ticket);
    if (!n)
        return;
    // A build under way goes on; its answer will belong to nobody.
    for (uint32_t i = 0; i < v->builder_limit; i++) {
        if (v->builders[i].entry == n)
            v->builders[i].entry = NULL;
    }
    live_bench_unload(v, n);
    live_lost_give_up(v, n);
    live_turns_forget(v, n, true);
    entry_remove(v, n);
    live_turns_unlock(v);
}

static size_t live_room(struct evaluator *ev)
{
    struct live *v = self(ev);
    // One job a build worker and as many again built ahead of the bench keep everyone busy.
    uint32_t wanted = 2 * v->builder_limit + 4;
    uint32_t have = entry_count(&v->entries, STAGE_QUEUED, STAGE_MEASURING);
    return v->cancelled || have >= wanted ? 0 : wanted - have;
}

static void live_cancel(struct evaluator *ev)
{
    struct live *v = self(ev);
    v->cancelled = true;
    for (uint32_t i = 0; i < v->builder_limit; i++) {
        remote_end(&v->builders[i].remote, &v->endings);
        v->builders[i].entry = NULL;
    }
    if (v->loss.suspect)
        live_lost_give_up(v, v->loss.suspect);
    live_turns_cancel(v);
    for (int stage = STAGE_QUEUED; stage <= STAGE_READY; stage++) {
        while (v->entries.stages[stage].first)
            entry_remove(v, v->entries.stages[stage].first);
    }
}

static void live_best(struct evaluator *ev, uint64_t ns, uint64_t verify_ns)
{
    self(ev)->best_ns = ns;
    self(ev)->best_verify_ns = verify_ns;
}

static void live_status(struct evaluator *ev, struct evaluator_status *out)
{
    struct live *v = self(ev);
    out->queued = v->entries.stages[STAGE_QUEUED].count;
    out->building = v->entries.stages[STAGE_BUILDING].count;
    out->ready = v->entries.stages[STAGE_READY].count;
    out->measuring = v->current != NULL;
    out->reference_failed = v->reference_failed;
    live_clock(v);
    out->times = v->clock.times;
    if (v->gate_retry_ns && v->o.gate.waiting)
        out->waiting = v->o.gate.waiting(v->o.gate.context);
}

static bool ask_bench(struct live *v, const struct entry *n, enum verb verb, uint32_t index,
                      struct error *e)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    uint32_t handle = n->handle;
    wire_writer(&w, &payload);
    wire_u32(&w, &handle);
    wire_u32(&w, &index);
    bool ok = remote_send(&v->bench, verb, &payload, e);
    text_release(&payload);
    return ok;
}

static bool take_bytes(const struct frame *f, struct text *out, struct error *e)
{
    char text[1024];
    struct arena a;
    struct wire w;
    const void *data = NULL;
    uint64_t length = 0;
    if (f->verb != VERB_REPLY_BYTES) {
        remote_error_text(f, text, sizeof text);
        return error_set(e, ERROR_DEVICE, "%s", text);
    }
    arena_init(&a);
    wire_reader(&w, f->payload, f->length, &a);
    wire_bytes(&w, &data, &length);
    bool ok = wire_finish(&w, ERROR_WORKER, "malformed bytes from the worker", e);
    if (ok)
        text_addn(out, data, length);
    arena_release(&a);
    return ok && (!out->failed || error_memory(e));
}

static bool live_fetch(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                       struct text *out, struct error *e)
{
    static const enum verb verbs[] = {
        [FETCH_BUFFER] = VERB_OUTPUT, [FETCH_BINARY] = VERB_BINARY, [FETCH_PTX] = VERB_PTX};
    struct live *v = self(ev);
    struct entry *n = entry_find(&v->entries, ticket);
    if (!n || n->stage != STAGE_KEPT || !live_bench_has(v, n))
        return error_set(e, ERROR_USAGE, "the job is not loaded any more");
    if (!ask_bench(v, n, verbs[what], index, e) || !remote_drain(&v->bench, e))
        return error_context(e, "fetching from the device");
    struct frame f;
    do {
        if (channel_wait(&v->bench.channel, 120000, &f, e) != 1)
            return error_set(e, ERROR_WORKER, "the worker did not answer") &&
                   error_context(e, "fetching from the device");
    } while (f.sequence != v->bench.sequence || f.verb == VERB_PHASE);
    v->bench.outstanding = 0;
    live_limit_phase(v, &v->bench);
    return take_bytes(&f, out, e);
}

// A GPU's driver takes up to a tenth of a second to take down the context of a process that ends,
// and does several at once: all are told before they are waited for.
static void end_workers(struct live *v)
{
    for (uint32_t i = 0; v->builders && i < v->builder_limit; i++)
        remote_end(&v->builders[i].remote, &v->endings);
    remote_end(&v->bench, &v->endings);
    endings_release(&v->endings, v->o.leaving ? 0 : LIVE_FREE_NS);
}

static void live_destroy(struct evaluator *ev)
{
    struct live *v = self(ev);
    end_workers(v);
    for (int stage = STAGE_LOADING; stage <= STAGE_MEASURING; stage++) {
        for (struct entry *n = v->entries.stages[stage].first; n; n = n->next)
            live_leave_gate(v, n);
    }
    live_turns_release(v);
    entries_release(v);
    free(v->builders);
    free(v->folders);
    free(v);
}

static const struct evaluator_operations live_operations = {
    .submit = live_submit,
    .take = live_take,
    .again = live_again,
    .hold = live_hold,
    .drop = live_drop,
    .room = live_room,
    .cancel = live_cancel,
    .idle = live_idle,
    .best = live_best,
    .status = live_status,
    .fetch = live_fetch,
    .destroy = live_destroy,
};

uint32_t live_default_jobs(const struct device_info *d)
{
    uint32_t cores = process_cores();
    uint32_t jobs = d->shares_host || cores == 1 ? cores : cores - 1;
    uint64_t contexts = d->global_bytes / LIVE_CONTEXTS_SHARE / LIVE_CONTEXT_BYTES;
    if (!live_opens_contexts(d) || d->global_bytes == 0 || contexts >= jobs)
        return jobs;
    return contexts < 1 ? 1 : (uint32_t)contexts;
}

static bool open_gate_leave(void *context, uint64_t ticket, const struct result *result,
                            struct error *e)
{
    (void)context, (void)ticket, (void)result, (void)e;
    return true;
}

static enum gate_answer open_gate_enter(void *context, uint64_t ticket, struct gate_known *known,
                                        struct result **out, struct error *e)
{
    (void)context, (void)ticket, (void)known, (void)out, (void)e;
    return GATE_OPEN;
}

struct evaluator *live_new(const struct live_options *o, struct error *e)
{
    struct live *v = calloc(1, sizeof *v);
    if (!v) {
        error_memory(e);
        return NULL;
    }
    v->base.ops = &live_operations;
    v->o = *o;
    if (!v->o.gate.enter) {
        v->o.gate.enter = open_gate_enter;
        v->o.gate.leave = open_gate_leave;
    }
    v->device = *o->device;
    v->clock.at_ns = clock_ns();
    v->turns.last = &v->turns.first;
    v->turned.last = &v->turned.first;
    v->bench = (struct remote)REMOTE_NONE;
    v->builder_limit = o->jobs ? o->jobs : live_default_jobs(o->device);
    if (v->builder_limit > 256)
        v->builder_limit = 256;
    v->builders = calloc(v->builder_limit, sizeof *v->builders);
    if (!v->builders) {
        free(v);
        error_memory(e);
        return NULL;
    }
    for (uint32_t i = 0; i < v->builder_limit; i++)
        v->builders[i].remote = (struct remote)REMOTE_NONE;
    return &v->base;
}
