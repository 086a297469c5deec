// A kernel's parameters as its source declares them, read without a compiler. What is not surely
// understood (macros whose text is not known, templates, structs, two definitions) stays unknown.
// Private to src/core/problem.
#pragma once

#include "model/declared.h"
#include "problem/sources.h"

// A kernel's uses of the memory that a pointer refers to, as far as its own source shows them.
enum parameter_use { PARAMETER_READ = 1, PARAMETER_WRITTEN = 2 };

struct signature_parameter {
    struct declared declared;
    const char *text; // "__global int *a"
    const char *name; // NULL: it has none
    // (or NULL) "struct {int rows; float gain;}", of one that is passed by value.
    const char *record;
    bool is_const; // what it points to, by its declaration
    unsigned use;  // set of enum parameter_use; both where it is not sure
    // For sure, in lines that are compiled: its first use reads an element; one is assigned.
    bool reads_first, writes;
    bool is_open; // some of its uses may not be compiled
    // The type by which the elements of an image are read or written ("float4" of read_imagef).
    bool has_texel;
    struct element texel;
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

// The names of the kernels that the program defines, in order; none if the text is not understood.
bool signature_kernels(const struct spec_sources *src, const struct program_sources *p,
                       const struct follow_macro *macros, struct arena *a,
                       const char *const **names, uint32_t *count);
// Sets `named` for the watched names of the spec that a parameter of the kernel has, too: given as -D they would hide
// it. False without memory.
bool signature_note_names(const struct spec_sources *src, const struct program_sources *p,
                          const char *kernel, struct arena *a, bool *named);
