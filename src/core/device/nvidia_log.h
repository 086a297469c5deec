// The report of NVIDIA's PTX assembler on a kernel, from the build log (-cl-nv-verbose).
#pragma once

#include "model/result.h"

// Fills registers, spills, local, private and constant memory of `kernel`; what the log does not
// say is left as it is.
void nvidia_log_resources(const char *log, const char *kernel, struct resources *out);
// Does a line say that the kernel wants more than the architecture has (static shared memory, ...)?
// Such a kernel is right, and another configuration of it may fit.
bool nvidia_log_is_limit(const char *line);
