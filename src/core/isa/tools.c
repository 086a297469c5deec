// NVIDIA's ptxas and disassemblers as child processes: what they print is read within a limit of
// time and size, and the last line of it says why one failed.
#include "isa/tools.h"

#include "os/process.h"
#include "os/scratch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PRINT_MOST ((size_t)1 << 30)

// ---- running one -------------------------------------------------------------------------------

// Starts argv[0], a bare name: from PATH, else from the toolkit's folder.
static bool start_tool(const struct code_tools *t, const char **argv, struct process *p,
                       struct error *e)
{
    const char *name = argv[0], *folder = t->folder ? t->folder : CODE_FOLDER;
    struct text path = TEXT_INIT;
    struct error first = ERROR_INIT;
    if (process_start(p, argv, NULL, &first))
        return true;
    text_addf(&path, "%s/%s", folder, name);
    argv[0] = text_cstr(&path);
    bool ok = access(argv[0], X_OK) == 0 && process_start(p, argv, NULL, e);
    argv[0] = name;
    text_release(&path);
    return ok || error_set(e, ERROR_IO, "%s is neither in PATH nor in %s", name, folder);
}

// Reads what the child writes until it closes its end, or until its time is up.
static bool read_tool_output(struct process *p, uint64_t until, struct text *out)
{
    char buffer[16384];
    for (;;) {
        uint64_t now = clock_ns();
        if (now >= until || out->length > PRINT_MOST)
            return false;
        struct pollfd fds[2] = {{.fd = p->channel, .events = POLLIN},
                                {.fd = p->printed, .events = POLLIN}};
        if (poll(fds, 2, (int)((until - now) / 1000000 + 1)) < 0 && errno != EINTR)
            return false;
        if (fds[1].revents)
            process_drain(p);
        ssize_t n = read(p->channel, buffer, sizeof buffer);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return true; // at its end; a reset is one too
        if (n > 0)
            text_addn(out, buffer, (size_t)n);
    }
}

static const char *last_line(const struct process *p, char *out, size_t size)
{
    size_t end = p->tail_length;
    while (end > 0 && strchr("\r\n ", p->tail[end - 1]))
        end--;
    size_t from = end;
    while (from > 0 && p->tail[from - 1] != '\n')
        from--;
    str_format(out, size, "%.*s", (int)(end - from), p->tail + from);
    return out;
}

static bool run_tool(const struct code_tools *t, const char **argv, struct text *out,
                     struct error *e)
{
    struct process p = PROCESS_NONE;
    char status_is[128], line[300];
    int status = 0, limit_ms = t->limit_ms ? t->limit_ms : CODE_LIMIT_MS;
    if (!start_tool(t, argv, &p, e))
        return false;
    uint64_t now = clock_ns(), until = now + (uint64_t)limit_ms * 1000000;
    bool ended = read_tool_output(&p, until, out);
    now = clock_ns();
    int left = now < until ? (int)((until - now) / 1000000) : 0;
    if (!ended || !process_wait(&p, left, &status)) {
        error_set(e, ERROR_IO, "%s did not end within %d ms", argv[0], limit_ms);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        process_status_text(status, status_is, sizeof status_is);
        error_set(e, ERROR_INPUT, "%s %s: %s", argv[0], status_is,
                  last_line(&p, line, sizeof line));
    } else if (out->failed) {
        error_memory(e);
    } else {
        process_end(&p);
        return true;
    }
    process_end(&p);
    return false;
}

// ---- files -------------------------------------------------------------------------------------

static bool put_listing_file(const char *path, const void *bytes, size_t length, struct error *e)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, length, f) == length;
    if (f && fclose(f) != 0)
        ok = false;
    return ok ||
           error_set_driver(e, ERROR_IO, errno, "%s: cannot write: %s", path, strerror(errno));
}

// ---- the tools ---------------------------------------------------------------------------------

bool code_assemble(const struct code_tools *t, const char *ptx, size_t length, const char *target,
                   struct text *cubin, struct error *e)
{
    struct scratch scratch = SCRATCH_NONE;
    struct text in = TEXT_INIT, out = TEXT_INIT, arch = TEXT_INIT, printed = TEXT_INIT;
    bool ok = scratch_make(&scratch, t->scratch, e);
    if (ok) {
        text_addf(&in, "%s/in.ptx", scratch.path);
        text_addf(&out, "%s/out.cubin", scratch.path);
        text_addf(&arch, "-arch=%s", target);
        const char *argv[] = {"ptxas",         text_cstr(&arch), "-o",
                              text_cstr(&out), text_cstr(&in),   NULL};
        ok = put_listing_file(text_cstr(&in), ptx, length, e) && run_tool(t, argv, &printed, e) &&
             file_read(text_cstr(&out), 0, cubin, e);
    }
    scratch_remove(&scratch);
    text_release(&in);
    text_release(&out);
    text_release(&arch);
    text_release(&printed);
    return ok;
}

bool code_disassemble(const struct code_tools *t, const void *cubin, size_t length,
                      struct text *sass, struct error *e)
{
    struct scratch scratch = SCRATCH_NONE;
    struct error first = ERROR_INIT, other = ERROR_INIT;
    struct text in = TEXT_INIT;
    bool ok = scratch_make(&scratch, t->scratch, e);
    if (ok) {
        text_addf(&in, "%s/in.cubin", scratch.path);
        const char *disassembler[] = {"nvdisasm", "-c", text_cstr(&in), NULL};
        const char *dumper[] = {"cuobjdump", "-sass", text_cstr(&in), NULL};
        text_clear(sass);
        ok = put_listing_file(text_cstr(&in), cubin, length, e);
        if (ok && !run_tool(t, disassembler, sass, &first)) {
            text_clear(sass);
            ok = run_tool(t, dumper, sass, &other) || error_set(e, first.code, "%s", first.text);
        }
    }
    scratch_remove(&scratch);
    text_release(&in);
    return ok;
}
