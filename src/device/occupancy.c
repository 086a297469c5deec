// Work-groups that a multiprocessor holds, from what the driver said of the kernel and the table of
// architectures.
#include "device/occupancy.h"

#include "model/arch.h"

// 0 where the driver chooses it.
static uint64_t group_size(const struct job_launch *l)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < l->dimensions; i++) {
        if (__builtin_mul_overflow(size, l->local[i], &size))
            return UINT64_MAX;
    }
    return size;
}

int64_t occupancy_groups(const struct device_info *d, const struct job_launch *l,
                         const struct resources *r)
{
    const struct arch *arch = arch_find(d->capability);
    uint64_t size = group_size(l);
    if (!arch || size == 0 || r->registers < 0 || r->local_bytes < 0)
        return -1;
    struct arch_use use = {size, (uint64_t)r->registers, (uint64_t)r->local_bytes};
    return arch_groups(arch, &use);
}
