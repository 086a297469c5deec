// Programs: the compiler makes a shared object of the source and of a function for each kernel that
// calls it; the object's bytes are the image. Build workers make it, the bench worker loads it.
//
// The compiler gets its options word by word, without a shell. It runs in the worker's process
// group, so that its time limit, and the pause while something is measured, are the worker's.
#include "device/backends/c/c.h"

#include "device/include_tree.h"
#include "os/tool.h"
#include "os/process.h"
#include "os/process_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct c_program {
    struct text image; // the shared object
    void *handle;      // NULL in a device that only builds
};

// ---- compiling

static bool write_whole(const char *path, const void *bytes, size_t length, struct error *e)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, length, f) == length;
    ok = (!f || fclose(f) == 0) && ok;
    return ok || error_set_driver(e, ERROR_IO, errno, "%s: %s", path, strerror(errno));
}

// The job's text, under its own name in messages, and behind it the functions that call its
// kernels.
static bool write_source(const struct job *j, uint32_t index, const char *path, struct result *r)
{
    const struct job_program *p = &j->programs[index];
    struct text source = TEXT_INIT, calls = TEXT_INIT, one = TEXT_INIT;
    struct error e = ERROR_INIT;
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->launch_count; i++) {
        text_clear(&one);
        ok = j->launches[i].program != index || c_call_text(&j->launches[i], &one, r);
        if (ok && !strstr(text_cstr(&calls), text_cstr(&one)))
            text_add(&calls, text_cstr(&one));
    }
    if (ok) {
        text_addf(&source, "#line 1 \"%s\"\n", p->name);
        text_addn(&source, p->source, (size_t)p->length);
        text_addf(&source, "\n#line 1 \"hone's calls\"\n%s", text_cstr(&calls));
        ok = (!source.failed || error_memory(&e)) &&
             write_whole(path, source.data, source.length, &e);
        ok = ok || result_fail(r, STATUS_COMPILE, FAULT_WORKER, "%s", e.text);
    }
    text_release(&source);
    text_release(&calls);
    text_release(&one);
    return ok;
}

static bool check_c_options(const struct job_program *p, struct error *e)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        const char *why = language_refuses(LANGUAGE_C, p->options[i], i ? p->options[i - 1] : NULL);
        if (why)
            return error_set(e, ERROR_INPUT, "%s: option '%s' is refused: %s", p->name,
                             p->options[i], why);
    }
    return true;
}

// Libraries are looked for what is missing where they stand: they come behind the source.
static bool is_library(const char *option)
{
    return str_starts(option, "-l");
}

// Runs the compiler; `log` gets what it prints.
static bool run_compiler(const struct c_host *h, const struct job_program *p, const char *source,
                         const char *object, struct text *log, int *status, struct error *e)
{
    struct arena a;
    struct text tree = TEXT_INIT;
    size_t n = 0;
    const char *scratch = h->options->scratch ? h->options->scratch : ".";
    arena_init(&a);
    const char **argv =
        arena_array(&a, (size_t)p->option_count + p->folder_count + 16, sizeof *argv);
    bool ok = (argv || error_memory(e)) && include_tree(p, scratch, &tree, e);
    if (ok) {
        static const char *const first[] = {"-O2", "-fPIC", "-shared", "-Wl,-z,defs"};
        argv[n++] = text_cstr(&h->compiler);
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            argv[n++] = first[i];
        for (uint32_t i = 0; i < p->option_count; i++) {
            if (!is_library(p->options[i]))
                argv[n++] = p->options[i];
        }
        for (uint32_t i = 0; i < p->folder_count; i++)
            argv[n++] = arena_printf(&a, "-I%s/%s", text_cstr(&tree), p->folders[i]);
        if (tree.length && p->folder_count == 0)
            argv[n++] = arena_printf(&a, "-I%s", text_cstr(&tree));
        // GCC quotes lines of whatever file #line names.
        argv[n++] = "-fno-diagnostics-show-caret";
        argv[n++] = "-o";
        argv[n++] = object;
        argv[n++] = source;
        for (uint32_t i = 0; i < p->option_count; i++) {
            if (is_library(p->options[i]))
                argv[n++] = p->options[i];
        }
        argv[n++] = "-lm";
        for (size_t i = 0; i < n; i++)
            ok = ok && (argv[i] || error_memory(e));
        ok = ok && tool_run(argv, log, status, e);
    }
    arena_release(&a);
    text_release(&tree);
    return ok;
}

// The line of the linker's or the compiler's first error, or "".
static const char *first_error(const char *log)
{
    static const char *const words[] = {"undefined reference", "error:"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !first; i++)
        first = strstr(log, words[i]);
    while (first && first > log && first[-1] != '\n')
        first--;
    return first ? first : "";
}

static bool compile(struct c_host *h, const struct job *j, uint32_t index, struct text *log,
                    struct text *object, struct result *r)
{
    const struct job_program *p = &j->programs[index];
    struct error e = ERROR_INIT;
    struct text source_path = TEXT_INIT, object_path = TEXT_INIT;
    const char *scratch = h->options->scratch ? h->options->scratch : ".";
    char ended[128];
    int status = 0;
    text_addf(&source_path, "%s/kernel.c", scratch);
    text_addf(&object_path, "%s/kernel.so", scratch);
    bool ok = !source_path.failed && !object_path.failed;
    if (!ok)
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    ok = ok && write_source(j, index, text_cstr(&source_path), r);
    if (ok && (!check_c_options(p, &e) || !run_compiler(h, p, text_cstr(&source_path),
                                                        text_cstr(&object_path), log, &status, &e)))
        ok = result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s", e.text);
    if (ok && status != 0) {
        const char *line = first_error(text_cstr(log));
        process_status_text(status, ended, sizeof ended);
        ok = *line ? result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%.*s",
                                 (int)strcspn(line, "\n"), line)
                   : result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s: the compiler %s",
                                 p->name, ended);
    }
    if (ok && !file_read(text_cstr(&object_path), 0, object, &e))
        ok = result_fail(r, STATUS_COMPILE, FAULT_WORKER, "%s", e.text);
    unlink(text_cstr(&source_path));
    unlink(text_cstr(&object_path));
    text_release(&source_path);
    text_release(&object_path);
    return ok;
}

// ---- loading

// Keeps the object's libraries loaded: a library's idle threads (OpenMP's) run in its code.
static void keep_libraries(void *handle)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map)
        return;
    for (map = map->l_next; map; map = map->l_next) {
        void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        if (library)
            dlclose(library);
    }
}

static bool load_shared_object(struct c_host *h, struct c_program *program, struct result *r)
{
    struct error e = ERROR_INIT;
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/loaded-%u.so", h->options->scratch ? h->options->scratch : ".",
              h->files++);
    bool ok = (!path.failed || error_memory(&e)) &&
              write_whole(text_cstr(&path), program->image.data, program->image.length, &e);
    h->threads = process_threads(getpid());
    if (ok) {
        program->handle = dlopen(text_cstr(&path), RTLD_NOW | RTLD_LOCAL);
        ok =
            program->handle || error_set(&e, ERROR_DEVICE, "loading what was built: %s", dlerror());
    }
    unlink(text_cstr(&path));
    text_release(&path);
    if (ok) {
        keep_libraries(program->handle);
        h->has_pool = process_has_pool(getpid());
        c_state_note(h);
    }
    return ok || result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "%s", e.text);
}

// ---- the table's functions

void *c_program_new(void *own, const struct job *j, uint32_t index, const void *image,
                    uint64_t length, struct text *log, struct result *r)
{
    struct c_host *h = own;
    struct c_program *program = calloc(1, sizeof *program);
    bool ok = program != NULL;
    if (ok && length > 0)
        text_addn(&program->image, image, (size_t)length);
    else if (ok)
        ok = compile(h, j, index, log, &program->image, r);
    if (!program || (ok && program->image.failed))
        ok = result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    if (ok && (h->options->build_only || load_shared_object(h, program, r)))
        return program;
    c_program_free(own, program);
    return NULL;
}

void c_program_free(void *own, void *program)
{
    struct c_program *p = program;
    (void)own;
    if (!p)
        return;
    if (p->handle)
        dlclose(p->handle);
    text_release(&p->image);
    free(p);
}

bool c_program_image(void *own, void *program, struct text *out, struct error *e)
{
    const struct c_program *p = program;
    (void)own;
    text_addn(out, p->image.data, p->image.length);
    return !out->failed || error_memory(e);
}

void *c_program_symbol(const void *program, const char *name)
{
    const struct c_program *p = program;
    return p->handle ? dlsym(p->handle, name) : NULL;
}
