// Headers of the host that NVRTC lacks and files meant for nvcc include.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define CUDA_HOST_MOST  64
#define CUDA_HOST_USUAL "hone_usual.h"

// As nvrtcCreateProgram() takes them.
struct cuda_host {
    const char *names[CUDA_HOST_MOST], *texts[CUDA_HOST_MOST];
    uint32_t count;
    bool takes_any;        // a header that hone does not know is empty: its text is the host's
    struct text not_found; // those, with commas
    char *own[CUDA_HOST_MOST];
};

// Its text, "" where kernels need nothing of it; NULL: hone does not know it.
const char *cuda_host_text(const char *name);
void cuda_host_release(struct cuda_host *h);
// Adds the header that NVRTC's log says cannot be opened. False: it says none, or one
// that hone does not know.
bool cuda_host_add(struct cuda_host *h, const char *log);
// Gives CUDA_HOST_USUAL, which has what nvcc includes by itself.
void cuda_host_add_usual(struct cuda_host *h);
// Gives an empty header of this name. False: it is given already, or there is no room.
bool cuda_host_add_empty(struct cuda_host *h, const char *name);
// The next error of NVRTC's log that names a place: its file, and its line. False: there is none.
bool cuda_log_next_error(const char **log, char *file, size_t size, uint32_t *line);
