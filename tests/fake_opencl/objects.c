// Platform, device, context, queue, buffers: what has no behaviour of its own.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEBIBYTE    (UINT64_C(1) << 20)
#define IL_VERSION  0x105B
#define KHR_PCI     0x410f  // of cl_khr_pci_bus_info
#define NO_PLATFORM (-1001) // CL_PLATFORM_NOT_FOUND_KHR

// ---- counting

static _Atomic int live; // a thread of the worker's builds

int fake_live_objects(void)
{
    return live;
}

void *fake_new(size_t size)
{
    unsigned *object = calloc(1, size);
    if (object) {
        *object = 1;
        live++;
    }
    return object;
}

void fake_free(void *object)
{
    free(object);
    live--;
}

// ---- answers

cl_int fake_answer(const void *data, size_t length, size_t room, void *out, size_t *needed)
{
    if (needed)
        *needed = length;
    if (!out)
        return CL_SUCCESS;
    if (room < length)
        return CL_INVALID_VALUE;
    memcpy(out, data, length);
    return CL_SUCCESS;
}

cl_int fake_answer_text(const char *text, size_t room, void *out, size_t *needed)
{
    return fake_answer(text, strlen(text) + 1, room, out, needed);
}

// ---- platform and device

struct _cl_platform_id {
    int nothing;
};

struct _cl_device_id {
    int nothing;
};

static struct _cl_platform_id the_platform;
static struct _cl_device_id the_devices[FAKE_DEVICES_MOST];

static cl_uint device_count(void)
{
    uint64_t count = fake_number("FAKE_CL_DEVICES", 1);
    return count < FAKE_DEVICES_MOST ? (cl_uint)count : FAKE_DEVICES_MOST;
}

static bool is_device(cl_device_id device)
{
    return device >= the_devices && device < the_devices + FAKE_DEVICES_MOST;
}

static const struct kind {
    const char *name;
    cl_device_type type;
    const char *platform, *extensions;
} kinds[] = {
    {"gpu", CL_DEVICE_TYPE_GPU, "Fake", ""},
    {"cpu", CL_DEVICE_TYPE_CPU, "Fake", ""},
    {"pocl", CL_DEVICE_TYPE_CPU, "Portable Computing Language", ""},
    {"nvidia", CL_DEVICE_TYPE_GPU, "Fake", "cl_nv_compiler_options"},
    {"card", CL_DEVICE_TYPE_GPU, "Fake", "cl_khr_pci_bus_info"},
};

static const struct kind *kind(void)
{
    size_t i = 0;
    while (i + 1 < sizeof kinds / sizeof *kinds && !fake_is("FAKE_CL_KIND", kinds[i].name, "gpu"))
        i++;
    return &kinds[i];
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    cl_int code = fake_enter(__func__);
    if (code != CL_SUCCESS)
        return code;
    if (fake_is("FAKE_CL_KIND", "none", "gpu"))
        return NO_PLATFORM;
    if (count)
        *count = 1;
    if (out && room)
        *out = &the_platform;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *out,
                         size_t *needed)
{
    cl_int code = fake_enter(__func__);
    if (code != CL_SUCCESS)
        return code;
    if (platform != &the_platform)
        return CL_INVALID_PLATFORM;
    const char *text = what == CL_PLATFORM_NAME ? kind()->platform : "OpenCL 1.2 fake 1";
    return fake_answer_text(text, room, out, needed);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *out,
                      cl_uint *count)
{
    cl_int code = fake_enter(__func__);
    (void)type;
    if (code != CL_SUCCESS)
        return code;
    if (platform != &the_platform)
        return CL_INVALID_PLATFORM;
    if (count)
        *count = device_count();
    for (cl_uint i = 0; out && i < room && i < device_count(); i++)
        out[i] = &the_devices[i];
    return CL_SUCCESS;
}

static const struct {
    cl_device_info what;
    const char *text;
} device_texts[] = {
    {CL_DEVICE_VENDOR, "Fake"},
    {CL_DRIVER_VERSION, "1"},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2"},
};

static const struct {
    cl_device_info what;
    uint64_t number;
} device_numbers[] = {
    {CL_DEVICE_MAX_COMPUTE_UNITS, 4},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 64 * MEBIBYTE},
    {CL_DEVICE_LOCAL_MEM_SIZE, 32768},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 65536},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 65536},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, 0},
};

static uint64_t device_number(cl_device_info what)
{
    uint64_t tick = fake_number("FAKE_CL_TICK_NS", 1);
    if (what == CL_DEVICE_TYPE)
        return kind()->type;
    if (what == CL_DEVICE_GLOBAL_MEM_SIZE)
        return fake_number("FAKE_CL_MIB", 256) * MEBIBYTE;
    if (what == CL_DEVICE_PROFILING_TIMER_RESOLUTION)
        return fake_number("FAKE_CL_RESOLUTION_NS", tick);
    for (size_t i = 0; i < sizeof device_numbers / sizeof *device_numbers; i++) {
        if (device_numbers[i].what == what)
            return device_numbers[i].number;
    }
    return 0;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *out,
                       size_t *needed)
{
    static const size_t items[3] = {1024, 1024, 64};
    const cl_uint bus = 0x65 + (is_device(device) ? (cl_uint)(device - the_devices) : 0);
    const cl_uint pci[4] = {(cl_uint)fake_number("FAKE_CL_DOMAIN", 0), bus, 0, 0};
    cl_int code = fake_enter(__func__);
    if (code != CL_SUCCESS)
        return code;
    if (!is_device(device))
        return CL_INVALID_DEVICE;
    if (what == CL_DEVICE_NAME) {
        char name[64];
        const char *models = fake_text("FAKE_CL_MODELS", "1");
        snprintf(name, sizeof name, "%s", fake_text("FAKE_CL_NAME", "Fake device"));
        if (fake_nth(models, (unsigned)(device - the_devices), 1) != 1)
            snprintf(name, sizeof name, "Fake model %u",
                     (unsigned)fake_nth(models, (unsigned)(device - the_devices), 1));
        return fake_answer_text(name, room, out, needed);
    }
    if (what == IL_VERSION)
        return fake_answer_text(fake_text("FAKE_CL_IL", ""), room, out, needed);
    if (what == CL_DEVICE_EXTENSIONS)
        return fake_answer_text(kind()->extensions, room, out, needed);
    if (what == KHR_PCI)
        return fake_answer(pci, sizeof pci, room, out, needed);
    if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        return fake_answer(items, sizeof items, room, out, needed);
    for (size_t i = 0; i < sizeof device_texts / sizeof *device_texts; i++) {
        if (device_texts[i].what == what)
            return fake_answer_text(device_texts[i].text, room, out, needed);
    }
    uint64_t number = device_number(what);
    return fake_answer(&number, sizeof number, room, out, needed);
}

// ---- context and queue

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *context, cl_int *code)
{
    (void)properties, (void)notify, (void)context;
    *code = fake_enter(__func__);
    if (count > 0 && is_device(devices[0]))
        fake_use_device((unsigned)(devices[0] - the_devices));
    if (*code == CL_SUCCESS && fake_dead("open"))
        *code = CL_DEVICE_NOT_AVAILABLE;
    return *code == CL_SUCCESS ? fake_new(sizeof(struct _cl_context)) : NULL;
}

cl_int clReleaseContext(cl_context context)
{
    fake_free(context);
    return fake_enter(__func__);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *code)
{
    (void)context, (void)device, (void)properties;
    *code = fake_enter(__func__);
    fake_wait();
    return *code == CL_SUCCESS ? fake_new(sizeof(struct _cl_command_queue)) : NULL;
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
    fake_free(queue);
    return fake_enter(__func__);
}

// ---- buffers

static cl_mem create(const char *call, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    *code = fake_enter(call);
    cl_mem m = *code == CL_SUCCESS ? fake_new(sizeof *m) : NULL;
    if (!m)
        return NULL;
    m->size = size;
    m->own = !(flags & CL_MEM_USE_HOST_PTR);
    m->data = m->own ? calloc(1, size) : host;
    if (m->data)
        return m;
    fake_free(m);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    (void)context;
    return create(__func__, flags, size, host, code);
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *information, cl_int *code)
{
    const cl_buffer_region *region = information;
    (void)flags, (void)type;
    *code = fake_enter(__func__);
    if (*code == CL_SUCCESS && region->origin + region->size > parent->size)
        *code = CL_INVALID_VALUE;
    cl_mem m = *code == CL_SUCCESS ? fake_new(sizeof *m) : NULL;
    if (!m)
        return NULL;
    m->parent = parent;
    m->parent->references++;
    m->data = parent->data + region->origin;
    m->size = region->size;
    return m;
}

// An image is a buffer as large; its kernels are none that would see the difference.
cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *desc, void *host, cl_int *code)
{
    size_t components = format->image_channel_order == CL_R ? 1 : 4;
    size_t bytes = format->image_channel_data_type == CL_FLOAT ? 4 : 1;
    (void)context, (void)host;
    cl_mem m =
        create(__func__, flags,
               desc->image_width * desc->image_height * desc->image_depth * components * bytes,
               NULL, code);
    if (!m || desc->image_width <= 32768)
        return m;
    clReleaseMemObject(m);
    *code = CL_INVALID_IMAGE_SIZE;
    return NULL;
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                           cl_filter_mode filter, cl_int *code)
{
    (void)context, (void)normalized, (void)addressing, (void)filter;
    *code = fake_enter(__func__);
    return *code == CL_SUCCESS ? fake_new(sizeof(struct _cl_command_queue)) : NULL;
}

cl_int clReleaseSampler(cl_sampler sampler)
{
    fake_free(sampler);
    return fake_enter(__func__);
}

static void release_memory(cl_mem m)
{
    if (--m->references > 0)
        return;
    if (m->parent)
        release_memory(m->parent);
    if (m->own)
        free(m->data);
    fake_free(m);
}

cl_int clReleaseMemObject(cl_mem m)
{
    release_memory(m);
    return fake_enter(__func__);
}
