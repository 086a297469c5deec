#include "eval/remote.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool say_hello(struct remote *r, struct error *e)
{
    struct hello hello = {.protocol = PROTOCOL_VERSION, .version = HONE_VERSION};
    struct text payload = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &payload);
    hello_codec(&w, &hello);
    bool ok = (!payload.failed || error_memory(e)) && remote_send(r, VERB_HELLO, &payload, e);
    text_release(&payload);
    return ok;
}

static bool ask_to_open(struct remote *r, const char *id, enum worker_role role, bool exact,
                        struct error *e)
{
    struct open_request request = {.id = id, .role = role, .exact = exact};
    struct text payload = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &payload);
    open_request_codec(&w, &request);
    bool ok = (!payload.failed || error_memory(e)) && remote_send(r, VERB_OPEN, &payload, e);
    text_release(&payload);
    return ok;
}

bool remote_start(struct remote *r, const char *const *argv, const char *const *environment,
                  const char *id, enum worker_role role, bool exact, struct error *e)
{
    memset(r, 0, sizeof *r);
    r->process = (struct process)PROCESS_NONE;
    r->role = role;
    if (!process_start(&r->process, argv, environment, e))
        return error_context(e, "starting a worker");
    channel_init(&r->channel, r->process.channel);
    r->running = true;
    r->phase.kind = PHASE_OPENING;
    if (id)
        return remote_open(r, id, role, exact, e);
    remote_limit(r, REMOTE_OPENING_NS);
    return true;
}

// A worker that is already gone is found so when its channel is read.
bool remote_open(struct remote *r, const char *id, enum worker_role role, bool exact,
                 struct error *e)
{
    struct error sent = ERROR_INIT;
    r->role = role;
    r->phase.kind = PHASE_OPENING;
    if (!(say_hello(r, &sent) && ask_to_open(r, id, role, exact, &sent)) &&
        sent.code == ERROR_MEMORY) {
        *e = sent;
        remote_end(r);
        return false;
    }
    remote_limit(r, REMOTE_OPENING_NS);
    return true;
}

bool remote_send(struct remote *r, enum verb verb, const struct text *payload, struct error *e)
{
    r->sequence++;
    r->outstanding++;
    return channel_send(&r->channel, verb, r->sequence, payload ? payload->data : NULL,
                        payload ? payload->length : 0, e);
}

void remote_limit(struct remote *r, uint64_t limit_ns)
{
    r->limit_ns = limit_ns;
    r->deadline_ns = limit_ns ? clock_ns() + limit_ns : 0;
}

bool remote_overdue(const struct remote *r, uint64_t now_ns)
{
    return r->running && !r->stopped_ns && r->deadline_ns && now_ns >= r->deadline_ns;
}

void remote_pause(struct remote *r)
{
    if (!r->running)
        return;
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

static void end_with(struct remote *r, void (*end)(struct process *))
{
    if (!r->running)
        return;
    end(&r->process);
    channel_release(&r->channel);
    memset(r, 0, sizeof *r);
    r->process = (struct process)PROCESS_NONE;
}

void remote_end(struct remote *r)
{
    end_with(r, process_end);
}

void remote_leave(struct remote *r)
{
    end_with(r, process_leave);
}

uint64_t remote_memory(const struct remote *r)
{
    char path[64];
    unsigned long long pages = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)r->process.pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    if (fscanf(f, "%llu %llu", &pages, &resident) != 2)
        resident = 0;
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Kernel output and driver complaints: the last lines, on one line.
static void add_last_words(const struct process *p, struct text *out)
{
    const char *tail = p->tail;
    size_t length = strlen(tail);
    while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == ' '))
        length--;
    if (length == 0)
        return;
    size_t start = length > 400 ? length - 400 : 0;
    text_add(out, "; the last it printed: ");
    for (size_t i = start; i < length; i++)
        text_addc(out, tail[i] == '\n' ? ' ' : tail[i]);
}

void remote_autopsy(struct remote *r, struct text *out)
{
    char how[128];
    int status = 0;
    if (!process_wait(&r->process, 2000, &status)) {
        process_signal(&r->process, SIGKILL);
        process_wait(&r->process, -1, &status);
        text_add(out, "closed its channel and did not end");
    } else {
        process_status_text(status, how, sizeof how);
        text_add(out, how);
    }
    process_drain(&r->process);
    add_last_words(&r->process, out);
    remote_end(r);
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
