// What a kernel takes in a place, as its source or the driver declares it, held against what a job
// passes there. Whoever does not understand a declaration leaves it unknown, and what is unknown
// fits.
//
// What fits: pointers take buffers, values take scalars, local pointers take local memory. Of the
// types, floats and integers do not go together, and neither do components of different sizes;
// signed and unsigned do, since their bits are the same. A pointer to void or to bytes takes any
// buffer; bytes that no generator made (a file, zeros, an output) are taken by any pointer.
// A buffer of single components fits a pointer to vectors of them: kernels read floats as float4,
// and how wide is often a parameter. A spec that speaks of vectors itself must mean the kernel's,
// where the source says the same in every configuration; OpenCL's vectors of three are those of
// four.
#ifndef HONE_MODEL_DECLARED_H
#define HONE_MODEL_DECLARED_H

#include "model/job.h"

enum declared_kind { DECLARED_UNKNOWN, DECLARED_VALUE, DECLARED_POINTER };
enum declared_space { SPACE_UNKNOWN, SPACE_GLOBAL, SPACE_LOCAL }; // constant memory is global

struct declared {
    enum declared_kind kind;
    enum declared_space space; // of a pointer
    bool has_element;          // `element` is known; not of void and structs
    struct element element;    // of the value, or what the pointer points to
    bool always;               // the same in every configuration
};

// What a job passes, or a spec as far as it is known without a configuration.
struct passed {
    enum argument_kind kind;
    struct element element;
    bool generated; // BUFFER: its contents are made as numbers of this type
};

enum declared_fault {
    DECLARED_FITS,
    DECLARED_OTHER_KIND, // a buffer for a scalar, and the like
    DECLARED_OTHER_TYPE, // floats for integers, or components of another size
    DECLARED_OTHER_WIDTH // vectors of another width
};

// "unsigned int", "float4", "longlong2", as C, OpenCL and CUDA call types: other than in specs,
// "int8" is OpenCL's vector of eight. False for what is not one of theirs.
bool declared_parse(const char *words, enum language l, struct element *out);
// "float", "int8" (a vector of eight): the type's name as a kernel of OpenCL or CUDA has it; at
// least 24 bytes.
void declared_name(const struct element *el, char *out);
struct passed declared_passed(const struct job *j, const struct job_argument *a);
enum declared_fault declared_check(const struct declared *d, const struct passed *p,
                                   enum language l);

#endif
