// Kernels of hone's own in CUDA: built from a text by NVRTC, kept in hone's cache, run with a list
// of arguments.
#include "device/backends/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MOST 32

struct own {
    struct cuda_code code; // until it is loaded
    CUmodule module;
    CUfunction function;
};

static bool compile(struct cuda *o, const char *source, const char *name, struct cuda_code *code,
                    struct error *e)
{
    struct text target = TEXT_INIT;
    struct digest key;
    nvrtcResult result;
    struct digest_state s;
    const uint64_t version[] = {(uint64_t)o->compiler.major, (uint64_t)o->compiler.minor,
                                o->compiler.bytes, o->compiler.changed_ns};
    text_addf(&target, "--gpu-architecture=%s", o->target);
    const char *const options[] = {text_cstr(&target), "--fmad=false"};
    struct cuda_request q = {.name = "hone's own kernel",
                             .source = source,
                             .options = options,
                             .option_count = 2,
                             .kernels = &name,
                             .kernel_count = 1};
    digest_start(&s);
    digest_add(&s, version, sizeof version);
    digest_add(&s, target.data, target.length + 1);
    digest_add(&s, source, strlen(source) + 1);
    digest_add(&s, name, strlen(name) + 1);
    digest_finish(&s, &key);
    bool ok = !target.failed || error_memory(e);
    if (ok && !cuda_cache_find(o->options->cache, &key, code)) {
        ok = cuda_compile(&o->compiler, &q, code, &result, e);
        cuda_host_release(&q.host);
        if (ok)
            cuda_cache_keep(o->options->cache, &key, code);
        else
            error_context(e, "%.400s", text_cstr(&code->log));
    }
    text_release(&target);
    return ok;
}

// Needs no card: the context may not be there yet.
void *cuda_own_kernel(void *own, const char *source, const char *name, struct error *e)
{
    struct own *k = alloc_zeroed(sizeof *k, e);
    if (!k)
        return NULL;
    k->code = (struct cuda_code)CUDA_CODE_INIT;
    if (compile(own, source, name, &k->code, e))
        return k;
    cuda_own_free(own, k);
    return NULL;
}

// A device that only builds has shown that it would build.
bool cuda_own_load(void *own, void *kernel, const char *name, struct error *e)
{
    struct cuda *o = own;
    struct own *k = kernel;
    if (!o->runs)
        return true;
    CUresult result = o->cu.cuModuleLoadData(&k->module, text_cstr(&k->code.code));
    if (result != CUDA_SUCCESS)
        return cuda_error(&o->cu, e, "cuModuleLoadData of hone's own kernels", result);
    result = o->cu.cuModuleGetFunction(&k->function, k->module, cuda_code_name(&k->code, name));
    cuda_code_release(&k->code);
    k->code = (struct cuda_code)CUDA_CODE_INIT;
    return result == CUDA_SUCCESS ||
           cuda_error(&o->cu, e, "cuModuleGetFunction of hone's own kernels", result);
}

void cuda_own_free(void *own, void *kernel)
{
    struct cuda *o = own;
    struct own *k = kernel;
    if (!k)
        return;
    if (k->module)
        o->cu.cuModuleUnload(k->module);
    cuda_code_release(&k->code);
    free(k);
}

bool cuda_own_run(void *own, void *kernel, const struct own_launch *l, struct error *e)
{
    struct cuda *o = own;
    const struct own *k = kernel;
    CUdeviceptr places[ARGUMENTS_MOST];
    void *arguments[ARGUMENTS_MOST];
    if (!o->runs)
        return error_set(e, ERROR_DEVICE, "this device was opened to build for it");
    if (l->count > ARGUMENTS_MOST)
        return error_set(e, ERROR_INTERNAL, "%u arguments of a kernel of hone's own", l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct own_argument *a = &l->arguments[i];
        if (a->memory)
            places[i] =
                a->whole ? (CUdeviceptr)(uintptr_t)a->memory->parent : cuda_at(a->memory, 0);
        // The driver copies values out of what it is given and does not write there.
        arguments[i] = a->memory ? (void *)&places[i] : (void *)(uintptr_t)a->value;
    }
    CUresult code = o->cu.cuLaunchKernel(k->function, l->groups[0], l->groups[1], 1, l->local[0],
                                         l->local[1], 1, 0, o->stream, arguments, NULL);
    return code == CUDA_SUCCESS || cuda_error(&o->cu, e, "cuLaunchKernel", code);
}
