// The other end of hone-replay (replay/replay_main.c): one request at a time. A kernel that ends or hangs the process is reported as
// that, and the next request gets a new process.
#include "extras/capture/capture.h"

#include "os/beside.h"
#include "os/process.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PLAY_MS = 60000, PLAY_MS_A_MIB = 20, PLAY_MS_MOST = 3600000, PLAY_SLOWER = 5 };

struct capture_player {
    struct process process;
    char program[BESIDE_PATH_SIZE];
    char folder[BESIDE_PATH_SIZE];
    struct text answer;
};

struct capture_player *capture_player_new(const char *folder, struct error *e)
{
    struct capture_player *p = alloc_zeroed(sizeof *p, e);
    if (!p)
        return NULL;
    p->process = (struct process)PROCESS_NONE;
    str_format(p->folder, sizeof p->folder, "%s", folder);
    static const char *const places[] = {"hone-replay", "../libexec/hone/hone-replay"};
    char here[BESIDE_PATH_SIZE];
    beside_folder(here);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        str_format(p->program, sizeof p->program, "%s%s", here, places[i]);
        if (access(p->program, X_OK) == 0)
            return p;
    }
    error_set(e, ERROR_IO, "hone-replay is not beside hone: install hone whole");
    free(p);
    return NULL;
}

void capture_player_free(struct capture_player *p)
{
    if (!p)
        return;
    process_end(&p->process);
    text_release(&p->answer);
    free(p);
}

static bool send_request(struct capture_player *p, const char *request, struct error *e)
{
    const char *const argv[] = {p->program, p->folder, NULL};
    if (!p->process.pid && !process_start(&p->process, argv, NULL, e))
        return false;
    for (size_t at = 0, length = strlen(request); at < length;) {
        const ssize_t sent = send(p->process.channel, request + at, length - at, MSG_NOSIGNAL);
        if (sent > 0)
            at += (size_t)sent;
        else if (errno != EINTR && errno != EAGAIN)
            return error_set(e, ERROR_WORKER, "hone-replay does not listen");
    }
    return true;
}

// True: a whole line is there.
static bool receive_answer(struct capture_player *p, int limit_ms)
{
    char bytes[4096];
    struct pollfd poll_on[2] = {{.fd = p->process.channel, .events = POLLIN},
                                {.fd = p->process.printed, .events = POLLIN}};
    text_clear(&p->answer);
    for (;;) {
        const int ready = poll(poll_on, 2, limit_ms);
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;
        if (poll_on[1].revents && !process_drain(&p->process))
            poll_on[1].fd = -1;
        if (!poll_on[0].revents)
            continue;
        const ssize_t got = recv(p->process.channel, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        text_addn(&p->answer, bytes, got > 0 ? (size_t)got : 0);
        if (p->answer.failed || memchr(bytes, '\n', got > 0 ? (size_t)got : 0))
            return !p->answer.failed;
    }
}

static void end_player(struct capture_player *p)
{
    process_end(&p->process);
    p->process = (struct process)PROCESS_NONE;
}

static const char *why_ended(struct capture_player *p, int limit_ms, struct arena *a)
{
    int status = PROCESS_STATUS_UNKNOWN;
    char how[128];
    if (!process_wait(&p->process, 100, &status))
        return arena_printf(a, "the replay did not end within %d s", limit_ms / 1000);
    process_status_text(status, how, sizeof how);
    return arena_printf(a, "the replay %s", how);
}

static char *make_request(const struct capture_kernel *k, const struct capture_launch *l, int times,
                          const char *options, const int64_t *global, const int64_t *local)
{
    json_t *types = json_array();
    for (uint32_t i = 0; i < k->argument_count; i++)
        json_array_append_new(types, json_string(k->arguments[i].type));
    json_t *o = json_pack("{s:s,s:i}", "launch", l->key, "times", times);
    json_object_set_new(o, "types", types);
    if (l->is_placed)
        json_object_set_new(o, "placed", json_true());
    if (options && k->given) {
        json_object_set_new(o, "source", json_string(k->given));
        json_object_set_new(o, "function", json_string(k->function));
    }
    if (options)
        json_object_set_new(o, "options", json_string(options));
    if (global)
        json_object_set_new(o, "global",
                            json_pack("[I,I,I]", (json_int_t)global[0], (json_int_t)global[1],
                                      (json_int_t)global[2]));
    if (local)
        json_object_set_new(
            o, "local",
            json_pack("[I,I,I]", (json_int_t)local[0], (json_int_t)local[1], (json_int_t)local[2]));
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

static void read_answer(const struct text *answer, struct arena *a, struct capture_replay *out)
{
    json_t *o = json_loadb(text_cstr(answer), answer->length, 0, NULL);
    const char *why = json_string_value(json_object_get(o, "error"));
    out->why = why ? arena_strdup(a, why) : json_is_object(o) ? NULL : "hone-replay gave no answer";
    out->exact = json_integer_value(json_object_get(o, "exact"));
    out->times = json_integer_value(json_object_get(o, "times"));
    out->deviation = json_number_value(json_object_get(o, "deviation"));
    out->spread = json_number_value(json_object_get(o, "spread"));
    json_decref(o);
}

void capture_player_renew(struct capture_player *p)
{
    end_player(p);
}

// A busy machine moves the data of a launch slowly, and it may take several times as long as it did.
static int play_limit(const struct capture_launch *l, int times)
{
    const double own = l->launches ? l->ns / 1e6 / (double)l->launches : 0;
    const double ms = times * ((double)(l->bytes >> 20) * PLAY_MS_A_MIB + PLAY_SLOWER * own);
    return PLAY_MS + (int)(ms < PLAY_MS_MOST ? ms : PLAY_MS_MOST);
}

void capture_play(struct capture_player *p, const struct capture_kernel *k,
                  const struct capture_launch *l, int times, const char *options,
                  const int64_t *global, const int64_t *local, struct arena *a,
                  struct capture_replay *out)
{
    struct error e = ERROR_INIT;
    struct text line = TEXT_INIT;
    const int limit_ms = play_limit(l, times);
    char *request = make_request(k, l, times, options, global, local);
    *out = (struct capture_replay){.is_done = true};
    text_addf(&line, "%s\n", request ? request : "{}");
    // A launch before may have ended the process only now: then a new one is asked.
    bool sent = request && !line.failed && send_request(p, text_cstr(&line), &e);
    if (request && !line.failed && !sent) {
        end_player(p);
        error_clear(&e);
        sent = send_request(p, text_cstr(&line), &e);
    }
    if (!sent) {
        out->why = arena_strdup(a, *e.text ? e.text : "out of memory");
        end_player(p);
    } else if (receive_answer(p, limit_ms))
        read_answer(&p->answer, a, out);
    else {
        out->why = why_ended(p, limit_ms, a);
        end_player(p);
    }
    free(request);
    text_release(&line);
}
