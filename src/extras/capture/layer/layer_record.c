// Records kernels and launches. A launch that is not captured costs a lookup, a hash of its arguments and a few
// atomic additions; now and then its event is kept to learn its time. The first of a shape is captured: all queues of the context
// are finished, buffers are read, the launch runs alone, and they are read again.
#include "extras/capture/layer/layer.h"

#include "base/digest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUES_MOST = 64, KERNELS_MOST = 1 << 14 };

atomic_long layer_user_events;

static pthread_mutex_t capturing = PTHREAD_MUTEX_INITIALIZER;

// The kernels that the log has.
static struct known_kernels {
    pthread_mutex_t lock;
    uint64_t keys[KERNELS_MOST];
    uint64_t captured[KERNELS_MOST]; // shapes
} kernels = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- times -------------------------------------------------------------------------------------

static void add_time(struct capture_shape *s, cl_event event)
{
    cl_ulong from = 0, to = 0;
    if (layer_next.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from,
                                           NULL) != CL_SUCCESS ||
        layer_next.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL) !=
            CL_SUCCESS ||
        to < from)
        return;
    atomic_fetch_add(&s->timed, 1);
    atomic_fetch_add(&s->ns, to - from);
}

static bool take_time(const struct layer_timed *t)
{
    cl_int status = CL_QUEUED;
    const cl_int asked = layer_next.clGetEventInfo(t->end, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                   sizeof status, &status, NULL);
    if (asked == CL_SUCCESS && status > CL_COMPLETE)
        return false;
    if (asked == CL_SUCCESS && status == CL_COMPLETE)
        add_time(t->shape, t->end);
    layer_next.clReleaseEvent(t->end);
    return true;
}

static struct layer_times times = {.lock = PTHREAD_MUTEX_INITIALIZER, .take = take_time};

void layer_record_times(void)
{
    layer_times_take(&times);
}

void layer_record_after_fork(void)
{
    layer_times_after_fork(&times);
    pthread_mutex_init(&capturing, NULL);
    pthread_mutex_init(&kernels.lock, NULL);
}

// ---- kernels -----------------------------------------------------------------------------------

static void keep_text(struct layer_line *l, const char *text, size_t length)
{
    char digest[65];
    if (layer_keep(text, length, UINT64_MAX, digest) == CAPTURE_NONE)
        line_text(l, digest);
    else
        line_add(l, "null");
}

// A text of the driver's, for a log.
static void log_device_text(struct layer_line *l, const char *key, cl_device_id device,
                            cl_device_info what)
{
    char text[1024] = "";
    if (!device || layer_next.clGetDeviceInfo(device, what, sizeof text, text, NULL) != CL_SUCCESS)
        *text = 0;
    text[sizeof text - 1] = 0;
    line_add(l, ",\"%s\":", key);
    line_text(l, text);
}

static void log_arguments(struct layer_line *l, cl_kernel kernel, cl_uint count)
{
    line_add(l, ",\"arguments\":[");
    for (cl_uint i = 0; i < count; i++) {
        char name[256] = "", type[256] = "";
        cl_kernel_arg_address_qualifier address = 0;
        layer_next.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
        layer_next.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
        layer_next.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address,
                                      &address, NULL);
        line_add(l, i ? ",{\"name\":" : "{\"name\":");
        line_text(l, name);
        line_add(l, ",\"type\":");
        line_text(l, type);
        line_add(l, ",\"address\":%u}", (unsigned)address);
    }
    line_add(l, "]");
}

// The place of a key, which is taken if it is new; with `kernels` locked. UINT32_MAX: there is no room.
static uint32_t kernel_place(uint64_t key, bool *is_new)
{
    for (uint32_t i = 0; i < KERNELS_MOST; i++) {
        const uint32_t at = (uint32_t)(key + i) & (KERNELS_MOST - 1);
        *is_new = kernels.keys[at] == 0;
        if (*is_new)
            kernels.keys[at] = key;
        if (kernels.keys[at] == key)
            return at;
    }
    return UINT32_MAX;
}

bool layer_kernel_is_new(uint64_t key)
{
    bool is_new = false;
    pthread_mutex_lock(&kernels.lock);
    kernel_place(key, &is_new);
    pthread_mutex_unlock(&kernels.lock);
    return is_new;
}

const char *layer_program_digest(struct layer_program *p)
{
    struct digest_state s;
    struct digest d;
    if (*p->digest)
        return p->digest;
    digest_start(&s);
    for (uint32_t i = 0; i < p->part_count; i++) {
        const struct layer_part *part = &p->parts[i];
        digest_add(&s, part->text, part->length + 1);
        digest_add(&s, part->options ? part->options : "",
                   strlen(part->options ? part->options : "") + 1);
        for (uint32_t h = 0; h < part->header_count; h++) {
            digest_add(&s, part->headers[h].name, strlen(part->headers[h].name) + 1);
            digest_add(&s, part->headers[h].text, part->headers[h].length + 1);
        }
    }
    digest_add(&s, p->options ? p->options : "", strlen(p->options ? p->options : "") + 1);
    digest_add(&s, p->without ? p->without : "", strlen(p->without ? p->without : "") + 1);
    digest_finish(&s, &d);
    digest_hex(&d, p->digest);
    return p->digest;
}

void layer_log_program(struct layer_line *l, const struct layer_program *p, uint64_t key,
                       const char *name, const char *digest)
{
    line_add(l, "{\"kernel\":\"%016llx\",\"name\":", (unsigned long long)key);
    line_text(l, name);
    line_add(l, ",\"program\":\"%s\",\"without\":", digest);
    if (p->without)
        line_text(l, p->without);
    else
        line_add(l, "null");
    line_add(l, ",\"linked\":%s,\"options\":", p->is_linked ? "true" : "false");
    line_text(l, p->options ? p->options : "");
    line_add(l, ",\"parts\":[");
    for (uint32_t i = 0; i < p->part_count; i++) {
        line_add(l, i ? "," : "");
        line_add(l, "{\"source\":");
        keep_text(l, p->parts[i].text, p->parts[i].length);
        line_add(l, ",\"options\":");
        line_text(l, p->parts[i].options ? p->parts[i].options : "");
        line_add(l, ",\"headers\":[");
        for (uint32_t k = 0; k < p->parts[i].header_count; k++) {
            line_add(l, k ? ",[" : "[");
            line_text(l, p->parts[i].headers[k].name);
            line_add(l, ",");
            keep_text(l, p->parts[i].headers[k].text, p->parts[i].headers[k].length);
            line_add(l, "]");
        }
        line_add(l, "]}");
    }
    line_add(l, "]");
}

// Which arguments are pointers, where the driver says it: only these are looked up as buffers.
static void learn_arguments(struct layer_kernel *k, cl_kernel handle)
{
    k->has_information = k->argument_count > 0;
    for (cl_uint i = 0; i < k->argument_count; i++) {
        cl_kernel_arg_address_qualifier address = 0;
        char type[64] = "";
        k->has_information =
            k->has_information &&
            layer_next.clGetKernelArgInfo(handle, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                          sizeof address, &address, NULL) == CL_SUCCESS;
        // An image's type is short; one that does not fit is a pointer's or a struct's.
        layer_next.clGetKernelArgInfo(handle, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
        k->arguments[i].is_pointer =
            address == CL_KERNEL_ARG_ADDRESS_GLOBAL || address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
            strncmp(type, "image", 5) == 0 || strcmp(type, "sampler_t") == 0;
    }
}

// Built without a lock, and taken only now.
static void set_replacement(cl_kernel handle, struct layer_replacement *r)
{
    struct layer_kernel *k = r ? layer_lock(&layer_objects.kernels, handle) : NULL;
    if (!k) {
        layer_replace_release(r);
        return;
    }
    k->replacement = r;
    layer_unlock(&layer_objects.kernels);
}

static void add_kernel(cl_kernel handle, cl_program program, const char *name, char digest[65])
{
    cl_uint count = 0;
    if (layer_next.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) !=
            CL_SUCCESS ||
        count > LAYER_ARGUMENTS)
        return;
    struct layer_argument *arguments = calloc(count + 1, sizeof *arguments);
    struct layer_kernel *k =
        arguments ? layer_add(&layer_objects.kernels, handle, sizeof *k) : NULL;
    if (!k) {
        free(arguments);
        return;
    }
    k->arguments = arguments;
    k->argument_count = count;
    learn_arguments(k, handle);
    struct layer_program *p = layer_lock(&layer_objects.programs, program);
    if (p) {
        memcpy(digest, layer_program_digest(p), 65);
        k->key = layer_mix_bytes(layer_mix_bytes(0, digest, 64), name, strlen(name));
        k->key += k->key == 0;
        k->without = p->without;
        if (layer_settings.is_capturing && layer_kernel_is_new(k->key)) {
            struct layer_line l = {0};
            layer_log_program(&l, p, k->key, name, digest);
            log_arguments(&l, handle, k->argument_count);
            line_add(&l, "}");
            line_end(&l, true);
        }
        layer_unlock(&layer_objects.programs);
    }
    layer_unlock(&layer_objects.kernels);
}

// A kernel that no table names is none of the layer's business.
void layer_record_kernel(cl_kernel handle, cl_program program)
{
    char name[512] = "", digest[65] = "";
    if (layer_next.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
            CL_SUCCESS ||
        (!layer_settings.is_capturing && !layer_replace_has(name)))
        return;
    add_kernel(handle, program, name, digest);
    if (*digest && !layer_settings.is_capturing)
        set_replacement(handle, layer_replace_prepare(program, digest, name));
}

// ---- a launch ----------------------------------------------------------------------------------

cl_int layer_enqueue(const struct layer_launch *l)
{
    return layer_next.clEnqueueNDRangeKernel(l->queue, l->kernel, l->dimensions, l->offset,
                                             l->global, l->local, l->wait_count, l->wait, l->event);
}

static bool memory_facts(const void *handle, struct layer_memory *out)
{
    const struct layer_memory *m = layer_lock(&layer_objects.memories, handle);
    if (!m)
        return false;
    *out = *m;
    layer_unlock(&layer_objects.memories);
    return true;
}

size_t layer_learn_image(cl_mem image, struct layer_image *out)
{
    static const cl_image_info names[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
    size_t bytes = 0;
    layer_next.clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof out->type, &out->type, NULL);
    layer_next.clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof out->format, &out->format, NULL);
    layer_next.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes, NULL);
    for (size_t i = 0; i < 3; i++) {
        layer_next.clGetImageInfo(image, names[i], sizeof *out->size, &out->size[i], NULL);
        out->size[i] += out->size[i] == 0;
    }
    if (out->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || out->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        layer_next.clGetImageInfo(image, CL_IMAGE_ARRAY_SIZE, sizeof out->layers, &out->layers,
                                  NULL);
    return bytes * out->size[0] * out->size[1] * out->size[2] * (out->layers ? out->layers : 1);
}

void layer_image_region(const struct layer_image *image, size_t region[3])
{
    memcpy(region, image->size, sizeof image->size);
    if (image->layers)
        region[image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : 2] = image->layers;
}

cl_int layer_read_memory(cl_command_queue queue, cl_mem memory, size_t size,
                         const struct layer_image *image, void *to)
{
    static const size_t origin[3];
    size_t region[3];
    if (!image)
        return layer_next.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, to, 0, NULL, NULL);
    layer_image_region(image, region);
    return layer_next.clEnqueueReadImage(queue, memory, CL_TRUE, origin, region, 0, 0, to, 0, NULL,
                                         NULL);
}

// The handle that an argument may be.
static const void *handle_of(const struct layer_kernel *k, const struct layer_argument *a)
{
    const void *handle = NULL;
    if (a->kind == LAYER_VALUE && a->size == sizeof handle &&
        (a->is_pointer || !k->has_information))
        memcpy(&handle, layer_bytes(a), sizeof handle);
    return handle;
}

static uint64_t memory_key(uint64_t key, const struct layer_memory *m)
{
    key = layer_mix(key, m->size);
    for (size_t i = 0; m->kind == LAYER_IMAGE && i < 3; i++)
        key = layer_mix(key, m->image.size[i]);
    return m->kind == LAYER_IMAGE ? layer_mix(layer_mix(key, m->image.format.image_channel_order),
                                              m->image.format.image_channel_data_type)
                                  : key;
}

// The first argument with this one's handle or pointer: a launch in place is another one.
static cl_uint first_alike(const struct layer_kernel *k, cl_uint at)
{
    const struct layer_argument *a = &k->arguments[at];
    cl_uint i = 0;
    while (i < at && !(k->arguments[i].kind == a->kind && k->arguments[i].size == a->size &&
                       memcmp(layer_bytes(&k->arguments[i]), layer_bytes(a), a->size) == 0))
        i++;
    return i;
}

// Hashes everything that tells launches apart but the contents of buffers. The kernels are locked.
static uint64_t shape_key(const struct layer_kernel *k, const struct layer_launch *l)
{
    uint64_t key = layer_mix(k->key, l->dimensions);
    for (cl_uint i = 0; i < l->dimensions && i < 3; i++) {
        key = layer_mix(key, l->global ? l->global[i] : 0);
        key = layer_mix(key, l->local ? l->local[i] : 0);
        key = layer_mix(key, l->offset ? l->offset[i] : 0);
    }
    for (cl_uint i = 0; i < k->argument_count; i++) {
        const struct layer_argument *a = &k->arguments[i];
        const void *handle = handle_of(k, a);
        struct layer_memory m;
        if (a->kind == LAYER_SVM)
            key = layer_mix(key, first_alike(k, i));
        else if (handle && memory_facts(handle, &m))
            key = layer_mix(memory_key(key, &m), first_alike(k, i));
        else if (a->kind == LAYER_VALUE)
            key = layer_mix_bytes(key, layer_bytes(a), a->size);
        else
            key = layer_mix(key, a->kind == LAYER_LOCAL ? a->size : a->kind);
    }
    return key;
}

// ---- a capture ---------------------------------------------------------------------------------

struct captured_memory {
    cl_mem memory;    // NULL: SVM, or none
    const void *base; // of SVM
    bool is_image, is_sampler;
    struct layer_image image;
    size_t size, offset;
    const void *root; // the memory that it is a part of, for what overlaps
    unsigned char *before;
    char digest[2][65];
    bool is_changed;
};

struct captured {
    const struct layer_launch *launch;
    struct layer_kernel kernel; // a copy, with its own arguments
    struct captured_memory memories[LAYER_ARGUMENTS];
    cl_command_queue queues[QUEUES_MOST];
    uint32_t queue_count;
    uint64_t bytes;
    enum capture_reason reason;
};

static bool refuse_capture(struct captured *c, enum capture_reason why)
{
    c->reason = why;
    return false;
}

// The arguments as they are now: another thread may set them for its own launch next.
static bool copy_kernel(struct captured *c, cl_kernel handle)
{
    const struct layer_kernel *k = layer_lock(&layer_objects.kernels, handle);
    if (!k)
        return refuse_capture(c, CAPTURE_ARGUMENT);
    c->kernel = *k;
    c->kernel.arguments = calloc(k->argument_count + 1, sizeof *c->kernel.arguments);
    bool ok = c->kernel.arguments || refuse_capture(c, CAPTURE_MEMORY);
    for (cl_uint i = 0; ok && i < k->argument_count; i++) {
        struct layer_argument *a = &c->kernel.arguments[i];
        *a = k->arguments[i];
        a->large = NULL;
        if (k->arguments[i].large) {
            a->large = malloc(a->size + 1);
            ok = a->large || refuse_capture(c, CAPTURE_MEMORY);
            if (ok)
                memcpy(a->large, k->arguments[i].large, a->size);
        }
        ok = ok && (a->kind != LAYER_UNSET || refuse_capture(c, CAPTURE_ARGUMENT));
    }
    layer_unlock(&layer_objects.kernels);
    return ok;
}

static bool find_memory(struct captured *c, cl_uint at)
{
    const struct layer_argument *a = &c->kernel.arguments[at];
    struct captured_memory *m = &c->memories[at];
    const void *handle = handle_of(&c->kernel, a);
    struct layer_memory facts;
    if (a->kind == LAYER_SVM) {
        const void *pointer, *base;
        memcpy(&pointer, layer_bytes(a), sizeof pointer);
        if (!pointer)
            return true;
        if (!layer_svm_find(pointer, &base, &m->size))
            return refuse_capture(c, CAPTURE_SYSTEM_POINTER);
        m->base = pointer;
        m->root = base;
        m->offset = (size_t)((uintptr_t)pointer - (uintptr_t)base);
        m->size -= m->offset;
    } else if (handle && memory_facts(handle, &facts)) {
        cl_mem parent = NULL;
        m->is_image = facts.kind == LAYER_IMAGE;
        m->is_sampler = facts.kind == LAYER_SAMPLER;
        m->size = facts.size;
        m->image = facts.image;
        m->memory = (cl_mem)(uintptr_t)handle;
        if (facts.kind == LAYER_PIPE || (m->is_image && !m->size))
            return refuse_capture(c, CAPTURE_PIPE);
        if (m->is_sampler)
            return true;
        if (!m->is_image) // what an image may share with a buffer is the image's own here
            layer_next.clGetMemObjectInfo(m->memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent,
                                          &parent, NULL);
        if (parent)
            layer_next.clGetMemObjectInfo(m->memory, CL_MEM_OFFSET, sizeof m->offset, &m->offset,
                                          NULL);
        m->root = parent ? (const void *)parent : handle;
    } else if (handle && a->is_pointer)
        return refuse_capture(c, CAPTURE_ARGUMENT);
    c->bytes += m->size;
    return true;
}

static cl_int read_memory(const struct captured *c, const struct captured_memory *m,
                          unsigned char *to)
{
    if (m->memory)
        return layer_read_memory(c->launch->queue, m->memory, m->size,
                                 m->is_image ? &m->image : NULL, to);
    return layer_next.clEnqueueSVMMemcpy
               ? layer_next.clEnqueueSVMMemcpy(c->launch->queue, CL_TRUE, to, m->base, m->size, 0,
                                               NULL, NULL)
               : CL_INVALID_OPERATION;
}

static bool read_after(struct captured *c)
{
    for (cl_uint i = 0; i < c->kernel.argument_count; i++) {
        struct captured_memory *m = &c->memories[i];
        if (!m->size)
            continue;
        struct digest was, is;
        digest_parse(m->digest[0], &was);
        if (read_memory(c, m, m->before) != CL_SUCCESS)
            return refuse_capture(c, CAPTURE_READ);
        digest_of(m->before, m->size, &is);
        m->is_changed = !digest_equal(&was, &is);
        digest_hex(&is, m->digest[1]);
        const enum capture_reason why =
            m->is_changed ? layer_keep(m->before, m->size, layer_room(), m->digest[1])
                          : CAPTURE_NONE;
        if (why != CAPTURE_NONE)
            return refuse_capture(c, why);
    }
    return true;
}

// Finds an earlier argument that is the same memory or overlaps it; -1: none.
static int overlapped(const struct captured *c, cl_uint at)
{
    const struct captured_memory *m = &c->memories[at];
    for (cl_uint i = 0; i < at; i++) {
        const struct captured_memory *o = &c->memories[i];
        if (m->root && o->root == m->root && m->offset < o->offset + o->size &&
            o->offset < m->offset + m->size)
            return (int)i;
    }
    return -1;
}

static void log_sampler(struct layer_line *l, cl_mem handle)
{
    cl_sampler sampler = (cl_sampler)(void *)handle;
    cl_bool normalized = 0;
    cl_addressing_mode addressing = 0;
    cl_filter_mode filter = 0;
    layer_next.clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized,
                                &normalized, NULL);
    layer_next.clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing, &addressing,
                                NULL);
    layer_next.clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL);
    line_add(l, "{\"kind\":\"sampler\",\"normalized\":%u,\"addressing\":%u,\"filter\":%u}",
             (unsigned)normalized, (unsigned)addressing, (unsigned)filter);
}

static void log_argument(struct layer_line *l, const struct captured *c, cl_uint at)
{
    const struct layer_argument *a = &c->kernel.arguments[at];
    const struct captured_memory *m = &c->memories[at];
    if (m->is_sampler) {
        log_sampler(l, m->memory);
    } else if (m->root) {
        line_add(l,
                 "{\"kind\":\"%s\",\"bytes\":%zu,\"origin\":%zu,\"before\":\"%s\",\"after\":\"%s\"",
                 m->memory ? "buffer" : "svm", m->size, m->offset, m->digest[0], m->digest[1]);
        const int other = overlapped(c, at);
        if (m->is_image) {
            const struct layer_image *image = &m->image;
            line_add(l,
                     ",\"image\":{\"type\":%u,\"order\":%u,\"channel\":%u,\"size\":[%zu,%zu,%zu],"
                     "\"layers\":%zu}",
                     (unsigned)image->type, (unsigned)image->format.image_channel_order,
                     (unsigned)image->format.image_channel_data_type, image->size[0],
                     image->size[1], image->size[2], image->layers);
        }
        if (other >= 0)
            line_add(l, ",\"same\":%d", other);
        line_add(l, "}");
    } else if (a->kind == LAYER_LOCAL) {
        line_add(l, "{\"kind\":\"local\",\"bytes\":%zu}", a->size);
    } else if (a->kind == LAYER_SVM || (a->is_pointer && !handle_of(&c->kernel, a))) {
        line_add(l, "{\"kind\":\"null\"}");
    } else {
        line_add(l, "{\"kind\":\"value\",\"bytes\":%zu,\"hex\":\"", a->size);
        for (size_t i = 0; i < a->size; i++)
            line_add(l, "%02x", layer_bytes(a)[i]);
        line_add(l, "\"}");
    }
}

void layer_log_sizes(struct layer_line *l, const char *key, const size_t *sizes, uint32_t count)
{
    line_add(l, ",\"%s\":", key);
    for (uint32_t i = 0; sizes && i < count; i++)
        line_add(l, "%s%zu", i ? "," : "[", sizes[i]);
    line_add(l, sizes ? "]" : "null");
}

static void log_launch(const struct captured *c, uint64_t key)
{
    const struct layer_launch *launch = c->launch;
    struct layer_line l = {0};
    cl_device_id device = NULL;
    layer_next.clGetCommandQueueInfo(launch->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    line_add(&l, "{\"launch\":\"%016llx\",\"of\":\"%016llx\",\"dimensions\":%u",
             (unsigned long long)key + (key == 0), (unsigned long long)c->kernel.key,
             (unsigned)launch->dimensions);
    log_device_text(&l, "device", device, CL_DEVICE_NAME);
    log_device_text(&l, "driver", device, CL_DRIVER_VERSION);
    layer_log_sizes(&l, "global", launch->global, launch->dimensions);
    layer_log_sizes(&l, "local", launch->local, launch->dimensions);
    layer_log_sizes(&l, "offset", launch->offset, launch->dimensions);
    line_add(&l, ",\"indirect\":%s,\"arguments\":[", c->kernel.is_indirect ? "true" : "false");
    for (cl_uint i = 0; i < c->kernel.argument_count; i++) {
        line_add(&l, i ? "," : "");
        log_argument(&l, c, i);
    }
    line_add(&l, "]}");
    line_end(&l, true);
}

static bool prepare_capture(struct captured *c)
{
    if (atomic_load(&layer_user_events) > 0) // waiting could be for ever
        return refuse_capture(c, CAPTURE_USER_EVENT);
    bool ok = copy_kernel(c, c->launch->kernel);
    for (cl_uint i = 0; ok && i < c->kernel.argument_count; i++)
        ok = find_memory(c, i);
    if (!ok)
        return false;
    if (c->bytes > layer_settings.limit) // however much of it is kept already
        return refuse_capture(c, CAPTURE_LIMIT);
    // All that was enqueued so far has ended: what other queues of the context do may be what this launch reads.
    cl_context context = NULL;
    layer_next.clGetCommandQueueInfo(c->launch->queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                                     NULL);
    c->queue_count = layer_queues_of(context, c->queues, QUEUES_MOST);
    if (c->launch->wait_count)
        layer_next.clWaitForEvents(c->launch->wait_count, c->launch->wait);
    for (uint32_t i = 0; i < c->queue_count; i++)
        layer_next.clFinish(c->queues[i]);
    layer_next.clFinish(c->launch->queue);
    for (cl_uint i = 0; i < c->kernel.argument_count; i++) {
        struct captured_memory *m = &c->memories[i];
        if (!m->size)
            continue;
        m->before = malloc(m->size);
        if (!m->before)
            return refuse_capture(c, CAPTURE_MEMORY);
        if (read_memory(c, m, m->before) != CL_SUCCESS)
            return refuse_capture(c, CAPTURE_READ);
        const enum capture_reason why = layer_keep(m->before, m->size, layer_room(), m->digest[0]);
        if (why != CAPTURE_NONE)
            return refuse_capture(c, why);
    }
    return true;
}

// The launch, whatever becomes of the capture.
static cl_int capture_launch(const struct layer_launch *l, struct capture_shape *s, uint64_t key,
                             enum capture_reason *why)
{
    struct captured *c = calloc(1, sizeof *c);
    cl_event own = NULL;
    struct layer_launch timed = *l;
    *why = CAPTURE_MEMORY;
    if (!c)
        return layer_enqueue(l);
    c->launch = l;
    const bool ready = prepare_capture(c);
    timed.event = l->event ? l->event : &own;
    const cl_int status = layer_enqueue(&timed);
    if (ready && status == CL_SUCCESS) {
        layer_next.clFinish(l->queue);
        add_time(s, *timed.event);
        if (read_after(c))
            log_launch(c, key);
    } else if (ready)
        c->reason = CAPTURE_FAILED;
    if (own)
        layer_next.clReleaseEvent(own);
    *why = c->reason;
    for (cl_uint i = 0; c->kernel.arguments && i < c->kernel.argument_count; i++) {
        free(c->kernel.arguments[i].large);
        free(c->memories[i].before);
    }
    free(c->kernel.arguments);
    for (uint32_t i = 0; i < c->queue_count; i++)
        layer_next.clReleaseCommandQueue(c->queues[i]);
    free(c);
    return status;
}

// ---- counting ----------------------------------------------------------------------------------

// Reserves one of the kernel's captures.
static enum capture_reason reserve_capture(const char *name, uint64_t kernel)
{
    bool is_new;
    if (layer_settings.kernel && strcmp(name, layer_settings.kernel) != 0)
        return CAPTURE_OTHER_KERNEL;
    pthread_mutex_lock(&kernels.lock);
    const uint32_t at = kernel_place(kernel, &is_new);
    const bool ok = at != UINT32_MAX && kernels.captured[at] < layer_settings.launches;
    if (ok)
        kernels.captured[at]++;
    pthread_mutex_unlock(&kernels.lock);
    return ok ? CAPTURE_NONE : CAPTURE_LAUNCHES;
}

// A capture that could not be made is tried again at later launches of the shape if that may help.
static bool may_help(enum capture_reason why)
{
    return why == CAPTURE_USER_EVENT || why == CAPTURE_MEMORY || why == CAPTURE_FAILED ||
           why == CAPTURE_READ || why == CAPTURE_GRAPH;
}

bool layer_is_to_be_captured(struct capture_shape *s)
{
    uint32_t undecided = 0;
    return atomic_load_explicit(&s->state, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong(&s->state, &undecided, 1);
}

bool layer_begin_capture(struct capture_shape *s, const char *name, uint64_t kernel)
{
    const enum capture_reason why = reserve_capture(name, kernel);
    atomic_store(&s->reason, why);
    if (why == CAPTURE_NONE)
        pthread_mutex_lock(&capturing);
    return why == CAPTURE_NONE;
}

void layer_end_capture(struct capture_shape *s, uint64_t kernel, enum capture_reason why)
{
    pthread_mutex_unlock(&capturing);
    atomic_store(&s->reason, why);
    if (why == CAPTURE_NONE)
        return;
    bool is_new;
    pthread_mutex_lock(&kernels.lock);
    const uint32_t at = kernel_place(kernel, &is_new);
    if (at != UINT32_MAX && kernels.captured[at] > 0)
        kernels.captured[at]--;
    pthread_mutex_unlock(&kernels.lock);
    if (may_help(why))
        atomic_store(&s->state, 0);
}

static cl_int time_launch(const struct layer_launch *l, struct capture_shape *s)
{
    cl_event own = NULL;
    struct layer_launch timed = *l;
    timed.event = l->event ? l->event : &own;
    const cl_int status = layer_enqueue(&timed);
    if (status == CL_SUCCESS && l->event)
        layer_next.clRetainEvent(*l->event);
    if (status == CL_SUCCESS && !layer_times_keep(&times, s, NULL, *timed.event))
        layer_next.clReleaseEvent(*timed.event);
    return status;
}

static cl_int try_capture(const struct layer_launch *l, struct capture_shape *s, uint64_t key,
                          uint64_t kernel)
{
    enum capture_reason why;
    char name[512] = "";
    if (layer_settings.kernel)
        layer_next.clGetKernelInfo(l->kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    if (!layer_begin_capture(s, name, kernel))
        return time_launch(l, s);
    const cl_int status = capture_launch(l, s, key, &why);
    layer_end_capture(s, kernel, why);
    return status;
}

cl_int layer_record_launch(const struct layer_launch *l)
{
    struct layer_kernel *k = layer_lock(&layer_objects.kernels, l->kernel);
    atomic_fetch_add_explicit(&layer_counts->launches, 1, memory_order_relaxed);
    const uint64_t kernel = k ? k->key : 0, key = k ? shape_key(k, l) : 0;
    if (k)
        layer_unlock(&layer_objects.kernels);
    struct capture_shape *s = kernel ? layer_shape(key, kernel) : NULL;
    if (!s) {
        atomic_fetch_add(&layer_counts->unlisted, 1);
        return layer_enqueue(l);
    }
    const uint64_t n = atomic_fetch_add_explicit(&s->launches, 1, memory_order_relaxed);
    if (layer_is_to_be_captured(s))
        return try_capture(l, s, key, kernel);
    return layer_is_timed(n) ? time_launch(l, s) : layer_enqueue(l);
}
