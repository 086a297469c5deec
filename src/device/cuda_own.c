// Kernels of hone's own in CUDA: built from a text by NVRTC, kept in hone's cache, run with a list
// of arguments.
#include "device/cuda.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MOST 32

struct own {
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
    const struct cuda_request q = {"hone's own kernel", source, options, 2, &name, 1, false};
    digest_start(&s);
    digest_add(&s, version, sizeof version);
    digest_add(&s, target.data, target.length + 1);
    digest_add(&s, source, strlen(source) + 1);
    digest_add(&s, name, strlen(name) + 1);
    digest_finish(&s, &key);
    bool ok = !target.failed || error_memory(e);
    if (ok && !cuda_cache_find(o->options->cache, &key, code)) {
        ok = cuda_compile(&o->compiler, &q, code, &result, e);
        if (ok)
            cuda_cache_keep(o->options->cache, &key, code);
        else
            error_context(e, "%.400s", text_cstr(&code->log));
    }
    text_release(&target);
    return ok;
}

static bool load(struct cuda *o, struct own *k, const struct cuda_code *code, const char *name,
                 struct error *e)
{
    // The context is current in the thread that opened the device; this may be another.
    CUresult result = o->cu.cuCtxSetCurrent(o->context);
    if (result != CUDA_SUCCESS)
        return cuda_error(&o->cu, e, "cuCtxSetCurrent", result);
    result = o->cu.cuModuleLoadData(&k->module, text_cstr(&code->code));
    if (result != CUDA_SUCCESS)
        return cuda_error(&o->cu, e, "cuModuleLoadData of hone's own kernels", result);
    result = o->cu.cuModuleGetFunction(&k->function, k->module, cuda_code_name(code, name));
    return result == CUDA_SUCCESS ||
           cuda_error(&o->cu, e, "cuModuleGetFunction of hone's own kernels", result);
}

void *cuda_own_kernel(void *own, const char *source, const char *name, struct error *e)
{
    struct cuda *o = own;
    struct cuda_code code = CUDA_CODE_INIT;
    struct own *k = calloc(1, sizeof *k);
    bool ok = k || error_memory(e);
    // A device that only builds shows that it would build.
    ok = ok && compile(o, source, name, &code, e) && (!o->runs || load(o, k, &code, name, e));
    cuda_code_release(&code);
    if (ok)
        return k;
    cuda_own_free(o, k);
    return NULL;
}

void cuda_own_free(void *own, void *kernel)
{
    struct cuda *o = own;
    struct own *k = kernel;
    if (k && k->module)
        o->cu.cuModuleUnload(k->module);
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
