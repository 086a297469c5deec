// Replays OpenCL kernels.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include "extras/capture/replay/replay_driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 1024 };

#define REPLAY_FUNCTIONS(X)                                                                        \
    X(clGetPlatformIDs)                                                                            \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clCompileProgram)                                                                            \
    X(clLinkProgram)                                                                               \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clCreateImage)                                                                               \
    X(clCreateSampler)                                                                             \
    X(clReleaseSampler)                                                                            \
    X(clGetImageInfo)                                                                              \
    X(clEnqueueReadImage)                                                                          \
    X(clEnqueueWriteImage)                                                                         \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clFinish)

static cl_icd_dispatch cl;

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    struct opened_image {
        cl_mem memory;
        size_t region[3];
    } images[ARGUMENTS_MOST];
    unsigned image_count;
    cl_sampler samplers[ARGUMENTS_MOST];
    unsigned sampler_count;
};

static bool call_ok(struct replay *r, cl_int status, const char *what)
{
    return status == CL_SUCCESS || replay_fail(r, "%s: error %d", what, (int)status);
}

// ---- the device --------------------------------------------------------------------------------

static bool open_loader(struct replay *r)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader)
        return replay_fail(r, "no libOpenCL.so.1: %s", dlerror());
#define X(name)                                                                                    \
    {                                                                                              \
        void *at = dlsym(loader, #name);                                                           \
        memcpy((void *)&cl.name, &at, sizeof at);                                                  \
    }
    REPLAY_FUNCTIONS(X)
#undef X
    return cl.clGetPlatformIDs != NULL || replay_fail(r, "libOpenCL.so.1 has no clGetPlatformIDs");
}

static bool is_device(cl_device_id d, const char *name, const char *driver)
{
    char own[NAME_MOST] = "", version[NAME_MOST] = "";
    cl.clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof own, own, NULL);
    cl.clGetDeviceInfo(d, CL_DRIVER_VERSION, sizeof version, version, NULL);
    return strcmp(own, name) == 0 && strcmp(version, driver) == 0;
}

static bool find_device(struct replay *r, struct opencl *o, const char *name, const char *driver)
{
    cl_platform_id platforms[32];
    cl_device_id devices[64];
    cl_uint platform_count = 0, count = 0;
    cl.clGetPlatformIDs(32, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < 32; p++) {
        if (cl.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < 64; d++) {
            if (is_device(devices[d], name, driver)) {
                o->device = devices[d];
                return true;
            }
        }
    }
    return replay_fail(r, "the device of the capture is not here: %s, driver %s", name, driver);
}

static bool opencl_open(struct replay *r, const char *device, const char *driver)
{
    cl_int e = CL_SUCCESS;
    struct opencl *o = calloc(1, sizeof *o);
    r->state = o;
    if (!o)
        return replay_fail(r, "no memory");
    if (!open_loader(r) || !find_device(r, o, device, driver))
        return false;
    o->context = cl.clCreateContext(NULL, 1, &o->device, NULL, NULL, &e);
    if (!call_ok(r, e, "clCreateContext"))
        return false;
    o->queue = cl.clCreateCommandQueue(o->context, o->device, 0, &e);
    return call_ok(r, e, "clCreateCommandQueue");
}

// ---- the program -------------------------------------------------------------------------------

static cl_program make_program(struct replay *r, const char *digest)
{
    size_t length = 0;
    cl_int e = CL_SUCCESS;
    const struct opencl *o = r->state;
    char *text = replay_source(r, digest, &length);
    cl_program p =
        text ? cl.clCreateProgramWithSource(o->context, 1, (const char **)&text, &length, &e)
             : NULL;
    free(text);
    if (text)
        call_ok(r, e, "clCreateProgramWithSource");
    return p;
}

static bool compile_part(struct replay *r, json_t *part, const char *options, cl_program *out)
{
    cl_program headers[64];
    const char *names[64];
    const struct opencl *o = r->state;
    json_t *list = json_object_get(part, "headers");
    cl_uint count = 0;
    bool ok = json_array_size(list) <= 64 || replay_fail(r, "more than 64 headers");
    for (; ok && count < json_array_size(list); count++) {
        json_t *header = json_array_get(list, count);
        const char *name = json_string_value(json_array_get(header, 0));
        const char *digest = json_string_value(json_array_get(header, 1));
        names[count] = name ? name : "";
        headers[count] = make_program(r, digest ? digest : "");
        ok = headers[count] != NULL;
    }
    *out = ok ? make_program(r, replay_string(part, "source")) : NULL;
    ok = *out &&
         call_ok(r,
                 cl.clCompileProgram(*out, 1, &o->device, options, count, count ? headers : NULL,
                                     count ? names : NULL, NULL, NULL),
                 "clCompileProgram");
    for (cl_uint i = 0; i < count; i++) {
        if (headers[i])
            cl.clReleaseProgram(headers[i]);
    }
    return ok;
}

static cl_program link_program(struct replay *r, json_t *kernel, const char *options)
{
    const struct opencl *o = r->state;
    json_t *parts = json_object_get(kernel, "parts");
    cl_program list[64], linked = NULL;
    cl_int e = CL_SUCCESS;
    cl_uint count = 0;
    bool ok = json_array_size(parts) <= 64 || replay_fail(r, "more than 64 programs linked");
    for (; ok && count < json_array_size(parts); count++) {
        json_t *part = json_array_get(parts, count);
        ok =
            compile_part(r, part, options ? options : replay_string(part, "options"), &list[count]);
    }
    if (ok) {
        linked = cl.clLinkProgram(o->context, 1, &o->device, replay_string(kernel, "options"),
                                  count, list, NULL, NULL, &e);
        call_ok(r, e, "clLinkProgram");
    }
    for (cl_uint i = 0; i < count; i++) {
        if (list[i])
            cl.clReleaseProgram(list[i]);
    }
    return linked;
}

static bool opencl_build(struct replay *r, json_t *kernel, const struct replay_text *other)
{
    const char *options = other ? other->options : NULL;
    struct opencl *o = r->state;
    json_t *parts = json_object_get(kernel, "parts");
    cl_int e = CL_SUCCESS;
    cl_program p;
    if (json_is_string(json_object_get(kernel, "without")))
        return replay_fail(r, "its program was made from a %s", replay_string(kernel, "without"));
    if (json_is_true(json_object_get(kernel, "linked")))
        p = link_program(r, kernel, options);
    else {
        p = make_program(r, replay_string(json_array_get(parts, 0), "source"));
        if (p && !call_ok(r,
                          cl.clBuildProgram(p, 1, &o->device,
                                            options ? options : replay_string(kernel, "options"),
                                            NULL, NULL),
                          "clBuildProgram")) {
            cl.clReleaseProgram(p);
            p = NULL;
        }
    }
    if (!p)
        return false;
    o->kernel = cl.clCreateKernel(p, replay_string(kernel, "name"), &e);
    cl.clReleaseProgram(p);
    return call_ok(r, e, "clCreateKernel");
}

static void opencl_release(struct replay *r)
{
    struct opencl *o = r->state;
    if (o->kernel)
        cl.clReleaseKernel(o->kernel);
    o->kernel = NULL;
    while (o->sampler_count > 0)
        cl.clReleaseSampler(o->samplers[--o->sampler_count]);
    o->image_count = 0;
}

// ---- arguments and memory ----------------------------------------------------------------------

static cl_mem memory_of(uintptr_t memory)
{
    return (cl_mem)memory;
}

static bool opencl_set_value(struct replay *r, unsigned at, const void *bytes, size_t length)
{
    const struct opencl *o = r->state;
    return call_ok(r, cl.clSetKernelArg(o->kernel, at, length, bytes), "clSetKernelArg");
}

static bool opencl_set_memory(struct replay *r, unsigned at, uintptr_t memory)
{
    const struct opencl *o = r->state;
    cl_mem m = memory_of(memory);
    return call_ok(r, cl.clSetKernelArg(o->kernel, at, sizeof m, m ? &m : NULL), "clSetKernelArg");
}

static bool opencl_set_local(struct replay *r, unsigned at, size_t bytes)
{
    return opencl_set_value(r, at, NULL, bytes);
}

static bool opencl_allocate(struct replay *r, size_t bytes, uintptr_t *out)
{
    const struct opencl *o = r->state;
    cl_int e = CL_SUCCESS;
    *out = (uintptr_t)cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes, NULL, &e);
    return call_ok(r, e, "clCreateBuffer");
}

// An image as the driver takes it.
static cl_image_desc describe_image(json_t *about, size_t region[3])
{
    json_t *size = json_object_get(about, "size");
    const cl_mem_object_type type =
        (cl_mem_object_type)json_integer_value(json_object_get(about, "type"));
    const size_t layers = (size_t)json_integer_value(json_object_get(about, "layers"));
    for (size_t i = 0; i < 3; i++)
        region[i] = (size_t)json_integer_value(json_array_get(size, i));
    cl_image_desc d = {.image_type =
                           type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? CL_MEM_OBJECT_IMAGE1D : type,
                       .image_width = region[0],
                       .image_array_size = layers};
    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
        type == CL_MEM_OBJECT_IMAGE3D)
        d.image_height = region[1];
    if (type == CL_MEM_OBJECT_IMAGE3D)
        d.image_depth = region[2];
    if (layers)
        region[type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : 2] = layers;
    return d;
}

// Some formats are for reading or for writing alone. An image of a buffer is one by itself here.
static bool opencl_image(struct replay *r, json_t *argument, size_t bytes, uintptr_t *out)
{
    json_t *about = json_object_get(argument, "image");
    static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
    struct opencl *o = r->state;
    const cl_image_format format = {
        (cl_channel_order)json_integer_value(json_object_get(about, "order")),
        (cl_channel_type)json_integer_value(json_object_get(about, "channel"))};
    struct opened_image *image = &o->images[o->image_count];
    const cl_image_desc d = describe_image(about, image->region);
    cl_int e = CL_INVALID_VALUE;
    size_t element = 0;
    for (size_t i = 0; e != CL_SUCCESS && i < sizeof flags / sizeof *flags; i++)
        image->memory = cl.clCreateImage(o->context, flags[i], &format, &d, NULL, &e);
    if (!call_ok(r, e, "clCreateImage"))
        return false;
    *out = (uintptr_t)image->memory;
    o->image_count++;
    cl.clGetImageInfo(image->memory, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL);
    return element * image->region[0] * image->region[1] * image->region[2] == bytes ||
           replay_fail(r, "the log and its data differ in size");
}

static bool opencl_set_sampler(struct replay *r, unsigned at, json_t *about)
{
    struct opencl *o = r->state;
    cl_int e = CL_SUCCESS;
    cl_sampler made = cl.clCreateSampler(
        o->context, json_integer_value(json_object_get(about, "normalized")) != 0,
        (cl_addressing_mode)json_integer_value(json_object_get(about, "addressing")),
        (cl_filter_mode)json_integer_value(json_object_get(about, "filter")), &e);
    if (!call_ok(r, e, "clCreateSampler"))
        return false;
    o->samplers[o->sampler_count++] = made;
    return opencl_set_value(r, at, &made, sizeof made);
}

static const struct opened_image *find_image(const struct opencl *o, uintptr_t memory)
{
    for (unsigned i = 0; i < o->image_count; i++) {
        if ((uintptr_t)o->images[i].memory == memory)
            return &o->images[i];
    }
    return NULL;
}

static bool opencl_part(struct replay *r, uintptr_t whole, size_t offset, size_t bytes,
                        uintptr_t *out)
{
    const cl_buffer_region region = {offset, bytes};
    cl_int e = CL_SUCCESS;
    *out = (uintptr_t)cl.clCreateSubBuffer(memory_of(whole), 0, CL_BUFFER_CREATE_TYPE_REGION,
                                           &region, &e);
    return call_ok(r, e, "clCreateSubBuffer");
}

static void opencl_free(struct replay *r, uintptr_t memory)
{
    (void)r;
    cl.clReleaseMemObject(memory_of(memory));
}

static bool opencl_write(struct replay *r, uintptr_t memory, size_t offset, size_t bytes,
                         const void *from)
{
    static const size_t origin[3];
    const struct opencl *o = r->state;
    const struct opened_image *image = find_image(o, memory);
    if (image)
        return call_ok(r,
                       cl.clEnqueueWriteImage(o->queue, image->memory, CL_TRUE, origin,
                                              image->region, 0, 0, from, 0, NULL, NULL),
                       "clEnqueueWriteImage");
    return call_ok(r,
                   cl.clEnqueueWriteBuffer(o->queue, memory_of(memory), CL_TRUE, offset, bytes,
                                           from, 0, NULL, NULL),
                   "clEnqueueWriteBuffer");
}

static bool opencl_read(struct replay *r, uintptr_t memory, size_t offset, size_t bytes, void *to)
{
    static const size_t origin[3];
    const struct opencl *o = r->state;
    const struct opened_image *image = find_image(o, memory);
    if (image)
        return call_ok(r,
                       cl.clEnqueueReadImage(o->queue, image->memory, CL_TRUE, origin,
                                             image->region, 0, 0, to, 0, NULL, NULL),
                       "clEnqueueReadImage");
    return call_ok(r,
                   cl.clEnqueueReadBuffer(o->queue, memory_of(memory), CL_TRUE, offset, bytes, to,
                                          0, NULL, NULL),
                   "clEnqueueReadBuffer");
}

static bool opencl_launch(struct replay *r, const struct replay_geometry *g)
{
    const struct opencl *o = r->state;
    return call_ok(r,
                   cl.clEnqueueNDRangeKernel(o->queue, o->kernel, g->dimensions,
                                             g->has_offset ? g->offset : NULL, g->global,
                                             g->has_local ? g->local : NULL, 0, NULL, NULL),
                   "clEnqueueNDRangeKernel") &&
           call_ok(r, cl.clFinish(o->queue), "clFinish");
}

const struct replay_driver replay_opencl = {.open = opencl_open,
                                            .build = opencl_build,
                                            .release = opencl_release,
                                            .set_value = opencl_set_value,
                                            .set_memory = opencl_set_memory,
                                            .set_local = opencl_set_local,
                                            .allocate = opencl_allocate,
                                            .image = opencl_image,
                                            .set_sampler = opencl_set_sampler,
                                            .part = opencl_part,
                                            .free = opencl_free,
                                            .write = opencl_write,
                                            .read = opencl_read,
                                            .launch = opencl_launch};
