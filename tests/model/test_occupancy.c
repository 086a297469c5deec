// Work-groups of a multiprocessor against cuda_occupancy.h, which NVIDIA ships with its toolkit,
// for every architecture, work-group, register count and many sizes of shared memory.
#include "model/arch.h"

#include "../base/suite.h"

#include <limits.h>
#include <stdio.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

static cudaOccDeviceProp properties_of(const struct arch *a)
{
    cudaOccDeviceProp p = {
        .computeMajor = (int)a->capability / 10,
        .computeMinor = (int)a->capability % 10,
        .maxThreadsPerBlock = ARCH_GROUP_SIZE,
        .maxThreadsPerMultiprocessor = (int)a->warps * ARCH_WARP,
        .regsPerBlock = (int)a->group_registers,
        .regsPerMultiprocessor = ARCH_REGISTERS,
        .warpSize = ARCH_WARP,
        .sharedMemPerBlock = ARCH_SHARED_DEFAULT,
        .sharedMemPerMultiprocessor = a->shared,
        .numSms = 1,
        .sharedMemPerBlockOptin = a->group_shared,
        .reservedSharedMemPerBlock = a->reserved,
    };
    return p;
}

static uint32_t theirs(const cudaOccDeviceProp *p, const struct arch_use *use)
{
    cudaOccResult result;
    cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccFuncAttributes kernel = {.maxThreadsPerBlock = INT_MAX,
                                    .numRegs = (int)use->registers,
                                    .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                    .maxDynamicSharedSizeBytes = use->shared};
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, p, &kernel, &state,
                                                                 (int)use->group_size, use->shared);
    if (error != CUDA_OCC_SUCCESS)
        ck_abort_msg("cuda_occupancy.h refuses sm_%d%d", p->computeMajor, p->computeMinor);
    return (uint32_t)result.activeBlocksPerMultiprocessor;
}

static void compare(const struct arch *a, const cudaOccDeviceProp *p, const struct arch_use *use)
{
    uint32_t wanted = theirs(p, use), got = arch_groups(a, use);
    if (got != wanted) // an assertion each would take most of the time
        ck_abort_msg("sm_%u, %llu work-items, %llu registers, %llu bytes: %u instead of %u",
                     a->capability, (unsigned long long)use->group_size,
                     (unsigned long long)use->registers, (unsigned long long)use->shared, got,
                     wanted);
}

START_TEST(work_groups_are_those_of_cuda_occupancy)
{
    const struct arch *a = arch_find(arch_capability((size_t)_i));
    cudaOccDeviceProp p = properties_of(a);
    for (uint32_t size = 1; size <= ARCH_GROUP_SIZE; size += size < 66 ? 1 : 31) {
        for (uint32_t registers = 1; registers <= ARCH_REGISTERS_MOST; registers++) {
            for (uint32_t shared = 0; shared <= a->group_shared; shared += 4001)
                compare(a, &p, &(struct arch_use){size, registers, shared});
        }
    }
}
END_TEST

static void add(TCase *tests)
{
    int count = 0;
    while (arch_capability((size_t)count))
        count++;
    tcase_add_loop_test(tests, work_groups_are_those_of_cuda_occupancy, 0, count);
}

int main(void)
{
    return suite_run("occupancy", add);
}

#else

int main(void)
{
    printf("skipped: no cuda_occupancy.h where CMake looked for it: HONE_CUDA_OCCUPANCY names its "
           "folder\n");
    return 77;
}

#endif
