// The files that are read for a language. Private to src/core/problem.
#pragma once

#include "problem/data.h"
#include "problem/faults.h"
#include "kernel_text/follow.h"
#include "problem/spec_kernels.h"

// Names that hone may define with -D: watched for in the sources. Those of the spec come first, in
// the order of its slots: parameters, constants, derived parameters.
enum extra_name {
    EXTRA_HONE,
    EXTRA_HONE_SOURCE,
    EXTRA_KERNEL_TUNER,
    EXTRA_GRID_X,
    EXTRA_GRID_Y,
    EXTRA_GRID_Z,
    EXTRA_COUNT
};

// Where an include may lead: a file that nobody named is shown by no compiler's log.
enum leading { LEADS_IN, LEADS_OUT, LEADS_ANYWHERE }; // ANYWHERE: its name is not known

// A #define of the source's own that gives way to the spec's value.
struct yielded {
    const char *name, *value;
    uint32_t line;
};

struct source_file {
    const char *name;   // for messages: as the spec or the #include line writes it
    const char *path;   // absolute, without "." and ".."
    const char *folder; // of path
    const char *tree;   // relative to the common root of the program's files; NULL: `outside`
    bool outside;       // read by the compiler where it lies: named whole, or in its own folders
    bool by_option;     // -include: read before the compiled files
    const char *text;
    uint64_t length;
    bool is_code; // what a compiler made
    struct scan scan;
    uint32_t *targets;   // by item, see struct follow_file
    enum leading *leads; // by item: OUT and ANYWHERE are refused where the compiler may see them
    struct yielded *yielded; // blanked in `text`
    size_t yielded_count, yielded_room;
};

// A file that the compiler may read and hone did not find.
struct unseen {
    const char *file; // that reads it; NULL: there is nothing
    uint32_t line;    // 0: an option does
    const char *what; // as it stands there
    enum leading leads;
};

struct program_sources {
    const char *name; // the first file's name
    const char *text; // the files joined
    uint64_t length;
    struct source_file *list; // the compiled files first, then what they include
    uint32_t count, mains;
    struct follow follow;   // the list, to be followed with values of macros
    struct job_file *files; // what is included
    uint32_t file_count;
    const char **folders;
    uint32_t folder_count;
    const char **options;
    uint32_t option_count;
    uint32_t *option_places; // of each, among the spec's
    const char **ignored;    // options of other compilers, which this one is not given
    uint32_t ignored_count;
    bool outside; // files of the list are
    bool *
        named; // by watched name of the spec: a kernel of it has a parameter of this name, so that it is no -D
    struct unseen unseen;
    struct unseen leads_out; // an include that the compiler may see, of a file that nobody named
};

struct spec_sources {
    const struct spec *spec; // in the T1 form
    struct spec *completed;  // (or NULL) the same if it was given in the short form
    struct spec_sources
        *texts;     // then, what completes it: itself, or those in the spec's own language
    bool is_shared; // everything below is another's
    enum language language;
    const char *include_folders; // of the device's compiler, as in struct device_info
    uint64_t run;                // random if something is unseen: see struct job_program; else 0
    struct arena arena;
    struct program_sources *programs; // as language_spec's
    uint32_t program_count;
    struct scan_names names;
    uint32_t first_extra;        // index of EXTRA_HONE among the names
    struct data_file *arguments; // by argument; path NULL: no file
    struct data_file *expected;  // by expected output of the reference
    // By launch, the reference's behind them: its arguments agree with its kernel's parameters in
    // every configuration, or no configuration's source tells: no job needs checking.
    bool *types_agree;
    struct faults faults;     // while reading
    bool incomplete;          // likewise: a program could not be read
    const uint32_t *stand_in; // (or NULL) in place of the default configuration
    struct digest digest;
    struct variant_text *variants; // texts that were made for configurations (variant_texts.c)
};

// As spec_languages(), without the spec's path in front of the error (spec_languages.c).
bool sources_languages(const struct spec *s, struct spec_languages *out, struct error *e);
// The kernels' texts in the spec's own language alone, for what they say of it (sources.c). NULL if one is not there.
struct spec_sources *sources_read_texts(const struct spec *s, struct error *e);
// Reads a program with everything it includes (sources.c).
bool sources_read_program(struct spec_sources *src, const struct program_spec *p,
                          const char *directory, struct program_sources *out, struct error *e);
// The files that a command names, and what they include, as one JSON object of digests (commands.c). NULL with an error.
const char *command_files(const struct program_spec *p, const char *directory, struct arena *a,
                          struct error *e);
// The text of a program that has one for each configuration, for the default one, and the file that it is of in messages
// (variant_texts.c). False with an error.
bool variant_default(const struct spec *s, const struct program_spec *p, enum language l,
                     struct arena *a, const char **name, const char **text, size_t *length,
                     struct error *e);
// Notes the spec's names that a parameter of this kernel has. False without memory.
bool sources_note_parameters(const struct spec_sources *src, const struct program_sources *p,
                             const char *kernel);
// Finds what the program reads beyond its list (unseen.c). False without memory.
bool unseen_find(const struct spec_sources *src, struct arena *a, struct program_sources *p);
// The name a -D option defines, with its length; NULL for every other option. *value is its text
// ("1" if it gives none).
const char *option_macro(const char *option, size_t *length, const char **value);
// Notes by name what a program's options define; false when they cannot be followed (a name given
// twice, one that is not watched, a function-like macro) (effective.c).
bool sources_note_macros(const struct scan_names *names, const struct job_program *p,
                         struct follow_macro *macros);
// Blanks the lines of `text`, as it was scanned, that define names of the spec as plain numbers
// (yield_defines.c); *changed: it is to be scanned again. False without memory.
bool sources_yield_defines(struct spec_sources *src, const struct program_spec *p,
                           struct source_file *f, char *text, bool *changed);
// Refuses names that the sources define themselves, warns of unused ones (check_sources.c).
bool sources_check(struct spec_sources *src, const struct log *log, struct error *e);
// Refuses arguments that no configuration's kernel takes (check_types.c).
bool sources_check_types(struct spec_sources *src, struct error *e);
bool program_mentions(const struct program_sources *p, uint32_t name);
