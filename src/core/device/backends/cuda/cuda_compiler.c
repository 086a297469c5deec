// NVRTC: which architectures this version builds for, where its headers are, and one compilation: the
// code is a cubin where NVRTC makes those, else PTX.
#include "device/backends/cuda/cuda_compiler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- opening

static bool has_file(const char *folder, const char *name)
{
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/%s", folder, name);
    bool has = !path.failed && access(path.data, R_OK) == 0;
    text_release(&path);
    return has;
}

static bool ask(struct cuda_compiler *c)
{
    int count = 0;
    if (c->api.nvrtcVersion(&c->major, &c->minor) != NVRTC_SUCCESS ||
        c->api.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count > CUDA_ARCHS_MOST)
        return false;
    c->arch_count = count;
    return c->api.nvrtcGetSupportedArchs(c->archs) == NVRTC_SUCCESS;
}

// The folder of the toolkit's headers: beside the library's folder, or in the usual place of a
// library that has been installed into the system's folders.
static char *find_headers(const char *library)
{
    static const char *const from[] = {"/../include", "/../../include", "/../../../include"};
    const char *slash = strrchr(library, '/');
    for (size_t i = 0; slash && i < sizeof from / sizeof *from; i++) {
        struct text folder = TEXT_INIT;
        text_addf(&folder, "%.*s%s", (int)(slash - library), library, from[i]);
        char *real = folder.failed ? NULL : realpath(folder.data, NULL);
        text_release(&folder);
        if (real && has_file(real, "cuda_fp16.h"))
            return real;
        free(real);
    }
    return has_file("/usr/local/cuda/include", "cuda_fp16.h") ? strdup("/usr/local/cuda/include")
                                                              : NULL;
}

bool cuda_compiler_open(struct cuda_compiler *c, const char *toolkit, struct error *e)
{
    struct stat s;
    *c = (struct cuda_compiler){.opened = TEXT_INIT};
    if (!nvrtc_api_open(&c->api, toolkit, &c->opened, e))
        return false;
    if (!ask(c))
        return error_set(e, ERROR_DEVICE, "%s does not say its version and what it builds for",
                         text_cstr(&c->opened));
    if (stat(text_cstr(&c->opened), &s) == 0) {
        c->bytes = (uint64_t)s.st_size;
        c->changed_ns = (uint64_t)s.st_mtim.tv_sec * 1000000000u + (uint64_t)s.st_mtim.tv_nsec;
    }
    // Since CUDA 13 <cuda/std/...> and its like have a folder of their own.
    struct text inner = TEXT_INIT;
    c->folders[0] = find_headers(text_cstr(&c->opened));
    text_addf(&inner, "%s/cccl", c->folders[0] ? c->folders[0] : "");
    if (c->folders[0] && has_file(text_cstr(&inner), "cuda/std/version"))
        c->folders[1] = text_steal(&inner);
    text_release(&inner);
    return true;
}

void cuda_compiler_close(struct cuda_compiler *c)
{
    text_release(&c->opened);
    for (size_t i = 0; i < CUDA_FOLDERS_MOST; i++)
        free(c->folders[i]);
}

// ---- targets

// Has it `capability` with a suffix? 90a came with 12.0, 100a and what followed with themselves.
static bool has_own_features(const struct cuda_compiler *c, uint32_t capability)
{
    return capability >= 90 && c->major >= 12;
}

static bool refuse_compiler(const struct cuda_compiler *c, const char *wanted, struct error *e)
{
    struct text known = TEXT_INIT;
    for (int i = 0; i < c->arch_count; i++)
        text_addf(&known, "%ssm_%d", i ? ", " : "", c->archs[i]);
    error_set(e, ERROR_DEVICE, "NVRTC %d.%d (%s) does not build for %s, but for %s", c->major,
              c->minor, text_cstr(&c->opened), wanted, text_cstr(&known));
    text_release(&known);
    return false;
}

bool cuda_compiler_target(const struct cuda_compiler *c, uint32_t capability, char out[16],
                          struct error *e)
{
    uint32_t best = 0;
    for (int i = 0; i < c->arch_count; i++) {
        uint32_t arch = (uint32_t)c->archs[i];
        if (arch / 10 == capability / 10 && arch <= capability && arch > best)
            best = arch;
    }
    bool exact = best == capability && has_own_features(c, capability);
    arch_text(&(struct arch_name){best ? best : capability, exact ? 'a' : '\0'}, out);
    return best || refuse_compiler(c, out, e);
}

bool cuda_compiler_takes(const struct cuda_compiler *c, const struct arch_name *name,
                         struct error *e)
{
    char text[16];
    bool known = false;
    arch_text(name, text);
    for (int i = 0; i < c->arch_count; i++)
        known = known || (uint32_t)c->archs[i] == name->capability;
    return (known && (!name->suffix || has_own_features(c, name->capability))) ||
           refuse_compiler(c, text, e);
}

// ---- compiling

typedef nvrtcResult (*size_of)(nvrtcProgram program, size_t *out);
typedef nvrtcResult (*bytes_of)(nvrtcProgram program, char *out);

// The sizes count a terminator where what is fetched is text.
static nvrtcResult fetch(nvrtcProgram program, size_of size, bytes_of bytes, struct text *out)
{
    size_t n = 0;
    nvrtcResult code = size(program, &n);
    char *data = code == NVRTC_SUCCESS && n ? calloc(1, n + 1) : NULL;
    if (code == NVRTC_SUCCESS && n && !data)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (data)
        code = bytes(program, data);
    if (data && code == NVRTC_SUCCESS)
        text_addn(out, data, n);
    free(data);
    return code;
}

static void drop_terminator(struct text *t)
{
    while (t->length && t->data[t->length - 1] == '\0')
        t->length--;
}

static nvrtcResult add_kernels(const struct cuda_compiler *c, nvrtcProgram program,
                               const struct cuda_request *q)
{
    nvrtcResult code = NVRTC_SUCCESS;
    for (uint32_t i = 0; i < q->kernel_count && code == NVRTC_SUCCESS; i++)
        code = c->api.nvrtcAddNameExpression(program, q->kernels[i]);
    return code;
}

static nvrtcResult take_names(const struct cuda_compiler *c, nvrtcProgram program,
                              const struct cuda_request *q, struct cuda_code *out)
{
    nvrtcResult code = NVRTC_SUCCESS;
    for (uint32_t i = 0; i < q->kernel_count && code == NVRTC_SUCCESS; i++) {
        const char *lowered = NULL;
        code = c->api.nvrtcGetLoweredName(program, q->kernels[i], &lowered);
        if (code == NVRTC_SUCCESS && lowered)
            cuda_code_add_name(out, q->kernels[i], lowered);
    }
    return code;
}

static nvrtcResult take_code(const struct cuda_compiler *c, nvrtcProgram program,
                             const struct cuda_request *q, struct cuda_code *out)
{
    if (!q->ptx)
        return fetch(program, c->api.nvrtcGetCUBINSize, c->api.nvrtcGetCUBIN, &out->code);
    nvrtcResult code = fetch(program, c->api.nvrtcGetPTXSize, c->api.nvrtcGetPTX, &out->code);
    drop_terminator(&out->code);
    return code;
}

static bool compile_once(const struct cuda_compiler *c, const struct cuda_request *q,
                         struct cuda_code *out, nvrtcResult *result, struct error *e)
{
    nvrtcProgram program = NULL;
    const char *call = "nvrtcCreateProgram";
    nvrtcResult code = c->api.nvrtcCreateProgram(&program, q->source, q->name, (int)q->host.count,
                                                 q->host.texts, q->host.names);
    if (code == NVRTC_SUCCESS) {
        call = "nvrtcAddNameExpression";
        code = add_kernels(c, program, q);
    }
    if (code == NVRTC_SUCCESS) {
        call = "nvrtcCompileProgram";
        code = c->api.nvrtcCompileProgram(program, (int)q->option_count, q->options);
        fetch(program, c->api.nvrtcGetProgramLogSize, c->api.nvrtcGetProgramLog, &out->log);
        drop_terminator(&out->log);
    }
    if (code == NVRTC_SUCCESS) {
        call = "nvrtcGetLoweredName";
        code = take_names(c, program, q, out);
    }
    if (code == NVRTC_SUCCESS) {
        call = q->ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
        code = take_code(c, program, q, out);
    }
    if (program)
        c->api.nvrtcDestroyProgram(&program);
    *result = code;
    if (out->code.failed || out->names.failed || out->log.failed)
        return error_memory(e);
    return code == NVRTC_SUCCESS ||
           error_set_driver(e, ERROR_DEVICE, (int)code, "%s: %s (%d)", call,
                            c->api.nvrtcGetErrorString(code), (int)code);
}

bool cuda_compile(const struct cuda_compiler *c, struct cuda_request *q, struct cuda_code *out,
                  nvrtcResult *result, struct error *e)
{
    struct error first = ERROR_INIT;
    bool ok = compile_once(c, q, out, result, &first);
    while (!ok && *result == NVRTC_ERROR_COMPILATION &&
           cuda_host_add(&q->host, text_cstr(&out->log))) {
        text_clear(&out->log);
        first = (struct error)ERROR_INIT;
        ok = compile_once(c, q, out, result, &first);
    }
    if (!ok && e)
        *e = first;
    return ok;
}
