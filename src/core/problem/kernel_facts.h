// What the kernels' text says of a spec in the short form: names, parameters with their types, and what is done with
// them. Private to src/core/problem.
#ifndef HONE_PROBLEM_KERNEL_FACTS_H
#define HONE_PROBLEM_KERNEL_FACTS_H

#include "problem/signature.h"

struct launch_facts {
    const char *kernel; // its name; NULL: neither the spec nor the text says which
    const char *
        only; // (optional) the only kernel of the text; not looked for where a short form names one
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

// What stands for the name of a kernel that the spec leaves to the text.
#define KERNEL_NAME_OPEN "?"

// Of the texts in the spec's own language.
bool kernel_facts_read(const struct spec *s, const struct spec_sources *texts, struct arena *a,
                       struct kernel_facts *out, struct error *e);

#endif
