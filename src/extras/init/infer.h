// Infers from a kernel's source how it is launched: the names that are passed as -D, the
// work-group, the extent of the launch, and each argument's size and use. The source is read, and
// run on numbers (interpret.h) at several sizes; dependencies show in how the numbers change.
// Anything that cannot be inferred is left open and reported.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "model/languages.h"
#include "problem/layout.h"

#include <stdint.h>

enum name_role {
    NAME_PARAMETER, // to be tuned
    NAME_CONSTANT,  // of the problem
    NAME_TYPE       // a type: "float"
};

struct inferred_name {
    const char *name;
    enum name_role role;
    int64_t value;
    const char *values; // of a parameter: "[16, 32, 64]"
    bool is_guess;      // the text gives it no value
    bool is_switch;
    bool is_integer;     // a type that the text uses as one
    bool is_own;         // not the kernel's: a size of the work-group that it leaves to the launch
    bool is_argument;    // of an integer argument of this name
    bool is_given;       // the user's files say its value
    const char *follows; // (or NULL) of a constant: the expression that it is in the spec
};

enum inferred_kind {
    INFERRED_SCALAR,
    INFERRED_BUFFER,
    INFERRED_LOCAL,
    INFERRED_SYMBOL,
    INFERRED_IMAGE,
    INFERRED_SAMPLER,
    INFERRED_STRUCT, // by value
    INFERRED_MEMBER  // a number of a struct by value, which the struct's argument has
};
enum inferred_access { INFERRED_READ, INFERRED_WRITE, INFERRED_BOTH };

struct inferred_argument {
    const char *name;
    enum inferred_kind kind;
    enum inferred_access access;
    const char *type;            // in a spec: "float", "int32"; "custom" with its bytes
    const struct layout *layout; // of a struct
    const char *owner, *member;  // of a member: its struct's argument, and its own name there
    bool is_typed;               // the spec has to say it: the text's own words do not
    const char *type_words;      // (or NULL) a type that a parameter names
    uint32_t type_bytes;
    // The type differs from the source's own words: components of a vector, members of a struct.
    bool is_other_type;
    const char *size;       // elements: an expression; NULL: `file` or `expect` has as many
    const char *image[3];   // of an image: expressions; NULL: no third
    const char *file;       // (or NULL) the .npy file that fills it
    const char *expect;     // (or NULL) what it is to hold: an expression over i, or a .npy file
    const char *value;      // of a scalar: an expression
    const char *low, *high; // (or NULL) of what a buffer is filled with at random
    const char *generator;  // (or NULL) it holds this instead, over i
    bool is_integer;
    bool is_sum;     // its number of elements depends on parameters: only their sum can be compared
    bool is_zero;    // it begins with zeros
    bool is_added;   // to by atomics
    bool is_scratch; // it is not compared
    bool is_guess;   // size or value
    bool is_unused;  // as far as was seen
    bool is_settled; // somebody was asked for its value
    const char *why; // of a guess: \"comes out of memory\"
};

struct inferred {
    const char *kernel;
    const char *name_expression; // (or NULL) of a template
    struct inferred_name *names;
    uint32_t name_count;
    struct inferred_argument *arguments;
    uint32_t argument_count;
    uint32_t axes;
    const char *global[3], *local[3]; // in work-items
    bool is_function;                 // a call, without a launch
    const char *shared_bytes;         // (or NULL) of dynamic shared memory
    const char *option;               // (or NULL) of the compiler, which a parameter switches
    const char **restrictions;
    uint32_t restriction_count;
    uint32_t launch_restriction_count; // of these, the first: sizes that the launch has to divide
    const char *reached,
        *others;       // words, a blank behind each: of the functions it reaches; of all others
    const char **open; // what is to be decided, the most pressing first
    uint32_t open_count;
};

// The kernels of a text, in their order.
struct inferred_kernels {
    const char **names;
    uint32_t count;
    const char *hidden; // which stand in what conditions (variants.h); ""
    // (or NULL) Where there is none: a macro that nothing defines, and the function behind it, whose head it may begin.
    const char *macro, *behind;
};

struct inferred_name *inferred_find_name(const struct inferred *f, const char *name); // or NULL
struct inferred_argument *inferred_find_argument(const struct inferred *f, const char *name);

bool infer_kernels(const char *text, size_t length, enum language l, struct arena *a,
                   struct inferred_kernels *out, struct error *e);
// False without memory, or where the kernel is not there or takes what hone cannot pass.
bool infer_kernel(const char *text, size_t length, enum language l, const char *kernel,
                  struct arena *a, struct inferred *out, struct error *e);
// The same in a glance, for the names alone: nothing is run, and the rest is a guess.
bool infer_names(const char *text, size_t length, enum language l, const char *kernel,
                 struct arena *a, struct inferred *out, struct error *e);
