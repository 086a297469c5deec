#include "device/own_kernel.h"

#include "base/text.h"
#include "device/open_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH_LEAST 65536

static const char opencl_prologue[] = "#define function\n"
                                      "#pragma OPENCL FP_CONTRACT OFF\n";
static const char opencl_doubles[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";

// NVRTC's __global__ is a macro in which the word `global` stands: OpenCL's words with underscores.
static const char cuda_prologue[] =
    "#define __kernel extern \"C\" __global__\n"
    "#define function static __device__\n"
    "#define __global\n"
    "#define __local __shared__\n"
    "#define CLK_LOCAL_MEM_FENCE\n"
    "#define barrier(fence) __syncthreads()\n"
    "#define get_local_id(axis) ((axis) ? threadIdx.y : threadIdx.x)\n"
    "#define get_local_size(axis) ((axis) ? blockDim.y : blockDim.x)\n"
    "#define get_group_id(axis) ((axis) ? blockIdx.y : blockIdx.x)\n"
    "#define get_num_groups(axis) ((axis) ? gridDim.y : gridDim.x)\n"
    "#define get_global_id(axis) (get_group_id(axis) * get_local_size(axis) + get_local_id(axis))\n"
    "#define get_global_size(axis) (get_num_groups(axis) * get_local_size(axis))\n"
    "#define as_float(x) __uint_as_float(x)\n"
    "#define as_uint(x) __float_as_uint(x)\n"
    "#define as_ulong(x) ((ulong)__double_as_longlong(x))\n"
    "#define as_double(x) __longlong_as_double((long long)(x))\n"
    "typedef unsigned char uchar;\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n";

struct own_kernel {
    struct own_kernel *next;
    const char *name;
    const char *const *pieces;
    char *defines; // a copy, behind the struct
    void *kernel;  // NULL: it does not build
    struct error why;
    bool pending; // built by the thread below; under its mutex until it is not
};

// A thread that builds while the inputs are made.
struct own_ahead {
    struct device *device;
    pthread_t thread;
    bool started;
    pthread_mutex_t mutex;
    pthread_cond_t built;
    struct own_kernel *kernels[OWN_AHEAD_MOST];
    uint32_t count;
};

bool own_kernels_offered(const struct device *d)
{
    uint64_t most = d->info.max_group_size; // 0: not known
    return d->backend->own_run && (most == 0 || most >= OWN_GROUP);
}

static bool make_source(const struct device *d, const struct own_text *t, struct text *out)
{
    bool cuda = d->backend->language == LANGUAGE_CUDA;
    text_add(out, cuda ? cuda_prologue : opencl_prologue);
    if (!cuda && d->info.float64)
        text_add(out, opencl_doubles);
    text_add(out, t->defines);
    for (const char *const *at = t->pieces; *at; at++)
        text_add(out, *at);
    return !out->failed;
}

static void build(struct device *d, struct own_kernel *k)
{
    const struct own_text t = {k->name, k->defines, k->pieces};
    struct text source = TEXT_INIT;
    if (!make_source(d, &t, &source))
        error_memory(&k->why);
    else
        k->kernel = d->backend->own_kernel(d->own, source.data, t.name, &k->why);
    if (!k->kernel)
        error_context(&k->why, "hone's own kernel %s", t.name);
    text_release(&source);
}

static struct own_kernel *find(const struct device *d, const struct own_text *t)
{
    struct own_kernel *k = d->own_kernels;
    while (k && (k->pieces != t->pieces || strcmp(k->name, t->name) != 0 ||
                 strcmp(k->defines, t->defines) != 0))
        k = k->next;
    return k;
}

static struct own_kernel *add(struct device *d, const struct own_text *t, struct error *e)
{
    size_t length = strlen(t->defines) + 1;
    struct own_kernel *k = malloc(sizeof *k + length);
    if (!k) {
        error_memory(e);
        return NULL;
    }
    *k = (struct own_kernel){.next = d->own_kernels, .name = t->name, .pieces = t->pieces};
    k->defines = memcpy(k + 1, t->defines, length);
    d->own_kernels = k;
    return k;
}

// ---- ahead of time

static void *build_all(void *argument)
{
    struct own_ahead *a = argument;
    for (uint32_t i = 0; i < a->count; i++) {
        build(a->device, a->kernels[i]);
        pthread_mutex_lock(&a->mutex);
        a->kernels[i]->pending = false;
        pthread_cond_signal(&a->built);
        pthread_mutex_unlock(&a->mutex);
    }
    return NULL;
}

// Ends what an earlier collection left.
static void settle(struct device *d)
{
    struct own_ahead *a = d->own_ahead;
    if (!a)
        return;
    if (a->started)
        pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->built);
    pthread_mutex_destroy(&a->mutex);
    free(a);
    d->own_ahead = NULL;
}

void own_kernels_collect(struct device *d)
{
    settle(d);
    struct own_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return; // built when they are asked for
    a->device = d;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->built, NULL);
    d->own_ahead = a;
    d->own_collecting = true;
}

void own_kernels_start(struct device *d)
{
    struct own_ahead *a = d->own_ahead;
    d->own_collecting = false;
    if (!a || a->count == 0)
        return;
    a->started = pthread_create(&a->thread, NULL, build_all, a) == 0;
    if (!a->started) // a thread that could not be had is done without
        build_all(a);
}

static struct own_kernel *collect(struct device *d, const struct own_text *t, struct error *e)
{
    struct own_ahead *a = d->own_ahead;
    struct own_kernel *k = a->count < OWN_AHEAD_MOST ? add(d, t, e) : NULL;
    if (!k)
        return NULL;
    k->pending = true;
    a->kernels[a->count++] = k;
    return k;
}

static void await(struct device *d, const struct own_kernel *k)
{
    struct own_ahead *a = d->own_ahead;
    if (!a)
        return;
    pthread_mutex_lock(&a->mutex);
    while (k->pending)
        pthread_cond_wait(&a->built, &a->mutex);
    pthread_mutex_unlock(&a->mutex);
}

// ----

void *own_kernel_get(struct device *d, const struct own_text *t, struct error *e)
{
    struct own_kernel *k = find(d, t);
    if (d->own_collecting) {
        if (!k)
            collect(d, t, e);
        return NULL;
    }
    if (k) {
        await(d, k);
    } else {
        k = add(d, t, e);
        if (k)
            build(d, k);
    }
    if (k && !k->kernel)
        error_set_driver(e, k->why.code, k->why.driver, "%s", k->why.text);
    return k ? k->kernel : NULL;
}

bool own_kernel_run(struct device *d, void *kernel, const struct own_launch *l, struct error *e)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->count; i++)
        ok = !l->arguments[i].memory || memory_yield(d, l->arguments[i].memory, e);
    return ok && d->backend->own_run(d->own, kernel, l, e);
}

struct memory *own_scratch(struct device *d, uint64_t bytes, struct error *e)
{
    struct memory *m = &d->scratch;
    if (m->view && m->bytes >= bytes)
        return m;
    memory_free(d, m);
    *m = (struct memory){.bytes = bytes > SCRATCH_LEAST ? bytes : SCRATCH_LEAST, .exact = true};
    if (d->backend->memory_new(d->own, m, ACCESS_BOTH, e))
        return m;
    *m = (struct memory){.bytes = 0};
    error_context(e, "room for partial results");
    return NULL;
}

void own_kernels_free(struct device *d)
{
    settle(d);
    while (d->own_kernels) {
        struct own_kernel *k = d->own_kernels;
        d->own_kernels = k->next;
        if (k->kernel)
            d->backend->own_free(d->own, k->kernel);
        free(k);
    }
    memory_free(d, &d->scratch);
}
