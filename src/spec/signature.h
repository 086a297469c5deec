// A kernel's parameters as its source declares them, read without a compiler. What is not surely
// understood (macros whose text is not known, templates, structs, two definitions) stays unknown.
// Private to src/spec.
#ifndef HONE_SPEC_SIGNATURE_H
#define HONE_SPEC_SIGNATURE_H

#include "model/declared.h"
#include "spec/sources.h"

struct signature_parameter {
    struct declared declared;
    const char *text; // "__global int *a"
};

struct signature {
    bool known;  // the kernel was found, and so many parameters it has; otherwise nothing below
    bool absent; // no line that may be compiled looks like the start of its definition
    const char *file;
    uint32_t line; // where its name stands
    struct signature_parameter *parameters;
    uint32_t count;
};

// The program as the compiler sees it with these -D options: `macros` by watched name, a value that
// is NULL is not known. False without memory.
bool signature_read(const struct spec_sources *src, const struct program_sources *p,
                    const struct follow_macro *macros, const char *kernel, struct arena *a,
                    struct signature *out);

#endif
