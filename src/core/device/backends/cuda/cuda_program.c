// Programs: compiled by NVRTC, or taken from an image or from hone's cache of cubins.
#include "device/backends/cuda/cuda.h"

#include "device/build_text.h"
#include "device/include_tree.h"
#include "device/nvidia_log.h"
#include "kernel_text/device_text.h"

#include <stdlib.h>
#include <string.h>

// The last option of a plan: the assembler's report, on which registers and spills are read.
#define VERBOSE "--ptxas-options=-v"

#define CODE_RECIPE 1 // raised when the same request makes other code

// ---- what a compilation is made from

struct plan {
    struct text tree;   // the folder of the included files; without data when there are none
    struct text source; // terminated
    char **options;
    uint32_t option_count;
    const char **kernels; // that the launches want, each once
    uint32_t kernel_count;
    bool failed; // no memory
};

static void plan_release(struct plan *p)
{
    for (uint32_t i = 0; p->options && i < p->option_count; i++)
        free(p->options[i]);
    free(p->options);
    free(p->kernels);
    text_release(&p->tree);
    text_release(&p->source);
}

// A word of a plan's options, which there is room for.
static void add_option(struct plan *p, const char *first, const char *second)
{
    struct text word = TEXT_INIT;
    text_addf(&word, "%s%s", first, second);
    char *s = text_steal(&word);
    p->failed = p->failed || !s;
    if (s)
        p->options[p->option_count++] = s;
}

// Where the user's options name an architecture, theirs is taken.
static bool names_target(const struct job_program *p)
{
    static const char *const names[] = {"--gpu-architecture", "-arch"};
    for (uint32_t i = 0; i < p->option_count; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (str_starts(p->options[i], names[k]))
                return true;
        }
    }
    return false;
}

// Macros stand in front of the source, since NVRTC puts a header of its own before it, which a
// macro called T would break. The other options are words to NVRTC, so nothing is quoted.
static bool plan_source(const struct job_program *p, struct plan *out, struct error *e)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!build_check_option(p, p->options[i], e))
            return false;
        build_define(p->options[i], &out->source);
    }
    if (out->source.length)
        text_add(&out->source, "#line 1\n");
    text_addn(&out->source, p->source, (size_t)p->length);
    return !out->source.failed || error_memory(e);
}

// The toolkit's own folders come behind the user's: a file of the user's is found first.
static bool plan_options(const struct cuda *o, const struct job_program *p, bool is_left,
                         const char *target, struct plan *out, struct error *e)
{
    struct text ignored = TEXT_INIT;
    char run[24];
    out->options =
        calloc(p->option_count + p->folder_count + CUDA_FOLDERS_MOST + 7, sizeof *out->options);
    if (!out->options)
        return error_memory(e);
    if (!names_target(p))
        add_option(out, "--gpu-architecture=", target);
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!build_define(p->options[i], &ignored))
            add_option(out, p->options[i], "");
    }
    str_format(run, sizeof run, "0x%llx", (unsigned long long)p->run);
    if (p->run)
        add_option(out, "-DHONE_RUN=", run);
    // The tree's folders, or its root.
    const char *tree = out->tree.data;
    for (uint32_t i = 0; tree && i < p->folder_count; i++) {
        struct text folder = TEXT_INIT;
        text_addf(&folder, "%s%s%s", tree, *p->folders[i] ? "/" : "", p->folders[i]);
        add_option(out, "-I", text_cstr(&folder));
        text_release(&folder);
    }
    if (tree && p->folder_count == 0)
        add_option(out, "-I", tree);
    for (size_t i = 0; i < CUDA_FOLDERS_MOST && o->compiler.folders[i]; i++)
        add_option(out, "-I", o->compiler.folders[i]);
    // NVRTC's cache does not keep the assembler's report; hone keeps cubins with their logs.
    if (o->compiler.major > 12 || (o->compiler.major == 12 && o->compiler.minor >= 9))
        add_option(out, "--no-cache", "");
    // Members of classes and what headers declare, which no kernel calls; and the host's system, which its files ask for.
    if (is_left) {
        add_option(out, "--device-as-default-execution-space", "");
        add_option(out, "-D__linux__=1", "");
        add_option(out, "--pre-include=" CUDA_HOST_USUAL, "");
    }
    add_option(out, VERBOSE, "");
    text_release(&ignored);
    return !out->failed || error_memory(e);
}

static bool is_among(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(names[i], name))
            return true;
    }
    return false;
}

// `kernels` has room for one of each launch; returns how many there are.
static uint32_t list_kernels(const struct job *j, uint32_t index, const char **kernels)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < j->launch_count; i++) {
        const struct job_launch *l = &j->launches[i];
        if (l->program == index && !is_among(kernels, count, l->kernel))
            kernels[count++] = l->kernel;
    }
    return count;
}

static bool plan_kernels(const struct job *j, uint32_t index, struct plan *out)
{
    out->kernels = calloc(j->launch_count + 1, sizeof *out->kernels);
    if (out->kernels)
        out->kernel_count = list_kernels(j, index, out->kernels);
    return out->kernels != NULL;
}

// `p`: the job's program `index`, or what is left of it.
static bool plan_make(const struct cuda *o, const struct job *j, uint32_t index,
                      const struct job_program *p, const char *target, struct plan *out,
                      struct error *e)
{
    *out = (struct plan){.tree = TEXT_INIT};
    if (!include_tree(p, o->options->scratch ? o->options->scratch : ".", &out->tree, e))
        return false;
    return plan_source(p, out, e) && (plan_kernels(j, index, out) || error_memory(e)) &&
           plan_options(o, p, p != &j->programs[index], target, out, e);
}

// ---- the key of the cache: all that decides the code

static void add_bytes(struct digest_state *s, const void *bytes, uint64_t length)
{
    digest_add(s, &length, sizeof length);
    digest_add(s, bytes, (size_t)length);
}

static void add_text(struct digest_state *s, const char *text)
{
    add_bytes(s, text, strlen(text));
}

// The tree's folder is named by its contents' digest, so options hold the included texts too; they
// are added all the same, since a name may be cut short.
static void code_key(const struct cuda *o, const struct job_program *p, const struct plan *plan,
                     struct digest *out)
{
    const struct cuda_compiler *c = &o->compiler;
    struct digest_state s;
    uint64_t facts[] = {CODE_RECIPE,   (uint64_t)c->major, (uint64_t)c->minor, c->bytes,
                        c->changed_ns, plan->option_count, plan->kernel_count, p->file_count};
    digest_start(&s);
    digest_add(&s, facts, sizeof facts);
    add_text(&s, text_cstr(&c->opened));
    add_text(&s, p->name);
    add_bytes(&s, plan->source.data, plan->source.length);
    for (uint32_t i = 0; i < plan->option_count; i++)
        add_text(&s, plan->options[i]);
    for (uint32_t i = 0; i < plan->kernel_count; i++)
        add_text(&s, plan->kernels[i]);
    for (uint32_t i = 0; i < p->file_count; i++) {
        add_text(&s, p->files[i].path);
        add_bytes(&s, p->files[i].text, p->files[i].length);
    }
    digest_finish(&s, out);
}

// ---- logs

// Names files as the user does, and leaves out what differs from run to run: images of equal code
// shall be equal.
static void tidy_log(struct text *log, const char *tree)
{
    struct text out = TEXT_INIT;
    size_t n = tree ? strlen(tree) : 0;
    const char *at = text_cstr(log);
    while (*at) {
        size_t length = strcspn(at, "\n");
        const char *end = at + length + (at[length] == '\n');
        bool drop = length == 0 || (str_starts(at, "ptxas") &&
                                    memmem(at, length, "Compile time", strlen("Compile time")));
        while (!drop && at < end) {
            if (n && (size_t)(end - at) > n && strncmp(at, tree, n) == 0 && at[n] == '/')
                at += n + 1;
            else
                text_addc(&out, *at++);
        }
        at = end;
    }
    text_release(log);
    *log = out;
}

static bool is_error(const char *line, size_t length)
{
    static const char *const signs[] = {": error", ": catastrophic error", "ptxas error",
                                        "ptxas fatal", "error   :"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (memmem(line, length, signs[i], strlen(signs[i])))
            return true;
    }
    return false;
}

static bool first_error(const char *log, char *line, size_t size)
{
    for (const char *at = log; *at; at += strspn(at, "\n")) {
        size_t n = strcspn(at, "\n");
        if (is_error(at, n)) {
            str_format(line, size, "%.*s", (int)(n < size ? n : size - 1), at);
            return true;
        }
        at += n;
    }
    return false;
}

// ---- kernels that are not there

// NVRTC reports a requested name with a place in a file of its own making.
#define NAME_FILE  "__nv_name_map("
#define NAME_ASKED "Input name expression was: \""

static bool report_name(const struct job_program *p, const char *log, const char *line,
                        struct result *r)
{
    const char *asked = strstr(log, NAME_ASKED), *what = strstr(line, "error: ");
    struct text known = TEXT_INIT;
    size_t n = 0;
    if (asked) {
        asked += strlen(NAME_ASKED);
        asked += strspn(asked, " ");
        n = strcspn(asked, "\"\n");
    }
    device_text_kernels(p->source, (size_t)p->length, LANGUAGE_CUDA, &known);
    for (uint32_t i = 0; i < p->file_count; i++)
        device_text_kernels(p->files[i].text, (size_t)p->files[i].length, LANGUAGE_CUDA, &known);
    const char *has = known.length ? text_cstr(&known) : "none";
    if (strstr(line, "is undefined"))
        result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                    "kernel '%.*s' is not in the program; it has: %s", (int)n, asked ? asked : "",
                    has);
    else
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                    "kernel '%.*s' of %s cannot be found by this name: %s; there are: %s", (int)n,
                    asked ? asked : "", p->name, what ? what + strlen("error: ") : line, has);
    text_release(&known);
    return false;
}

// ---- building

static bool report_failure(const struct job_program *p, const struct cuda_code *code,
                           nvrtcResult result, const struct error *e, struct result *r)
{
    char line[400];
    const char *log = text_cstr(&code->log);
    if (!first_error(log, line, sizeof line))
        return result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s does not build: %s", p->name,
                           e->text);
    if (result == NVRTC_ERROR_INVALID_OPTION)
        return result_fail(r, STATUS_COMPILE, FAULT_SPEC, "%s does not build: %s", p->name, line);
    if (str_starts(line, NAME_FILE))
        return report_name(p, log, line, r);
    bool limit = nvidia_log_is_limit(line);
    result_fail(r, limit ? STATUS_CONSTRAINTS : STATUS_COMPILE, FAULT_CONFIGURATION,
                "%s does not build: %s", p->name, line);
    r->device_limit = r->device_limit || limit;
    return false;
}

static struct cuda_request request_of(const struct job_program *p, const struct plan *plan)
{
    return (struct cuda_request){
        .name = p->name,
        .source = text_cstr(&plan->source),
        .options = (const char *const *)plan->options,
        .option_count = plan->option_count,
        .kernels = plan->kernels,
        .kernel_count = plan->kernel_count,
    };
}

// Asked to report, the assembler keeps its errors to itself: they are fetched without. (A failed
// build may take its time.)
static bool compile(const struct cuda *o, struct cuda_request *request, const struct plan *plan,
                    struct cuda_code *out, nvrtcResult *result, struct error *e)
{
    char line[8];
    bool ok = cuda_compile(&o->compiler, request, out, result, e);
    if (!ok && *result == NVRTC_ERROR_COMPILATION &&
        !first_error(text_cstr(&out->log), line, sizeof line)) {
        text_clear(&out->log);
        request->option_count--; // VERBOSE
        cuda_compile(&o->compiler, request, out, result, NULL);
    }
    tidy_log(&out->log, plan->tree.data);
    return ok;
}

// ---- a file that is meant for nvcc

// The macros that options define.
static bool take_macros(const struct job_program *p, struct arena *a, struct scan_names *names,
                        struct follow_macro *macros)
{
    const char **list = arena_array(a, p->option_count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list && i < p->option_count; i++) {
        const char *option = p->options[i], *equals = strchr(option, '=');
        if (!str_starts(option, "-D") || !option[2])
            continue;
        const size_t length = equals ? (size_t)(equals - option - 2) : strlen(option + 2);
        macros[names->count] = (struct follow_macro){true, equals ? equals + 1 : "1"};
        list[names->count] = arena_strndup(a, option + 2, length);
        if (!list[names->count++])
            return false;
    }
    names->items = list;
    return list != NULL;
}

#define FAULTS_MOST 256
#define ROUNDS_MOST 12

// A program without what a compiler of the device alone cannot take. Lines that NVRTC refuses, and headers of the
// toolkit's that it refuses whole, are left out too, round by round, until the kernels compile or no more can go.
struct left_program {
    struct arena arena;
    struct device_program text;
    struct job_program program;
    struct device_fault faults[FAULTS_MOST];
    struct cuda_host host;
    struct text refused; // the first error of each round, and headers
};

// False: there is no host code, or no memory.
static bool leave_host_out(const struct job *j, uint32_t index, struct left_program *l)
{
    const struct job_program *p = &j->programs[index];
    struct arena *a = &l->arena;
    struct scan_names *names = arena_alloc(a, sizeof *names);
    struct follow_macro *macros = arena_array(a, p->option_count + (size_t)1, sizeof *macros);
    struct job_file *files = arena_array(a, p->file_count + (size_t)1, sizeof *files);
    const char **kernels = arena_array(a, j->launch_count + (size_t)1, sizeof *kernels);
    struct device_program *d = &l->text;
    d->files = arena_array(a, p->file_count + (size_t)1, sizeof *d->files);
    if (!names || !macros || !files || !kernels || !d->files || !take_macros(p, a, names, macros))
        return false;
    d->count = p->file_count + 1;
    d->terms = (struct macro_terms){names, macros, .language = LANGUAGE_CUDA};
    d->kernels = kernels;
    d->kernel_count = list_kernels(j, index, kernels);
    d->faults = l->faults;
    d->faulty = d->left_out = d->first_line = 0;
    d->files[0] = (struct device_file){p->name, p->source, (size_t)p->length, NULL, 0};
    for (uint32_t i = 0; i < p->file_count; i++)
        d->files[i + 1] = (struct device_file){p->files[i].path, p->files[i].text,
                                               (size_t)p->files[i].length, NULL, 0};
    if (!device_text_make(d, a) || !d->files[0].device)
        return false;
    l->program = *p;
    l->program.source = d->files[0].device;
    l->program.length = d->files[0].device_length;
    for (uint32_t i = 0; i < p->file_count; i++)
        files[i] = (struct job_file){p->files[i].path, d->files[i + 1].device,
                                     d->files[i + 1].device_length};
    l->program.files = files;
    // NVRTC looks beside a name with a folder first, where the files still are as they were.
    const char *slash = strrchr(p->name, '/');
    l->program.name = slash ? slash + 1 : p->name;
    return true;
}

// In front of the log: what was left out, and what was taken as empty.
static void tell_left_out(const struct left_program *l, struct text *log)
{
    struct text all = TEXT_INIT;
    const struct text *not_found = &l->host.not_found;
    if (l->text.first_line)
        text_addf(&all, "the host's code from line %u on is left out", l->text.first_line);
    else
        text_add(&all, "what the kernel does not need is left out");
    if (not_found->length)
        text_addf(&all, ", and %s, which was not found, is taken as empty", not_found->data);
    text_addf(&all, "\n%s%s", text_cstr(&l->refused), text_cstr(log));
    text_release(log);
    *log = all;
}

// The file of the program that a log names, or UINT32_MAX.
static uint32_t find_logged_file(const struct left_program *l, const char *name)
{
    const size_t length = strlen(name);
    if (str_equal(name, l->program.name))
        return 0;
    for (uint32_t i = 1; i < l->text.count; i++) {
        const char *path = l->text.files[i].path;
        const size_t own = strlen(path);
        if (length >= own && strcmp(name + length - own, path) == 0 &&
            (length == own || name[length - own - 1] == '/'))
            return i;
    }
    return UINT32_MAX;
}

static bool is_named_in(const struct left_program *l, const char *name)
{
    for (uint32_t i = 0; i < l->text.count; i++) {
        if (memmem(l->text.files[i].text, l->text.files[i].length, name, strlen(name)))
            return true;
    }
    return false;
}

// A header of the toolkit's that the program includes and NVRTC refuses is the host's.
static bool empty_header(const struct cuda *o, struct left_program *l, const char *path)
{
    for (size_t i = 0; i < CUDA_FOLDERS_MOST && o->compiler.folders[i]; i++) {
        const char *folder = o->compiler.folders[i];
        const size_t length = strlen(folder);
        if (str_starts(path, folder) && path[length] == '/' && is_named_in(l, path + length + 1) &&
            cuda_host_add_empty(&l->host, path + length + 1)) {
            text_addf(&l->refused, "%s is taken as empty: it is the host's\n", path + length + 1);
            return true;
        }
    }
    return false;
}

// Notes what the log refuses. True: a header was made empty by that.
static bool note_refused(const struct cuda *o, struct left_program *l, const char *log)
{
    char name[1024];
    uint32_t line;
    bool has_header = false;
    for (const char *at = log; cuda_log_next_error(&at, name, sizeof name, &line);) {
        const uint32_t file = find_logged_file(l, name);
        if (file == UINT32_MAX)
            has_header |= empty_header(o, l, name);
        else if (l->text.fault_count < FAULTS_MOST)
            l->faults[l->text.fault_count++] = (struct device_fault){file, line};
    }
    return has_header;
}

// Leaves out more by the log of the compilation before. False: there is nothing (more) to leave out.
static bool leave_more_out(const struct cuda *o, const struct job *j, uint32_t index,
                           const char *log, struct left_program *l)
{
    char first[400];
    const uint32_t faulty = l->text.faulty;
    const bool is_first = l->text.count == 0;
    const bool has_header = !is_first && note_refused(o, l, log);
    arena_empty(&l->arena);
    if (!leave_host_out(j, index, l) || (!is_first && !has_header && l->text.faulty == faulty))
        return false;
    if (l->text.faulty > faulty && first_error(log, first, sizeof first)) {
        const char *error = strstr(first, ": error: ");
        text_addf(&l->refused, "left out, unless the kernel needs it: %.*s%s%s\n",
                  (int)(error ? error - first : (ptrdiff_t)strlen(first)), first, error ? ": " : "",
                  error ? error + strlen(": error: ") : "");
    }
    return true;
}

// Once more, without the host's code, where there is some; what was compiled before is replaced.
static bool compile_device_alone(const struct cuda *o, const struct job *j, uint32_t index,
                                 const char *target, bool ptx, struct cuda_code *out,
                                 nvrtcResult *result, struct error *e)
{
    struct left_program l = {.host = {.takes_any = true}, .refused = TEXT_INIT};
    bool ok = false;
    int rounds = 0;
    arena_init(&l.arena);
    cuda_host_add_usual(&l.host);
    while (!ok && rounds < ROUNDS_MOST && *result == NVRTC_ERROR_COMPILATION &&
           leave_more_out(o, j, index, text_cstr(&out->log), &l)) {
        struct plan plan;
        rounds++;
        *e = (struct error)ERROR_INIT;
        ok = plan_make(o, j, index, &l.program, target, &plan, e);
        struct cuda_request request = request_of(&l.program, &plan);
        request.ptx = ptx;
        request.host = l.host;
        cuda_code_release(out);
        *out = (struct cuda_code)CUDA_CODE_INIT;
        ok = ok && compile(o, &request, &plan, out, result, e);
        l.host = request.host;
        plan_release(&plan);
    }
    if (rounds)
        tell_left_out(&l, &out->log);
    cuda_host_release(&l.host);
    text_release(&l.refused);
    arena_release(&l.arena);
    return ok;
}

// PTX, which the driver assembles when it loads it, or a cubin.
static bool take_code(const struct job_program *p, struct cuda_code *out, struct result *r)
{
    if (code_form_of(p->source, p->length) == FORM_SPIRV)
        return result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                           "%s is SPIR-V, which CUDA does not load; it loads PTX and cubins",
                           p->name);
    text_addn(&out->code, p->source, (size_t)p->length);
    return !out->code.failed || result_fail(r, STATUS_COMPILE, FAULT_WORKER, "out of memory");
}

static bool build(struct cuda *o, const struct job *j, uint32_t index, struct cuda_code *out,
                  struct result *r)
{
    const struct job_program *p = &j->programs[index];
    if (code_form_of(p->source, p->length) != FORM_SOURCE)
        return take_code(p, out, r);
    struct error e = ERROR_INIT;
    struct plan plan;
    struct digest key;
    nvrtcResult result = NVRTC_SUCCESS;
    struct cuda_request request;
    bool ok = plan_make(o, j, index, p, o->target, &plan, &e);
    if (!ok) {
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s: %s", p->name, e.text);
        goto done;
    }
    code_key(o, p, &plan, &key);
    if (cuda_cache_find(o->options->cache, &key, out))
        goto done;
    request = request_of(p, &plan);
    ok = compile(o, &request, &plan, out, &result, &e) ||
         (result == NVRTC_ERROR_COMPILATION &&
          compile_device_alone(o, j, index, o->target, false, out, &result, &e));
    cuda_host_release(&request.host);
    if (ok)
        cuda_cache_keep(o->options->cache, &key, out);
    else
        report_failure(p, out, result, &e, r);
done:
    plan_release(&plan);
    return ok;
}

// False: the driver does not take the code.
static bool load_cuda_module(struct cuda *o, struct cuda_program *p, CUresult *code)
{
    *code = o->runs ? o->cu.cuModuleLoadData(&p->module, text_cstr(&p->code.code)) : CUDA_SUCCESS;
    return *code == CUDA_SUCCESS;
}

static bool build_and_load(struct cuda *o, struct cuda_program *p, struct result *r)
{
    CUresult code;
    char text[256];
    if (!build(o, p->job, p->index, &p->code, r))
        return false;
    const struct job_program *from = &p->job->programs[p->index];
    bool is_built = code_form_of(from->source, from->length) == FORM_SOURCE;
    return load_cuda_module(o, p, &code) ||
           result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                       "%s%s%s, and the driver does not load it: cuModuleLoadData: %s", from->name,
                       is_built ? " is built for " : " is taken as it is",
                       is_built ? o->target : "", cuda_code_text(&o->cu, code, text, sizeof text));
}

// An image that another driver or compiler made, or a damaged one: the source is built instead.
static bool load_image(struct cuda *o, struct cuda_program *p, const void *image, uint64_t length)
{
    CUresult code;
    if (length == 0 || !cuda_code_read(image, (size_t)length, &p->code))
        return false;
    if (load_cuda_module(o, p, &code))
        return true;
    cuda_code_release(&p->code);
    p->code = (struct cuda_code)CUDA_CODE_INIT;
    return false;
}

void *cuda_program_new(void *own, const struct job *j, uint32_t index, const void *image,
                       uint64_t length, struct text *log, struct result *r)
{
    struct cuda *o = own;
    struct cuda_program *p = calloc(1, sizeof *p);
    if (!p) {
        result_fail(r, STATUS_COMPILE, FAULT_WORKER, "out of memory");
        return NULL;
    }
    p->job = j;
    p->index = index;
    bool ok = load_image(o, p, image, length) || build_and_load(o, p, r);
    text_addn(log, text_cstr(&p->code.log), p->code.log.length);
    if (ok)
        return p;
    cuda_program_free(o, p);
    return NULL;
}

void cuda_program_free(void *own, void *program)
{
    struct cuda *o = own;
    struct cuda_program *p = program;
    if (!p)
        return;
    if (p->module)
        o->cu.cuModuleUnload(p->module);
    cuda_code_release(&p->code);
    free(p);
}

bool cuda_program_image(void *own, void *program, struct text *out, struct error *e)
{
    (void)own;
    return cuda_code_write(&((struct cuda_program *)program)->code, out, e);
}

bool cuda_program_binary(void *own, void *program, struct text *out, struct error *e)
{
    const struct cuda_program *p = program;
    (void)own;
    text_addn(out, p->code.code.data, p->code.code.length);
    return !out->failed || error_memory(e);
}

// A compilation of its own: a cubin does not hold the PTX that it was assembled from.
bool cuda_program_ptx(void *own, void *program, struct text *out, struct error *e)
{
    struct cuda *o = own;
    const struct cuda_program *p = program;
    struct cuda_code code = CUDA_CODE_INIT;
    struct plan plan;
    nvrtcResult result;
    char target[24];
    str_format(target, sizeof target, "compute%s", strchr(o->target, '_'));
    const struct job_program *text = &p->job->programs[p->index];
    enum code_form form = code_form_of(text->source, text->length);
    if (form == FORM_CUBIN)
        return error_set(e, ERROR_USAGE, "%s is a cubin, which holds no PTX", text->name);
    if (form == FORM_PTX)
        return cuda_program_binary(own, program, out, e);
    bool ok = plan_make(o, p->job, p->index, text, target, &plan, e);
    if (ok) {
        struct cuda_request request = request_of(text, &plan);
        request.ptx = true;
        ok = cuda_compile(&o->compiler, &request, &code, &result, e) ||
             (result == NVRTC_ERROR_COMPILATION &&
              compile_device_alone(o, p->job, p->index, target, true, &code, &result, e));
        cuda_host_release(&request.host);
    }
    if (ok)
        text_addn(out, code.code.data, code.code.length);
    cuda_code_release(&code);
    plan_release(&plan);
    return ok && (!out->failed || error_memory(e));
}
