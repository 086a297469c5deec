// A program meant for a compiler of host and device, as a compiler of the device alone takes it: the
// host's functions, variables and launches are left out, and everything that the kernels asked for do not
// reach. What stays keeps its line.
#pragma once

#include "kernel_text/macros.h"

#include "base/text.h"

struct device_file {
    const char *path; // relative to a common root
    const char *text;
    size_t length;
    const char *device; // (or NULL: it is as it was) what is left of it, terminated
    size_t device_length;
};

// A line of a file that the compiler refused.
struct device_fault {
    uint32_t file, line;
};

struct device_program {
    struct device_file *files; // the compiled one first
    uint32_t count;
    struct macro_terms terms; // names: that -D gives
    // Name expressions of the kernels asked for; all kernels are kept where these are not found.
    const char *const *kernels;
    uint32_t kernel_count;
    // Refused so far: what stands there is left out, unless it is a kernel asked for.
    const struct device_fault *faults;
    uint32_t fault_count;
    uint32_t faulty;     // functions, types and variables so left out
    uint32_t left_out;   // functions and variables
    uint32_t first_line; // of the compiled file, where the first of them begins
};

// False without memory. Nothing is changed where no host code is, or no kernel.
bool device_text_make(struct device_program *p, struct arena *a);
// The names of what the text declares behind a word that begins a kernel, with commas.
void device_text_kernels(const char *text, size_t length, enum language l, struct text *out);
