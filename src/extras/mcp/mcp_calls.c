// A call is asked to end by SIGTERM, on which hone gives what it has, and killed when it does not. A client that has cancelled a
// call hears no more of it.
#include "extras/mcp/mcp_calls.h"

#include "os/descendants.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENDING_MS 20 // how often a process that has closed its output is looked at

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

const struct mcp_operations mcp_calls_operations = {
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
    bool is_error = code != 0 && code != 1;
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

void mcp_calls_step(struct mcp_calls *c)
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

void mcp_calls_end(struct mcp_calls *c)
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

// ---- waiting -----------------------------------------------------------------------------------

uint32_t mcp_calls_count(const struct mcp_calls *c)
{
    uint32_t count = 0;
    for (size_t i = 0; i < CALLS_MOST; i++)
        count += c->list[i].id != NULL;
    return count;
}

nfds_t mcp_calls_poll(const struct mcp_calls *c, struct pollfd out[CALLS_POLLED])
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

int mcp_calls_timeout(const struct mcp_calls *c, int most)
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
