// A worker process at the other end of a channel: started, asked, listened to, stopped, and seen to
// its end.
//
// Nothing in here waits. Requests are sent at once, or wait in a queue behind contents that are
// still being sent; remote_listen() sends more of it and reads. A worker announces what it does
// next (a phase), which sets until when it may take; a death is noticed as the end of its channel
// and understood, once its process is gone, by remote_autopsy().
#include "runner/remote.h"

#include "base/array.h"
#include "runner/place.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUMP_PARTS 16    // of contents, at once
#define DRAIN_MS   60000 // how long a worker may take none
// So much of files a worker is told to read; what is beyond that is sent even to one that can read it: no limit waits for
// its disk.
#define NAMED_MOST (1ull << 30)

static void trace_remote(const struct remote *r, const char *what)
{
    log_add(r->log, LOG_DEBUG, "worker %d %s", (int)r->process.pid, what);
}

static void trace_frame(const struct remote *r, const char *way, enum verb verb, uint32_t sequence,
                        uint64_t bytes)
{
    log_add(r->log, LOG_DEBUG, "worker %d %s '%s' #%" PRIu32 ", %" PRIu64 " bytes",
            (int)r->process.pid, way, verb_text(verb), sequence, bytes);
}

static bool ask_to_open(struct remote *r, const struct worker_setup *s, enum worker_role role,
                        struct error *e)
{
    struct hello hello = {.protocol = PROTOCOL_VERSION, .version = HONE_VERSION};
    struct open_request request = {.id = s->device,
                                   .role = role,
                                   .simulated = s->simulated,
                                   .target = (struct device_info *)(uintptr_t)s->target};
    struct text greeting = TEXT_INIT, opening = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &greeting);
    hello_codec(&w, &hello);
    wire_writer(&w, &opening);
    open_request_codec(&w, &request);
    bool ok = (!greeting.failed && !opening.failed) || error_memory(e);
    ok = ok && remote_send(r, VERB_HELLO, &greeting, e) && remote_send(r, VERB_OPEN, &opening, e);
    text_release(&greeting);
    text_release(&opening);
    return ok;
}

static bool start_process(struct remote *r, const struct worker_setup *s,
                          const char *const *environment, struct error *e)
{
    return s->at.node ? process_start_on(&s->at.node->host, &r->process, environment, e)
                      : process_start(&r->process, s->at.worker, environment, e);
}

static bool start_with_empty_caches(struct remote *r, const struct worker_setup *s, struct error *e)
{
    size_t count = 0;
    while (s->at.environment && s->at.environment[count])
        count++;
    const char **all = calloc(count + 2, sizeof *all);
    if (!all)
        return error_memory(e);
    if (count > 0)
        memcpy(all, s->at.environment, count * sizeof *all);
    all[count] = s->empty_caches;
    bool ok = start_process(r, s, all, e);
    free(all);
    return ok;
}

bool remote_start(struct remote *r, const struct worker_setup *s, struct error *e)
{
    *r = (struct remote)REMOTE_NONE;
    r->has_empty_caches = s->empty_caches != NULL;
    r->log = s->log;
    bool ok = s->empty_caches ? start_with_empty_caches(r, s, e)
                              : start_process(r, s, s->at.environment, e);
    if (!ok)
        return error_context(e, "starting a worker");
    channel_init(&r->channel, r->process.channel);
    r->running = true;
    trace_remote(r, "was started");
    r->phase.kind = PHASE_OPENING;
    return true;
}

static void limit_phase(struct remote *r)
{
    remote_limit(r, worker_limit(r->limits, r->role, &r->phase, r->outstanding > 0));
}

bool remote_open_ahead(struct remote *r, const struct worker_setup *s, enum worker_role role,
                       struct error *e)
{
    r->opening_ns = clock_ns();
    return r->opens = ask_to_open(r, s, role, e);
}

// A worker that is already gone is found so when its channel is read.
bool remote_open(struct remote *r, const struct worker_setup *s, enum worker_role role,
                 struct error *e)
{
    struct error sent = ERROR_INIT;
    r->role = role;
    r->limits = s->limits;
    r->log = s->log; // a spare was started without one
    r->phase.kind = PHASE_OPENING;
    if (!r->opens)
        r->opening_ns = clock_ns();
    if (!r->opens && !ask_to_open(r, s, role, &sent) && sent.code == ERROR_MEMORY) {
        *e = sent;
        return false;
    }
    r->opens = false;
    limit_phase(r);
    return true;
}

// ---- sending -----------------------------------------------------------------------------------

// Data waiting to be sent: contents, part by part, or a request behind them.
struct outgoing {
    struct outgoing *next;
    enum verb verb;
    uint32_t sequence;
    struct text payload;  // of a request
    struct job_blob blob; // BLOB: its memory and path are its own
    struct blob_file file;
    uint64_t sent;
};

static void outgoing_free(struct outgoing *o)
{
    text_release(&o->payload);
    free((void *)(uintptr_t)o->blob.data);
    free((void *)(uintptr_t)o->file.path);
    free(o);
}

static struct outgoing *outgoing_add(struct remote *r, enum verb verb)
{
    struct outgoing **last = &r->queue, *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    while (*last)
        last = &(*last)->next;
    o->verb = verb;
    o->payload = (struct text)TEXT_INIT;
    return *last = o;
}

bool remote_send(struct remote *r, enum verb verb, const struct text *payload, struct error *e)
{
    const void *data = payload ? payload->data : NULL;
    size_t length = payload ? payload->length : 0;
    r->sequence++;
    r->outstanding += 1 + r->held; // it owes an answer to those, too, from now on
    r->held = 0;
    trace_frame(r, "is sent", verb, r->sequence, length);
    if (!r->queue)
        return channel_send(&r->channel, verb, r->sequence, data, length, e);
    struct outgoing *o = outgoing_add(r, verb);
    if (!o)
        return error_memory(e);
    o->sequence = r->sequence;
    if (length > 0)
        text_addn(&o->payload, data, length);
    return !o->payload.failed || error_memory(e);
}

bool remote_tell(struct remote *r, enum verb verb, const void *data, size_t length, struct error *e)
{
    if (!r->queue)
        return channel_send(&r->channel, verb, 0, data, length, e);
    struct outgoing *o = outgoing_add(r, verb);
    if (!o)
        return error_memory(e);
    text_addn(&o->payload, data, length);
    return !o->payload.failed || error_memory(e);
}

bool remote_hold(struct remote *r, enum verb verb, const struct text *payload, struct error *e)
{
    if (r->queue) // what is behind contents waits anyway
        return remote_send(r, verb, payload, e);
    r->held++;
    trace_frame(r, "is to be sent", verb, r->sequence + 1, payload->length);
    return channel_hold(&r->channel, verb, ++r->sequence, payload->data, payload->length, e);
}

bool remote_request(struct remote *r, enum verb verb, struct text *payload, struct error *e)
{
    struct error sent = ERROR_INIT;
    bool ok = !payload->failed || error_memory(&sent);
    ok = ok && remote_send(r, verb, payload, &sent);
    text_release(payload);
    if (sent.code == ERROR_MEMORY)
        return error_memory(e);
    if (r->phase.kind == PHASE_IDLE)
        limit_phase(r);
    return ok || sent.code;
}

// The job may be gone before all is sent: what it holds in memory is copied, and of a file the
// name.
static bool queue_blob(struct remote *r, const struct job_blob *b, struct error *e)
{
    struct outgoing *o = outgoing_add(r, VERB_BLOB);
    if (!o)
        return error_memory(e);
    o->blob = (struct job_blob){.length = b->length, .digest = b->digest};
    if (b->data) {
        uint8_t *copy = malloc((size_t)b->length);
        o->blob.data = copy; // outgoing_free() frees it
        if (!copy)
            return error_memory(e);
        memcpy(copy, b->data, (size_t)b->length);
        return true;
    }
    if (!b->file)
        return error_set(e, ERROR_INTERNAL, "a job names contents that are nowhere");
    o->file = *b->file;
    o->file.path = strdup(b->file->path);
    o->blob.file = &o->file;
    return o->file.path || error_memory(e);
}

// A worker of this machine reads a file itself, beside what it does: sending takes several copies, one after the other.
// Its name is absolute, since neither side stays in its folder.
static bool can_read(const struct remote *r, const struct job_blob *b)
{
    return !r->process.host && !b->data && b->file && b->file->path[0] == '/' &&
           b->length <= NAMED_MOST - r->named;
}

static bool queue_name(struct remote *r, const struct job_blob *b, struct error *e)
{
    struct blob_name name = {.digest = b->digest, .file = *b->file};
    struct wire w;
    if (!blob_file_read(b->file, b->file->offset, NULL, 0, e)) { // it is still what it was
        e->code = e->code == ERROR_IO ? ERROR_INPUT : e->code;   // and not the channel's
        return false;
    }
    struct outgoing *o = outgoing_add(r, VERB_BLOB_FILE);
    if (!o)
        return error_memory(e);
    r->named += b->length;
    wire_writer(&w, &o->payload);
    blob_name_codec(&w, &name);
    return !o->payload.failed || error_memory(e);
}

static bool remote_has(const struct remote *r, const struct digest *digest)
{
    for (size_t i = 0; i < r->given_count; i++) {
        if (digest_equal(&r->given[i], digest))
            return true;
    }
    return false;
}

static bool note_given(struct remote *r, const struct digest *digest)
{
    if (!ARRAY_ROOM(r->given, r->given_capacity, r->given_count + 1))
        return false;
    r->given[r->given_count++] = *digest;
    return true;
}

struct giving {
    struct remote *remote;
    struct error *e;
};

static bool give_blob(void *context, struct job_blob *b)
{
    struct giving *g = context;
    if (remote_has(g->remote, &b->digest))
        return true;
    return (note_given(g->remote, &b->digest) || error_memory(g->e)) &&
           (can_read(g->remote, b) ? queue_name : queue_blob)(g->remote, b, g->e);
}

bool remote_give(struct remote *r, const struct job *j, struct error *e)
{
    struct giving g = {r, e};
    return job_each_blob((struct job *)(uintptr_t)j, give_blob, &g); // only looked at
}

bool remote_pending(const struct remote *r)
{
    return r->queue || channel_pending(&r->channel);
}

static bool send_part(struct remote *r, struct outgoing *o, struct error *e)
{
    uint64_t left = o->blob.length - o->sent;
    struct blob_part part = {.digest = o->blob.digest,
                             .length = o->blob.length,
                             .offset = o->sent,
                             .size = left < BLOB_PART ? left : BLOB_PART};
    struct text payload = TEXT_INIT;
    struct wire w;
    uint8_t *bytes = malloc((size_t)part.size);
    bool ok = bytes || error_memory(e);
    ok = ok && blob_read(&o->blob, o->sent, bytes, (size_t)part.size, e);
    if (ok) {
        part.data = bytes;
        wire_writer(&w, &payload);
        blob_part_codec(&w, &part);
        ok = (!payload.failed || error_memory(e)) &&
             channel_send(&r->channel, VERB_BLOB, 0, payload.data, payload.length, e);
    } else if (e->code == ERROR_IO) // of the file, not of the channel
        e->code = ERROR_INPUT;
    o->sent += part.size;
    free(bytes);
    text_release(&payload);
    return ok;
}

// The first that waits, or a part of it.
static bool send_next(struct remote *r, struct error *e)
{
    struct outgoing *o = r->queue;
    bool ok = o->verb == VERB_BLOB ? send_part(r, o, e)
                                   : channel_send(&r->channel, o->verb, o->sequence,
                                                  o->payload.data, o->payload.length, e);
    if (o->verb != VERB_BLOB || o->sent == o->blob.length) {
        r->queue = o->next;
        outgoing_free(o);
    }
    // It is being given what it needs for what was asked: the time for that begins when it has it.
    if (r->phase.kind == PHASE_IDLE && r->limit_ns)
        remote_limit(r, r->limit_ns);
    return ok;
}

bool remote_pump(struct remote *r, struct error *e)
{
    bool ok = channel_flush(&r->channel, e);
    for (int parts = 0; ok && parts < PUMP_PARTS && r->queue && !channel_pending(&r->channel);
         parts++)
        ok = send_next(r, e);
    return ok;
}

bool remote_drain(struct remote *r, struct error *e)
{
    while (remote_pending(r)) {
        struct pollfd ready = {.fd = r->channel.fd, .events = POLLOUT};
        if (poll(&ready, 1, DRAIN_MS) <= 0)
            return error_set(e, ERROR_WORKER, "the worker takes nothing any more");
        if (!remote_pump(r, e))
            return false;
    }
    return true;
}

// ---- listening ---------------------------------------------------------------------------------

bool remote_listen(struct remote *r, struct error *e)
{
    struct error failed = ERROR_INIT;
    r->is_failing = !(remote_pump(r, &failed) && channel_receive_some(&r->channel, &failed));
    // It is not the worker that failed, but memory, or a file that it was to be given.
    if (failed.code == ERROR_MEMORY || failed.code == ERROR_INPUT)
        return error_set_driver(e, failed.code, failed.driver, "%s", failed.text);
    return true;
}

static bool take_phase(struct remote *r, const struct frame *f)
{
    struct arena none = {0};
    struct phase phase = {.launches = 0};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &none);
    phase_codec(&w, &phase);
    if (!wire_done(&w) || (phase.kind == PHASE_OPENING && r->is_open)) {
        remote_breaks(r, "sent a phase that makes no sense");
        return false;
    }
    r->phase = phase;
    limit_phase(r);
    log_add(r->log, LOG_DEBUG, "worker %d: %s", (int)r->process.pid, phase_text(r->phase.kind));
    return true;
}

static bool take_hello(const struct frame *f, struct error *e)
{
    struct arena a = {0};
    struct hello hello = {0};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &a);
    hello_codec(&w, &hello);
    bool ok = !w.memory || error_memory(e);
    if (ok && (!wire_done(&w) || hello.protocol != PROTOCOL_VERSION))
        ok = error_set(e, ERROR_WORKER,
                       "the worker speaks protocol %u (hone %s), this hone speaks %u: install both "
                       "from one build",
                       hello.protocol, hello.version ? hello.version : "?", PROTOCOL_VERSION);
    arena_release(&a);
    return ok;
}

// A worker begins once. A kernel that writes to its channel must not pass for one that opens its device, with which nobody
// is blamed.
static bool says_again(struct remote *r, enum verb verb)
{
    bool again =
        (verb == VERB_REPLY_HELLO && r->greeted) || (verb == VERB_REPLY_OPENED && r->is_open);
    r->is_open = r->is_open || verb == VERB_REPLY_OPENED;
    return again;
}

enum news remote_next(struct remote *r, struct frame *f, struct error *e)
{
    static const enum news kinds[VERB_COUNT] = {
        [VERB_REPLY_OPENED] = NEWS_OPENED, [VERB_REPLY_ERROR] = NEWS_REFUSED};
    while (r->running && !r->dying_ns) {
        struct error bad = ERROR_INIT;
        int got = channel_next(&r->channel, f, &bad);
        if (bad.code == ERROR_MEMORY) {
            error_memory(e);
            return NEWS_BROKEN;
        }
        if (got < 0 && !r->channel.ended) {
            remote_breaks(r, bad.text);
            return NEWS_ENDED;
        }
        if (got < 0 || (got == 0 && (r->is_failing || r->channel.ended))) {
            remote_dies(r);
            return NEWS_ENDED;
        }
        if (got == 0)
            return NEWS_NONE;
        if (f->verb == VERB_PHASE)
            return take_phase(r, f) ? NEWS_PHASE : NEWS_ENDED;
        if (f->verb == VERB_PART)
            return NEWS_PART;
        trace_frame(r, "sends", f->verb, f->sequence, f->length);
        if (says_again(r, f->verb)) {
            remote_breaks(r, "greeted, or opened its device, a second time");
            return NEWS_ENDED;
        }
        r->outstanding -= r->outstanding > 0;
        if (f->sequence != r->beside || f->verb != VERB_REPLY_RESULT) {
            // A hello was followed by the request to open the device.
            bool opens = f->verb == VERB_REPLY_HELLO;
            r->phase = (struct phase){.kind = opens ? PHASE_OPENING : PHASE_IDLE};
            limit_phase(r);
        }
        if (f->verb != VERB_REPLY_HELLO)
            return kinds[f->verb] ? kinds[f->verb] : NEWS_ANSWER;
        if (!take_hello(f, e))
            return NEWS_BROKEN;
        r->greeted = true;
        if (r->stopped_ns)
            process_stop(&r->process);
    }
    return NEWS_NONE;
}

// ---- limits ------------------------------------------------------------------------------------

void remote_limit(struct remote *r, uint64_t limit_ns)
{
    r->limit_ns = limit_ns;
    r->deadline_ns = limit_ns ? clock_ns() + limit_ns : 0;
}

bool remote_overdue(const struct remote *r, uint64_t now_ns)
{
    return r->running && !r->stopped_ns && !r->dying_ns && r->deadline_ns &&
           now_ns >= r->deadline_ns;
}

void remote_pause(struct remote *r)
{
    if (!r->running || r->dying_ns)
        return;
    // Before it has greeted it may not watch its tuner yet: stopped then, it would outlive it.
    if (r->greeted)
        process_stop(&r->process);
    if (!r->stopped_ns)
        r->stopped_ns = clock_ns();
}

void remote_resume(struct remote *r)
{
    if (!r->stopped_ns)
        return;
    if (r->deadline_ns)
        r->deadline_ns += clock_ns() - r->stopped_ns;
    r->stopped_ns = 0;
    process_continue(&r->process);
}

void remote_kill(struct remote *r)
{
    if (r->running)
        process_signal(&r->process, SIGKILL);
}

// ---- ending ------------------------------------------------------------------------------------

// Without memory for the list it stays a zombie until this process ends, which is better than a
// wait.
void remote_end(struct remote *r, struct endings *all)
{
    struct ending *n = r->running ? malloc(sizeof *n) : NULL;
    if (!r->running)
        return;
    trace_remote(r, "is ended");
    channel_release(&r->channel);
    while (r->queue) {
        struct outgoing *o = r->queue;
        r->queue = o->next;
        outgoing_free(o);
    }
    free(r->given);
    remote_kill(r); // reaches one that is stopped, too
    if (n) {
        *n = (struct ending){.next = all->first, .process = r->process, .since_ns = clock_ns()};
        all->first = n;
    } else {
        process_leave(&r->process);
    }
    memset(r, 0, sizeof *r);
    r->process = (struct process)PROCESS_NONE;
}

void endings_reap(struct endings *all)
{
    int status;
    for (struct ending **link = &all->first, *n; (n = *link);) {
        if (!process_wait(&n->process, 0, &status)) {
            link = &n->next;
            continue;
        }
        *link = n->next;
        process_end(&n->process); // closes what is open
        free(n);
    }
}

bool endings_awaited(const struct endings *all)
{
    uint64_t now = clock_ns();
    for (const struct ending *n = all->first; n; n = n->next) {
        if (now - n->since_ns < REMOTE_GONE_NS)
            return true;
    }
    return false;
}

void endings_move(struct endings *to, struct endings *from)
{
    struct ending **last = &to->first;
    while (*last)
        last = &(*last)->next;
    *last = from->first;
    from->first = NULL;
}

// Sleeping in small pieces: of several processes any may be gone first.
void endings_release(struct endings *all, uint64_t limit_ns)
{
    uint64_t start = clock_ns();
    for (endings_reap(all); all->first && clock_ns() - start < limit_ns; endings_reap(all))
        poll(NULL, 0, 1);
    while (all->first) {
        struct ending *n = all->first;
        all->first = n->next;
        process_leave(&n->process);
        free(n);
    }
}

uint64_t remote_look_ns(uint64_t since_ns, uint64_t now_ns)
{
    return now_ns - since_ns < 100000000 ? 1000000 : 20000000;
}

uint64_t remote_memory(const struct remote *r)
{
    return process_memory(&r->process);
}

// Kernel output and driver complaints: the last lines, on one line.
static void add_last_words(const struct process *p, struct text *out)
{
    const char *tail = p->tail;
    size_t length = process_tail_length(p);
    if (length == 0)
        return;
    size_t start = length > 400 ? length - 400 : 0;
    text_add(out, "; the last it printed: ");
    for (size_t i = start; i < length; i++)
        text_addc(out, tail[i] == '\n' ? ' ' : tail[i]);
}

void remote_dies(struct remote *r)
{
    trace_remote(r, "has ended its channel");
    remote_resume(r);
    r->dying_ns = clock_ns();
    r->deadline_ns = 0;
}

void remote_breaks(struct remote *r, const char *what)
{
    str_format(r->wrong, sizeof r->wrong, "%s", what);
    log_add(r->log, LOG_DEBUG, "worker %d broke the protocol: %s", (int)r->process.pid, what);
    remote_dies(r);
    r->killed = true;
    remote_kill(r);
}

bool remote_autopsy(struct remote *r, struct text *out)
{
    char how[128];
    int status = 0;
    uint64_t since = clock_ns() - r->dying_ns;
    bool gone = process_wait(&r->process, 0, &status);
    if (!gone && !r->killed && since >= REMOTE_DYING_NS) {
        r->killed = true;
        remote_kill(r);
    }
    if (!gone && since < REMOTE_DYING_NS + REMOTE_GONE_NS)
        return false;
    if (process_lost(&r->process)) {
        text_addf(out, "was lost with its node: %s", process_lost(&r->process));
        return true;
    }
    process_status_text(status, how, sizeof how);
    if (*r->wrong)
        text_addf(out, "broke the protocol and was ended: %s%s", r->wrong,
                  gone ? "" : "; the system cannot end it");
    else
        text_add(out, !gone       ? "closed its channel, and the system cannot end it"
                      : r->killed ? "closed its channel and did not end"
                                  : how);
    process_drain(&r->process);
    add_last_words(&r->process, out);
    return true;
}

bool remote_was_killed(const char *how)
{
    return strstr(how, "was killed by SIGKILL") != NULL;
}

void remote_autopsy_wait(struct remote *r, struct text *out)
{
    remote_dies(r);
    while (!remote_autopsy(r, out))
        poll(NULL, 0, 1);
}

void remote_error_text(const struct frame *f, char *out, size_t size)
{
    struct arena a;
    struct wire w;
    const char *text = NULL;
    arena_init(&a);
    wire_reader(&w, f->payload, f->length, &a);
    wire_str(&w, &text);
    snprintf(out, size, "%s", text ? text : "an error without a text");
    arena_release(&a);
}
