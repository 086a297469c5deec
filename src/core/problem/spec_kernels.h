// A spec's kernels, resolved per language. Private to src/core/problem.
//
// Expressions that a spec leaves out have expr == NULL.
#pragma once

#include "problem/facts.h"
#include "problem/spec.h"

#include <limits.h>

// A word of the options, with the expressions in braces in it (option_words.h).
struct option_word {
    struct option_hole {
        size_t from, to; // of the braces
        struct formula value;
    } * holes;
    uint32_t count;
};

struct program_spec {
    const char *path;         // of the key that names the source, for messages
    const char *text;         // KernelSource; NULL: the files
    size_t text_length;       // 0: it ends where a text does
    const char *const *files; // as written, joined in order
    uint32_t file_count;
    const char *const *options;
    uint32_t option_count;
    const char *const *folders; // as written
    uint32_t folder_count;
    struct option_word *words; // of the options: what in them hangs on the configuration
    // A command's: of the options the first so many are what builds the program, and then what runs it; one behind
    // them names the benchmark. `files` are those that it is made of, beside those that its words name.
    uint32_t build_words, run_words;
    // A text for each configuration: the words of a command that prints it, or a file's name (variant_texts.c). 0: one for all.
    const char *const *variant_words;
    struct option_word *variant;
    uint32_t variant_count;
    bool is_generated;     // by a command
    const char *text_name; // (optional) of `text`, for messages
    const char *target;    // of Retarget; NULL: the driver's own
    struct formula retarget_when;
};

struct size_spec {
    struct formula axis[3];
    uint32_t axes; // 0: not given
};

struct divisor_spec {
    struct formula *items;
    uint32_t count;
    bool given; // else the local size
};

// Launches that are made several times over. Between two passes the buffers of a pair change roles:
// what the second got is what the first is then.
struct repeat_spec {
    struct formula count; // not given: once
    struct swap_spec {
        const char *path;
        uint32_t from, to; // arguments
    } * swaps;
    uint32_t swap_count;
};

struct launch_spec {
    const char *path;
    const char *name;   // NULL: the kernel's
    const char *kernel; // plain name; NULL: kernel_expression gives it
    struct formula kernel_expression;
    uint32_t program;
    bool groups;             // `global` counts work-groups
    struct size_spec global; // not given: problem divided by divisors
    struct size_spec problem;
    struct divisor_spec divisors[3];
    struct size_spec local; // not given: the driver chooses
    struct formula shared;
    struct formula when;
    const uint32_t *arguments; // indices
    uint32_t argument_count;
    struct repeat_spec repeat; // of this launch alone; a reference's: as the kernel's
};

struct language_spec {
    bool offered;
    struct formula when;
    struct program_spec *programs;
    uint32_t program_count;
    struct launch_spec *launches;
    uint32_t launch_count;
    struct launch_spec *reference; // Reference of kind kernel, else NULL
};

#define MEMORIES(X)                                                                                \
    X(SCALAR, "Scalar")                                                                            \
    X(VECTOR, "Vector")                                                                            \
    X(LOCAL, "Local")                                                                              \
    X(SYMBOL, "Symbol")                                                                            \
    X(NOTHING, "Null")                                                                             \
    X(SAMPLER, "Sampler")

enum memory {
#define X(name, text) MEMORY_##name,
    MEMORIES(X)
#undef X
        MEMORY_COUNT
};

// Does the language pass what is in this memory as an argument? `symbols`: this kernel takes symbols.
bool memory_is_passed(enum memory m, const struct language_traits *l, bool symbols);

struct fill_spec {
    enum fill_kind kind;
    const char *path;     // of the argument, for messages
    struct formula value; // CONSTANT; UNIFORM: the upper end when there is no range
    struct formula low, high;
    uint64_t seed;
    struct formula generator; // over the spec's names, i and size
    const char *file;         // DATA: as written
};

struct compare_spec {
    bool chosen; // a method is given; else by type
    bool usual;  // its threshold is not
    bool allow_nan;
    enum compare_kind kind;
    struct formula atol, rtol;
    struct formula first, count;
    double precision; // 0: not given
};

// An argument that is another view of a second one's data, as one array of a struct of arrays is of
// an array of structs: component i is component first + i * stride there.
struct link_spec {
    const char *path; // NULL: it is none
    uint32_t argument;
    struct formula first, stride;
};

// A buffer that is an image. Its elements are as many as the product of its sizes.
struct image_spec {
    uint32_t axes; // 2 or 3; 0: it is none
    struct formula size[3];
    enum image_order order; // IMAGE_ORDER_COUNT: R, RG or RGBA, by the type's width
    bool normalized;
    struct job_sampler sampler; // of a MEMORY_SAMPLER, too
};

struct argument_spec {
    const char *name;
    const char *path;
    enum memory memory;
    struct element element;
    const struct layout
        *layout;         // (optional) of a type "struct {...}"; custom_bytes are a language's
    struct formula type; // (optional) gives the type's name
    enum access access;
    bool says_access; // else it is the usual one
    struct formula size;
    struct image_spec image;
    struct fill_spec fill;
    struct link_spec link;
    bool output, temporary, keep;
    bool faulty; // while reading: something is wrong with it, and the spec will be refused
    struct compare_spec compare;
};

// The expected contents of an output, if the spec gives them.
struct expected_spec {
    uint32_t argument;
    struct fill_spec fill;
    const char *text, *text_path; // (optional) lines over kernel_spec.expect_symbols; else the fill
    const uint32_t *slots;        // of these, those that it reads
    size_t slot_count;
};

enum reference_source {
    REFERENCE_BY_NOTHING,
    REFERENCE_BY_DEFAULT, // agreement with the default configuration
    REFERENCE_BY_GEMM,
    REFERENCE_BY_KERNEL,
    REFERENCE_BY_CONFIGURATION,
    REFERENCE_BY_CONTENTS
};

struct gemm_spec {
    struct formula m, n, k, alpha, beta, gamma, batch, activation;
    uint32_t a, b, c, bias; // arguments; without gamma no bias
    bool transpose_a, transpose_b;
    enum activation always; // without a formula of it
};

struct reference_spec {
    enum reference_source source;
    const char *path;
    const char
        *name; // CONTENTS: of the job's reference and a part of its key, the same in both forms
    struct gemm_spec gemm;
    const uint32_t *choice; // KERNEL, CONFIGURATION: the parameters' values; NULL: the tried ones
    struct expected_spec *expected;
    uint32_t expected_count;
};

struct late_fault {
    const char *text; // with the path
    unsigned languages;
    struct late_fault *next;
};
#define ALL_LANGUAGES UINT_MAX

struct kernel_spec {
    enum language language; // the spec's own: of the sources that stand outside any Languages
    // The spec does not say its own: each language was read as if it were that, and the text of
    // the first program tells which it is (spec_languages.c).
    bool by_text;
    struct language_spec languages[LANGUAGE_COUNT];
    struct argument_spec *arguments;
    uint32_t argument_count;
    // Expressions of sizes that cannot be read: faults that matter only when jobs are made.
    struct late_fault *late;
    struct repeat_spec repeat; // of all launches in their order
    struct reference_spec reference;
    struct value problem_size[3];
    struct formula problem[3]; // if parameters decide it: its values are each job's own
    uint32_t problem_axes;
    struct expr_symbols generator_symbols; // the spec's names, then i and size
    struct expr_symbols expect_symbols;    // the spec's names, then i, the arguments, and size
};
