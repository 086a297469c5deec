// A built job.
#pragma once

#include "base/digest.h"

#include <stdbool.h>
#include <stdint.h>

// The built code that lets the bench worker launch at once; its form depends on the backend.
struct image {
    bool primed;       // PoCL: its cache holds the job's work-group functions
    const void *bytes; // NVIDIA's OpenCL: PTX; CUDA: a cubin; PoCL: nothing
    uint64_t length;
    struct digest digest; // of what decides the code: two jobs with the same run the same
};
