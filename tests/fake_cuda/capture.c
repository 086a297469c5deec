// The fake card as a program that is captured needs it: calls that wait, allocations found by an address, functions found by
// name.
#include "fake.h"

#include "extras/capture/capture_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CAPTURE_CUDA_FUNCTIONS(FAKE_DECLARE)

// One piece of the host's memory.
static uint8_t *host_memory;
static size_t host_bytes;

size_t fake_host_left(CUdeviceptr at)
{
    const size_t offset = (size_t)(at - (uintptr_t)host_memory);
    return host_memory && offset < host_bytes ? host_bytes - offset : 0;
}

// Whatever waits ends a graph that is being recorded, as the real one does.
static CUresult waiting(const char *call)
{
    const CUresult code = fake_call(call);
    fake_wait();
    return code == CUDA_SUCCESS && fake_records() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : code;
}

CUresult cuCtxGetDevice(CUdevice *out)
{
    *out = 0;
    return fake_call(__func__);
}

CUresult cuCtxGetCurrent(CUcontext *out)
{
    *out = fake_context();
    return fake_call(__func__);
}

CUresult cuCtxSynchronize(void)
{
    return waiting(__func__);
}

CUresult cuEventQuery(CUevent event)
{
    (void)event;
    return waiting(__func__);
}

CUresult cuEventSynchronize(CUevent event)
{
    (void)event;
    return waiting(__func__);
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr at)
{
    const CUresult code = fake_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    return fake_memory_range(at, base, size) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    if (!host_memory) {
        host_memory = calloc(1, bytes);
        host_bytes = bytes;
    }
    *out = host_memory;
    return fake_call(__func__);
}

CUresult cuPointerGetAttribute(void *out, int what, CUdeviceptr at)
{
    const CUresult code = fake_call(__func__);
    const int of_host = 1;
    if (code == CUDA_SUCCESS && what == CUDA_POINTER_MEMORY_TYPE &&
        at - (uintptr_t)host_memory < host_bytes) {
        memcpy(out, &of_host, sizeof of_host);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned dynamic_bytes, CUstream stream, void **parameters)
{
    return fake_launch_kernel(f, (size_t)grid_x * grid_y * grid_z,
                              (size_t)block_x * block_y * block_z, dynamic_bytes, stream,
                              parameters);
}

// `card`: the address that is the card's.
static CUresult copied(CUresult code, void *to, const void *from, CUdeviceptr card, size_t bytes)
{
    if (code == CUDA_SUCCESS && bytes > fake_memory_left(card))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        memcpy(to, from, bytes);
    return code;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return copied(waiting(__func__), (void *)(uintptr_t)to, from, to, bytes);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array)
{
    fake_describe(array, out);
    return fake_call(__func__);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return copied(fake_records() ? fake_call(__func__) : waiting(__func__), to,
                  (const void *)(uintptr_t)from, from, bytes);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copied(waiting(__func__), (void *)(uintptr_t)to, (const void *)(uintptr_t)from, to,
                  bytes);
}

// The newest of a name: "_v2" before the plain one, "_ptsz" where that was asked for.
CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags, int *status)
{
    static const char *const endings[] = {"_v2_ptsz", "_ptsz", "_v2", ""};
    const CUresult code = fake_call(__func__);
    void *own = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    (void)version, (void)status;
    *out = NULL;
    for (size_t i = flags & CUDA_PROC_ADDRESS_PER_THREAD ? 0 : 2; own && !*out && i < 4; i++) {
        char symbol[128];
        snprintf(symbol, sizeof symbol, "%s%s", name, endings[i]);
        *out = dlsym(own, symbol);
    }
    return code == CUDA_SUCCESS && !*out ? CUDA_ERROR_NOT_FOUND : code;
}
