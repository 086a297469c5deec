// Work-groups that a multiprocessor holds, from what the driver said of the kernel and the table of
// architectures.
#include "device/occupancy.h"

#include "device/limits.h"
#include "model/arch.h"

int64_t occupancy_groups(const struct device_info *d, const struct job_launch *l,
                         const struct resources *r)
{
    const struct arch *arch = arch_find(d->capability);
    uint64_t size = limits_group_size(l);
    if (!arch || size == 0 || r->registers < 0 || r->local_bytes < 0)
        return -1;
    struct arch_use use = {size, (uint64_t)r->registers, (uint64_t)r->local_bytes};
    return arch_groups(arch, &use);
}
