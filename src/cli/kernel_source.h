// What a kernel's source says of itself, read without a compiler: its kernels with their arguments,
// and the names it uses without defining them, which are meant to come as -D. A good guess, not a
// parser: what it finds goes into a file that a person edits.
#ifndef HONE_CLI_KERNEL_SOURCE_H
#define HONE_CLI_KERNEL_SOURCE_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum argument_place { PLACE_VALUE, PLACE_GLOBAL, PLACE_CONSTANT, PLACE_LOCAL };

struct found_argument {
    const char *name;
    const char *type; // "float4", "unsigned int": without qualifiers
    enum argument_place place;
    bool is_const;
    bool is_written_only; // every use of it is `name[...] =`
};

struct found_kernel {
    const char *name;
    struct found_argument *arguments;
    uint32_t argument_count;
    // Of reqd_work_group_size(X, Y, Z), each a name or a number; NULL where it is neither, or the
    // kernel leaves its work-group open.
    const char *group_size[3];
};

// A name that the source leaves open.
struct found_name {
    const char *name;
    const char *value; // of its `#ifndef NAME #define NAME value #endif`; NULL: it has none
    bool is_type;      // it stands where a type does
};

struct kernel_source {
    struct found_kernel *kernels;
    uint32_t kernel_count;
    struct found_name *names; // in the order in which they appear
    uint32_t name_count;
    uint32_t dimensions; // 1 + the highest axis that the work-item functions are asked for
};

bool kernel_source_read(const char *text, size_t length, struct arena *a, struct kernel_source *out,
                        struct error *e);

#endif
