// How many work-groups of a kernel an NVIDIA multiprocessor holds at once.
#pragma once

#include "model/job.h"
#include "model/result.h"

// From the kernel's registers and local memory and the launch's work-group, by the table of
// architectures (model/arch.h). -1 where one of these is not known, or the device's capability is
// not in the table.
int64_t occupancy_groups(const struct device_info *d, const struct job_launch *l,
                         const struct resources *r);
