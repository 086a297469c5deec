// kernel<<<grid, block>>>: the work-group that a program's own host code launches a kernel with.
#pragma once

#include "extras/init/infer.h"

// The numbers of the first launch of the kernel whose block comes out as numbers, through dim3, variables
// and #define; an axis that it does not name is 1. False: there is none (or no memory).
bool host_launch_find(const char *text, size_t length, const char *kernel, struct arena *a,
                      int64_t block[3]);
// Makes it the default of the group's own sizes; where the text made no sense of the group, their only
// value. False without memory.
bool host_launch_apply(struct inferred *f, const int64_t block[3], struct arena *a);

