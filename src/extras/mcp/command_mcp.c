// hone mcp: a server for programs that speak the Model Context Protocol. Each call of a tool is the command of that name, run as a
// process of its own: what a command prints, how it ends and what it leaves are the interface that scripts have already, a crash
// takes nothing with it, and a call can be ended like any program. Before it reads its first line the server encloses itself in a
// sandbox, and with it whatever it starts: beyond the roots nothing can be read that is not the system's, and nothing be written.
#include "cli/interrupt.h"
#include "cli/work.h"
#include "extras/mcp/mcp_server.h"
#include "os/descendants.h"
#include "os/process.h"
#include "os/beside.h"
#include "os/sandbox.h"
#include "worker/device_lock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOTS_MOST       16
#define WAIT_MS          1000
#define OUT_MOST         (8u << 20) // written to a client that does not read: nothing is taken from it then
#define WRITTEN_AT_ONCE  4096 // what a pipe takes without blocking, once it can be written
#define FILE_BYTES       (4ull << 30)
#define OWN_FOLDER       ".hone"
#define CALLS_MOST       4
#define CALLS_POLLED     (2 * CALLS_MOST)
#define CALL_OUTPUT_MOST (256u << 10)  // from its beginning
#define CALL_OUTPUT_LAST (32u << 10)   // and so much of its end
#define CALL_PATIENCE_NS 3000000000ull // from SIGTERM to SIGKILL
#define ENDING_MS        20 // how often a process that has closed its output is looked at

// A call is asked to end by SIGTERM, on which hone gives what it has, and killed when it does not. A client that has cancelled a
// call hears no more of it.
struct running_call {
    json_t *id; // NULL: this place is free
    struct process process;
    struct text line;        // the command as typed
    struct text first, last; // of what it printed
    uint64_t dropped;        // bytes between
    uint64_t limit_s, ends_ns, killed_ns;
    bool is_over_limit, is_cancelled;
};

struct mcp_calls {
    const char *program;            // hone
    const char *const *environment; // additions
    struct mcp *server;             // whom results are told
    struct running_call list[CALLS_MOST];
};

struct mcp_settings {
    char none;
};

struct serving_mcp {
    struct arena arena;
    struct mcp server;
    struct mcp_calls calls;
    const char *roots[ROOTS_MOST + 1];
    const char *worker;    // the file of hone-worker
    const char *temporary; // folder
    const char *locks[64]; // files
    size_t lock_count;
    bool ended; // the input
    bool gone;  // who reads the output
};

// ---- waiting -----------------------------------------------------------------------------------

static uint32_t mcp_calls_count(const struct mcp_calls *c)
{
    uint32_t count = 0;
    for (size_t i = 0; i < CALLS_MOST; i++)
        count += c->list[i].id != NULL;
    return count;
}

// Lists what to wait for; how many.
static nfds_t mcp_calls_poll(const struct mcp_calls *c, struct pollfd out[CALLS_POLLED])
{
    nfds_t n = 0;
    for (size_t i = 0; i < CALLS_MOST; i++) {
        const struct running_call *r = &c->list[i];
        if (r->id && r->process.channel >= 0)
            out[n++] = (struct pollfd){.fd = r->process.channel, .events = POLLIN};
        if (r->id && r->process.printed >= 0)
            out[n++] = (struct pollfd){.fd = r->process.printed, .events = POLLIN};
    }
    return n;
}

// How long that may take, in ms, at most `most`.
static int mcp_calls_timeout(const struct mcp_calls *c, int most)
{
    uint64_t now = clock_ns();
    for (size_t i = 0; i < CALLS_MOST; i++) {
        const struct running_call *r = &c->list[i];
        if (!r->id)
            continue;
        uint64_t next = r->killed_ns ? r->killed_ns : r->ends_ns;
        uint64_t ms = r->process.channel < 0 ? ENDING_MS
                      : next > now           ? (next - now) / 1000000 + 1
                                             : 1;
        most = ms < (uint64_t)most ? (int)ms : most;
    }
    return most;
}

// ---- starting ----------------------------------------------------------------------------------

static struct running_call *find_call(struct mcp_calls *c, const json_t *id)
{
    for (size_t i = 0; i < CALLS_MOST; i++) {
        struct running_call *r = &c->list[i];
        if (id ? r->id && json_equal(r->id, id) : !r->id)
            return r;
    }
    return NULL;
}

static bool start_command(const struct mcp_calls *c, struct running_call *r,
                          const struct mcp_tool_call *call, struct error *e)
{
    size_t count = 0;
    while (call->words[count])
        count++;
    const char **argv = alloc_zeroed((count + 2) * sizeof *argv, e);
    if (!argv)
        return false;
    argv[0] = c->program;
    text_add(&r->line, "hone");
    for (size_t i = 0; i < count; i++) {
        argv[i + 1] = call->words[i];
        text_add(&r->line, " ");
        text_add_shell(&r->line, call->words[i]);
    }
    bool ok = process_start(&r->process, argv, c->environment, e);
    free((void *)argv);
    if (ok)
        shutdown(r->process.channel, SHUT_WR); // its standard input is empty
    return ok;
}

static void release_call(struct running_call *r)
{
    process_end(&r->process);
    json_decref(r->id);
    text_release(&r->line);
    text_release(&r->first);
    text_release(&r->last);
    *r = (struct running_call){.process = PROCESS_NONE};
}

static bool start_call(void *context, const json_t *id, const struct mcp_tool *tool,
                       const struct mcp_tool_call *call, struct error *e)
{
    struct mcp_calls *c = context;
    struct running_call *r = find_call(c, NULL);
    if (!r)
        return error_set(e, ERROR_USAGE, "%s: %d calls run already; wait for one, or cancel it",
                         mcp_tool_name(tool), CALLS_MOST);
    *r = (struct running_call){.process = PROCESS_NONE,
                               .limit_s = call->limit_s,
                               .ends_ns = clock_ns() + call->limit_s * 1000000000ull};
    r->id = json_deep_copy(id);
    if (r->id && start_command(c, r, call, e))
        return true;
    release_call(r);
    return e->code ? false : error_memory(e);
}

static void ask_to_end(struct running_call *r)
{
    if (r->killed_ns)
        return;
    process_signal(&r->process, SIGTERM);
    r->killed_ns = clock_ns() + CALL_PATIENCE_NS;
}

static bool call_runs(void *context, const json_t *id)
{
    return find_call(context, id) != NULL;
}

static void cancel_call(void *context, const json_t *id)
{
    struct running_call *r = find_call(context, id);
    if (!r)
        return;
    r->is_cancelled = true;
    ask_to_end(r);
}

static const struct mcp_operations mcp_calls_operations = {
    .start = start_call, .runs = call_runs, .cancel = cancel_call};

// ---- what it prints ----------------------------------------------------------------------------

// The end is kept too, as lines: the last is a command's summary.
static void keep_output(struct running_call *r, const char *bytes, size_t length)
{
    size_t room = CALL_OUTPUT_MOST - r->first.length;
    size_t part = length < room ? length : room;
    text_addn(&r->first, bytes, part);
    text_addn(&r->last, bytes + part, length - part);
    if (r->last.length <= 2 * CALL_OUTPUT_LAST)
        return;
    size_t surplus = r->last.length - CALL_OUTPUT_LAST;
    memmove(r->last.data, r->last.data + surplus, CALL_OUTPUT_LAST);
    r->last.length = CALL_OUTPUT_LAST;
    r->last.data[CALL_OUTPUT_LAST] = '\0';
    r->dropped += surplus;
}

static void read_output(struct running_call *r)
{
    char part[16384];
    for (int i = 0; i < 16 && r->process.channel >= 0; i++) {
        ssize_t n = read(r->process.channel, part, sizeof part);
        if (n > 0) {
            keep_output(r, part, (size_t)n);
        } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        } else if (n == 0 || errno != EINTR) {
            close(r->process.channel);
            r->process.channel = -1;
        }
    }
}

// ---- its end -----------------------------------------------------------------------------------

static void join_output(struct running_call *r)
{
    if (r->last.length == 0)
        return;
    const char *from = text_cstr(&r->last), *line = r->dropped ? strchr(from, '\n') : NULL;
    if (line) {
        r->dropped += (uint64_t)(line + 1 - from);
        from = line + 1;
    }
    if (r->dropped)
        text_addf(&r->first, "\n... %llu bytes are left out here ...\n",
                  (unsigned long long)r->dropped);
    text_add(&r->first, from);
}

static void tell_call(struct mcp_calls *c, struct running_call *r, int status)
{
    struct text about = TEXT_INIT;
    struct emit j;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    char why[128] = "";
    if (r->is_over_limit)
        str_format(why, sizeof why, "it was ended after its limit of %llu s",
                   (unsigned long long)r->limit_s);
    else if (code < 0)
        process_status_text(status, why, sizeof why);
    r->process.tail[process_tail_length(&r->process)] = '\0';
    emit_start(&j, &about);
    emit_object(&j);
    emit_key(&j, "exit_status");
    emit_i64(&j, code);
    emit_text_at(&j, "ended", why[0] ? why : NULL);
    emit_text_at(&j, "command", text_cstr(&r->line));
    emit_text_at(&j, "messages", r->process.tail);
    emit_u64_at(&j, "left_out_bytes", r->dropped);
    emit_object_end(&j);
    join_output(r);
    const bool is_error = code != 0 && (code != 1 || r->first.length == 0);
    const char *const texts[] = {text_cstr(&r->first), text_cstr(&about)};
    bool whole = !r->first.failed && !r->last.failed && !about.failed;
    static const char *const failed[] = {"out of memory"};
    if (!r->is_cancelled)
        mcp_result(c->server, r->id, whole ? texts : failed, whole ? 2 : 1,
                   is_error || r->is_over_limit || !whole);
    text_release(&about);
}

static void step_call(struct mcp_calls *c, struct running_call *r)
{
    uint64_t now = clock_ns();
    int status;
    read_output(r);
    process_drain(&r->process);
    if (now > r->ends_ns && !r->killed_ns) {
        r->is_over_limit = true;
        ask_to_end(r);
    }
    if (r->killed_ns && now > r->killed_ns)
        process_signal(&r->process, SIGKILL);
    if (!process_has_ended(&r->process) || !process_wait(&r->process, 0, &status))
        return;
    for (size_t before = SIZE_MAX; r->first.length + r->last.length + r->dropped != before;) {
        before = r->first.length + r->last.length + r->dropped;
        read_output(r);
    }
    tell_call(c, r, status);
    release_call(r);
}

// Reads, ends what is past its limit, tells results. Never waits but for what is dead.
static void mcp_calls_step(struct mcp_calls *c)
{
    pid_t own[CALLS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < CALLS_MOST; i++) {
        if (c->list[i].id)
            step_call(c, &c->list[i]);
        if (c->list[i].id)
            own[count++] = c->list[i].process.pid;
    }
    descendants_reap(own, count); // workers of those that were killed
}

// Ends them all, without results.
static void mcp_calls_end(struct mcp_calls *c)
{
    uint64_t until = clock_ns() + CALL_PATIENCE_NS;
    for (size_t i = 0; i < CALLS_MOST; i++) {
        if (c->list[i].id)
            cancel_call(c, c->list[i].id);
    }
    while (mcp_calls_count(c) > 0 && clock_ns() < until) {
        struct pollfd fds[CALLS_POLLED];
        poll(fds, mcp_calls_poll(c, fds), ENDING_MS);
        mcp_calls_step(c);
    }
    for (size_t i = 0; i < CALLS_MOST; i++) {
        if (c->list[i].id)
            release_call(&c->list[i]);
    }
}

// ---- what it may reach -------------------------------------------------------------------------

static bool find_roots(struct serving_mcp *s, const struct invocation *i, struct error *e)
{
    for (uint32_t k = 0; k < i->argument_count; k++) {
        struct stat info;
        char *real = realpath(i->arguments[k], NULL);
        if (!real || stat(real, &info) != 0 || !S_ISDIR(info.st_mode)) {
            free(real);
            return error_set(e, ERROR_USAGE,
                             "'%s' is not a folder: ROOT is one that the tools may use",
                             i->arguments[k]);
        }
        s->roots[k] = arena_strdup(&s->arena, real);
        free(real);
        if (!s->roots[k])
            return error_memory(e);
    }
    s->server.roots.paths = s->roots;
    return true;
}

// Users of a device take turns by a file that others made or will make, in a folder that is not the server's: it is made now, and
// may be opened later.
static void open_locks(struct serving_mcp *s, const struct invocation *i)
{
    static const struct spec_settings given = {.language = {false, 0}};
    const size_t most = sizeof s->locks / sizeof *s->locks - 1;
    struct work w;
    work_init(&w, i, &given, NULL);
    int status = work_devices(&w, NULL, NULL);
    s->worker = w.has_environment ? arena_strdup(&s->arena, w.environment.worker[0]) : NULL;
    for (uint32_t d = 0; status == EXIT_DONE && d < w.devices.device_count; d++) {
        struct error ignored = ERROR_INIT;
        struct device_lock lock;
        if (s->lock_count == most ||
            !device_lock_open(&lock, w.environment.locks, &w.devices.devices[d], &ignored))
            continue;
        const char *path = arena_strdup(&s->arena, lock.path);
        device_lock_close(&lock);
        if (path)
            s->locks[s->lock_count++] = path;
    }
    work_release(&w);
}

// Results, caches and temporary files lie in a folder of the first root. What the user's own hone keeps is neither read nor
// written: kernels of others are built and run here.
static bool set_environment(struct serving_mcp *s, struct error *e)
{
    static const char *const fixed[] = {
        "HONE_WORKER_SANDBOX=1", "POCL_CACHE_DIR=", "CUDA_CACHE_PATH=",
        "HONE_WORKER_CACHE=",    "HONE_ALSO=",      "HONE_TRACE=",
        "HONE_COMMANDS=refuse"};
    const size_t count = sizeof fixed / sizeof *fixed;
    struct arena *a = &s->arena;
    const char *own = arena_printf(a, "%s/" OWN_FOLDER, s->roots[0]);
    const char *temporary = arena_printf(a, "%s/" OWN_FOLDER "/tmp", s->roots[0]);
    const char **out = arena_array(a, count + 4, sizeof *out);
    if (!own || !temporary || !out)
        return error_memory(e);
    memcpy((void *)out, fixed, sizeof fixed);
    out[count] = arena_printf(a, "XDG_DATA_HOME=%s", own);
    out[count + 1] = arena_printf(a, "XDG_CACHE_HOME=%s", own);
    out[count + 2] = arena_printf(a, "TMPDIR=%s", temporary);
    s->calls.environment = out;
    s->temporary = temporary;
    return (out[count] && out[count + 1] && out[count + 2]) || error_memory(e);
}

// Within the sandbox, which lets nothing be made outside of the roots, whatever .hone links to.
static bool make_own_folder(const struct serving_mcp *s, struct error *e)
{
    const size_t length = strlen(s->roots[0]);
    if (!folder_make(s->temporary, e))
        return error_context(e, "the server's own folder, below the first root");
    char *real = realpath(s->temporary, NULL);
    const bool is_below =
        real && strncmp(real, s->roots[0], length) == 0 && (real[length] == '/' || length == 1);
    free(real);
    return is_below ||
           error_set(e, ERROR_USAGE, "'%s' leads out of its root: remove the link", s->temporary);
}

// The folders of the program and of its worker.
static bool enclose(struct serving_mcp *s, struct error *e)
{
    const char *readable[] = {NULL, NULL, NULL}, *writable[ROOTS_MOST + 64 + 1];
    const char *lists[16];
    char folder[BESIDE_PATH_SIZE];
    size_t n = 0;
    beside_folder(folder);
    readable[0] = folder;
    readable[1] = s->worker;
    for (const char *const *root = s->roots; *root; root++)
        writable[n++] = *root;
    for (size_t i = 0; i < s->lock_count; i++)
        writable[n++] = s->locks[i];
    writable[n] = NULL;
    environment_drivers(lists, sizeof lists / sizeof *lists);
    const struct sandbox sandbox = {readable, writable, lists, FILE_BYTES};
    return sandbox_enter(&sandbox, e);
}

static bool prepare_mcp(struct serving_mcp *s, const struct invocation *i, struct error *e)
{
    char program[BESIDE_PATH_SIZE];
    if (!find_roots(s, i, e) || !set_environment(s, e))
        return false;
    if (!beside_program(program))
        return error_set_driver(e, ERROR_IO, errno, "its own program: %s", strerror(errno));
    s->calls.program = arena_strdup(&s->arena, program);
    if (!s->calls.program)
        return error_memory(e);
    open_locks(s, i);
    return enclose(s, e) && make_own_folder(s, e);
}

// ---- lines in and out --------------------------------------------------------------------------

static void read_lines(struct serving_mcp *s)
{
    char part[65536];
    ssize_t n = read(STDIN_FILENO, part, sizeof part);
    if (n > 0) {
        mcp_feed(&s->server, part, (size_t)n);
    } else if (n == 0 || errno != EINTR) {
        s->ended = true;
        mcp_end(&s->server);
    }
}

static void write_answers(struct serving_mcp *s)
{
    struct text *out = &s->server.out;
    size_t part = out->length < WRITTEN_AT_ONCE ? out->length : WRITTEN_AT_ONCE;
    ssize_t n = write(STDOUT_FILENO, out->data, part);
    if (n < 0) {
        s->gone = errno != EINTR && errno != EAGAIN;
        return;
    }
    memmove(out->data, out->data + n, out->length - (size_t)n);
    out->length -= (size_t)n;
}

// Waits for whatever comes first, and does it. An output that nobody reads any more ends the server, because its client is gone.
static void turn(struct serving_mcp *s)
{
    struct pollfd fds[2 + CALLS_POLLED];
    bool takes = !s->ended && s->server.out.length < OUT_MOST;
    fds[0] = (struct pollfd){.fd = takes ? STDIN_FILENO : -1, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = STDOUT_FILENO, .events = s->server.out.length ? POLLOUT : 0};
    nfds_t count = 2 + mcp_calls_poll(&s->calls, fds + 2);
    if (poll(fds, count, mcp_calls_timeout(&s->calls, WAIT_MS)) < 0)
        return;
    if (fds[0].revents)
        read_lines(s);
    mcp_calls_step(&s->calls);
    s->gone = (fds[1].revents & (POLLERR | POLLNVAL)) != 0;
    if (fds[1].revents & POLLOUT)
        write_answers(s);
}

static int serve_mcp(struct serving_mcp *s)
{
    while (!interrupt_pending() && !s->gone && !s->server.out.failed &&
           (!s->ended || s->server.out.length > 0 || mcp_calls_count(&s->calls) > 0))
        turn(s);
    mcp_calls_end(&s->calls);
    if (s->server.out.failed)
        complain("out of memory");
    return interrupt_pending()    ? EXIT_SIGNAL + interrupt_pending()
           : s->server.out.failed ? EXIT_NOTHING
                                  : EXIT_DONE;
}

static int run_mcp(struct invocation *i)
{
    struct error e = ERROR_INIT;
    struct serving_mcp s = {.ended = false};
    arena_init(&s.arena);
    s.server.ops = &mcp_calls_operations;
    s.server.context = &s.calls;
    s.calls.server = &s.server;
    for (size_t k = 0; k < CALLS_MOST; k++)
        s.calls.list[k].process = (struct process)PROCESS_NONE;
    interrupt_catch();
    int status = prepare_mcp(&s, i, &e) ? serve_mcp(&s) : work_failed(&e);
    mcp_release(&s.server);
    arena_release(&s.arena);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static const struct option_group groups[] = {{"Help", help_options, 0}, {0}};

const struct command command_mcp = {
    .name = "mcp",
    .group = GROUP_MEASURE,
    .summary = "serve tools to programs that write kernels",
    .arguments = "ROOT [ROOT...]",
    .least = 1,
    .most = ROOTS_MOST,
    .description =
        "Serves the Model Context Protocol on standard input and output, for programs that write "
        "kernels: tools by the names of the commands devices, init, check, tune, judge, best, "
        "compare and report. Exit status 0 when the input ends.\n\n"
        "A tool takes a part of its command's options, and gives what that prints with --json. "
        "Files are named below the roots, links resolved; relative paths begin in the first, whose "
        "folder .hone has results, caches and temporary files.\n\n"
        "The server and all that it starts run in a sandbox, without which it does not begin: "
        "nothing but the roots can be written, nothing but them and the system's own files be "
        "read, and there is no network. Programs of the caller's, such as a strategy exec:, are "
        "not run.\n\n"
        "At most four calls run at once; each has a limit, limit_s, of 600 seconds if it names "
        "none, and ends when it is cancelled (notifications/cancelled). Its output is cut in the "
        "middle beyond 256 KiB. When the input ends calls that run are finished, unless nobody "
        "reads the output.",
    .topics = "spec, ranking",
    .groups = groups,
    .settings_size = sizeof(struct mcp_settings),
    .run = run_mcp,
};
