// Following a program's sources as the preprocessor would, as far as the -D values decide it.
#pragma once

#include "kernel_text/macros.h"

#define FOLLOW_UNRESOLVED UINT32_MAX

// One file of a program.
struct follow_file {
    const struct scan *scan;
    const uint32_t *targets; // by item: for an INCLUDE the file it names, or FOLLOW_UNRESOLVED;
                             // NULL: that it is, each
    const char *text;        // that was scanned
    size_t length;
    bool is_outside; // a compiler's own: that its text is strange makes no other strange
    // (optional) By item: its words, once they were read (preprocess.h); then, where they lie.
    struct item_tokens *tokens;
    struct arena *arena;
};

// One open #if.
enum life { LIFE_DEAD, LIFE_MAYBE, LIFE_LIVE };
struct follow_level {
    enum life outer;  // around it
    enum life inner;  // of the branch we are in
    enum truth taken; // has an earlier branch been taken?
    // The item that opened it, and that of the branch we are in, of one file.
    const struct scan_item *first, *branch;
};

struct follow {
    struct macro_terms terms;
    const struct follow_file *files; // those that are compiled come first, in order
    uint32_t file_count, main_count;
    bool regardless; // go on where a text is opaque: what is found is then a guess

    // (optional) Lines that the compiler sees, or may see: `sure` says which.
    void (*live)(void *context, struct macros *m, uint32_t file, const struct scan_item *item,
                 bool sure);
    // (optional) An #error, in a branch taken or not: the conditions around it are levels[0 .. depth).
    void (*error)(void *context, struct macros *m, const struct follow_level *levels,
                  uint32_t depth);
    void *context;

    // Results.
    bool *seen;         // by name: may its value matter to what the compiler sees?
    const char *opaque; // why nothing may be concluded; `seen` is then all true
    bool strange;       // what `live` was told may not be what the compiler sees either
};

// `seen` has room for every name. False without memory.
bool follow_run(struct follow *f, struct arena *scratch);
