// The languages that kernels are written in, and their differences outside a backend's folder: one
// name in the list below and one row of languages.c each. Code that depends on such a difference
// queries the trait, never a language by its name.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(NAME), in the order in which they are preferred. Keys and stores hold the number: a new one
// goes to the end.
#define LANGUAGES(X)                                                                               \
    X(OPENCL)                                                                                      \
    X(CUDA)                                                                                        \
    X(C)                                                                                           \
    X(PROGRAM)

enum language {
#define X(name) LANGUAGE_##name,
    LANGUAGES(X)
#undef X
        LANGUAGE_COUNT
};

#define LANGUAGES_ALL  ((1u << LANGUAGE_COUNT) - 1) // as a set: 1u << language
#define LANGUAGE_FIRST ((enum language)0)           // the default

// As tables of texts need them: each as its trait `text` or `title`.
#define LANGUAGES_ARGUMENT "opencl|cuda|c|program"
#define LANGUAGES_TEXTS    "opencl, cuda, c or program"
#define LANGUAGES_TITLES   "OpenCL, CUDA, C or Program"

// Where a compiler keeps what it has compiled: a folder below a variable of the environment.
struct language_cache {
    const char *variable, *below;
    bool is_beside; // the entries behind it count too, even if the variable is set
};

struct language_macro {
    const char *name;
    int64_t value;
};

// Options that the compiler is not given.
struct language_option {
    const char *starts; // of the words, a blank between two
    const char *why;    // "it names an output file"
    bool is_whole;      // the start is all of the word
    bool takes_next;    // its value is the next word
};

struct language_traits {
    const char *text;  // "opencl", as the command line, JSON and stores have it
    const char *title; // "OpenCL", as specs, expressions and readers have it
    // Remedy to suggest if no device runs this language.
    const char *remedy;
    // A kernel of hone's own that sees whether a device works (probe.h).
    const char *probe;
    // (optional) Macros for the words that differ in hone's own peak kernels (workflows/peak).
    // NULL: the language has no such kernels.
    const char *peak_words;
    // Lists end in NULL.
    const char *const *endings; // of its files
    // Words that precede a kernel's name in its source, and those among them that occur in no other
    // language's source; `weak_word` does not decide if another language's word is found.
    const char *const *kernel_words;
    const char *const *telling_words;
    const char *weak_word;
    // Macros that its compiler defines and no other language's does; those that only some of its
    // compilers define.
    const char *const *macros;
    const char *const *some_macros;
    // (optional) Macros of a usual compiler, for readers that have none; ends in one without a name.
    const struct language_macro *usual_macros;
    // Words in a parameter's declaration besides those of C.
    const char *const *qualifiers;
    const char *const *global_words; // the pointer's memory
    const char *const *local_words;
    // (optional) Headers that hone gives its compiler where it finds none.
    const char *const *supplied_headers;
    const struct language_cache *caches; // ends in an entry without a variable

    // Variables of the environment that may change a time on a CPU, by how they begin; and which of
    // those do not.
    const char *const *time_variables;
    const char *const *other_variables;
    const struct language_option *refused; // ends in an entry without starts
    // Likewise: what other compilers take and this one does not know.
    const struct language_option *ignored;
    // (optional) A macro that hone's compiler defines: what stands in #ifndef of it, such as the host's program in the
    // same file, only others compile.
    const char *own_compiler;
    // (optional) Names that its compiler's headers use: -D of one would break them. A blank stands
    // between them, and a '*' at the end of one for anything.
    const char *header_words;
    uint32_t routines;      // vendors' routines (job.h) that its devices offer, as a set
    uint32_t vector_widths; // a bit for each width that its own vector types have: 1 << width
    bool packs_three;       // a vector of three has the size of three components, not of four
    bool has_size_type;     // a kernel may take a size_t, of eight bytes
    bool takes_structs;     // a kernel may take a type of its source's own by value
    bool takes_addresses;   // a pointer may be passed as a number, and a number as a pointer
    bool passes_local;      // MemoryType Local is an argument
    bool passes_symbols;    // MemoryType Symbol is one; else if the kernel takes so many
    bool passes_samplers;   // MemoryType Sampler is one; else an image has its own
    bool has_images;        // a kernel may take one
    bool sizes_local;       // local memory is sized by the launch ("dynamic shared memory")
    bool counts_groups;     // GlobalSize counts work-groups, unless the spec says otherwise
    bool needs_local_size;  // a launch cannot leave the work-group's size to the driver
    bool retargets;         // its driver's PTX can be rewritten for another target (Retarget)
    // The compiler reads only from folders in its options and in the device's description
    // (device_info.include_folders).
    bool knows_folders;
    bool builds_on_device; // its compiler needs a context of the device, with the memory that takes
    bool is_simulated;     // `hone check --races` has a simulator for it
    bool is_plain_call;    // a launch is one call: it has no sizes, and those of a spec are ignored
    bool is_native;        // kernels run as code of the worker's process: each job in a fork of it
    // Kernels are commands: a program is built and run as it is, says itself how long it took and whether its
    // result is valid. Its source is no text that hone reads, and what it says is not verified.
    bool is_command;
    bool has_words_alone; // options are words of the compiler's command line: each begins with '-'
    // Its devices answer specs in it alone, and only if no other device does or they are named.
    bool comes_last;
};

const struct language_traits *language_traits(enum language l);

const char *language_text(enum language l);
// "OpenCL", "CUDA", as specs, expressions and readers write it.
const char *language_title(enum language l);
// False when `text` names none, case ignored.
bool language_parse(const char *text, enum language *out);
// Can a kernel's source identify this language? If not, a spec or the file's ending names it.
bool language_is_told_by_text(enum language l);
// The language whose kernels are commands.
enum language language_of_commands(void);
// The languages whose devices are meant if neither a spec nor the user names one, as a set.
uint32_t languages_unnamed(void);
// Why the language's compiler is not given this option of a user's; NULL: it is. `before` is the
// option in front of it, or NULL.
const char *language_refuses(enum language l, const char *option, const char *before);
// Why it is left out, though it does no harm: another compiler's. NULL: it is not. *next: the word
// behind it is its value.
const char *language_ignores(enum language l, const char *option, bool *next);
// Would -D of this name, of `length` bytes, break the headers of its compiler?
bool language_has_header_word(enum language l, const char *name, size_t length);
