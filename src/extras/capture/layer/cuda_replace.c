// `hone with` for CUDA: launches of kernels that a table has run as the tuned kernel, everything else as the program's own. The tuned
// text is compiled by the NVRTC that the program itself uses, beside the program's own build.
#include "extras/capture/capture_guard.h"
#include "extras/capture/capture_words.h"
#include "extras/capture/layer/cuda_layer.h"
#include "extras/capture/layer/replace_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 512 };

struct cuda_replacement {
    struct replace_state state;
    CUdevice device;
    struct cuda_text *text; // an image's, with a user
    char *source;
};

// ---- building ----------------------------------------------------------------------------------

static nvrtcProgram make_program(const struct cuda_replacement *r)
{
    const struct layer_part *part = r->text->program.parts;
    const uint32_t count = r->text->program.part_count ? part->header_count : 0;
    const char **texts = calloc(2 * (count + (size_t)1), sizeof *texts);
    const char **names = texts ? texts + count + 1 : NULL;
    nvrtcProgram p = NULL;
    for (uint32_t i = 0; texts && i < count; i++) {
        texts[i] = part->headers[i].text;
        names[i] = part->headers[i].name;
    }
    if (texts && cuda_below.nvrtc.nvrtcCreateProgram(&p, r->source, "kernel.cu", (int)count, texts,
                                                     names) != NVRTC_SUCCESS)
        p = NULL;
    if (p && r->state.table->function)
        cuda_below.nvrtc.nvrtcAddNameExpression(p, r->state.table->function);
    const char *names_end = r->text->expressions + r->text->expressions_length;
    for (const char *at = r->text->expressions; p && at < names_end; at += strlen(at) + 1)
        cuda_below.nvrtc.nvrtcAddNameExpression(p, at);
    free(texts);
    return p;
}

static bool compile_tuned(const struct cuda_replacement *r, nvrtcProgram p, const char *options)
{
    char *words[WORDS_MOST], target[64];
    int major = 0, minor = 0, count = 1;
    cuda_below.driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                           r->device);
    cuda_below.driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                           r->device);
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d%d%s", major, minor,
             major >= 9 ? "a" : "");
    words[0] = target;
    for (const char *at = options; count < WORDS_MOST; count++) {
        words[count] = capture_words_next(&at);
        if (!words[count])
            break;
    }
    const bool ok =
        cuda_below.nvrtc.nvrtcCompileProgram(p, count, (const char *const *)words) == NVRTC_SUCCESS;
    while (--count > 0)
        free(words[count]);
    return ok;
}

static CUfunction load_kernel(nvrtcProgram p, const struct tuned_table *t, void **module)
{
    const char *name = t->kernel;
    if (t->function && cuda_below.nvrtc.nvrtcGetLoweredName(p, t->function, &name) != NVRTC_SUCCESS)
        return NULL;
    size_t size = 0;
    CUfunction function = NULL;
    char *image =
        cuda_below.nvrtc.nvrtcGetCUBINSize(p, &size) == NVRTC_SUCCESS && size ? malloc(size) : NULL;
    if (!image || cuda_below.nvrtc.nvrtcGetCUBIN(p, image) != NVRTC_SUCCESS ||
        cuda_below.driver.cuModuleLoadData((CUmodule *)module, image) != CUDA_SUCCESS ||
        cuda_below.driver.cuModuleGetFunction(&function, *module, name) != CUDA_SUCCESS)
        function = NULL;
    free(image);
    return function;
}

static void *build_function(const struct replace_state *s, const char *options, void **module)
{
    const struct cuda_replacement *r = (const struct cuda_replacement *)s;
    if (s->table->text)
        layer_load_nvrtc();
    nvrtcProgram p = cuda_below_open_nvrtc() ? make_program(r) : NULL;
    CUfunction function =
        p && compile_tuned(r, p, options) ? load_kernel(p, s->table, module) : NULL;
    if (p)
        cuda_below.nvrtc.nvrtcDestroyProgram(&p);
    if (function && s->table->shared > 48 << 10)
        cuda_below.driver.cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)s->table->shared);
    return function;
}

static void find_build(const struct replace_state *s, const char *options,
                       struct replace_decision *d)
{
    d->kernel = replace_find_build(s, options, build_function);
}

static void unload(void *module)
{
    cuda_below.driver.cuModuleUnload(module);
}

void cuda_replace_drop_module(const void *module)
{
    replace_drop_builds(module, unload);
}

static void keep_build(void *function)
{
    (void)function; // for the next who asks
}

// ---- a kernel ----------------------------------------------------------------------------------

static bool device_is(CUdevice device, const struct tuned_table *t)
{
    char name[256] = "", driver[64];
    cuda_below.driver.cuDeviceGetName(name, sizeof name, device);
    cuda_driver_text(driver);
    return strcmp(name, t->device) == 0 && strcmp(driver, t->driver) == 0;
}

static bool has_variables(const struct cuda_replacement *r)
{
    const struct layer_part *part = r->text->program.parts;
    struct capture_variables v = {.at = r->source ? r->source : ""};
    bool any = capture_next_variable(&v);
    for (uint32_t i = 0; !any && r->text->program.part_count && i < part->header_count; i++) {
        v = (struct capture_variables){.at = part->headers[i].text};
        any = capture_next_variable(&v);
    }
    return any;
}

struct cuda_replacement *cuda_replace_prepare(struct cuda_text *text, const void *module,
                                              const char *name)
{
    CUcontext context = NULL;
    CUdevice device = 0;
    struct tuned_table *t = replace_find_table(NULL, text->digest, name);
    if (!t || !cuda_below.cuCtxGetCurrent || cuda_below.cuCtxGetCurrent(&context) != CUDA_SUCCESS ||
        !context || cuda_below.cuCtxGetDevice(&device) != CUDA_SUCCESS)
        return NULL;
    while (t && !device_is(device, t))
        t = replace_find_table(t, text->digest, name);
    struct cuda_replacement *r = t ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->state.table = t;
    r->state.context = context;
    r->device = device;
    r->text = text;
    text->program.object.users++;
    if (t->text || text->program.part_count)
        r->source = capture_guard_text(t->text ? t->text : text->program.parts->text);
    r->state.module = has_variables(r) ? module : NULL;
    pthread_mutex_init(&r->state.lock, NULL);
    if (r->source)
        replace_decide_known(&r->state, find_build);
    return r;
}

void cuda_replace_release(struct cuda_replacement *r)
{
    if (!r)
        return;
    layer_let_go(&cuda_objects.images, r->text);
    free(r->source);
    free(r);
}

// ---- launches ----------------------------------------------------------------------------------

// Finds out where the allocation ends: what lies behind it is another.
static void locate(struct replace_argument *a)
{
    CUdeviceptr at, base;
    size_t size;
    if (cuda_find_range(a->bytes, &at, &base, &size))
        a->room = size - (size_t)(at - base);
}

static enum replace_reason match_launch(const struct cuda_replacement *r,
                                        const struct cuda_function *f, const struct cuda_launch *l,
                                        struct replace_decision *like)
{
    const struct tuned_table *t = r->state.table;
    struct replace_argument arguments[CUDA_PARAMETERS_MOST];
    size_t global[3], local[3];
    CUcontext context = NULL;
    const struct replace_launch asked = {t->dimensions, f->count,  global, local,
                                         NULL,          arguments, locate};
    if (cuda_below.cuCtxGetCurrent(&context) != CUDA_SUCCESS || context != r->state.context)
        return REPLACE_DEVICE;
    for (uint32_t a = 0; a < 3; a++) {
        local[a] = l->block[a];
        global[a] = (size_t)l->grid[a] * l->block[a];
        if (a >= t->dimensions && global[a] != 1)
            return REPLACE_GEOMETRY;
    }
    if (l->shared != t->shared || cuda_has_attributes(l))
        return REPLACE_GEOMETRY;
    for (uint32_t i = 0; i < f->count; i++) {
        const unsigned char *bytes = cuda_parameter(l, f, i);
        if (!bytes)
            return REPLACE_ARGUMENTS;
        arguments[i] = (struct replace_argument){'v', f->sizes[i], bytes, NULL, 0, SIZE_MAX};
        if (f->sizes[i] == sizeof arguments[i].offset)
            memcpy(&arguments[i].offset, bytes, sizeof arguments[i].offset);
    }
    return replace_match(t, &asked, like);
}

static CUresult enqueue_tuned(const struct cuda_replacement *r, const struct cuda_launch *l,
                              const struct cuda_function *f, const struct replace_decision *d,
                              void **parameters)
{
    struct cuda_launch tuned = *l;
    struct cuda_config config;
    tuned.function = d->kernel;
    for (int a = 0; a < 3; a++) {
        tuned.block[a] = d->has_local && d->local[a] ? (unsigned)d->local[a] : 1;
        tuned.grid[a] = (unsigned)((d->global[a] ? d->global[a] : 1) / tuned.block[a]);
    }
    if (l->config) {
        config = *l->config;
        memcpy(config.grid, tuned.grid, sizeof config.grid);
        memcpy(config.block, tuned.block, sizeof config.block);
        tuned.config = &config;
    }
    if (parameters) {
        tuned.parameters = parameters;
        tuned.extra = NULL;
    }
    const CUresult code =
        cuda_copy_symbols(f->module, d->kernel, l->stream, r->source, !r->state.module);
    return code == CUDA_SUCCESS ? cuda_enqueue(&tuned) : code;
}

// ---- --verify ----------------------------------------------------------------------------------

struct verifying {
    struct cuda_memories memories;
    CUdeviceptr copies[CUDA_MEMORIES_MOST];
    void *parameters[CUDA_PARAMETERS_MOST];
};

// A copy of what each pointer reaches; pointers to the same have one copy.
static bool copy_memories(struct verifying *v, const struct cuda_launch *l,
                          const struct cuda_function *f)
{
    struct cuda_image image; // of a surface there are no copies
    if (cuda_find_memories(l, f, &v->memories) != CAPTURE_NONE)
        return false;
    for (uint32_t i = 0; i < f->count; i++) {
        const unsigned char *bytes = cuda_parameter(l, f, i);
        if (cuda_find_image(f, i, bytes, &image) && image.is_surface)
            return false;
        v->parameters[i] = (void *)(uintptr_t)bytes;
    }
    for (uint32_t i = 0; i < v->memories.count; i++) {
        const struct cuda_memory *m = &v->memories.items[i];
        if (f->sizes[m->argument] != sizeof m->at)
            return false;
        for (uint32_t o = 0; o < i; o++)
            v->copies[i] = v->memories.items[o].at == m->at ? v->copies[o] : v->copies[i];
        v->parameters[m->argument] = &v->copies[i];
        if (v->copies[i])
            continue;
        if (cuda_below.driver.cuMemAlloc(&v->copies[i], m->size) != CUDA_SUCCESS ||
            cuda_below.cuMemcpyDtoD(v->copies[i], m->at, m->size) != CUDA_SUCCESS)
            return false;
    }
    return true;
}

static enum replace_verdict compare_outputs(const struct verifying *v, const struct tuned_table *t)
{
    enum replace_verdict found = v->memories.count ? REPLACE_AGREE : REPLACE_NOT_COMPARED;
    for (uint32_t i = 0; found == REPLACE_AGREE && i < v->memories.count; i++) {
        const struct cuda_memory *m = &v->memories.items[i];
        unsigned char *a = malloc(2 * m->size + 1), *b = a ? a + m->size : NULL;
        if (!a || cuda_below.cuMemcpyDtoH(a, m->at, m->size) != CUDA_SUCCESS ||
            cuda_below.cuMemcpyDtoH(b, v->copies[i], m->size) != CUDA_SUCCESS)
            found = REPLACE_NOT_COMPARED;
        else if (!replace_agree(a, b, m->size, t->arguments[m->argument].bytes == sizeof(float)))
            found = REPLACE_DIFFER;
        free(a);
    }
    return found;
}

// The tuned kernel on copies, then the program's own on its memory: the program gets what it would have got.
static bool verify_launch(const struct cuda_replacement *r, const struct cuda_launch *l,
                          const struct cuda_function *f, const struct replace_decision *d,
                          CUresult *code)
{
    struct verifying *v = cuda_is_recorded_now(l->stream) ? NULL : calloc(1, sizeof *v);
    bool ok = v && cuda_below.cuCtxSynchronize() == CUDA_SUCCESS && copy_memories(v, l, f) &&
              enqueue_tuned(r, l, f, d, v->parameters) == CUDA_SUCCESS &&
              cuda_below.cuCtxSynchronize() == CUDA_SUCCESS;
    if (ok) {
        *code = cuda_enqueue(l);
        const bool is_done = *code == CUDA_SUCCESS && cuda_below.cuCtxSynchronize() == CUDA_SUCCESS;
        replace_count_verdict(r->state.table,
                              is_done ? compare_outputs(v, r->state.table) : REPLACE_NOT_COMPARED);
    }
    if (v) {
        for (uint32_t i = 0; i < v->memories.count; i++) {
            bool is_first = v->copies[i] != 0;
            for (uint32_t o = 0; o < i; o++)
                is_first = is_first && v->copies[o] != v->copies[i];
            if (is_first)
                cuda_below.driver.cuMemFree(v->copies[i]);
        }
    }
    free(v);
    return ok;
}

// ---- the whole ---------------------------------------------------------------------------------

static CUresult keep_own(const struct cuda_launch *l, enum replace_reason why)
{
    atomic_fetch_add_explicit(&layer_counts->kept[why], 1, memory_order_relaxed);
    return cuda_enqueue(l);
}

// With the replacement locked. While a stream is recorded nothing is built.
static CUresult launch_tuned(struct cuda_replacement *r, const struct cuda_launch *l,
                             const struct cuda_function *f, const struct replace_decision *like)
{
    CUresult code = CUDA_SUCCESS;
    struct replace_decision *d = replace_decide(&r->state, like, NULL, keep_build);
    if (!d && cuda_is_recorded_now(l->stream))
        return keep_own(l, REPLACE_GRAPH);
    if (!d)
        d = replace_decide(&r->state, like, find_build, keep_build);
    if (d->reason != REPLACE_NONE)
        return keep_own(l, d->reason);
    const bool is_verified =
        replace_is_verified_now(r->state.table) && verify_launch(r, l, f, d, &code);
    if (is_verified)
        return code;
    code = enqueue_tuned(r, l, f, d, NULL);
    if (code != CUDA_SUCCESS) {
        d->reason = REPLACE_LAUNCH;
        return keep_own(l, REPLACE_LAUNCH);
    }
    atomic_fetch_add_explicit(&layer_counts->replaced, 1, memory_order_relaxed);
    return code;
}

bool cuda_has_replacement(const struct cuda_launch *l)
{
    const struct cuda_function *f = layer_lock(&cuda_objects.functions, l->function);
    const bool has = f && f->module && f->replacement;
    if (f)
        layer_unlock(&cuda_objects.functions);
    return has;
}

CUresult cuda_replace_launch(const struct cuda_launch *l)
{
    struct replace_decision like;
    struct cuda_function *f = layer_lock(&cuda_objects.functions, l->function);
    struct cuda_replacement *r = f && f->module ? f->replacement : NULL; // else it was unloaded
    const enum replace_reason why = !r ? REPLACE_UNKNOWN
                                    : atomic_load(&r->state.table->is_wrong)
                                        ? REPLACE_DIFFERENCE
                                        : match_launch(r, f, l, &like);
    if (f) {
        f->object.users += why == REPLACE_NONE;
        layer_unlock(&cuda_objects.functions);
    }
    if (why != REPLACE_NONE)
        return keep_own(l, why);
    pthread_mutex_lock(&r->state.lock);
    const CUresult code = launch_tuned(r, l, f, &like);
    pthread_mutex_unlock(&r->state.lock);
    layer_let_go(&cuda_objects.functions, f);
    return code;
}
