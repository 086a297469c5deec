// `hone with` for OpenCL: launches of kernels that a table has run as the tuned program, everything else as the program's own kernel.
// Its text is the program's own, built again with other options beside the program's build.
#include "extras/capture/capture_guard.h"
#include "extras/capture/layer/replace_table.h"

#include <stdlib.h>
#include <string.h>

struct layer_replacement {
    struct replace_state state;
    cl_device_id device;
    char *text;
    size_t length;
};

// ---- building ----------------------------------------------------------------------------------

static void *build_program(const struct replace_state *s, const char *options, void **loaded)
{
    const struct layer_replacement *r = (const struct layer_replacement *)s;
    cl_program program = layer_next.clCreateProgramWithSource(
        s->context, 1, (const char **)&r->text, &r->length, NULL);
    (void)loaded;
    return program && layer_next.clBuildProgram(program, 1, &r->device, options, NULL, NULL) ==
                          CL_SUCCESS
               ? program
               : NULL;
}

static void build_kernel(const struct replace_state *s, const char *options,
                         struct replace_decision *d)
{
    cl_program program = replace_find_build(s, options, build_program);
    d->kernel = program ? layer_next.clCreateKernel(program, s->table->kernel, NULL) : NULL;
}

static void release_kernel(void *kernel)
{
    layer_next.clReleaseKernel(kernel);
}

// ---- a kernel ----------------------------------------------------------------------------------

static bool device_is(cl_device_id device, const struct tuned_table *t)
{
    char name[1024] = "", driver[1024] = "";
    layer_next.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    layer_next.clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    return strcmp(name, t->device) == 0 && strcmp(driver, t->driver) == 0;
}

static cl_device_id find_device(cl_program program, const struct tuned_table *t)
{
    cl_device_id devices[64];
    size_t size = 0;
    if (layer_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &size) !=
        CL_SUCCESS)
        return NULL;
    for (size_t i = 0; i < size / sizeof *devices; i++) {
        if (device_is(devices[i], t))
            return devices[i];
    }
    return NULL;
}

static struct layer_replacement *new_replacement(struct tuned_table *t, cl_program program,
                                                 cl_device_id device)
{
    struct layer_replacement *r = calloc(1, sizeof *r);
    struct layer_program *p = r ? layer_lock(&layer_objects.programs, program) : NULL;
    if (p) {
        const bool has_text = p->part_count == 1 && !p->is_linked;
        r->text = has_text ? capture_guard_text(p->parts->text) : NULL;
        layer_unlock(&layer_objects.programs);
    }
    if (!r || !r->text ||
        layer_next.clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof r->state.context,
                                    &r->state.context, NULL) != CL_SUCCESS) {
        layer_replace_release(r);
        return NULL;
    }
    r->length = strlen(r->text);
    r->state.table = t;
    r->device = device;
    pthread_mutex_init(&r->state.lock, NULL);
    return r;
}

struct layer_replacement *layer_replace_prepare(cl_program program, const char *digest,
                                                const char *name)
{
    struct tuned_table *t = replace_find_table(NULL, digest, name);
    cl_device_id device = t ? find_device(program, t) : NULL;
    for (; t && !device; device = t ? find_device(program, t) : NULL) // of another device
        t = replace_find_table(t, digest, name);
    struct layer_replacement *r = device ? new_replacement(t, program, device) : NULL;
    if (r)
        replace_decide_known(&r->state, build_kernel);
    return r;
}

void layer_replace_release(struct layer_replacement *r)
{
    if (!r)
        return;
    replace_end(&r->state, release_kernel);
    free(r->text);
    free(r);
}

// ---- a launch ----------------------------------------------------------------------------------

static cl_int set_arguments(cl_kernel kernel, const struct layer_kernel *k, const cl_mem *copies)
{
    cl_int status = CL_SUCCESS;
    for (uint32_t i = 0; status == CL_SUCCESS && i < k->argument_count; i++) {
        const struct layer_argument *a = &k->arguments[i];
        const void *pointer;
        if (copies && copies[i])
            status = layer_next.clSetKernelArg(kernel, i, sizeof copies[i], &copies[i]);
        else if (a->kind == LAYER_SVM) {
            memcpy(&pointer, layer_bytes(a), sizeof pointer);
            status = layer_next.clSetKernelArgSVMPointer(kernel, i, pointer);
        } else
            status = layer_next.clSetKernelArg(kernel, i, a->size,
                                               a->kind == LAYER_LOCAL ? NULL : layer_bytes(a));
    }
    return status;
}

static cl_int enqueue_tuned(const struct layer_launch *l, const struct replace_decision *d,
                            bool is_verified)
{
    return layer_next.clEnqueueNDRangeKernel(
        l->queue, d->kernel, l->dimensions, NULL, d->global, d->has_local ? d->local : NULL,
        is_verified ? 0 : l->wait_count, is_verified ? NULL : l->wait,
        is_verified ? NULL : l->event);
}

// ---- --verify ----------------------------------------------------------------------------------

struct verifying {
    cl_mem originals[LAYER_ARGUMENTS], copies[LAYER_ARGUMENTS];
    struct layer_memory facts[LAYER_ARGUMENTS]; // of the originals
    uint32_t count;
};

static cl_mem copied(cl_mem made, cl_int e)
{
    if (!made || e == CL_SUCCESS)
        return made;
    layer_next.clReleaseMemObject(made);
    return NULL;
}

static cl_mem copy_memory(cl_command_queue queue, cl_context context, cl_mem from,
                          const struct layer_memory *m)
{
    static const size_t origin[3];
    const struct layer_image *i = &m->image;
    cl_int e;
    if (m->kind == LAYER_BUFFER) {
        cl_mem made = layer_next.clCreateBuffer(context, CL_MEM_READ_WRITE, m->size, NULL, &e);
        if (made)
            e = layer_next.clEnqueueCopyBuffer(queue, from, made, 0, 0, m->size, 0, NULL, NULL);
        return copied(made, e);
    }
    const cl_image_desc about = {.image_type = i->type,
                                 .image_width = i->size[0],
                                 .image_height = i->size[1],
                                 .image_depth = i->size[2],
                                 .image_array_size = i->layers};
    size_t region[3];
    layer_image_region(i, region);
    cl_mem made =
        layer_next.clCreateImage(context, CL_MEM_READ_WRITE, &i->format, &about, NULL, &e);
    if (made)
        e = layer_next.clEnqueueCopyImage(queue, from, made, origin, origin, region, 0, NULL, NULL);
    return copied(made, e);
}

// A copy of each buffer; arguments that are one buffer have one copy.
static bool copy_buffers(struct verifying *v, const struct layer_launch *l,
                         const struct layer_kernel *k, cl_context context)
{
    v->count = k->argument_count;
    for (uint32_t i = 0; i < v->count; i++) {
        const struct layer_argument *a = &k->arguments[i];
        cl_mem handle = NULL;
        if (a->kind == LAYER_SVM)
            return false;
        if (a->kind != LAYER_VALUE || a->size != sizeof handle)
            continue;
        memcpy(&handle, layer_bytes(a), sizeof handle);
        const struct layer_memory *m = layer_lock(&layer_objects.memories, handle);
        if (!m)
            continue;
        v->facts[i] = *m;
        layer_unlock(&layer_objects.memories);
        if (v->facts[i].kind == LAYER_SAMPLER)
            continue;
        v->originals[i] = handle;
        for (uint32_t o = 0; o < i; o++)
            v->copies[i] = v->originals[o] == handle ? v->copies[o] : v->copies[i];
        if (v->copies[i])
            continue;
        v->copies[i] = copy_memory(l->queue, context, handle, &v->facts[i]);
        if (!v->copies[i])
            return false;
    }
    return layer_next.clFinish(l->queue) == CL_SUCCESS;
}

static enum replace_verdict compare_outputs(const struct verifying *v, const struct tuned_table *t,
                                            const struct layer_launch *l)
{
    enum replace_verdict found = REPLACE_NOT_COMPARED;
    bool is_read = true;
    for (uint32_t i = 0; is_read && found != REPLACE_DIFFER && i < v->count; i++) {
        const struct layer_memory *m = &v->facts[i];
        const struct layer_image *image = m->kind == LAYER_IMAGE ? &m->image : NULL;
        if (!v->copies[i])
            continue;
        unsigned char *a = malloc(2 * m->size + 1), *b = a ? a + m->size : NULL;
        is_read = a &&
                  layer_read_memory(l->queue, v->originals[i], m->size, image, a) == CL_SUCCESS &&
                  layer_read_memory(l->queue, v->copies[i], m->size, image, b) == CL_SUCCESS;
        if (is_read)
            found = replace_agree(a, b, m->size, t->arguments[i].bytes == sizeof(float))
                        ? REPLACE_AGREE
                        : REPLACE_DIFFER;
        free(a);
    }
    return is_read ? found : REPLACE_NOT_COMPARED;
}

// The tuned kernel on copies, then the program's own on its buffers: the program gets what it would have got.
static bool verify_launch(struct layer_replacement *r, const struct layer_launch *l,
                          const struct layer_kernel *k, const struct replace_decision *d,
                          cl_int *status)
{
    struct verifying *v = calloc(1, sizeof *v);
    if (!v || atomic_load(&layer_user_events) > 0) {
        free(v);
        return false;
    }
    if (l->wait_count)
        layer_next.clWaitForEvents(l->wait_count, l->wait);
    layer_next.clFinish(l->queue);
    bool ok = copy_buffers(v, l, k, r->state.context) &&
              set_arguments(d->kernel, k, v->copies) == CL_SUCCESS &&
              enqueue_tuned(l, d, true) == CL_SUCCESS &&
              layer_next.clFinish(l->queue) == CL_SUCCESS;
    if (ok) {
        *status = layer_enqueue(l);
        const bool is_done = *status == CL_SUCCESS && layer_next.clFinish(l->queue) == CL_SUCCESS;
        replace_count_verdict(r->state.table, is_done ? compare_outputs(v, r->state.table, l)
                                                      : REPLACE_NOT_COMPARED);
    }
    for (uint32_t i = 0; i < v->count; i++) {
        bool is_first = v->copies[i] != NULL;
        for (uint32_t o = 0; o < i; o++)
            is_first = is_first && v->copies[o] != v->copies[i];
        if (is_first)
            layer_next.clReleaseMemObject(v->copies[i]);
    }
    free(v);
    return ok;
}

// ---- the whole ---------------------------------------------------------------------------------

static cl_int keep_own(const struct layer_launch *l, enum replace_reason why)
{
    atomic_fetch_add_explicit(&layer_counts->kept[why], 1, memory_order_relaxed);
    return layer_enqueue(l);
}

// With the replacement locked, so that two launches of one kernel do not set each other's arguments.
static cl_int launch_tuned(struct layer_replacement *r, const struct layer_launch *l,
                           const struct layer_kernel *k, const struct replace_decision *like)
{
    cl_int status = CL_SUCCESS;
    struct replace_decision *d = replace_decide(&r->state, like, build_kernel, release_kernel);
    if (d->reason != REPLACE_NONE)
        return keep_own(l, d->reason);
    const bool is_verified =
        replace_is_verified_now(r->state.table) && verify_launch(r, l, k, d, &status);
    if (is_verified)
        return status;
    status = set_arguments(d->kernel, k, NULL);
    if (status == CL_SUCCESS)
        status = enqueue_tuned(l, d, false);
    if (status != CL_SUCCESS) {
        d->reason = REPLACE_LAUNCH;
        return keep_own(l, REPLACE_LAUNCH);
    }
    atomic_fetch_add_explicit(&layer_counts->replaced, 1, memory_order_relaxed);
    return status;
}

// Where a pointer leads, or what a buffer is a part of.
static void locate(const struct layer_argument *a, struct replace_argument *out)
{
    const void *handle;
    if ((a->kind != LAYER_SVM && a->kind != LAYER_VALUE) || a->size != sizeof handle)
        return;
    memcpy(&handle, out->bytes, sizeof handle);
    if (a->kind == LAYER_SVM) {
        size_t size;
        const void *at = handle;
        out->offset = (uintptr_t)handle;
        if (layer_svm_find(at, &handle, &size))
            out->room = size - ((uintptr_t)at - (uintptr_t)handle);
        return;
    }
    out->root = handle;
    if (!atomic_load_explicit(&layer_has_parts, memory_order_relaxed))
        return;
    const struct layer_memory *m = layer_lock(&layer_objects.memories, handle);
    if (!m)
        return;
    if (m->root) {
        out->root = m->root;
        out->offset = m->offset;
        out->room = m->size;
    }
    layer_unlock(&layer_objects.memories);
}

static enum replace_reason match_launch(const struct tuned_table *t, const struct layer_kernel *k,
                                        const struct layer_launch *l, struct replace_decision *like)
{
    static const char kinds[] = {
        [LAYER_UNSET] = 0, [LAYER_VALUE] = 'v', [LAYER_LOCAL] = 'l', [LAYER_SVM] = 's'};
    struct replace_argument arguments[LAYER_ARGUMENTS];
    const struct replace_launch asked = {l->dimensions, k->argument_count, l->global, l->local,
                                         l->offset,     arguments,         NULL};
    if (k->is_indirect)
        return REPLACE_ARGUMENTS;
    for (uint32_t i = 0; i < k->argument_count; i++) {
        const struct layer_argument *a = &k->arguments[i];
        arguments[i] =
            (struct replace_argument){kinds[a->kind], a->size, layer_bytes(a), NULL, 0, SIZE_MAX};
        locate(a, &arguments[i]);
    }
    return replace_match(t, &asked, like);
}

cl_int layer_replace_launch(const struct layer_launch *l)
{
    struct replace_decision like;
    struct layer_kernel *k = layer_lock(&layer_objects.kernels, l->kernel);
    atomic_fetch_add_explicit(&layer_counts->launches, 1, memory_order_relaxed);
    if (!k)
        return keep_own(l, REPLACE_UNKNOWN);
    struct layer_replacement *r = k->replacement;
    enum replace_reason why = !r ? REPLACE_UNKNOWN
                              : atomic_load(&r->state.table->is_wrong)
                                  ? REPLACE_DIFFERENCE
                                  : match_launch(r->state.table, k, l, &like);
    // The kernel's arguments are the program's to leave alone during its own launch; the entry stays until it is released.
    layer_unlock(&layer_objects.kernels);
    if (why != REPLACE_NONE)
        return keep_own(l, why);
    pthread_mutex_lock(&r->state.lock);
    const cl_int status = launch_tuned(r, l, k, &like);
    pthread_mutex_unlock(&r->state.lock);
    return status;
}
