// Build workers run the build command, which makes {program} in their scratch folder; its bytes are the image. The bench worker
// writes them into a file of its own, and runs that.
#include "extras/program/program_backend.h"

#include "extras/program/program_command.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST_LINE 512

struct built_program {
    struct text path;  // of the executable; "": the run command names its own
    struct text image; // in a build worker, its bytes
    const char *place; // the job's
};

static bool write_executable(const char *path, const void *bytes, uint64_t length, struct error *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    bool ok = fd >= 0;
    for (uint64_t done = 0; ok && done < length;) {
        ssize_t n = write(fd, (const char *)bytes + done, (size_t)(length - done));
        ok = n > 0 || (n < 0 && errno == EINTR);
        done += n > 0 ? (uint64_t)n : 0;
    }
    int code = errno;
    ok = (fd < 0 || close(fd) == 0) && ok;
    return ok || error_set_driver(e, ERROR_IO, code, "%s: %s", path, strerror(code));
}

// The log is the end of what the command printed.
static bool check_build(const struct command_end *c, const char *path, struct text *log,
                        struct result *r)
{
    char line[LAST_LINE], ended[128];
    struct stat st;
    text_addn(log, text_cstr(&c->said), c->said.length);
    command_last_line(c, line, sizeof line);
    process_status_text(c->status, ended, sizeof ended);
    if (c->status != 0)
        return result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "the build command %s%s%s",
                           ended, *line ? ": " : "", line);
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                           "the build command made no file at {program}%s%s",
                           *line ? "; it ended with: " : "", line);
    return true;
}

static bool run_build(const struct job_program *p, const json_t *words, struct built_program *b,
                      struct text *log, struct result *r)
{
    struct command_places places = {.program = text_cstr(&b->path)};
    struct command_end c;
    struct error e = ERROR_INIT;
    bool ok =
        command_run(words, &places, p->place, &c, &e)
            ? check_build(&c, places.program, log, r)
            : result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "the build command: %s", e.text);
    command_release(&c);
    return ok;
}

// Leaves the executable at b->path, or no path if nothing is built.
static bool make_executable(struct program_host *h, const struct job_program *p, const void *image,
                            uint64_t length, struct built_program *b, struct text *log,
                            struct result *r)
{
    struct error e = ERROR_INIT;
    json_t *source = json_loadb(p->source, (size_t)p->length, 0, NULL);
    const json_t *words = json_object_get(source, "build");
    bool ok = true;
    text_addf(&b->path, "%s/program-%u", text_cstr(&h->scratch), h->files++);
    if (b->path.failed)
        ok = result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    else if (length > 0)
        ok = write_executable(text_cstr(&b->path), image, length, &e) ||
             result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "%s", e.text);
    else if (json_array_size(words) > 0)
        ok = run_build(p, words, b, log, r);
    else
        text_clear(&b->path);
    json_decref(source);
    if (ok && h->options->build_only && b->path.length > 0 &&
        !file_read(text_cstr(&b->path), 0, &b->image, &e))
        ok = result_fail(r, STATUS_COMPILE, FAULT_WORKER, "%s", e.text);
    return ok;
}

void *program_build(void *own, const struct job *j, uint32_t index, const void *image,
                    uint64_t length, struct text *log, struct result *r)
{
    struct program_host *h = own;
    struct built_program *b = calloc(1, sizeof *b);
    if (b)
        b->place = j->programs[index].place;
    else
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    if (b && make_executable(h, &j->programs[index], image, length, b, log, r))
        return b;
    program_release(own, b);
    return NULL;
}

void program_release(void *own, void *program)
{
    struct built_program *b = program;
    (void)own;
    if (!b)
        return;
    if (b->path.length > 0)
        unlink(text_cstr(&b->path));
    text_release(&b->path);
    text_release(&b->image);
    free(b);
}

bool program_bytes(void *own, void *program, struct text *out, struct error *e)
{
    const struct built_program *b = program;
    (void)own;
    if (b->image.length == 0 && b->path.length > 0)
        return file_read(text_cstr(&b->path), 0, out, e);
    text_addn(out, text_cstr(&b->image), b->image.length);
    return !out->failed || error_memory(e);
}

const char *program_path(const void *program)
{
    const struct built_program *b = program;
    return b->path.length > 0 ? text_cstr(&b->path) : NULL;
}

const char *program_place(const void *program)
{
    const struct built_program *b = program;
    return b->place;
}
