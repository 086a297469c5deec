// The bench worker and what is asked of it.
//
// One request is under way at a time; the table `transitions` says what may be asked and answered
// when. Two things run beside it. Unloading is asked for at any time, and nobody waits for its
// answer. And the next job's LOAD may go out right behind a VERIFY: on a GPU the host has nothing
// to do while the verified launch runs, and loading a program takes as long as many a launch. The
// worker serves that load once the launch is in the driver's queue or, where it comes too late for
// that, after it has answered for the launch. If the owner asks for that load before it is answered
// for, the answer under way becomes the one it waits for.
#include "runner/bench.h"

#include <stdlib.h>

#include <string.h>

#define FETCH_MS 120000

struct bench {
    struct bench_options o;
    struct remote remote;
    enum bench_state state;
    uint32_t serial;            // counts the workers
    uint32_t request;           // sequence of what was asked for
    struct bench_job *loading;  // what LOADING is about
    struct bench_job *prefetch; // (or NULL) is loaded beside a launch; its answer is still to come
    uint32_t prefetch_request;
    uint32_t unawaited;  // answers that will come and that nobody waits for
    uint32_t served;     // jobs of this worker
    uint64_t base_bytes; // resident memory after its first job
};

// ---- states and events -------------------------------------------------------------------------

#define GO(event, to) [BENCH_##event] = {true, BENCH_##to}
// Events that are possible during any request.
#define BESIDE(state) GO(PREFETCHED, state), GO(UNAWAITED, state), GO(ENDED, NONE)

static const struct {
    bool possible;
    enum bench_state to;
} transitions[BENCH_STATES][BENCH_EVENTS] = {
    [BENCH_NONE] = {GO(STARTED, IDLE), GO(ENDED, NONE)},
    [BENCH_IDLE] = {GO(PREPARE, PREPARING), GO(LOAD, LOADING), GO(VERIFY, VERIFYING),
                    GO(MEASURE, MEASURING), GO(HAND_OUT, HANDING), BESIDE(IDLE)},
    [BENCH_PREPARING] = {GO(ANSWERED, IDLE), BESIDE(PREPARING)},
    [BENCH_LOADING] = {GO(ANSWERED, IDLE), BESIDE(LOADING)},
    [BENCH_VERIFYING] = {GO(ANSWERED, IDLE), BESIDE(VERIFYING)},
    [BENCH_MEASURING] = {GO(ANSWERED, IDLE), BESIDE(MEASURING)},
    [BENCH_HANDING] = {GO(ANSWERED, IDLE), BESIDE(HANDING)},
};
#undef GO
#undef BESIDE

bool bench_transition(enum bench_state from, enum bench_event event, enum bench_state *to)
{
    if (transitions[from][event].possible)
        *to = transitions[from][event].to;
    return transitions[from][event].possible;
}

static bool bench_happens(struct bench *b, enum bench_event event, struct error *e)
{
#define X(name, text) [BENCH_##name] = text,
    static const char *const state_texts[] = {BENCH_STATES_X(X)};
    static const char *const event_texts[] = {BENCH_EVENTS_X(X)};
#undef X
    enum bench_state from = b->state;
    if (!bench_transition(from, event, &b->state))
        return error_set(e, ERROR_WORKER, "the bench worker: %s while %s", event_texts[event],
                         state_texts[from]);
    log_add(b->o.setup.log, LOG_DEBUG, "bench (worker %d): %s; now %s", (int)b->remote.process.pid,
            event_texts[event], state_texts[b->state]);
    return true;
}

enum bench_state bench_state(const struct bench *b)
{
    return b->state;
}

struct remote *bench_worker(struct bench *b)
{
    return &b->remote;
}

// ---- its life ----------------------------------------------------------------------------------

struct bench *bench_new(const struct bench_options *o)
{
    struct bench *b = calloc(1, sizeof *b);
    if (b) {
        b->o = *o;
        b->remote = (struct remote)REMOTE_NONE;
    }
    return b;
}

void bench_free(struct bench *b)
{
    if (b)
        bench_end(b);
    free(b);
}

void bench_use_caches(struct bench *b, const char *empty)
{
    b->o.setup.empty_caches = empty;
    if (b->state == BENCH_IDLE && b->remote.has_empty_caches != (empty != NULL))
        bench_end(b);
}

bool bench_ready(struct bench *b, struct error *e)
{
    if (b->state != BENCH_NONE)
        return true;
    bool is_spare = b->o.takes_spare && !b->o.setup.empty_caches &&
                    spare_take(b->o.spare, b->o.setup.device, ROLE_BENCH, &b->remote);
    b->serial++;
    if ((is_spare || remote_start(&b->remote, &b->o.setup, e)) &&
        remote_open(&b->remote, &b->o.setup, ROLE_BENCH, e))
        return bench_happens(b, BENCH_STARTED, e);
    remote_end(&b->remote, b->o.endings);
    return false;
}

void bench_end(struct bench *b)
{
    bench_happens(b, BENCH_ENDED, NULL);
    remote_end(&b->remote, b->o.endings);
    b->loading = b->prefetch = NULL;
    b->unawaited = b->served = 0;
    b->base_bytes = 0;
}

void bench_note_served(struct bench *b)
{
    b->served++;
    if (!b->base_bytes)
        b->base_bytes = remote_memory(&b->remote);
}

bool bench_is_worn(const struct bench *b)
{
    if (b->served >= b->o.renewed_after)
        return true;
    if (b->served % 16 != 15 || !b->base_bytes)
        return false;
    return remote_memory(&b->remote) > 2 * b->base_bytes + (256u << 20);
}

// ---- requests ----------------------------------------------------------------------------------

// Takes the payload.
static bool ask_bench(struct bench *b, enum bench_event event, enum verb verb, struct text *payload,
                      struct error *e)
{
    if (!bench_happens(b, event, e)) {
        text_release(payload);
        return false;
    }
    if (!remote_request(&b->remote, verb, payload, e))
        return false;
    b->request = b->remote.sequence;
    return true;
}

static void put_handle(struct text *payload, uint32_t handle)
{
    struct wire w;
    wire_writer(&w, payload);
    wire_u32(&w, &handle);
}

// The job as this worker is told of it.
static struct job shown_job(const struct bench *b, const struct job *job)
{
    struct job shown = *job;
    if (b->o.is_apart)
        shown.reference = (struct job_reference){.kind = REFERENCE_NONE};
    return shown;
}

static void put_job(const struct bench *b, struct text *payload, const struct job *job)
{
    struct job shown = shown_job(b, job);
    struct wire w;
    wire_writer(&w, payload);
    job_codec(&w, &shown);
}

// Contents that it names are sent ahead.
static bool give_job(struct bench *b, const struct job *job, struct error *e)
{
    const struct job shown = shown_job(b, job);
    return remote_give(&b->remote, &shown, e);
}

static void put_load(const struct bench *b, struct text *payload, const struct bench_job *j)
{
    struct image image = *j->image;
    struct wire w;
    put_handle(payload, j->handle);
    put_job(b, payload, j->job);
    wire_writer(&w, payload);
    image_codec(&w, &image);
}

bool bench_prepare(struct bench *b, const struct job *job, struct error *e)
{
    struct text payload = TEXT_INIT;
    if (!give_job(b, job, e))
        return false;
    put_job(b, &payload, job);
    return ask_bench(b, BENCH_PREPARE, VERB_PREPARE, &payload, e);
}

bool bench_load(struct bench *b, struct bench_job *j, struct error *e)
{
    struct text payload = TEXT_INIT;
    b->loading = j;
    if (b->prefetch == j) {
        b->prefetch = NULL;
        b->request = b->prefetch_request;
        return bench_happens(b, BENCH_LOAD, e);
    }
    if (!give_job(b, j->job, e))
        return false;
    put_load(b, &payload, j);
    return ask_bench(b, BENCH_LOAD, VERB_LOAD, &payload, e);
}

static bool ask_for_launches(struct bench *b, enum bench_event event, enum verb verb,
                             const struct bench_job *j, const struct policy *policy,
                             struct error *e)
{
    struct policy copy = *policy;
    struct text payload = TEXT_INIT;
    struct wire w;
    put_handle(&payload, j->handle);
    wire_writer(&w, &payload);
    policy_codec(&w, &copy);
    return ask_bench(b, event, verb, &payload, e);
}

// Takes `load`, which is that of `next`.
static bool ask_to_prefetch(struct bench *b, struct bench_job *next, struct text *load,
                            struct error *e)
{
    if (!give_job(b, next->job, e)) {
        text_release(load);
        return false;
    }
    if (!remote_request(&b->remote, VERB_LOAD, load, e))
        return false;
    b->prefetch = next;
    b->prefetch_request = b->remote.sequence;
    return true;
}

bool bench_prefetch(struct bench *b, struct bench_job *next, struct error *e)
{
    struct text load = TEXT_INIT;
    put_load(b, &load, next);
    return ask_to_prefetch(b, next, &load, e);
}

bool bench_verify(struct bench *b, const struct bench_job *j, const struct policy *policy,
                  struct bench_job *next, struct error *e)
{
    struct text load = TEXT_INIT;
    if (next) // made before the launch is asked for, so that it is there while that runs
        put_load(b, &load, next);
    process_drain(&b->remote.process); // what was printed before is nothing of this launch
    process_forget(&b->remote.process);
    if (!ask_for_launches(b, BENCH_VERIFY, VERB_VERIFY, j, policy, e)) {
        text_release(&load);
        return false;
    }
    if (next && !ask_to_prefetch(b, next, &load, e))
        return false;
    b->remote.beside = next ? b->prefetch_request : 0;
    return true;
}

bool bench_measure(struct bench *b, const struct bench_job *j, const struct policy *policy,
                   struct error *e)
{
    return ask_for_launches(b, BENCH_MEASURE, VERB_MEASURE, j, policy, e);
}

bool bench_hand_out(struct bench *b, const struct bench_job *j, uint64_t which, struct error *e)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    put_handle(&payload, j->handle);
    wire_writer(&w, &payload);
    wire_u64(&w, &which);
    return ask_bench(b, BENCH_HAND_OUT, VERB_OUTPUTS, &payload, e);
}

void bench_unload(struct bench *b, struct bench_job *j)
{
    struct text payload = TEXT_INIT;
    if (!bench_has(b, j))
        return;
    put_handle(&payload, j->handle);
    j->loaded_in = 0;
    b->unawaited += remote_hold(&b->remote, VERB_UNLOAD, &payload, NULL);
    text_release(&payload);
}

static bool take_fetched(const struct frame *f, struct text *out, struct error *e)
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

bool bench_fetch(struct bench *b, const struct bench_job *j, enum verb verb, uint32_t index,
                 struct text *out, struct error *e)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    struct frame f;
    put_handle(&payload, j->handle);
    wire_writer(&w, &payload);
    wire_u32(&w, &index);
    bool sent = remote_send(&b->remote, verb, &payload, e) && remote_drain(&b->remote, e);
    text_release(&payload);
    if (!sent)
        return error_context(e, "fetching from the device");
    do {
        if (channel_wait(&b->remote.channel, FETCH_MS, &f, e) != 1)
            return error_set(e, ERROR_WORKER, "the worker did not answer") &&
                   error_context(e, "fetching from the device");
    } while (f.sequence != b->remote.sequence || f.verb == VERB_PHASE);
    b->remote.outstanding = b->unawaited = 0; // answers come in the order of the requests
    remote_limit(&b->remote, 0);
    return take_fetched(&f, out, e);
}

// ---- answers -----------------------------------------------------------------------------------

static struct result *decode_answer(const struct frame *f, struct error *e)
{
    struct error bad = ERROR_INIT;
    struct result *r = NULL;
    if (f->verb == VERB_REPLY_RESULT)
        r = result_decode(f->payload, f->length, &bad);
    else
        error_set(&bad, ERROR_WORKER, "it sent an unexpected frame '%s'", verb_text(f->verb));
    if (!r) // bytes that are no result are the worker's fault
        error_set(e, bad.code == ERROR_MEMORY ? ERROR_MEMORY : ERROR_WORKER, "%s", bad.text);
    return r;
}

// Keeps the kernel's output from its verification, which the worker has flushed; if it is cut, its
// last lines below an ellipsis.
static bool keep_printed(struct bench *b, struct result *r, struct error *e)
{
    struct process *p = &b->remote.process;
    process_drain(p);
    if (p->tail_length == 0)
        return true;
    const char *line = p->tail_cut ? strchr(p->tail, '\n') : NULL;
    const char *printed = p->tail_cut
                              ? arena_printf(&r->arena, "...\n%s", line ? line + 1 : p->tail)
                              : arena_strdup(&r->arena, p->tail);
    r->output = printed ? printed : "";
    return printed || error_memory(e);
}

static bool bench_answers(struct bench *b, const struct frame *f, struct result **answer,
                          enum bench_state *asked, struct error *e)
{
    if (b->prefetch && f->sequence == b->prefetch_request) {
        struct bench_job *j = b->prefetch;
        struct result *r = decode_answer(f, e);
        b->prefetch = NULL;
        if (!r || !bench_happens(b, BENCH_PREFETCHED, e)) {
            result_free(r);
            return false;
        }
        bool is_loaded = r->status == STATUS_CORRECT;
        result_free(j->prefetched);
        j->prefetched = is_loaded ? r : NULL;
        j->loaded_in = is_loaded ? b->serial : 0;
        j->was_refused = !is_loaded;
        if (!is_loaded)
            result_free(r);
        return true;
    }
    if (f->sequence != b->request || b->state == BENCH_IDLE) {
        if (b->unawaited == 0)
            return error_set(e, ERROR_WORKER, "it answered what it was not asked");
        b->unawaited--;
        return bench_happens(b, BENCH_UNAWAITED, e);
    }
    b->remote.beside = 0;
    struct result *r = decode_answer(f, e);
    if (!r || !bench_happens(b, BENCH_ANSWERED, e)) {
        result_free(r);
        return false;
    }
    if (*asked == BENCH_LOADING && r->status == STATUS_CORRECT)
        b->loading->loaded_in = b->serial;
    b->loading = NULL;
    *answer = r;
    return *asked != BENCH_VERIFYING || keep_printed(b, r, e);
}

bool bench_news(struct bench *b, enum news news, const struct frame *f, struct result **answer,
                enum bench_state *asked, struct error *e)
{
    struct error wrong = ERROR_INIT;
    *answer = NULL;
    *asked = b->state;
    if (news != NEWS_ANSWER)
        return true; // a death is told once its process is gone; a refusal is the owner's
    if (bench_answers(b, f, answer, asked, &wrong))
        return true;
    if (wrong.code != ERROR_WORKER)
        return error_set_driver(e, wrong.code, wrong.driver, "%s", wrong.text);
    remote_breaks(&b->remote, wrong.text);
    return true;
}

bool bench_refuses(const struct bench *b, const struct frame *f)
{
    bool is_launching =
        b->state == BENCH_VERIFYING || b->state == BENCH_MEASURING || b->state == BENCH_HANDING;
    return !b->remote.greeted || (f->sequence > 0 && f->sequence <= BENCH_OPENING_REQUESTS) ||
           (f->sequence == b->request && !is_launching);
}

// ---- what it has -------------------------------------------------------------------------------

bool bench_has(const struct bench *b, const struct bench_job *j)
{
    return b->state != BENCH_NONE && j->loaded_in == b->serial;
}

bool bench_has_verified(const struct bench *b, const struct bench_job *j)
{
    return bench_has(b, j) && j->verified_in == b->serial;
}

void bench_note_verified(const struct bench *b, struct bench_job *j)
{
    j->verified_in = b->serial;
}

bool bench_is_prefetching(const struct bench *b)
{
    return b->prefetch != NULL;
}

struct result *bench_take_prefetched(const struct bench *b, struct bench_job *j)
{
    struct result *r = j->prefetched;
    j->prefetched = NULL;
    if (bench_has(b, j))
        return r;
    result_free(r);
    return NULL;
}

void bench_forget(struct bench *b, struct bench_job *j)
{
    if (b->prefetch == j) {
        b->prefetch = NULL;
        b->unawaited++;
    }
    result_free(j->prefetched);
    j->prefetched = NULL;
}
