// Inputs as files, and what a program of the user's own makes of them: it is called with a folder in which each array that
// has contents before the launch is NAME.npy, and arguments.json says the rest; the outputs are then what it left there.
// They are kept by a digest of the program and of all that it was given.
#include "lib/handle.h"

#include "base/digest.h"
#include "base/emit.h"
#include "device/fill.h"
#include "model/npy.h"
#include "os/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 50

// ---- writing ------------------------------------------------------------------------------------

// A name from a spec becomes one of a file in this folder, and nowhere else.
static bool check_file_name(const char *name, struct error *e)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return (name[0] && strspn(name, letters) == strlen(name)) ||
           error_set(e, ERROR_INPUT,
                     "argument '%s' cannot be a file: its name has other characters than letters, "
                     "digits, _ and -",
                     name);
}

static bool write_array(const char *path, const void *head, size_t head_length, const void *data,
                        size_t length, struct error *e)
{
    FILE *f = fopen(path, "wb");
    bool ok =
        f && fwrite(head, 1, head_length, f) == head_length && fwrite(data, 1, length, f) == length;
    int why = errno;
    if (f && fclose(f) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok ||
           error_set_driver(e, ERROR_IO, why, "%s: cannot be written: %s", path, strerror(why));
}

static void npy_path(const char *folder, const char *name, struct text *out)
{
    text_clear(out);
    text_addf(out, "%s/%s.npy", folder, name);
}

static bool write_input(const struct job_buffer *b, const char *folder, struct error *e)
{
    struct text path = TEXT_INIT, header = TEXT_INIT;
    uint64_t bytes = fill_bytes(b);
    void *data = malloc((size_t)bytes + 1);
    npy_path(folder, b->name, &path);
    bool ok = check_file_name(b->name, e) && (data || error_memory(e)) && fill_make(b, data, e) &&
              npy_header(&b->element, b->count, &header, e) && (!path.failed || error_memory(e)) &&
              write_array(text_cstr(&path), header.data, header.length, data, (size_t)bytes, e);
    free(data);
    text_release(&path);
    text_release(&header);
    return ok;
}

// As the kernel gets them; those of vectors and structs are left out.
static void emit_scalars(struct emit *j, const struct job *job)
{
    for (uint32_t l = 0; l < job->launch_count; l++) {
        for (uint32_t i = 0; i < job->launches[l].argument_count; i++) {
            const struct job_argument *a = &job->launches[l].arguments[i];
            struct job_number n;
            bool known = false; // an earlier launch has it
            for (uint32_t k = 0; k < l; k++)
                for (uint32_t m = 0; m < job->launches[k].argument_count; m++)
                    known = known || str_equal(job->launches[k].arguments[m].name, a->name);
            if (a->kind != ARGUMENT_SCALAR || a->element.width != 1 ||
                a->element.scalar == SCALAR_CUSTOM || known)
                continue;
            job_number_read(a->element.scalar, a->value, &n);
            emit_key(j, a->name);
            if (n.is_unsigned) {
                emit_u64(j, (uint64_t)n.integer);
            } else if (n.is_float) {
                emit_f64(j, n.number);
            } else {
                emit_i64(j, n.integer);
            }
        }
    }
}

static void emit_buffers(struct emit *j, const struct job *job, bool outputs)
{
    char type[24];
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        const struct job_buffer *b = &job->buffers[i];
        if (outputs ? !b->output : b->temporary || b->fill.kind == FILL_NONE)
            continue;
        element_name(&b->element, type);
        emit_key(j, b->name);
        emit_object(j);
        emit_text_at(j, "type", type);
        emit_u64_at(j, "count", b->count);
        emit_object_end(j);
    }
}

// {"constants": {"N": 4096}, "scalars": {"a": 2.5}, "inputs": {"x": {"type": "float", "count": 4096}}, "outputs": ...}
static void describe_arguments(const struct spec *s, const struct job *job, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    emit_key(&j, "constants");
    emit_object(&j);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        emit_key(&j, s->constants[i].name);
        value_emit(&s->constants[i].value, &j);
    }
    emit_object_end(&j);
    emit_key(&j, "scalars");
    emit_object(&j);
    emit_scalars(&j, job);
    emit_object_end(&j);
    emit_key(&j, "inputs");
    emit_object(&j);
    emit_buffers(&j, job, false);
    emit_object_end(&j);
    emit_key(&j, "outputs");
    emit_object(&j);
    emit_buffers(&j, job, true);
    emit_object_end(&j);
    emit_object_end(&j);
    text_add(out, "\n");
}

bool inputs_write(const struct spec *s, const struct job *job, const char *folder, uint32_t *count,
                  struct error *e)
{
    struct text about = TEXT_INIT, path = TEXT_INIT;
    bool ok = folder_make(folder, e);
    *count = 0;
    for (uint32_t i = 0; ok && i < job->buffer_count; i++) {
        const struct job_buffer *b = &job->buffers[i];
        if (b->temporary || b->fill.kind == FILL_NONE)
            continue;
        ok = write_input(b, folder, e);
        ++*count;
    }
    describe_arguments(s, job, &about);
    text_addf(&path, "%s/arguments.json", folder);
    ok = ok && ((!about.failed && !path.failed) || error_memory(e)) &&
         write_array(text_cstr(&path), about.data, about.length, "", 0, e);
    text_release(&about);
    text_release(&path);
    return ok;
}

// ---- the program --------------------------------------------------------------------------------

// Reads and discards the program's stdout, so that the program never blocks on it.
static void drain_channel(const struct process *p)
{
    char buffer[4096];
    while (p->channel >= 0 && recv(p->channel, buffer, sizeof buffer, MSG_DONTWAIT) > 0)
        ;
}

static bool end_badly(const struct reference_program *p, struct process *child, const char *what,
                      struct error *e)
{
    process_end(child);
    size_t printed = process_tail_length(child);
    return error_set(e, ERROR_INPUT, "--reference-by %s %s%s%.*s", p->path, what,
                     printed ? "; it printed:\n" : "", (int)printed, child->tail);
}

static bool run_program(const struct reference_program *p, const char *program, const char *folder,
                        struct error *e)
{
    const char *argv[] = {program, folder, NULL};
    struct process child = PROCESS_NONE;
    char what[128];
    int status = 0;
    if (!process_start_owned(&child, argv, e)) {
        e->code = ERROR_INPUT; // the caller's program
        return error_context(e, "--reference-by");
    }
    for (uint64_t end = clock_ns() + p->limit_ns; !process_wait(&child, LOOK_MS, &status);) {
        drain_channel(&child);
        if (p->stop && p->stop())
            return end_badly(p, &child, "was interrupted", e);
        if (clock_ns() > end) {
            snprintf(what, sizeof what, "took longer than %.0f s", (double)p->limit_ns / 1e9);
            return end_badly(p, &child, what, e);
        }
    }
    if (status != 0) {
        process_status_text(status, what, sizeof what);
        return end_badly(p, &child, what, e);
    }
    process_end(&child);
    return true;
}

// ---- what it leaves -----------------------------------------------------------------------------

// Inputs are given a time long past, by which one that was written over is known.
static bool mark_old(const struct job *job, const char *folder, struct error *e)
{
    const struct timespec past[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    struct text path = TEXT_INIT;
    bool ok = true;
    for (uint32_t i = 0; ok && i < job->buffer_count; i++) {
        npy_path(folder, job->buffers[i].name, &path);
        ok = job->buffers[i].fill.kind == FILL_NONE || job->buffers[i].temporary ||
             utimensat(AT_FDCWD, text_cstr(&path), past, 0) == 0 ||
             error_set(e, ERROR_IO, "%s: %s", text_cstr(&path), strerror(errno));
    }
    text_release(&path);
    return ok;
}

static bool was_written(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_mtim.tv_sec != 1;
}

static bool check_outputs(const struct reference_program *p, const struct job *job,
                          const char *folder, struct error *e)
{
    struct text path = TEXT_INIT;
    bool ok = true;
    for (uint32_t i = 0; ok && i < job->buffer_count; i++) {
        if (!job->buffers[i].output)
            continue;
        npy_path(folder, job->buffers[i].name, &path);
        ok =
            check_file_name(job->buffers[i].name, e) &&
            (was_written(text_cstr(&path)) ||
             error_set(e, ERROR_INPUT, "--reference-by %s did not write %s.npy, which is an output",
                       p->path, job->buffers[i].name));
    }
    text_release(&path);
    return ok;
}

// All but outputs goes: they alone are kept.
static void remove_others(const struct job *job, const char *folder)
{
    struct text path = TEXT_INIT;
    DIR *d = opendir(folder);
    struct dirent *entry;
    while (d && (entry = readdir(d))) {
        bool output = false;
        for (uint32_t i = 0; i < job->buffer_count; i++) {
            text_clear(&path);
            text_addf(&path, "%s.npy", job->buffers[i].name);
            output =
                output || (job->buffers[i].output && str_equal(entry->d_name, text_cstr(&path)));
        }
        text_clear(&path);
        text_addf(&path, "%s/%s", folder, entry->d_name);
        if (!output && !path.failed)
            unlink(text_cstr(&path));
    }
    if (d)
        closedir(d);
    text_release(&path);
}

static bool hold_against(struct hone_spec *s, const struct reference_program *p,
                         const struct job *job, const char *folder, struct error *e)
{
    struct arena a;
    uint32_t count = 0;
    arena_init(&a);
    struct spec_contents *list = arena_array(&a, (size_t)job->buffer_count + 1, sizeof *list);
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && i < job->buffer_count; i++) {
        if (!job->buffers[i].output)
            continue;
        list[count].argument = job->buffers[i].name;
        list[count].file = arena_printf(&a, "%s/%s.npy", folder, job->buffers[i].name);
        ok = list[count++].file != NULL;
    }
    ok = ok ? spec_hold_against((struct spec *)spec_of(s), p->path, list, count, e)
            : error_memory(e);
    arena_release(&a);
    return ok;
}

// ---- the whole ----------------------------------------------------------------------------------

// Digests the program's text and all of its input.
static bool digest_question(const struct spec *s, const struct job *job, const char *program,
                            struct digest *out, struct error *e)
{
    struct text text = TEXT_INIT;
    struct digest_state state;
    if (!file_read(program, 0, &text, e)) {
        text_release(&text);
        return error_context(e, "--reference-by");
    }
    digest_start(&state);
    digest_add(&state, text.data, text.length);
    text_clear(&text);
    describe_arguments(s, job, &text);
    digest_add(&state, text_cstr(&text), text.length);
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        struct digest one;
        job_buffer_digest(&job->buffers[i], &one);
        digest_add(&state, job->buffers[i].name, strlen(job->buffers[i].name) + 1);
        if (!job->buffers[i].temporary)
            digest_add(&state, &one, sizeof one);
    }
    digest_finish(&state, out);
    bool ok = !text.failed || error_memory(e);
    text_release(&text);
    return ok;
}

static bool ask_program(struct hone_spec *s, const struct reference_program *p,
                        const struct job *job, const char *program, struct text *folder,
                        struct error *e)
{
    struct digest digest;
    struct text beginning = TEXT_INIT;
    char hex[65];
    uint32_t inputs, outputs = 0;
    for (uint32_t i = 0; i < job->buffer_count; i++)
        outputs += job->buffers[i].output;
    bool ok =
        outputs > 0 || error_set(e, ERROR_INPUT,
                                 "--reference-by: the spec has no output to hold against anything");
    ok = ok && digest_question(spec_of(s), job, program, &digest, e);
    if (!ok)
        return false;
    digest_hex(&digest, hex);
    text_addf(folder, "%s/by-%.32s", p->folder, hex);
    text_addf(&beginning, "%s.%ld", text_cstr(folder), (long)getpid());
    struct stat st;
    bool known = !p->fresh && stat(text_cstr(folder), &st) == 0 &&
                 check_outputs(p, job, text_cstr(folder), NULL);
    ok = (!folder->failed && !beginning.failed) || error_memory(e);
    if (ok && !known) {
        const char *at = text_cstr(&beginning);
        ok = inputs_write(spec_of(s), job, at, &inputs, e) && mark_old(job, at, e) &&
             run_program(p, program, at, e) && check_outputs(p, job, at, e);
        if (ok)
            remove_others(job, at);
        if (ok && rename(at, text_cstr(folder)) != 0) {
            // It is there already, or was to be made anew: this one's own files then stay under their name.
            text_clear(folder);
            text_add(folder, at);
        }
        if (!ok) {
            folder_remove(at);
        }
    }
    ok = ok && hold_against(s, p, job, text_cstr(folder), e);
    text_release(&beginning);
    return ok;
}

bool reference_by(struct hone_spec *s, const struct hone_device *d,
                  const struct reference_program *p, const struct hone_log *log, struct error *e)
{
    struct log_bridge bridge;
    struct job *job = NULL;
    const struct spec *spec = spec_of(s);
    const struct device_info *info = info_of(d);
    char *program = realpath(p->path, NULL);
    struct arena a;
    arena_init(&a);
    uint32_t *choice = arena_array(&a, spec->parameter_count + 1, sizeof *choice);
    bool ok = program || error_set_driver(e, ERROR_INPUT, errno, "--reference-by %s: %s", p->path,
                                          strerror(errno));
    ok = ok && (choice || error_memory(e)) && folder_make(p->folder, e);
    struct spec_sources *src =
        ok ? spec_sources_read(spec, info->language, info, log_bridge_init(&bridge, log), e) : NULL;
    struct text folder = TEXT_INIT;
    ok = src != NULL;
    if (ok) {
        spec_baseline(src, info, choice);
        ok = spec_job(spec, src, info, choice, &job, e) &&
             ask_program(s, p, job, program, &folder, e);
    }
    job_free(job);
    spec_sources_free(src);
    // Keep the program's output only if it fits the job's outputs.
    job = NULL;
    src = ok ? spec_sources_read(spec, info->language, info, NULL, e) : NULL;
    ok = src && spec_job(spec, src, info, choice, &job, e);
    if (!ok && folder.length)
        folder_remove(text_cstr(&folder));
    job_free(job);
    spec_sources_free(src);
    text_release(&folder);
    arena_release(&a);
    free(program);
    return ok;
}
