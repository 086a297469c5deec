// Facts about a spec in the short form from its kernels' source: names, parameters with their
// types, and their uses. Private to src/core/problem.
#pragma once

#include "problem/signature.h"

struct launch_facts {
    const char *kernel;  // its name; NULL: neither the spec nor the text says which
    const char *only;    // (optional) the text's only kernel; unset if a short form names one
    const char *kernels; // the names that it has, for messages: "a, b"; "" for none
    const char *file;    // of the program
    struct signature signature;
};

struct kernel_facts {
    enum language language; // the spec's own
    struct launch_facts *launches;
    uint32_t launch_count;
    struct launch_facts *reference; // NULL: it is no kernel
};

// Placeholder for the name of a kernel that the spec leaves to the source.
#define KERNEL_NAME_OPEN "?"

// Reads the facts from the sources in the spec's own language.
bool kernel_facts_read(const struct spec *s, const struct spec_sources *texts, struct arena *a,
                       struct kernel_facts *out, struct error *e);
