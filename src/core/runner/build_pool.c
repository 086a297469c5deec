// The pool of build workers: started as they are needed, one job each at a time.
//
// Each worker is a small state machine. What it says, and what happens to it, are events; the table
// `transitions` says which are possible in which state, what is done, and where they lead. An event
// that is not in the table is an error: the worker does not keep to the protocol.
//
// A job whose worker died is tried once more, in a new worker with empty caches and no other build
// beside it, before it is blamed; so is one that failed without saying why. A worker that dies or hangs after the
// compiler has finished, while it runs the job ahead of time, costs nothing but that: the bench
// will tell what is wrong.
#include "runner/build_pool.h"

#include "runner/surroundings.h"

#include <stdio.h>
#include <stdlib.h>

struct builder {
    struct remote remote;
    uint32_t site;
    enum builder_state state;
    struct build *build; // (or NULL)
    uint32_t request;    // sequence of its BUILD
};

struct build_pool {
    struct build_pool_options o;
    struct build_site *sites; // `workers` is 0 of those that were left
    struct builder *workers;
    uint32_t count;
    struct build *waiting; // in their order
    struct build *done, **last_done;
    uint32_t waiting_count;
    bool paused;
};

void build_release(struct build *b)
{
    result_free(b->result);
    arena_release(&b->arena);
}

// ---- the queues --------------------------------------------------------------------------------

static bool note_code(struct build *b)
{
    struct digest_state state;
    struct wire w;
    struct job code = *b->job;
    code.buffer_count = 0;
    code.reference = (struct job_reference){.kind = REFERENCE_NONE};
    digest_start(&state);
    wire_hasher(&w, &state);
    job_codec(&w, &code);
    digest_finish(&state, &b->code);
    return !w.failed;
}

void build_pool_add(struct build_pool *p, struct build *b)
{
    struct build **link = &p->waiting;
    b->has_code = b->has_code || (p->o.shares && note_code(b));
    while (*link && (*link)->order <= b->order)
        link = &(*link)->next;
    b->next = *link;
    *link = b;
    p->waiting_count++;
}

// Takes it out of a queue; false where it is not in there.
static bool unlink_build(struct build **first, const struct build *b)
{
    for (struct build **link = first; *link; link = &(*link)->next) {
        if (*link == b) {
            *link = b->next;
            return true;
        }
    }
    return false;
}

static void finish_build(struct build_pool *p, struct build *b)
{
    b->next = NULL;
    *p->last_done = b;
    p->last_done = &b->next;
}

struct build *build_pool_take(struct build_pool *p)
{
    struct build *b = p->done;
    if (b && !(p->done = b->next))
        p->last_done = &p->done;
    return b;
}

static bool is_same_code(const struct build *a, const struct build *b)
{
    return a->has_code && b->has_code && digest_equal(&a->code, &b->code);
}

// It may get the image of one that is built now.
static bool may_get_image(const struct build_pool *p, const struct build *b)
{
    bool may = false;
    for (uint32_t i = 0; i < p->count && !may; i++) {
        const struct build *other = p->workers[i].build;
        may = other && other != b && is_same_code(other, b);
    }
    return may && !b->is_fresh && !b->is_doubted;
}

static struct build *next_waiting(const struct build_pool *p)
{
    struct build *first = NULL;
    for (struct build *b = p->waiting; b; b = b->next) {
        if (may_get_image(p, b))
            continue;
        if (b->is_urgent)
            return b;
        first = first ? first : b;
    }
    return first;
}

static void build_again(struct build_pool *p, struct build *b, bool alone)
{
    b->is_fresh = true;
    b->is_doubted = b->is_doubted || alone;
    build_pool_add(p, b);
}

// ---- what happens to a worker ------------------------------------------------------------------

// Details of an event, for the actions.
struct happening {
    struct build *build; // of GIVEN; else the worker's
    const struct frame *frame;
    const char *how;       // DIED: how; OVERDUE: after how long
    uint64_t limit_ns;     // OVERDUE
    bool was_opening;      // (out) DIED
    bool is_malformed;     // (out) ANSWERED
    bool has_empty_caches; // the worker has
};

typedef bool (*builder_action)(struct build_pool *p, struct happening *h, struct error *e);

static bool fail_build(struct build_pool *p, struct build *b, enum status status, uint64_t limit_ns,
                       const char *message, struct error *e)
{
    b->result = result_new();
    if (!b->result)
        return error_memory(e);
    result_fail(b->result, status, FAULT_CONFIGURATION, "%s", message);
    b->result->limit_ns = limit_ns;
    finish_build(p, b);
    return true;
}

static bool blame_death(struct build_pool *p, struct happening *h, struct error *e)
{
    char message[800];
    h->build->was_killed = remote_was_killed(h->how);
    if (++h->build->deaths < 2) {
        build_again(p, h->build, true);
        return true;
    }
    str_format(message, sizeof message, RESULT_COMPILER_DIED ", twice%s: the worker %s",
               h->has_empty_caches ? ", the second time with empty caches" : "", h->how);
    return fail_build(p, h->build, STATUS_COMPILE, 0, message, e);
}

// A worker whose answer cannot be read is one that died with this build.
static bool refuse_image(struct build_pool *p, struct happening *h, struct error *e)
{
    char how[120];
    str_format(how, sizeof how, "broke the protocol: it sent a malformed '%s'",
               verb_text(h->frame->verb));
    h->is_malformed = true;
    h->how = how;
    return blame_death(p, h, e);
}

// An image is given to all that wait for the same.
static bool share_image(struct build_pool *p, const struct build *b, struct error *e)
{
    for (struct build *w = p->waiting, *next; w; w = next) {
        next = w->next;
        if (!is_same_code(w, b) || w->is_fresh || w->is_doubted)
            continue;
        w->result = result_clone(b->result);
        w->image = b->image;
        w->image.bytes = arena_copy(&w->arena, b->image.bytes, (size_t)b->image.length);
        if (!w->result || (b->image.length && !w->image.bytes))
            return error_memory(e);
        w->result->build_ns = 0;
        w->has_empty_caches = b->has_empty_caches;
        unlink_build(&p->waiting, w);
        p->waiting_count--;
        finish_build(p, w);
    }
    return true;
}

static bool take_image(struct build_pool *p, struct happening *h, struct error *e)
{
    struct build *b = h->build;
    struct result *r = result_new();
    struct wire w;
    if (!r)
        return error_memory(e);
    wire_reader(&w, h->frame->payload, h->frame->length, &r->arena);
    result_codec(&w, r);
    w.arena = &b->arena;
    image_codec(&w, &b->image);
    if (h->frame->verb != VERB_REPLY_IMAGE || !wire_done(&w)) {
        result_free(r);
        return w.memory ? error_memory(e) : refuse_image(p, h, e);
    }
    b->is_fresh = false;
    b->has_empty_caches = h->has_empty_caches;
    if (b->is_doubted && !b->was_killed && b->has_empty_caches && r->status == STATUS_CORRECT)
        p->o.caches->are_left = true;
    if (!b->is_doubted && r->status != STATUS_CORRECT &&
        (r->fault == FAULT_DEVICE || surroundings_may_fail_build(b->job, r))) {
        result_free(r);
        build_again(p, b, true);
        return true;
    }
    b->result = r;
    finish_build(p, b);
    return r->status != STATUS_CORRECT || b->is_doubted || share_image(p, b, e);
}

static bool open_elsewhere(struct build_pool *p, struct happening *h, struct error *e)
{
    (void)e;
    h->was_opening = true;
    if (h->build)
        build_again(p, h->build, false);
    return true;
}

static bool give_back(struct build_pool *p, struct happening *h, struct error *e)
{
    (void)e;
    build_pool_add(p, h->build);
    return true;
}

// Finishes the build although priming failed: the bench worker finds the cause again when it loads the job.
static bool do_without_priming(struct build_pool *p, struct happening *h, bool is_compiled)
{
    h->build->image = (struct image){.primed = is_compiled};
    h->build->has_empty_caches = h->has_empty_caches;
    finish_build(p, h->build);
    return true;
}

static bool give_priming_up(struct build_pool *p, struct happening *h, struct error *e)
{
    (void)e;
    return do_without_priming(p, h, false);
}

static bool give_running_up(struct build_pool *p, struct happening *h, struct error *e)
{
    (void)e;
    return do_without_priming(p, h, true);
}

static bool tell_slow_opening(struct build_pool *p, struct happening *h, struct error *e)
{
    (void)p;
    return error_set(e, ERROR_DEVICE, "opening the device took longer than the limit of %s",
                     h->how);
}

static bool tell_slow_build(struct build_pool *p, struct happening *h, struct error *e)
{
    char message[128];
    snprintf(message, sizeof message, "building took longer than the limit of %s", h->how);
    return fail_build(p, h->build, STATUS_TIMEOUT, h->limit_ns, message, e);
}

// GO(event, next state), DO(event, next state, action): a cell of the table.
#define GO(event, to)         [BUILDER_##event] = {true, BUILDER_##to, NULL}
#define DO(event, to, action) [BUILDER_##event] = {true, BUILDER_##to, action}

static const struct {
    bool possible;
    enum builder_state to;
    builder_action act;
} transitions[BUILDER_STATES][BUILDER_EVENTS] = {
    [BUILDER_NONE] = {GO(STARTED, OPENING)},
    [BUILDER_OPENING] = {GO(GIVEN, AWAITED), GO(OPENED, IDLE), GO(SAYS_IDLE, OPENING),
                         GO(SAYS_OPENING, OPENING), DO(DIED, NONE, open_elsewhere),
                         DO(OVERDUE, NONE, tell_slow_opening), GO(LOST, NONE), GO(ENDED, NONE)},
    [BUILDER_AWAITED] = {GO(FORSAKEN, DISOWNED), GO(OPENED, BUILDING), GO(SAYS_IDLE, AWAITED),
                         GO(SAYS_OPENING, AWAITED), DO(DIED, NONE, open_elsewhere),
                         DO(OVERDUE, NONE, tell_slow_opening), DO(LOST, NONE, give_back),
                         GO(ENDED, NONE)},
    [BUILDER_IDLE] = {GO(GIVEN, BUILDING), GO(SAYS_IDLE, IDLE), GO(DIED, NONE), GO(LOST, NONE),
                      GO(ENDED, NONE)},
    [BUILDER_BUILDING] = {GO(FORSAKEN, DISOWNED), GO(SAYS_IDLE, BUILDING),
                          GO(SAYS_BUILDING, BUILDING), GO(SAYS_PRIMING, PRIMING),
                          GO(SAYS_RUNNING, RUNNING), DO(ANSWERED, IDLE, take_image),
                          DO(DIED, NONE, blame_death), DO(OVERDUE, NONE, tell_slow_build),
                          DO(LOST, NONE, give_back), GO(ENDED, NONE)},
    [BUILDER_PRIMING] = {GO(FORSAKEN, DISOWNED), GO(SAYS_IDLE, BUILDING),
                         GO(SAYS_BUILDING, BUILDING), GO(SAYS_PRIMING, PRIMING),
                         GO(SAYS_RUNNING, RUNNING), DO(ANSWERED, IDLE, take_image),
                         DO(DIED, NONE, give_priming_up), DO(OVERDUE, NONE, tell_slow_build),
                         DO(LOST, NONE, give_back), GO(ENDED, NONE)},
    [BUILDER_RUNNING] = {GO(FORSAKEN, DISOWNED), GO(SAYS_IDLE, BUILDING),
                         GO(SAYS_BUILDING, BUILDING), GO(SAYS_PRIMING, PRIMING),
                         GO(SAYS_RUNNING, RUNNING), DO(ANSWERED, IDLE, take_image),
                         DO(DIED, NONE, give_running_up), DO(OVERDUE, NONE, give_running_up),
                         DO(LOST, NONE, give_back), GO(ENDED, NONE)},
    [BUILDER_DISOWNED] = {GO(OPENED, DISOWNED), GO(SAYS_IDLE, DISOWNED), GO(SAYS_OPENING, DISOWNED),
                          GO(SAYS_BUILDING, DISOWNED), GO(SAYS_PRIMING, DISOWNED),
                          GO(SAYS_RUNNING, DISOWNED), GO(ANSWERED, IDLE), GO(DIED, NONE),
                          GO(OVERDUE, NONE), GO(LOST, NONE), GO(ENDED, NONE)},
};
#undef GO
#undef DO

bool builder_transition(enum builder_state from, enum builder_event event, enum builder_state *to)
{
    if (transitions[from][event].possible)
        *to = transitions[from][event].to;
    return transitions[from][event].possible;
}

// Leaves the old state, ends the worker where the new one is NONE, does what the table says.
static bool builder_happens(struct build_pool *p, struct builder *b, enum builder_event event,
                            struct happening *h, struct error *e)
{
#define X(name, text) [BUILDER_##name] = text,
    static const char *const state_texts[] = {BUILDER_STATES_X(X)};
    static const char *const event_texts[] = {BUILDER_EVENTS_X(X)};
#undef X
    builder_action act = transitions[b->state][event].act;
    enum builder_state from = b->state, to = from;
    if (!builder_transition(from, event, &to))
        return error_set(e, ERROR_WORKER, "a build worker: %s while %s", event_texts[event],
                         state_texts[from]);
    h->build = event == BUILDER_GIVEN ? h->build : b->build;
    h->has_empty_caches = b->remote.has_empty_caches;
    log_add(p->sites[b->site].setup.log, LOG_DEBUG, "builder %u (worker %d): %s; now %s",
            (unsigned)(b - p->workers), (int)b->remote.process.pid, event_texts[event],
            state_texts[to]);
    b->state = to;
    b->build = to == BUILDER_NONE || to == BUILDER_IDLE || to == BUILDER_DISOWNED ? NULL : h->build;
    if (to == BUILDER_NONE)
        remote_end(&b->remote, p->o.endings);
    return !act || act(p, h, e);
}

uint32_t build_pool_workers(const struct build_pool *p)
{
    return p->count;
}

uint32_t build_pool_site(const struct build_pool *p, uint32_t index)
{
    return p->workers[index].site;
}

void build_pool_leave(struct build_pool *p, uint32_t site)
{
    struct happening h = {NULL};
    p->sites[site].workers = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->workers[i].site == site && p->workers[i].state != BUILDER_NONE)
            builder_happens(p, &p->workers[i], BUILDER_LOST, &h, NULL);
    }
}

struct remote *build_pool_worker(struct build_pool *p, uint32_t index)
{
    return &p->workers[index].remote;
}

static bool builder_says(struct build_pool *p, struct builder *b, enum news news,
                         struct happening *h, struct error *e)
{
    static const enum builder_event says[PHASE_COUNT] = {
        [PHASE_IDLE] = BUILDER_SAYS_IDLE,         [PHASE_OPENING] = BUILDER_SAYS_OPENING,
        [PHASE_BUILDING] = BUILDER_SAYS_BUILDING, [PHASE_LOADING] = BUILDER_SAYS_BUILDING,
        [PHASE_INPUTS] = BUILDER_SAYS_BUILDING,   [PHASE_REFERENCE] = BUILDER_SAYS_BUILDING,
        [PHASE_CHECKING] = BUILDER_SAYS_BUILDING, [PHASE_PRIMING] = BUILDER_SAYS_PRIMING,
        [PHASE_LAUNCHING] = BUILDER_SAYS_RUNNING};
    if (news == NEWS_PHASE)
        return builder_happens(p, b, says[b->remote.phase.kind], h, e);
    if (news == NEWS_OPENED)
        return builder_happens(p, b, BUILDER_OPENED, h, e);
    if (news != NEWS_ANSWER)
        return true; // a death is told once its process is gone; a refusal ends everything
    if (b->state != BUILDER_DISOWNED && h->frame->sequence != b->request)
        return error_set(e, ERROR_WORKER, "it answered what it was not asked");
    return builder_happens(p, b, BUILDER_ANSWERED, h, e);
}

bool build_pool_news(struct build_pool *p, uint32_t index, enum news news, const struct frame *f,
                     struct error *e)
{
    struct builder *b = &p->workers[index];
    struct happening h = {.frame = f};
    struct error wrong = ERROR_INIT;
    bool ok = builder_says(p, b, news, &h, &wrong);
    if (h.is_malformed)
        remote_breaks(&b->remote, "a malformed answer");
    if (ok || (wrong.code == ERROR_WORKER && b->remote.running)) {
        if (!ok)
            remote_breaks(&b->remote, wrong.text);
        return true;
    }
    return error_set_driver(e, wrong.code, wrong.driver, "%s", wrong.text);
}

bool build_pool_died(struct build_pool *p, uint32_t index, const char *how, bool *was_opening,
                     struct error *e)
{
    struct happening h = {.how = how};
    bool ok = builder_happens(p, &p->workers[index], BUILDER_DIED, &h, e);
    *was_opening = h.was_opening;
    return ok;
}

bool build_pool_overdue(struct build_pool *p, uint32_t index, struct error *e)
{
    struct builder *b = &p->workers[index];
    char took[32];
    struct happening h = {.how = took, .limit_ns = b->remote.limit_ns};
    duration_to_str((double)b->remote.limit_ns, took);
    return builder_happens(p, b, BUILDER_OVERDUE, &h, e);
}

// ---- handing out -------------------------------------------------------------------------------

static bool wants_empty_caches(const struct build_pool *p, const struct build *n)
{
    const struct worker_caches *c = p->o.caches;
    return c && c->exist && (c->are_left || n->is_doubted);
}

static bool start_builder(struct build_pool *p, struct builder *b, bool with_empty_caches,
                          struct error *e)
{
    struct worker_setup setup = p->sites[b->site].setup;
    struct happening h = {NULL};
    setup.empty_caches = with_empty_caches ? p->o.caches->empty : NULL;
    bool is_spare = p->o.spare && !with_empty_caches && b->site + 1 == p->o.site_count &&
                    spare_take(p->o.spare, setup.device, ROLE_BUILD, &b->remote);
    if ((is_spare || remote_start(&b->remote, &setup, e)) &&
        remote_open(&b->remote, &setup, ROLE_BUILD, e))
        return builder_happens(p, b, BUILDER_STARTED, &h, e);
    remote_end(&b->remote, p->o.endings);
    return false;
}

static bool may_build_at(const struct build_pool *p, uint32_t site)
{
    return p->sites[site].workers > 0 && !(p->paused && p->sites[site].stops);
}

// *out, a worker for the build: a new one when a worker has died with it, else any that is free and
// has the caches that it is to be built with; NULL when all are busy, or a new one has to wait until
// others have opened the device. One that is still opening it takes a job with it.
static bool find_builder(struct build_pool *p, const struct build *n, uint32_t opening,
                         struct builder **out, struct error *e)
{
    struct builder *empty = NULL, *idle = NULL, *unfit = NULL;
    const bool wants_empty = wants_empty_caches(p, n);
    for (uint32_t i = 0; i < p->count; i++) {
        struct builder *b = &p->workers[i];
        bool is_free = b->state == BUILDER_OPENING || b->state == BUILDER_IDLE;
        if (!may_build_at(p, b->site))
            continue;
        if (b->state == BUILDER_NONE)
            empty = empty ? empty : b;
        else if (is_free && !b->remote.dying_ns && !n->is_fresh &&
                 b->remote.has_empty_caches == wants_empty)
            idle = idle ? idle : b;
        else if (is_free && !b->remote.dying_ns)
            unfit = unfit ? unfit : b;
        opening +=
            b->remote.running && !b->remote.dying_ns && b->remote.phase.kind == PHASE_OPENING;
    }
    *out = idle;
    if (idle)
        return true;
    if (!empty && unfit) {
        struct happening h = {NULL};
        builder_happens(p, unfit, BUILDER_ENDED, &h, e);
        empty = unfit;
    }
    const uint32_t most =
        spare_has_woken(p->o.spare) ? BUILD_POOL_OPENING_WOKEN : BUILD_POOL_OPENING_MOST;
    *out = empty && (!p->o.opens_one_by_one || opening < most) ? empty : NULL;
    return !*out || start_builder(p, *out, wants_empty, e);
}

// A doubted job is built alone: other builds may have caused its failure.
static bool may_build_beside(const struct build_pool *p, const struct build *n)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct build *other = p->workers[i].build;
        if (other && (n->is_doubted || other->is_doubted))
            return false;
    }
    return true;
}

bool build_pool_start(struct build_pool *p, uint32_t others_opening, struct error *e)
{
    struct builder *b;
    for (struct build *n = next_waiting(p); n && may_build_beside(p, n); n = next_waiting(p)) {
        if (!find_builder(p, n, others_opening, &b, e))
            return false;
        if (!b)
            return true;
        struct text payload = TEXT_INIT;
        struct policy policy = {.build_limit_ns = p->o.build_limit_ns};
        struct happening h = {.build = n};
        struct wire w;
        wire_writer(&w, &payload);
        job_codec(&w, (struct job *)(uintptr_t)n->job); // writing reads only
        policy_codec(&w, &policy);
        if (!remote_request(&b->remote, VERB_BUILD, &payload, e))
            return false;
        unlink_build(&p->waiting, n);
        p->waiting_count--;
        b->request = b->remote.sequence;
        if (!builder_happens(p, b, BUILDER_GIVEN, &h, e))
            return false;
    }
    return true;
}

void build_pool_pause(struct build_pool *p, bool pause)
{
    if (!pause && !p->paused)
        return;
    p->paused = pause;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->sites[p->workers[i].site].stops)
            (pause ? remote_pause : remote_resume)(&p->workers[i].remote);
    }
}

// ---- its life ----------------------------------------------------------------------------------

struct build_pool *build_pool_new(const struct build_pool_options *o)
{
    struct build_pool *p = calloc(1, sizeof *p);
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->site_count; i++)
        count += o->sites[i].workers;
    struct builder *workers = calloc(count + 1, sizeof *workers);
    struct build_site *sites = calloc(o->site_count + 1, sizeof *sites);
    if (!p || !workers || !sites) {
        free(p);
        free(workers);
        free(sites);
        return NULL;
    }
    p->o = *o;
    p->sites = sites;
    p->workers = workers;
    p->last_done = &p->done;
    for (uint32_t i = 0; i < o->site_count; i++) {
        sites[i] = o->sites[i];
        for (uint32_t k = 0; k < sites[i].workers; k++)
            workers[p->count++] = (struct builder){.remote = REMOTE_NONE, .site = i};
    }
    return p;
}

// A build under way goes on; its answer will belong to nobody.
void build_pool_forget(struct build_pool *p, struct build *b)
{
    struct happening h = {NULL};
    p->waiting_count -= unlink_build(&p->waiting, b);
    unlink_build(&p->done, b);
    for (p->last_done = &p->done; *p->last_done; p->last_done = &(*p->last_done)->next)
        continue;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->workers[i].build == b)
            builder_happens(p, &p->workers[i], BUILDER_FORSAKEN, &h, NULL);
    }
}

void build_pool_cancel(struct build_pool *p)
{
    struct happening h = {NULL};
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->workers[i].state != BUILDER_NONE)
            builder_happens(p, &p->workers[i], BUILDER_ENDED, &h, NULL);
    }
    p->waiting = NULL;
    p->waiting_count = 0;
}

void build_pool_status(const struct build_pool *p, struct build_pool_status *out)
{
    *out = (struct build_pool_status){.waiting = p->waiting_count};
    for (uint32_t i = 0; i < p->count; i++) {
        const struct builder *b = &p->workers[i];
        bool is_open = b->remote.running && b->remote.phase.kind != PHASE_OPENING;
        out->running += b->remote.running;
        out->building += b->build != NULL;
        out->busy += is_open && b->build && !b->remote.stopped_ns;
    }
}

void build_pool_free(struct build_pool *p)
{
    if (!p)
        return;
    build_pool_cancel(p);
    free(p->workers);
    free(p->sites);
    free(p);
}
