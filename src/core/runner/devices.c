// Asking a worker which devices there are, and what a library is.
#include "runner/evaluator.h"
#include "runner/remote.h"

#include <stdlib.h>
#include <string.h>

#define ASKING_TIMEOUT_MS 60000
#define LOOK_MS           250 // so often it is looked whether the worker has ended
// Workers at most that are started beside the one that lists the devices. An H200's OpenCL starts in four processes in 0.22 s, in
// one in 0.18, in eight in 0.40.
#define SPARE_WOKEN 3
// A driver takes up to a tenth of a second to take down the context of a process that is killed.
#define SPARE_PATIENCE_NS (500ull * 1000000)

static bool decode_report(const struct frame *f, struct arena *a, struct device_report *out,
                          struct error *e)
{
    struct wire w;
    wire_reader(&w, f->payload, f->length, a);
    device_report_codec(&w, out);
    if (!wire_finish(&w, ERROR_WORKER, "the worker's list of devices is malformed", e))
        return false;
    return device_number_cards(out->devices, out->device_count, a) || error_memory(e);
}

// As channel_wait(). A child that a worker has left may hold its channel open after its end.
static int wait_for_reply(struct remote *r, struct frame *f, struct error *e)
{
    uint64_t until = clock_ns() + ASKING_TIMEOUT_MS * UINT64_C(1000000);
    int got;
    while ((got = channel_wait(&r->channel, LOOK_MS, f, e)) == 0 && clock_ns() < until) {
        if (!process_has_ended(&r->process))
            continue;
        r->channel.ended = true;
        return channel_next(&r->channel, f, e) == 1 ? 1 : -1;
    }
    return got;
}

// The one reply to a request of a worker that does nothing else; the payload is released.
static bool request_reply(struct remote *r, enum verb verb, struct text *payload, enum verb reply,
                          const char *doing, struct frame *f, struct error *e)
{
    struct error sent = ERROR_INIT;
    bool ok = (!payload->failed || error_memory(&sent)) && remote_send(r, verb, payload, &sent);
    text_release(payload);
    // A worker that is gone already is found so when its channel is read: its last words say why.
    if (!ok && sent.code != ERROR_WORKER) {
        *e = sent;
        return false;
    }
    do {
        int got = wait_for_reply(r, f, e);
        if (got == 0)
            return error_set(e, ERROR_WORKER, "%s took longer than %d s", doing,
                             ASKING_TIMEOUT_MS / 1000);
        if (got < 0)
            return false;
    } while (f->verb == VERB_PHASE);
    char why[1024];
    if (f->verb == VERB_REPLY_ERROR) {
        remote_error_text(f, why, sizeof why);
        return error_set(e, ERROR_DEVICE, "%s", why);
    }
    return f->verb == reply ||
           error_set(e, ERROR_WORKER, "unexpected '%s' from the worker", verb_text(f->verb));
}

// ---- the worker goes on ------------------------------------------------------------------------

struct spare {
    struct remote list[1 + SPARE_WOKEN]; // the first has listed the devices
    char *device;                        // (or NULL) id of the one that it opens
    struct endings endings;
};

static struct spare *spare_new(void)
{
    struct spare *s = calloc(1, sizeof *s);
    for (int i = 0; s && i <= SPARE_WOKEN; i++)
        s->list[i] = (struct remote)REMOTE_NONE;
    return s;
}

// They start the drivers while the first one lists the devices: one that is gone is found so by who takes it.
static void wake_others(struct spare *s, const struct worker_setup *setup, uint32_t languages,
                        uint32_t count)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &payload);
    wire_u32(&w, &languages);
    for (uint32_t i = 1; i <= count && i <= SPARE_WOKEN && !payload.failed; i++) {
        if (remote_start(&s->list[i], setup, NULL))
            remote_tell(&s->list[i], VERB_WAKE, payload.data, payload.length, NULL);
    }
    text_release(&payload);
}

void spare_open(struct spare *s, const struct device_info *d)
{
    if (!s || !s->list->running || s->device || d->shares_host || !(s->device = strdup(d->id)))
        return;
    struct worker_setup setup = {.device = s->device};
    remote_open_ahead(s->list, &setup, ROLE_BENCH,
                      NULL); // one that is gone is found so by who takes it
}

bool spare_has_woken(const struct spare *s)
{
    bool has = false;
    for (int i = 1; s && i <= SPARE_WOKEN; i++)
        has = has || s->list[i].running;
    return has;
}

bool spare_take(struct spare *s, const char *device, enum worker_role role, struct remote *out)
{
    bool is_first = role == ROLE_BENCH && s && (!s->device || str_equal(s->device, device));
    for (int i = is_first ? 0 : 1; s && i <= SPARE_WOKEN; i++) {
        if (!s->list[i].running)
            continue;
        *out = s->list[i];
        s->list[i] = (struct remote)REMOTE_NONE;
        return true;
    }
    return false;
}

struct endings *spare_endings(struct spare *s)
{
    return s ? &s->endings : NULL;
}

static void end_spare(struct spare *s, uint64_t patience_ns)
{
    for (int i = 0; i <= SPARE_WOKEN; i++)
        remote_end(&s->list[i], &s->endings);
    endings_release(&s->endings, patience_ns);
    free(s->device);
    free(s);
}

void spare_free(struct spare *s)
{
    if (s)
        end_spare(s, s->endings.first ? LIVE_FREE_NS : SPARE_PATIENCE_NS);
}

void spare_leave(struct spare *s)
{
    if (s)
        end_spare(s, 0);
}

// ---- asking ------------------------------------------------------------------------------------

// A worker whose channel has ended did not live to answer: how it ended replaces the error.
static bool died_while(struct remote *r, const char *doing, struct error *e)
{
    struct text how = TEXT_INIT;
    if (!r->channel.ended)
        return false;
    remote_autopsy_wait(r, &how);
    error_clear(e);
    error_set(e, ERROR_WORKER, "%s: the worker %s", doing, text_cstr(&how));
    text_release(&how);
    return true;
}

static void end_worker(struct remote *r)
{
    struct endings endings = {NULL};
    remote_end(r, &endings);
    endings_release(&endings, REMOTE_GONE_NS);
}

// *died: the worker did not live to answer.
static bool ask_new_worker(const struct place *at, uint32_t languages, struct arena *a,
                           struct device_report *out, struct spare *spare, uint32_t wakes,
                           bool *died, struct error *e)
{
    struct worker_setup setup = {.at = *at};
    struct remote r;
    *died = false;
    if (!remote_start(&r, &setup, e))
        return false;
    if (spare)
        wake_others(spare, &setup, languages, wakes);
    struct frame f;
    struct text payload = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &payload);
    wire_u32(&w, &languages);
    bool ok =
        request_reply(&r, VERB_DEVICES, &payload, VERB_REPLY_DEVICES, "listing devices", &f, e) &&
        decode_report(&f, a, out, e);
    if (!ok)
        *died = died_while(&r, "listing devices", e);
    if (ok && spare)
        spare->list[0] = r;
    else
        end_worker(&r);
    return ok;
}

// A worker that was killed by somebody else costs nothing but time: once more.
bool live_devices(const struct place *at, uint32_t languages, struct arena *a,
                  struct device_report *out, struct spare **spare, uint32_t wakes, struct error *e)
{
    bool died;
    struct spare *kept = spare ? spare_new() : NULL;
    bool ok = ask_new_worker(at, languages, a, out, kept, wakes, &died, e);
    if (!ok && died) {
        spare_free(kept);
        kept = NULL;
        error_clear(e);
        ok = ask_new_worker(at, languages, a, out, NULL, 0, &died, e);
    }
    if (!ok) {
        spare_free(kept);
        kept = NULL;
    }
    if (spare)
        *spare = kept;
    return ok;
}

// ---- a routine's library -----------------------------------------------------------------------

// Its own worker: a library's threads stay as long as the process.
bool live_routine(const struct place *at, enum routine routine, const char *library,
                  struct arena *a, const char **about, struct error *e)
{
    struct worker_setup setup = {.at = *at};
    struct remote r;
    struct frame f;
    struct text payload = TEXT_INIT;
    struct wire w;
    *about = NULL;
    if (!remote_start(&r, &setup, e))
        return false;
    wire_writer(&w, &payload);
    wire_enum(&w, &routine, ROUTINE_COUNT);
    wire_str(&w, &library);
    bool ok =
        request_reply(&r, VERB_ROUTINE, &payload, VERB_REPLY_RESULT, "opening a library", &f, e);
    if (!ok)
        died_while(&r, "opening a library", e);
    struct result *answer = ok ? result_decode(f.payload, f.length, e) : NULL;
    bool known = answer && answer->status == STATUS_CORRECT && answer->log[0];
    if (known && !(*about = arena_strdup(a, answer->log)))
        error_memory(e);
    ok = answer && (!known || *about);
    result_free(answer);
    end_worker(&r);
    return ok;
}

// ---- builders ----------------------------------------------------------------------------------

bool live_can_build(const struct place *at, const struct device_info *target, struct error *e)
{
    struct worker_setup setup = {.at = *at};
    struct open_request open = {
        .id = target->id, .role = ROLE_BUILD, .target = (struct device_info *)(uintptr_t)target};
    struct remote r;
    struct frame f;
    struct text payload = TEXT_INIT;
    struct wire w;
    if (!remote_start(&r, &setup, e))
        return false;
    wire_writer(&w, &payload);
    open_request_codec(&w, &open);
    bool ok =
        request_reply(&r, VERB_OPEN, &payload, VERB_REPLY_OPENED, "opening a compiler", &f, e);
    if (!ok)
        died_while(&r, "opening a compiler", e);
    end_worker(&r);
    return ok;
}
