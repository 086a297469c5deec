// Programs: from source, or from the PTX that a build worker made.
#include "device/backends/opencl/opencl.h"

#include "device/build_text.h"
#include "device/include_tree.h"
#include "device/nvidia_log.h"
#include "device/backends/opencl/opencl_log.h"
#include "device/retarget.h"

#include <stdlib.h>
#include <string.h>

// As the driver hands it over.
static bool get_binary(struct opencl *o, cl_program program, struct text *out, struct error *e)
{
    size_t n = 0;
    unsigned char *bytes = NULL;
    cl_int code = o->cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
    if (code == CL_SUCCESS && !(bytes = malloc(n + 1)))
        return error_memory(e);
    if (code == CL_SUCCESS)
        code = o->cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    if (code == CL_SUCCESS)
        text_addn(out, bytes, n);
    free(bytes);
    if (code != CL_SUCCESS)
        return opencl_error(e, "clGetProgramInfo", code);
    return !out->failed || error_memory(e);
}

static void add_log(struct opencl *o, cl_program program, struct text *log)
{
    size_t n = 0;
    char *s = NULL;
    if (o->cl.clGetProgramBuildInfo(program, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &n) == 0 &&
        n > 1)
        s = calloc(1, n + 1);
    if (s && o->cl.clGetProgramBuildInfo(program, o->device, CL_PROGRAM_BUILD_LOG, n, s, NULL) == 0)
        text_add(log, s);
    free(s);
}

static const char *first_error(const char *log, char *line, size_t size)
{
    const char *at = strstr(log, "error");
    if (!at)
        return NULL;
    while (at > log && at[-1] != '\n')
        at--;
    size_t n = strcspn(at, "\r\n");
    str_format(line, size, "%.*s", (int)(n < size ? n : size - 1), at);
    return line;
}

// Compilers name the text that they are given by a file of their own (PoCL, Oclgrind) or a word
// (NVIDIA), and what it includes by its copy in the include tree; the user knows other names.
static void add_with_names(const struct job_program *p, const char *line, const char *tree,
                           struct text *out)
{
    static const char *const own[] = {"tempfile", "<kernel>", "input.cl"};
    const char *at = tree ? strstr(line, tree) : NULL, *from;
    if (at) {
        text_addf(out, "%.*s%s", (int)(at - line), line, at + strlen(tree) + 1);
        return;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own && !at; i++)
        at = strstr(line, own[i]);
    if (!at) {
        text_add(out, line);
        return;
    }
    for (from = at; from > line && from[-1] != ' ';)
        from--;
    text_addf(out, "%.*s%s%s", (int)(from - line), line, p->name, at + strcspn(at, ":"));
}

// No compiler's: of a command before, of which a driver tells with whatever call comes next.
static bool is_commands(cl_int code)
{
    return code == CL_INVALID_COMMAND_QUEUE || code == OPENCL_ILLEGAL_ACCESS;
}

static bool report_failure(const struct job_program *p, const char *tree, cl_int code,
                           const char *log, struct result *r)
{
    char text[128], line[400];
    struct text why = TEXT_INIT;
    if (first_error(log, line, sizeof line))
        add_with_names(p, line, tree, &why);
    else if (is_commands(code))
        return result_fail(r, STATUS_RUNTIME, FAULT_DEVICE,
                           "%s: clBuildProgram tells of a command before it: %s", p->name,
                           opencl_code_text(code, text));
    else
        text_addf(&why, "clBuildProgram: %s", opencl_code_text(code, text));
    if (strstr(text_cstr(&why), "<command line>"))
        text_add(&why, "; a -D option stands there: a parameter or constant of the spec that is "
                       "called as an argument or variable of the source?");
    bool limit = nvidia_log_is_limit(text_cstr(&why));
    result_fail(r, limit ? STATUS_CONSTRAINTS : STATUS_COMPILE, FAULT_CONFIGURATION,
                "%s does not build: %s", p->name, text_cstr(&why));
    r->device_limit = limit;
    text_release(&why);
    return false;
}

// NVIDIA's assembler then reports registers, spills and shared memory; others keep what the source
// says of arguments, which messages show.
static const char *extra_option(const struct opencl *o)
{
    return o->nvidia ? "-cl-nv-verbose" : "-cl-kernel-arg-info";
}

// The inputs of a build; `tree` is the folder of the included files, empty if there are none.
struct texts {
    struct text options, source, tree;
};

// A program that was created; NULL where the driver does not build it, which is the result's failure (NULL: nobody's).
static cl_program build_created(struct opencl *o, const struct job_program *p, cl_program program,
                                const struct texts *texts, struct text *log, struct result *r)
{
    size_t before = log->length;
    cl_int code =
        o->cl.clBuildProgram(program, 1, &o->device, text_cstr(&texts->options), NULL, NULL);
    add_log(o, program, log);
    if (code == CL_SUCCESS)
        return program;
    if (r)
        report_failure(p, texts->tree.data, code, text_cstr(log) + before, r);
    o->cl.clReleaseProgram(program);
    return NULL;
}

static cl_program build_source_text(struct opencl *o, const struct job_program *p,
                                    const struct texts *texts, struct text *log, struct result *r)
{
    cl_int code;
    char text[128];
    const char *start = texts->source.data;
    cl_program program =
        o->cl.clCreateProgramWithSource(o->context, 1, &start, &texts->source.length, &code);
    if (program)
        return build_created(o, p, program, texts, log, r);
    result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s: clCreateProgramWithSource: %s",
                p->name, opencl_code_text(code, text));
    return NULL;
}

static cl_program create_of_binary(struct opencl *o, const void *data, size_t length, cl_int *code)
{
    cl_int status;
    const unsigned char *bytes = data;
    return o->cl.clCreateProgramWithBinary(o->context, 1, &o->device, &length, &bytes, &status,
                                           code);
}

// Code that a compiler made: SPIR-V, or a binary of this driver's own (NVIDIA's: PTX). Options that define macros are for
// compilers of sources.
static cl_program build_code(struct opencl *o, const struct job_program *p, struct texts *texts,
                             struct text *log, struct result *r)
{
    char text[128];
    cl_int code = CL_SUCCESS;
    cl_program program;
    if (code_form_of(p->source, p->length) == FORM_SPIRV) {
        program = opencl_il_create(o, p, r);
        text_clear(&texts->options);
        for (uint32_t i = 0; i < p->option_count; i++)
            text_addf(&texts->options, "%s%s", str_starts(p->options[i], "-D") ? "" : " ",
                      str_starts(p->options[i], "-D") ? "" : p->options[i]);
        return program ? build_created(o, p, program, texts, log, r) : NULL;
    }
    program = create_of_binary(o, p->source, (size_t)p->length, &code);
    if (program)
        return build_created(o, p, program, texts, log, r);
    result_fail(
        r, STATUS_COMPILE, FAULT_CONFIGURATION,
        "%s is compiled code, which this driver does not take: clCreateProgramWithBinary: %s",
        p->name, opencl_code_text(code, text));
    return NULL;
}

// ---- the same text again -----------------------------------------------------------------------

// PoCL finds in its cache what it built before, but reads the text and all of its own headers first. Jobs that differ in inputs
// alone come close behind each other.
static bool is_kept(const struct opencl *o, const struct texts *t)
{
    return o->pocl && o->cl.clRetainProgram && !t->tree.data;
}

static void texts_digest(const struct texts *t, struct digest *out)
{
    struct digest_state s;
    digest_start(&s);
    digest_add(&s, text_cstr(&t->options), t->options.length + 1);
    digest_add(&s, t->source.data, t->source.length);
    digest_finish(&s, out);
}

static cl_program find_kept(struct opencl *o, const struct texts *t)
{
    struct digest own;
    texts_digest(t, &own);
    for (uint32_t i = 0; is_kept(o, t) && i < OPENCL_KEPT; i++) {
        const struct opencl_kept *k = &o->kept[i];
        if (k->program && digest_equal(&k->texts, &own) &&
            o->cl.clRetainProgram(k->program) == CL_SUCCESS)
            return k->program;
    }
    return NULL;
}

static void keep_program(struct opencl *o, const struct texts *t, cl_program program)
{
    struct opencl_kept *k = &o->kept[o->next_kept];
    if (!is_kept(o, t) || o->cl.clRetainProgram(program) != CL_SUCCESS)
        return;
    opencl_program_free(o, k->program);
    k->program = program;
    texts_digest(t, &k->texts);
    o->next_kept = (o->next_kept + 1) % OPENCL_KEPT;
}

void opencl_programs_release(struct opencl *o)
{
    for (uint32_t i = 0; i < OPENCL_KEPT; i++)
        opencl_program_free(o, o->kept[i].program);
}

static cl_program build_or_find(struct opencl *o, const struct job_program *p,
                                const struct texts *texts, struct text *log, struct result *r)
{
    cl_program program = find_kept(o, texts);
    const size_t before = log->length;
    if (program)
        return program;
    program = build_source_text(o, p, texts, log, r);
    if (program && log->length == before) // one with warnings is to say them again
        keep_program(o, texts, program);
    return program;
}

// ---- another target ----------------------------------------------------------------------------

// The driver's PTX, rewritten for the program's own target.
static bool rewrite(struct opencl *o, const struct job_program *p, cl_program built,
                    struct text *out, struct result *r)
{
    struct text ptx = TEXT_INIT;
    struct error e = ERROR_INIT;
    bool ok = get_binary(o, built, &ptx, &e) &&
              ptx_retarget(text_cstr(&ptx), ptx.length, p->retarget, out, &e);
    text_release(&ptx);
    return ok || result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s: retarget to %s: %s",
                             p->name, p->retarget, e.text);
}

static cl_program build_rewritten(struct opencl *o, const struct job_program *p,
                                  const struct text *ptx, const struct texts *texts,
                                  struct text *log, struct result *r)
{
    cl_int code;
    char text[128];
    cl_program program = create_of_binary(o, ptx->data, ptx->length, &code);
    if (program)
        return build_created(o, p, program, texts, log, r);
    result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                "%s: retarget to %s: clCreateProgramWithBinary: %s", p->name, p->retarget,
                opencl_code_text(code, text));
    return NULL;
}

// Built from source for the driver's own target, then from the PTX of that for the program's. The
// first one's log says what nobody runs (registers without what is spliced in); it is kept only
// where it is all there is.
static cl_program build_retargeted(struct opencl *o, const struct job_program *p,
                                   const struct texts *texts, struct text *log, struct result *r)
{
    struct text ptx = TEXT_INIT, first_log = TEXT_INIT;
    cl_program program = NULL, first = NULL;
    if (!o->nvidia)
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                    "%s: retarget to %s: this driver does not compile to PTX, NVIDIA's does; the "
                    "spec's Retarget needs a When, such as device_capability == 90",
                    p->name, p->retarget);
    else
        first = build_source_text(o, p, texts, &first_log, r);
    if (first && rewrite(o, p, first, &ptx, r))
        program = build_rewritten(o, p, &ptx, texts, log, r);
    else
        text_addn(log, first_log.data, first_log.length);
    if (first)
        o->cl.clReleaseProgram(first);
    text_release(&first_log);
    text_release(&ptx);
    return program;
}

// ---- all together ------------------------------------------------------------------------------

void *opencl_program_new(void *own, const struct job *j, uint32_t index, const void *image,
                         uint64_t length, struct text *log, struct result *r)
{
    struct opencl *o = own;
    const struct job_program *p = &j->programs[index];
    struct error e = ERROR_INIT;
    struct texts texts = {TEXT_INIT, TEXT_INIT, TEXT_INIT};
    cl_program program = NULL;
    cl_int code;
    if (!(include_tree(p, o->options->scratch ? o->options->scratch : ".", &texts.tree, &e) &&
          build_options(LANGUAGE_OPENCL, p, texts.tree.data, extra_option(o), &texts.options, &e) &&
          build_source(LANGUAGE_OPENCL, p, &texts.source, &e))) {
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s: %s", p->name, e.text);
        goto done;
    }
    if (length)
        program = create_of_binary(o, image, (size_t)length, &code);
    if (program) // where the driver does not take it, the source is built instead
        program = build_created(o, p, program, &texts, log, NULL);
    if (program) // what its log says is known from where the image was made
        goto done;
    bool is_code = code_form_of(p->source, p->length) != FORM_SOURCE;
    program = is_code       ? build_code(o, p, &texts, log, r)
              : p->retarget ? build_retargeted(o, p, &texts, log, r)
                            : build_or_find(o, p, &texts, log, r);
    if (program) {
        // The log of this build alone, completed from the cache where the driver's own cache left
        // it empty.
        struct text ptx = TEXT_INIT;
        if (o->nvidia && o->options->cache && get_binary(o, program, &ptx, NULL))
            opencl_log_complete(o->options->cache, ptx.data, ptx.length, log);
        text_release(&ptx);
    }
done:
    text_release(&texts.options);
    text_release(&texts.source);
    text_release(&texts.tree);
    return program;
}

void opencl_program_free(void *own, void *program)
{
    if (program)
        ((struct opencl *)own)->cl.clReleaseProgram(program);
}

// Only NVIDIA's: PTX text that loads in a millisecond once its disk cache knows it. PoCL's binaries
// hold a generic work-group function that a launch with a local size does not use.
bool opencl_program_image(void *own, void *program, struct text *out, struct error *e)
{
    struct opencl *o = own;
    return !o->nvidia || get_binary(o, program, out, e);
}

// NVIDIA's driver counts null bytes behind its PTX; assemblers and editors do not want them.
bool opencl_program_binary(void *own, void *program, struct text *out, struct error *e)
{
    struct opencl *o = own;
    if (!get_binary(o, program, out, e))
        return false;
    while (o->nvidia && out->length > 0 && out->data[out->length - 1] == '\0')
        out->length--;
    return true;
}
