// Buffers. On a CPU the memory is a mapping of ours, handed over with CL_MEM_USE_HOST_PTR, so that
// a stray store meets our guards; elsewhere it is one buffer with the data as a sub-buffer. Exact
// memory is one buffer of just its size, wherever the device works.
#include "device/backends/opencl/opencl.h"

#include <limits.h>
#include <string.h>

// Devices want sub-buffers to begin at a multiple of this.
static uint64_t head_of(const struct opencl *o)
{
    uint64_t align = o->info->base_align > 256 ? o->info->base_align : 256;
    return (GUARD_BYTES + align - 1) / align * align;
}

const cl_mem_flags opencl_flags[ACCESS_COUNT] = {
    [ACCESS_READ] = CL_MEM_READ_ONLY,
    [ACCESS_WRITE] = CL_MEM_WRITE_ONLY,
    [ACCESS_BOTH] = CL_MEM_READ_WRITE,
};

static bool host_memory_new(struct opencl *o, struct memory *m, enum access access, struct error *e)
{
    cl_int code;
    if (!mapping_new(&m->map, m->bytes, e))
        return false;
    m->host = true;
    m->view = o->cl.clCreateBuffer(o->context, opencl_flags[access] | CL_MEM_USE_HOST_PTR,
                                   (size_t)m->bytes, m->map.data, &code);
    return m->view || opencl_error(e, "clCreateBuffer", code);
}

// NVIDIA's driver finds room for a buffer when a command first needs it: here, so that whoever
// asked for the buffer learns that there is none.
static bool take_room(struct opencl *o, cl_mem buffer, struct error *e)
{
    static const uint8_t zero = 0;
    cl_int code = o->cl.clEnqueueFillBuffer(o->queue, buffer, &zero, 1, 0, 1, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "room for a buffer: clEnqueueFillBuffer", code);
}

static bool device_memory_new(struct opencl *o, struct memory *m, enum access access,
                              struct error *e)
{
    cl_int code;
    cl_buffer_region region = {.origin = (size_t)head_of(o), .size = (size_t)m->bytes};
    m->offset = region.origin;
    m->parent = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE,
                                     (size_t)(m->offset + m->bytes + GUARD_BYTES), NULL, &code);
    if (!m->parent)
        return opencl_error(e, "clCreateBuffer", code);
    if (!take_room(o, m->parent, e))
        return false;
    m->view = o->cl.clCreateSubBuffer(m->parent, opencl_flags[access], CL_BUFFER_CREATE_TYPE_REGION,
                                      &region, &code);
    return m->view || opencl_error(e, "clCreateSubBuffer", code);
}

static bool exact_memory_new(struct opencl *o, struct memory *m, enum access access,
                             struct error *e)
{
    cl_int code;
    m->parent =
        o->cl.clCreateBuffer(o->context, opencl_flags[access], (size_t)m->bytes, NULL, &code);
    m->view = m->parent;
    return m->view || opencl_error(e, "clCreateBuffer", code);
}

cl_int opencl_finish(struct opencl *o)
{
    return o->stuck ? o->stuck : o->cl.clFinish(o->queue);
}

bool opencl_memory_new(void *own, struct memory *m, enum access access, struct error *e)
{
    struct opencl *o = own;
    bool ok;
    if (m->exact)
        ok = exact_memory_new(o, m, access, e);
    else if (o->info->type == DEVICE_CPU)
        ok = host_memory_new(o, m, access, e);
    else
        ok = device_memory_new(o, m, access, e);
    if (!ok)
        opencl_memory_free(o, m);
    return ok;
}

void opencl_memory_free(void *own, struct memory *m)
{
    struct opencl *o = own;
    opencl_image_free(o, m);
    if (m->view)
        o->cl.clReleaseMemObject(m->view);
    if (m->parent && m->parent != m->view)
        o->cl.clReleaseMemObject(m->parent);
    // Releasing may be put off until commands end: the mapping must outlive them.
    if (m->map.base)
        opencl_finish(o);
    mapping_free(&m->map);
    m->view = m->parent = NULL;
}

// PoCL works in place and does nothing here; other CPU drivers may keep a copy.
bool opencl_claim(void *own, struct memory *m, struct error *e)
{
    struct opencl *o = own;
    cl_int code;
    o->cl.clEnqueueMapBuffer(o->queue, m->view, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                             (size_t)m->bytes, 0, NULL, NULL, &code);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueMapBuffer", code);
}

bool opencl_yield(void *own, struct memory *m, struct error *e)
{
    struct opencl *o = own;
    cl_int code = o->cl.clEnqueueUnmapMemObject(o->queue, m->view, m->map.data, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueUnmapMemObject", code);
}

static size_t place(const struct memory *m, int64_t at)
{
    return (size_t)((int64_t)m->offset + at);
}

bool opencl_read(void *own, struct memory *m, int64_t at, void *to, uint64_t bytes, struct error *e)
{
    struct opencl *o = own;
    cl_int code = o->cl.clEnqueueReadBuffer(o->queue, m->parent, CL_TRUE, place(m, at),
                                            (size_t)bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueReadBuffer", code);
}

bool opencl_write(void *own, struct memory *m, int64_t at, const void *from, uint64_t bytes,
                  struct error *e)
{
    struct opencl *o = own;
    cl_int code = o->cl.clEnqueueWriteBuffer(o->queue, m->parent, CL_TRUE, place(m, at),
                                             (size_t)bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueWriteBuffer", code);
}

// NVIDIA's driver counts what it fills by a signed int, in patterns: with one byte it hangs or goes astray
// from 2 GiB on (580.159). Here the pattern is wide, and the edges are written.
static cl_int fill_far(struct opencl *o, cl_mem buffer, size_t from, size_t end, uint8_t byte)
{
    uint8_t pattern[128];
    const size_t wide = sizeof pattern;
    size_t first = (from + wide - 1) / wide * wide, last = end / wide * wide;
    cl_int code = CL_SUCCESS;
    memset(pattern, byte, wide);
    first = first < end ? first : end;
    last = last > first ? last : first;
    if (first > from)
        code = o->cl.clEnqueueWriteBuffer(o->queue, buffer, CL_TRUE, from, first - from, pattern, 0,
                                          NULL, NULL);
    if (code == CL_SUCCESS && last > first)
        code = o->cl.clEnqueueFillBuffer(o->queue, buffer, pattern, wide, first, last - first, 0,
                                         NULL, NULL);
    if (code == CL_SUCCESS && end > last)
        code = o->cl.clEnqueueWriteBuffer(o->queue, buffer, CL_TRUE, last, end - last, pattern, 0,
                                          NULL, NULL);
    return code;
}

bool opencl_fill(void *own, struct memory *m, int64_t at, uint8_t byte, uint64_t bytes,
                 struct error *e)
{
    struct opencl *o = own;
    size_t from = place(m, at), end = from + (size_t)bytes;
    cl_int code = end <= INT_MAX ? o->cl.clEnqueueFillBuffer(o->queue, m->parent, &byte, 1, from,
                                                             (size_t)bytes, 0, NULL, NULL)
                                 : fill_far(o, m->parent, from, end, byte);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueFillBuffer", code);
}

bool opencl_copy(void *own, struct memory *to, struct memory *from, struct error *e)
{
    struct opencl *o = own;
    cl_int code = o->cl.clEnqueueCopyBuffer(o->queue, from->parent, to->parent, place(from, 0),
                                            place(to, 0), (size_t)to->bytes, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueCopyBuffer", code);
}
