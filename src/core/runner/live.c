// The live evaluator: jobs go through a pool of build workers to the one bench worker.
//
// One poll() loop serves all channels; nothing else blocks. The loop hands what a worker says to
// the build pool or the bench, and what these make of it to the entry concerned: a build that has
// come to its end waits for the bench (or tells its failure), an answer of the bench moves the
// entry at the bench on (live_measure.c), a death goes to the pool or to the recovery
// (live_recovery.c).
#include "runner/live.h"

#include "model/arch.h"
#include "model/probe.h"
#include "os/descendants.h"
#include "runner/place.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKERS_MOST  256
#define CHANNELS_MOST (LIVE_CHANNELS(WORKERS_MOST) + LIVE_BUILDERS_MOST)
#define NODE_LOOK_NS  1000000000ull
#define RENEW_JOBS    1000 // a bench worker is renewed after so many jobs
// GPU memory of a build worker's context (measured: 550 MiB on an H200); all contexts together may
// take 1 / CONTEXTS_SHARE of the device's memory.
#define CONTEXT_BYTES  (550ull << 20)
#define CONTEXTS_SHARE 4

static struct live *live_of(struct evaluator *ev)
{
    return (struct live *)ev;
}

// ---- what comes of a job ------------------------------------------------------------------------

void live_done(struct live *v, struct entry *n)
{
    if (!surroundings_judge(&v->surroundings, entry_name(n), n->job, n->result, &v->broken))
        return;
    if (n->admitted) {
        n->admitted = false;
        live_clock_storing(v, true);
        if (!v->o.admission.leave(v->o.admission.context, n->ticket, n->result, &v->broken) &&
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
        n->result = n->build.result ? result_clone(n->build.result) : result_new();
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
    log_add(v->o.log, LOG_DEBUG, "the evaluation breaks off: %s", message);
    return error_set(&v->broken, code, "%s", message);
}

bool live_break_reference(struct live *v, enum reference_state state, enum error_code code,
                          const char *text)
{
    v->reference = state;
    return live_break(v, code, "%s", text);
}

void live_opening_died(struct live *v, const char *how)
{
    char said[900];
    if (++v->start_deaths < LIVE_START_TRIES)
        return;
    str_format(said, sizeof said, "%u workers died while opening the device; the last %s",
               LIVE_START_TRIES, how);
    if (!surroundings_blame_disk(&v->surroundings, "opening the device", said, &v->broken))
        live_break(v, ERROR_WORKER, "%s", said);
}

// ---- builds ------------------------------------------------------------------------------------

void live_settle_pool(struct live *v)
{
    build_pool_pause(v->pool, live_turns_quiet(v));
}

static void tell_build(struct live *v, struct entry *n)
{
    n->result = n->build.result;
    n->build.result = NULL;
    live_done(v, n);
}

static void start_proof(struct live *v)
{
    struct job *job = job_probe(v->device.language);
    if (job)
        job->programs->run = clock_ns(); // a driver's cache shows nothing
    v->proof = entry_new(v, job);
    if (!v->proof) {
        live_break(v, ERROR_MEMORY, "out of memory");
        return;
    }
    v->proof->build.is_urgent = true;
    build_pool_add(v->pool, &v->proof->build);
}

static void forget_proof(struct live *v)
{
    if (v->proof)
        build_pool_forget(v->pool, &v->proof->build);
    entry_free(v->proof);
    v->proof = NULL;
}

static void take_proof(struct live *v)
{
    const struct result *r = v->proof->build.result;
    bool builds = !r || r->status == STATUS_CORRECT;
    log_add(v->o.log, LOG_DEBUG, "a kernel of hone's own %s%s",
            builds ? "builds" : "fails: ", builds ? "" : r->message);
    v->surroundings.have_built = v->surroundings.have_built || builds;
    if (v->entries.stages[STAGE_DOUBTED].first)
        v->surroundings.proof = builds ? PROOF_BUILDS : PROOF_FAILS;
    forget_proof(v);
}

static void take_builds(struct live *v)
{
    struct build *b;
    while (!v->broken.code && (b = build_pool_take(v->pool))) {
        struct entry *n = entry_of_build(b);
        bool failed = b->result && b->result->status != STATUS_CORRECT;
        if (n == v->proof) {
            take_proof(v);
            continue;
        }
        v->surroundings.have_built = v->surroundings.have_built || (b->result && !failed);
        entry_stage(&v->entries, n, failed ? STAGE_DOUBTED : STAGE_READY);
        if (!failed && b->result)
            live_image_built(v, n);
        if (v->o.build_only && !failed && b->result)
            tell_build(v, n);
    }
}

// On a device that has died builds fail, too, and those whose worker is quicker than the news would
// be blamed for it.
static void tell_failed_builds(struct live *v)
{
    struct entry *n;
    bool in_doubt = v->current || bench_state(v->bench) == BENCH_PREPARING ||
                    v->recovery.state != RECOVERY_NONE;
    while (!in_doubt && !v->broken.code && (n = v->entries.stages[STAGE_DOUBTED].first)) {
        if (v->surroundings.proof == PROOF_NONE &&
            surroundings_want_proof(&v->surroundings, n->job, n->build.result)) {
            if (!v->proof)
                start_proof(v);
            return;
        }
        tell_build(v, n);
    }
}

// ---- the loop ----------------------------------------------------------------------------------

// The pool's workers, the bench after them, and the verifier where there is one.
static struct remote *remote_at(const struct live *v, uint32_t i)
{
    return i < v->pool_workers    ? build_pool_worker(v->pool, i)
           : i == v->pool_workers ? bench_worker(v->bench)
                                  : verifier_worker(v->apart.verifier);
}

static uint32_t last_remote(const struct live *v)
{
    return v->pool_workers + (v->apart.verifier != NULL);
}

// (or NULL) The machine that a worker builds on, where that is not the device's.
static struct live_builder *builder_of(struct live *v, uint32_t worker)
{
    uint32_t site = worker < v->pool_workers ? build_pool_site(v->pool, worker) : v->builder_count;
    return site < v->builder_count ? &v->builders[site] : NULL;
}

// Nothing but time is lost with it.
static void leave_builder(struct live *v, struct live_builder *b, const char *why)
{
    if (b->is_left)
        return;
    b->is_left = v->unsettled = true;
    build_pool_leave(v->pool, (uint32_t)(b - v->builders));
    if (!b->node || !b->node->is_told)
        log_add(v->o.log, LOG_WARNING, "%s; others build what it had", why);
    if (b->node)
        b->node->is_told = true;
}

// It is there and cannot build any more.
static void leave_unable_builder(struct live *v, struct live_builder *b, const char *how)
{
    char why[1200];
    str_format(why, sizeof why, "%s%s%s cannot build any more: %s",
               b->node ? "node '" : "this machine", b->name, b->node ? "'" : "", how);
    leave_builder(v, b, why);
}

// Is there one that was not known to be lost?
static bool leave_lost_builders(struct live *v)
{
    bool any = false;
    for (uint32_t i = 0; i < v->builder_count; i++) {
        struct live_builder *b = &v->builders[i];
        const char *why = b->node && !b->is_left ? node_lost(b->node) : NULL;
        if (!why)
            continue;
        leave_builder(v, b, why);
        any = true;
    }
    return any;
}

// At most two of a worker; the bench's first, because a device waits for what is said to it. `workers` (or NULL): whose
// they are.
static uint32_t gather_channels(const struct live *v, struct pollfd *fds, size_t most,
                                uint32_t *workers)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k <= last_remote(v) && n + 1 < most; k++) {
        uint32_t i = k == 0 ? v->pool_workers : k <= v->pool_workers ? k - 1 : k;
        const struct remote *r = remote_at(v, i);
        if (!r->running || r->stopped_ns || r->dying_ns)
            continue;
        short events = POLLIN | (remote_pending(r) ? POLLOUT : 0);
        if (workers)
            workers[n] = i;
        fds[n++] = (struct pollfd){.fd = r->process.channel, .events = events};
        if (r->process.printed >= 0) {
            if (workers)
                workers[n] = i;
            fds[n++] = (struct pollfd){.fd = r->process.printed, .events = POLLIN};
        }
    }
    return n;
}

// A list has what the driver claims of its timer, an open device what was found when it was tried.
static void take_opened(struct live *v, const struct frame *f, const struct remote *r)
{
    struct arena a = {0};
    struct opened opened = {.folders = ""};
    struct wire w;
    bool is_bench = r->role == ROLE_BENCH;
    uint64_t took = clock_ns() - r->opening_ns;
    wire_reader(&w, f->payload, f->length, &a);
    opened_codec(&w, &opened);
    if (wire_done(&w)) {
        if (is_bench && opened.info.timer_ns > v->device.timer_ns)
            v->device.timer_ns = opened.info.timer_ns;
        if (!v->surroundings.folders && !r->process.host)
            v->surroundings.folders = strdup(opened.folders); // without memory less is told
    }
    arena_release(&a);
    if (is_bench && took > v->limits.opening_ns)
        v->limits.opening_ns = took;
    v->clock.opened = true;
}

// The worker cannot open its device, or makes no sense of a request.
static void take_refusal(struct live *v, const struct frame *f, struct remote *r,
                         struct live_builder *builder)
{
    char text[1024];
    remote_error_text(f, text, sizeof text);
    const bool is_opening = !r->greeted || f->sequence <= BENCH_OPENING_REQUESTS;
    if (builder)
        leave_unable_builder(v, builder, text);
    else if (r->role == ROLE_BUILD && !is_opening) // kernels run there, too, ahead of time
        remote_breaks(r, text);
    else if (r->role == ROLE_BENCH && !bench_refuses(v->bench, f))
        remote_breaks(bench_worker(v->bench), text);
    else if (r->role == ROLE_BENCH && recovery_is_probing(&v->recovery))
        live_probe_failed(v, text);
    else
        live_break(v, ERROR_DEVICE, "%s", text);
}

// A GPU does not wait for what the tuner does with a result: its next job starts before the last result is handed out. On a
// CPU that work would take cores from the launch.
static void begin_next(struct live *v)
{
    if (v->device.type == DEVICE_GPU && !v->device.shares_host && !v->cancelled && !v->broken.code)
        live_bench_start(v);
}

static void serve_worker(struct live *v, uint32_t index)
{
    struct remote *r = remote_at(v, index);
    struct live_builder *builder = builder_of(v, index);
    struct frame f;
    enum news news;
    if (index > v->pool_workers) {
        live_serve_verifier(v);
        return;
    }
    if (!r->running || r->dying_ns || !remote_listen(r, &v->broken))
        return;
    while (!v->broken.code && (news = remote_next(r, &f, &v->broken)) != NEWS_NONE) {
        if (news == NEWS_PART) {
            if (index == v->pool_workers && bench_state(v->bench) == BENCH_HANDING)
                live_take_part(v, &f);
            else
                remote_breaks(r, "sent outputs that it was not asked for");
            continue;
        }
        if (news == NEWS_PHASE)
            live_clock(v);
        else if (news == NEWS_OPENED || news == NEWS_ANSWER)
            *(builder ? &builder->start_deaths : &v->start_deaths) = 0;
        if (news == NEWS_OPENED)
            take_opened(v, &f, r);
        if (news == NEWS_REFUSED)
            take_refusal(v, &f, r, builder);
        else if (index < v->pool_workers)
            build_pool_news(v->pool, index, news, &f, &v->broken);
        else {
            enum bench_state asked;
            struct result *answer;
            // The checks after a launch need not be alone.
            if (news == NEWS_PHASE && bench_state(v->bench) == BENCH_VERIFYING &&
                bench_worker(v->bench)->phase.kind == PHASE_CHECKING) {
                // The worker checks on all cores.
                live_note_crowd(v, 1 + (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
                live_settle_pool(v);
            }
            if (bench_news(v->bench, news, &f, &answer, &asked, &v->broken) && answer) {
                live_bench_answered(v, asked, answer);
                begin_next(v);
            }
        }
    }
}

// Where the device's node is lost nothing is any job's fault. What was heard of a lock may let one in.
static void listen_to_node(struct live *v)
{
    const char *why = v->o.at.node ? node_lost(v->o.at.node) : NULL;
    if (why) {
        live_break(v, ERROR_WORKER, "%s", why);
    } else if (v->o.at.node && v->lock_news != v->o.at.node->lock_news) {
        v->lock_news = v->o.at.node->lock_news;
        v->admission_retry_ns = 0;
    }
}

static void opening_died(struct live *v, struct live_builder *b, const char *how)
{
    if (!b)
        live_opening_died(v, how);
    else if (++b->start_deaths >= LIVE_START_TRIES)
        leave_unable_builder(v, b, how);
}

// Handles a worker's loss only once its process has ended: the way it ended matters.
static void see_who_died(struct live *v)
{
    for (uint32_t i = 0; i <= last_remote(v) && !v->broken.code; i++) {
        struct remote *r = remote_at(v, i);
        struct text how = TEXT_INIT;
        bool was_opening = false;
        bool is_dead = r->running && r->dying_ns && remote_autopsy(r, &how);
        v->unsettled = v->unsettled || is_dead;
        if (is_dead) {
            leave_lost_builders(v);
            listen_to_node(v);
        }
        if (is_dead && r->running && !v->broken.code) {
            if (i < v->pool_workers)
                build_pool_died(v->pool, i, text_cstr(&how), &was_opening, &v->broken);
            else if (i == v->pool_workers)
                live_bench_died(v, text_cstr(&how));
            else
                live_verifier_died(v, text_cstr(&how));
        }
        if (was_opening)
            opening_died(v, builder_of(v, i), text_cstr(&how));
        text_release(&how);
    }
    endings_reap(&v->endings);
}

// When those that end are looked at again: no descriptor tells of it everywhere.
static uint64_t next_look(const struct live *v, uint64_t now)
{
    uint64_t next = UINT64_MAX, look;
    for (uint32_t i = 0; i <= last_remote(v); i++) {
        const struct remote *r = remote_at(v, i);
        look = r->running && r->dying_ns ? now + remote_look_ns(r->dying_ns, now) : next;
        next = look < next ? look : next;
    }
    if (endings_awaited(&v->endings)) {
        look = now + remote_look_ns(v->endings.first->since_ns, now);
        next = look < next ? look : next;
    }
    return next;
}

static bool has_nodes(const struct live *v)
{
    bool any = v->o.at.node;
    for (uint32_t i = 0; i < v->builder_count; i++)
        any = any || (v->builders[i].node && !v->builders[i].is_left);
    return any;
}

// How long poll() may sleep: until the caller's time, the nearest deadline, or the admission's next
// try.
static int sleep_ms(const struct live *v, uint64_t until)
{
    uint64_t now = clock_ns(), next = next_look(v, now);
    next = until < next ? until : next;
    for (uint32_t i = 0; i <= last_remote(v); i++) {
        const struct remote *r = remote_at(v, i);
        if (r->running && !r->stopped_ns && r->deadline_ns && r->deadline_ns < next)
            next = r->deadline_ns;
    }
    if (v->admission_retry_ns && v->admission_retry_ns < next)
        next = v->admission_retry_ns;
    if (has_nodes(v) &&
        now + NODE_LOOK_NS < next) // that its link is stopped is seen by nothing else
        next = now + NODE_LOOK_NS;
    if (next <= now)
        return 0;
    uint64_t ms = (next - now + 999999) / 1000000;
    return ms > 3600000 ? 3600000 : (int)ms;
}

static bool anything_done(const struct live *v)
{
    return v->turned.first || v->entries.stages[STAGE_DONE].count > 0;
}

// The nodes' own descriptors, behind the workers'.
static uint32_t gather_nodes(const struct live *v, struct pollfd *fds, size_t most)
{
    uint32_t n = 0;
    if (v->o.at.node && n < most)
        fds[n++] = (struct pollfd){.fd = v->o.at.node->descriptor, .events = POLLIN};
    for (uint32_t i = 0; i < v->builder_count && n < most; i++) {
        const struct live_builder *b = &v->builders[i];
        if (b->node && !b->is_left)
            fds[n++] = (struct pollfd){.fd = b->node->descriptor, .events = POLLIN};
    }
    return n;
}

// Whether a builder's node was lost is seen at the latest where a worker cannot be started there.
static void start_builds(struct live *v)
{
    const struct remote *bench = bench_worker(v->bench);
    bool is_opening = bench->running && bench->phase.kind == PHASE_OPENING;
    struct error e = ERROR_INIT;
    if (!build_pool_start(v->pool, is_opening, &e) && !leave_lost_builders(v))
        v->broken = e;
}

// The worker is past its limit. A builder that cannot be opened is one less.
static void take_overdue(struct live *v, uint32_t index)
{
    struct live_builder *b = builder_of(v, index);
    if (b && remote_at(v, index)->phase.kind == PHASE_OPENING)
        leave_unable_builder(v, b, "opening it takes longer than its limit");
    else if (index < v->pool_workers)
        build_pool_overdue(v->pool, index, &v->broken);
    else if (index > v->pool_workers)
        live_verifier_died(v, "does not answer");
    else
        live_bench_overdue(v);
}

static void work_once(struct live *v, uint64_t until)
{
    struct pollfd fds[CHANNELS_MOST];
    uint32_t workers[2 * (WORKERS_MOST + 2)];
    if (!v->current)
        live_settle_pool(v);
    tell_failed_builds(v);
    if (!v->cancelled && !v->broken.code)
        start_builds(v);
    live_bench_start(v);
    if (v->broken.code || anything_done(v))
        until = 0;
    uint32_t n = gather_channels(v, fds, LIVE_CHANNELS(WORKERS_MOST), workers);
    uint32_t nodes = gather_nodes(v, fds + n, CHANNELS_MOST - n);
    live_clock_sleeping(v, true);
    int ready = poll(fds, n + nodes, sleep_ms(v, until));
    live_clock_sleeping(v, false);
    v->unsettled = ready > 0;
    listen_to_node(v);
    bool is_heard = clock_ns() - v->looked_ns >= NODE_LOOK_NS;
    for (uint32_t i = n; ready > 0 && i < n + nodes; i++)
        is_heard = is_heard || fds[i].revents;
    if (is_heard) {
        leave_lost_builders(v);
        v->looked_ns = clock_ns();
    }
    for (uint32_t i = 0; ready > 0 && i < n && !v->broken.code; i++) {
        struct remote *r = remote_at(v, workers[i]);
        if (fds[i].revents && fds[i].fd == r->process.printed)
            process_drain(&r->process);
        else if (fds[i].revents)
            serve_worker(v, workers[i]);
    }
    bool ending = endings_awaited(&v->endings);
    if (!v->broken.code)
        see_who_died(v);
    v->unsettled = v->unsettled || (ending && !endings_awaited(&v->endings));
    uint64_t now = clock_ns();
    for (uint32_t i = 0; i <= last_remote(v); i++) {
        if (!remote_overdue(remote_at(v, i), now))
            continue;
        v->unsettled = true;
        take_overdue(v, i);
    }
    take_builds(v);
    live_tell_caches(v);
    begin_next(v);
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
    struct live *v = live_of(ev);
    uint64_t until = timeout_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)timeout_ms * 1000000;
    for (;;) {
        // Finished outcomes are handed out even if nothing more can come.
        if (give_outcome(v, out))
            return 1;
        if (v->broken.code) {
            error_set_driver(e, v->broken.code, v->broken.driver, "%s", v->broken.text);
            return -1;
        }
        work_once(v, until);
        if (give_outcome(v, out))
            return 1;
        if (!v->broken.code && clock_ns() >= until)
            return 0;
    }
}

static size_t live_watch(struct evaluator *ev, struct pollfd *fds, size_t most, uint64_t *until)
{
    const struct live *v = live_of(ev);
    uint64_t look = clock_ns() + (uint64_t)sleep_ms(v, UINT64_MAX) * 1000000;
    if (v->broken.code || v->unsettled || anything_done(v))
        look = 0;
    *until = look < *until ? look : *until;
    size_t n = gather_channels(v, fds, most, NULL);
    return n + gather_nodes(v, fds + n, most - n);
}

// ---- the other operations ----------------------------------------------------------------------

static bool live_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    struct live *v = live_of(ev);
    struct entry *n = entry_new(v, job);
    if (!n || !entry_add(&v->entries, n, ticket)) {
        entry_free(n);
        return error_memory(e);
    }
    build_pool_add(v->pool, &n->build);
    return true;
}

// Nothing is on its way but so many entries.
static bool is_idle_but(const struct live *v, uint32_t count)
{
    return entry_count(&v->entries, STAGE_BUILDING, STAGE_DONE) == count && !v->turns.first &&
           !v->turned.first;
}

static bool live_idle(struct evaluator *ev)
{
    return is_idle_but(live_of(ev), 0);
}

static bool live_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                       struct error *e)
{
    struct live *v = live_of(ev);
    struct entry *n = entry_find(&v->entries, ticket);
    bool is_on_its_way = n && (n->stage <= STAGE_READY || n->turns > 0);
    if (!n || (n->stage != STAGE_KEPT && !is_on_its_way))
        return error_set(e, ERROR_USAGE, "only a job that was taken can be measured again");
    // A job that waits to be built was submitted after the cancellation, which leaves none.
    if (v->cancelled && !is_idle_but(v, n->stage == STAGE_BUILDING))
        return error_set(e, ERROR_USAGE, "what was cancelled has not come to its end yet");
    v->cancelled = false;
    return live_turn_add(v, n, turn) || error_memory(e);
}

static void live_hold(struct evaluator *ev, bool hold)
{
    live_of(ev)->hold = hold;
    live_turns_unlock(live_of(ev));
}

static void live_rest(struct evaluator *ev, bool rest)
{
    struct remote *worker = bench_worker(live_of(ev)->bench);
    (rest ? remote_pause : remote_resume)(worker);
    if (worker->running && !worker->process.host) // what left its group, too
        descendants_signal(worker->process.pid, rest ? SIGSTOP : SIGCONT);
}

static void live_drop(struct evaluator *ev, uint64_t ticket)
{
    struct live *v = live_of(ev);
    struct entry *n = entry_find(&v->entries, ticket);
    if (!n)
        return;
    live_bench_unload(v, n);
    live_give_up_suspect(v, n);
    live_turns_forget(v, n, true);
    entry_remove(v, n);
    live_turns_unlock(v);
}

static size_t live_room(struct evaluator *ev)
{
    struct live *v = live_of(ev);
    // One job a build worker and as many again built ahead of the bench keep everyone busy.
    uint32_t wanted = 2 * v->pool_workers + 4;
    uint32_t have = entry_count(&v->entries, STAGE_BUILDING, STAGE_AT_BENCH);
    return v->cancelled || have >= wanted ? 0 : wanted - have;
}

static void live_cancel(struct evaluator *ev)
{
    struct live *v = live_of(ev);
    v->cancelled = true;
    build_pool_cancel(v->pool);
    forget_proof(v);
    if (v->suspect)
        live_give_up_suspect(v, v->suspect);
    live_turns_cancel(v);
    for (int stage = STAGE_BUILDING; stage <= STAGE_READY; stage++) {
        while (v->entries.stages[stage].first)
            entry_remove(v, v->entries.stages[stage].first);
    }
}

static void live_best(struct evaluator *ev, uint64_t ns, uint64_t verify_ns)
{
    live_of(ev)->limits.best_ns = ns;
    live_of(ev)->best_verify_ns = verify_ns;
}

static void live_status(struct evaluator *ev, struct evaluator_status *out)
{
    struct live *v = live_of(ev);
    struct build_pool_status pool;
    build_pool_status(v->pool, &pool);
    out->queued = pool.waiting;
    out->building = pool.building;
    out->ready = v->entries.stages[STAGE_READY].count;
    out->measuring = v->current != NULL || (v->bench && bench_is_prefetching(v->bench));
    out->running = v->current && v->current->job ? v->current->job->configuration : NULL;
    out->reference = v->reference;
    live_clock(v);
    out->times = v->clock.times;
    if (v->admission_retry_ns && v->o.admission.waiting)
        out->waiting = v->o.admission.waiting(v->o.admission.context);
}

static bool live_fetch(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                       struct text *out, struct error *e)
{
    static const enum verb verbs[] = {
        [FETCH_BUFFER] = VERB_OUTPUT, [FETCH_BINARY] = VERB_BINARY, [FETCH_PTX] = VERB_PTX};
    struct live *v = live_of(ev);
    struct entry *n = entry_find(&v->entries, ticket);
    if (!n || n->stage != STAGE_KEPT || !bench_has(v->bench, &n->bench))
        return error_set(e, ERROR_USAGE, "the job is not loaded any more");
    if (v->current || bench_is_prefetching(v->bench)) // whose answer would be lost
        return error_set(e, ERROR_USAGE, "another job is at the device");
    return bench_fetch(v->bench, &n->bench, verbs[what], index, out, e);
}

static bool live_suspects(struct evaluator *ev, uint64_t ticket)
{
    const struct live *v = live_of(ev);
    const struct entry *n = entry_find(&v->entries, ticket);
    return n && (n == v->current || n == v->suspect || n->bench_deaths > 0 || n->build.deaths > 0);
}

static void live_destroy(struct evaluator *ev)
{
    struct live *v = live_of(ev);
    // A GPU's driver takes up to a tenth of a second to take down the context of a process that
    // ends, and does several at once: all are told before they are waited for.
    if (v->pool)
        build_pool_cancel(v->pool);
    if (v->bench)
        bench_end(v->bench);
    verifier_free(v->apart.verifier);
    if (v->o.endings)
        endings_move(v->o.endings, &v->endings);
    else
        endings_release(&v->endings, v->o.leaving ? 0 : LIVE_FREE_NS);
    for (struct entry *n = v->entries.stages[STAGE_AT_BENCH].first; n; n = n->next)
        live_leave_admission(v, n);
    live_turns_release(v);
    entries_release(v);
    forget_proof(v);
    live_images_free(v->images);
    build_pool_free(v->pool);
    bench_free(v->bench);
    free(v->surroundings.folders);
    free(v);
}

static const struct evaluator_operations live_operations = {
    .submit = live_submit,
    .take = live_take,
    .again = live_again,
    .hold = live_hold,
    .rest = live_rest,
    .drop = live_drop,
    .room = live_room,
    .cancel = live_cancel,
    .idle = live_idle,
    .best = live_best,
    .status = live_status,
    .fetch = live_fetch,
    .suspects = live_suspects,
    .watch = live_watch,
    .destroy = live_destroy,
};

// A CPU has no context worth the name.
static bool builds_open_contexts(const struct device_info *d)
{
    return language_traits(d->language)->builds_on_device && !d->shares_host;
}

// A driver starts for one process after the other: fifteen builders that need nothing of the card would keep the bench
// worker waiting, which does.
static bool builds_without_driver(const struct device_info *d)
{
    struct arch_name arch;
    return !language_traits(d->language)->builds_on_device && !d->shares_host &&
           !arch_of_id(d->id, &arch);
}

uint32_t live_default_jobs(const struct node *node, const struct device_info *d)
{
    uint32_t cores = node ? node->cores : process_cores();
    uint32_t jobs = d->shares_host || cores == 1 ? cores : cores - 1;
    uint64_t contexts = d->global_bytes / CONTEXTS_SHARE / CONTEXT_BYTES;
    if (!builds_open_contexts(d) || d->global_bytes == 0 || contexts >= jobs)
        return jobs;
    return contexts < 1 ? 1 : (uint32_t)contexts;
}

uint32_t live_builder_jobs(const struct place *p)
{
    return p->jobs ? p->jobs : p->node ? p->node->cores : process_cores();
}

static uint32_t own_jobs(const struct live_options *o)
{
    uint32_t own = o->at.jobs ? o->at.jobs : live_default_jobs(o->at.node, o->at.device);
    return own < WORKERS_MOST ? own : WORKERS_MOST;
}

// Each builder's part of the workers that there may be.
static uint32_t jobs_elsewhere(const struct live_options *o, uint32_t builder)
{
    uint32_t jobs = live_builder_jobs(&o->builders[builder]);
    uint32_t most = (WORKERS_MOST - own_jobs(o)) / o->builder_count;
    return jobs < most ? jobs : most;
}

uint32_t live_pool_workers(const struct live_options *o)
{
    uint32_t sum = own_jobs(o);
    for (uint32_t i = 0; i < o->builder_count; i++)
        sum += jobs_elsewhere(o, i);
    return sum;
}

static struct build_pool *make_build_pool(struct live *v, const struct worker_setup *own)
{
    const struct live_options *o = &v->o;
    struct build_site sites[LIVE_BUILDERS_MOST + 1];
    for (uint32_t i = 0; i < o->builder_count; i++) {
        const struct place *p = &o->builders[i];
        v->builders[i] = (struct live_builder){.name = p->name, .node = p->node};
        sites[i] = (struct build_site){.setup = *own, .workers = jobs_elsewhere(o, i)};
        sites[i].setup.at = *p;
        sites[i].setup.target = &v->device;
    }
    v->builder_count = o->builder_count;
    sites[v->builder_count] =
        (struct build_site){.setup = *own, .workers = own_jobs(o), .stops = v->device.shares_host};
    if (builds_without_driver(&v->device))
        sites[v->builder_count].setup.target = &v->device;
    return build_pool_new(&(struct build_pool_options){
        .sites = sites,
        .site_count = v->builder_count + 1,
        .opens_one_by_one = builds_open_contexts(&v->device),
        .shares = o->own_reference,
        .build_limit_ns = o->terms.build_limit_ns,
        .spare = builds_open_contexts(&v->device) && !o->simulated ? o->at.spare : NULL,
        .endings = &v->endings,
        .caches = &v->caches});
}

static bool always_leave(void *context, uint64_t ticket, const struct result *result,
                         struct error *e)
{
    (void)context, (void)ticket, (void)result, (void)e;
    return true;
}

static enum admission_answer always_enter(void *context, uint64_t ticket,
                                          struct admission_known *known, struct result **out,
                                          struct error *e)
{
    (void)context, (void)ticket, (void)known, (void)out, (void)e;
    return ADMISSION_OPEN;
}

struct evaluator *live_new(const struct live_options *o, struct error *e)
{
    if (o->builder_count > LIVE_BUILDERS_MOST) {
        error_set(e, ERROR_USAGE, "%u machines build: %d are the most", o->builder_count,
                  LIVE_BUILDERS_MOST);
        return NULL;
    }
    struct live *v = alloc_zeroed(sizeof *v, e);
    if (!v)
        return NULL;
    v->base.ops = &live_operations;
    v->o = *o;
    if (!v->o.admission.enter) {
        v->o.admission.enter = always_enter;
        v->o.admission.leave = always_leave;
    }
    if (o->by_image && !o->judge && !o->build_only) {
        v->images = alloc_zeroed(sizeof *v->images, e);
        if (!v->images) {
            free(v);
            return NULL;
        }
    }
    v->device = *o->at.device;
    v->surroundings.is_elsewhere = o->at.node;
    v->clock.at_ns = clock_ns();
    v->turns.last = &v->turns.first;
    v->turned.last = &v->turned.first;
    v->limits.terms = o->terms;
    v->recovery.log = o->log;
    live_caches_init(v);
    struct worker_setup setup = {.at = o->at,
                                 .device = v->device.id,
                                 .simulated = o->simulated,
                                 .limits = &v->limits,
                                 .log = o->log};
    v->pool = make_build_pool(v, &setup);
    // A CPU's driver must be told how to measure before it is loaded, so a worker that has listed
    // devices does not do there.
    v->bench =
        bench_new(&(struct bench_options){.setup = setup,
                                          .takes_spare = !v->device.shares_host && !o->simulated,
                                          .spare = o->at.spare,
                                          .renewed_after = o->simulated ? 1 : RENEW_JOBS,
                                          .is_apart = o->apart != NULL,
                                          .endings = &v->endings});
    v->pool_workers = v->pool ? build_pool_workers(v->pool) : 0;
    v->o.builders = NULL;
    if (v->pool && v->bench && live_apart_open(v, &setup, e)) {
        if (o->endings)
            endings_move(&v->endings, o->endings);
        return &v->base;
    }
    build_pool_free(v->pool);
    bench_free(v->bench);
    live_images_free(v->images);
    free(v);
    if (!e || !e->code)
        error_memory(e);
    return NULL;
}
