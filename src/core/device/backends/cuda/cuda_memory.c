// Buffers on the card: one allocation each, with the data between its guard zones. All commands go
// into the one stream, in order; only reads and writes wait, because their host memory is the
// caller's.
#include "device/backends/cuda/cuda.h"

// A multiple of what drivers align allocations to, so that the data keeps that alignment.
#define HEAD GUARD_BYTES

// A device that only builds has buffers in name alone.
bool cuda_memory_new(void *own, struct memory *m, enum access access, struct error *e)
{
    struct cuda *o = own;
    CUdeviceptr at = 0;
    (void)access; // CUDA knows no read-only memory
    m->offset = m->exact ? 0 : HEAD;
    if (!o->runs) {
        m->parent = m->view = m;
        return true;
    }
    CUresult code =
        o->cu.cuMemAlloc(&at, (size_t)(m->bytes + m->offset + (m->exact ? 0 : GUARD_BYTES)));
    if (code != CUDA_SUCCESS)
        return cuda_error(&o->cu, e, "cuMemAlloc", code);
    m->parent = (void *)(uintptr_t)at;
    m->view = (void *)(uintptr_t)(at + m->offset);
    return true;
}

void cuda_memory_free(void *own, struct memory *m)
{
    struct cuda *o = own;
    cuda_image_free(o, m);
    if (m->parent && o->runs)
        o->cu.cuMemFree((CUdeviceptr)(uintptr_t)m->parent);
    m->view = m->parent = NULL;
}

static bool has_card(const struct cuda *o, struct error *e)
{
    return o->runs ||
           error_set(e, ERROR_DEVICE, "this device was opened to build for it: nothing can be run");
}

static bool wait(struct cuda *o, struct error *e)
{
    CUresult code = o->cu.cuStreamSynchronize(o->stream);
    return code == CUDA_SUCCESS || cuda_error(&o->cu, e, "cuStreamSynchronize", code);
}

bool cuda_read(void *own, struct memory *m, int64_t at, void *to, uint64_t bytes, struct error *e)
{
    struct cuda *o = own;
    if (!has_card(o, e))
        return false;
    CUresult code = o->cu.cuMemcpyDtoHAsync(to, cuda_at(m, at), (size_t)bytes, o->stream);
    return code == CUDA_SUCCESS ? wait(o, e) : cuda_error(&o->cu, e, "cuMemcpyDtoHAsync", code);
}

bool cuda_write(void *own, struct memory *m, int64_t at, const void *from, uint64_t bytes,
                struct error *e)
{
    struct cuda *o = own;
    if (!has_card(o, e))
        return false;
    CUresult code = o->cu.cuMemcpyHtoDAsync(cuda_at(m, at), from, (size_t)bytes, o->stream);
    return code == CUDA_SUCCESS ? wait(o, e) : cuda_error(&o->cu, e, "cuMemcpyHtoDAsync", code);
}

bool cuda_fill(void *own, struct memory *m, int64_t at, uint8_t byte, uint64_t bytes,
               struct error *e)
{
    struct cuda *o = own;
    if (!has_card(o, e))
        return false;
    CUresult code = o->cu.cuMemsetD8Async(cuda_at(m, at), byte, (size_t)bytes, o->stream);
    return code == CUDA_SUCCESS || cuda_error(&o->cu, e, "cuMemsetD8Async", code);
}

bool cuda_copy(void *own, struct memory *to, struct memory *from, struct error *e)
{
    struct cuda *o = own;
    CUresult code =
        o->cu.cuMemcpyDtoDAsync(cuda_at(to, 0), cuda_at(from, 0), (size_t)to->bytes, o->stream);
    return code == CUDA_SUCCESS || cuda_error(&o->cu, e, "cuMemcpyDtoDAsync", code);
}
