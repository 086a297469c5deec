// The parameter that a kernel declares, in its source or to the driver, compared with the argument
// that a job passes. A declaration that is not understood is left unknown, and unknown fits.
//
// Pointers take buffers, values take scalars, local pointers take local memory, images and samplers
// their like. Floats do not match
// integers, and components of different sizes do not match; signed and unsigned do, since their
// bits are the same. A pointer to void or to bytes takes any buffer; bytes that no generator made
// (a file, zeros, an output) fit any pointer. A buffer of single components fits a pointer to
// vectors of them: kernels read floats as float4, and the width is often a parameter. A spec that
// names vectors itself must name the kernel's, if the source declares the same in every
// configuration; OpenCL's vectors of three match those of four.
#pragma once

#include "model/job.h"

enum declared_kind {
    DECLARED_UNKNOWN,
    DECLARED_VALUE,
    DECLARED_POINTER,
    DECLARED_IMAGE, // a texture or surface object too
    DECLARED_SAMPLER
};
enum declared_space { SPACE_UNKNOWN, SPACE_GLOBAL, SPACE_LOCAL }; // constant memory is global

struct declared {
    enum declared_kind kind;
    enum declared_space space; // of a pointer
    bool has_element;          // `element` is known; not of void and structs
    struct element element;    // of the value, or what the pointer points to
    bool always;               // the same in every configuration
};

// A job's argument, or a spec's as far as it is known without a configuration.
struct passed {
    enum argument_kind kind;
    struct element element;
    bool generated; // BUFFER: its contents are made as numbers of this type
    bool is_image;  // BUFFER
};

enum declared_fault {
    DECLARED_FITS,
    DECLARED_OTHER_KIND, // a buffer for a scalar, for instance
    DECLARED_OTHER_TYPE, // floats for integers, or components of another size
    DECLARED_OTHER_WIDTH // vectors of another width
};

// "unsigned int", "float4", "longlong2", as C, OpenCL and CUDA call types: other than in specs,
// "int8" is OpenCL's vector of eight. False for what is not one of theirs.
bool declared_parse(const char *words, enum language l, struct element *out);
// The kind of a parameter whose type this word names; UNKNOWN: it names no image or sampler.
enum declared_kind declared_image_kind(const char *word);
struct passed declared_passed(const struct job *j, const struct job_argument *a);
enum declared_fault declared_check(const struct declared *d, const struct passed *p,
                                   enum language l);
