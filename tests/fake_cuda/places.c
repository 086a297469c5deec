// Memory at an address that is asked for.
#include "fake.h"

#include "extras/capture/capture_cuda.h"

#include <sys/mman.h>

CAPTURE_CUDA_PLACES(FAKE_DECLARE)

enum { PIECE = 4096 };

CUresult cuMemGetAllocationGranularity(size_t *out, const struct cuda_allocation *like, int least)
{
    (void)like, (void)least;
    *out = PIECE;
    return fake_call(__func__);
}

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr at,
                             uint64_t flags)
{
    const CUresult code = fake_call(__func__);
    (void)alignment, (void)flags;
    if (code != CUDA_SUCCESS || at % PIECE || bytes % PIECE)
        return code != CUDA_SUCCESS ? code : CUDA_ERROR_INVALID_VALUE;
    void *got = mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *out = (uintptr_t)got;
    return got == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes)
{
    munmap((void *)(uintptr_t)at, bytes);
    return fake_call(__func__);
}

CUresult cuMemCreate(uint64_t *out, size_t bytes, const struct cuda_allocation *like,
                     uint64_t flags)
{
    (void)like, (void)flags;
    *out = bytes;
    return fake_call(__func__);
}

CUresult cuMemRelease(uint64_t memory)
{
    (void)memory;
    return fake_call(__func__);
}

CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, uint64_t memory, uint64_t flags)
{
    (void)offset, (void)flags;
    if (memory != bytes)
        return CUDA_ERROR_INVALID_VALUE;
    fake_adopt(at, bytes);
    return fake_call(__func__);
}

CUresult cuMemUnmap(CUdeviceptr at, size_t bytes)
{
    (void)bytes;
    fake_abandon(at);
    return fake_call(__func__);
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const struct cuda_access *access,
                        size_t count)
{
    (void)at, (void)bytes;
    return fake_call(__func__) == CUDA_SUCCESS && access->flags == CUDA_ACCESS_READ_WRITE &&
                   count == 1
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}
