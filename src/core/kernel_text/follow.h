// Following a program's sources as the preprocessor would, as far as the -D values decide it.
#ifndef HONE_KERNEL_TEXT_FOLLOW_H
#define HONE_KERNEL_TEXT_FOLLOW_H

#include "kernel_text/condition.h"
#include "kernel_text/scan.h"

#define FOLLOW_UNRESOLVED UINT32_MAX

// One file of a program.
struct follow_file {
    const struct scan *scan;
    const uint32_t *targets; // by item: for an INCLUDE the file it names, or FOLLOW_UNRESOLVED
};

// A -D option: what is known of one watched name.
struct follow_macro {
    bool given;
    const char *value; // as text; NULL: not known
};

struct follow {
    const struct follow_file *files;
    uint32_t file_count;
    const uint32_t *mains; // files that are compiled, in order
    uint32_t main_count;
    const struct scan_names *names;
    const struct follow_macro *macros; // by name

    bool regardless; // go on where a text is opaque: what is found is then a guess

    // (optional) Lines that the compiler sees, or may see: `sure` says which.
    void (*live)(void *context, uint32_t file, const struct scan_item *item, bool sure);
    void *context;

    // Results.
    bool *seen;         // by name: may its value matter to what the compiler sees?
    const char *opaque; // why nothing may be concluded; `seen` is then all true
    bool strange;       // what `live` was told may not be what the compiler sees either
};

// `seen` has room for every name. False without memory.
bool follow_run(struct follow *f, struct arena *scratch);

#endif
