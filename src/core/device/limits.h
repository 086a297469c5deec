// Limits of the device, checked before anything runs: predicates name the first one exceeded.
#pragma once

#include "model/job.h"
#include "model/result.h"

// Work-group sizes and their fit into the global size, and buffer sizes against the device.
// `guards` is what each buffer takes besides its data.
bool limits_check_job(const struct job *j, const struct device_info *d, uint64_t guards,
                      struct result *r);
// A built kernel: `most` work-items a group of it may have (0: not known), local memory in all.
// Is the work-group what the kernel was compiled for (reqd_work_group_size)? All 0: for any.
bool limits_check_required(const struct job_launch *l, const size_t required[3], struct result *r);
bool limits_check_kernel(const struct job_launch *l, const struct device_info *d, uint64_t most,
                         uint64_t local_bytes, struct result *r);
// Local memory that the arguments ask for.
uint64_t limits_local_arguments(const struct job_launch *l);
// Work-items of a work-group; 0 where the driver chooses.
uint64_t limits_group_size(const struct job_launch *l);
// Does the kernel take as many arguments as the launch has?
bool limits_check_arguments(const struct job_launch *l, uint32_t taken, struct result *r);
// "64x32", as many axes as the launch has.
void limits_sizes_text(const struct job_launch *l, const uint64_t sizes[3], char *out, size_t size);
