// Facts about a C-family source that hone needs without compiling it: its preprocessor directives,
// the lines between them, and the places that mention names which hone may define.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scan_kind {
    SCAN_TEXT, // lines without directives, and directives that change nothing here (#pragma, ...)
    SCAN_IF,
    SCAN_IFDEF,
    SCAN_IFNDEF,
    SCAN_ELIF,
    SCAN_ELSE,
    SCAN_ENDIF,
    SCAN_DEFINE,
    SCAN_UNDEF,
    SCAN_INCLUDE,
    SCAN_ERROR
};

struct scan_item {
    enum scan_kind kind;
    uint32_t first, last; // lines, from 1
    size_t from;          // where the first one begins in the text
    const char *text; // IF, ELIF: the condition; IFDEF, IFNDEF, DEFINE, UNDEF: the macro's name;
                      // INCLUDE: the file as written, without its quotes
    bool angled;      // INCLUDE: <...>
    // TEXT: a directive that reads a file which the scanner does not find: what stands behind it.
    const char *reads;
    bool next;             // of its name, in the folders behind the one that this file is of
    bool named;            // by `reads` alone, which is the name of a macro
    const char *value;     // DEFINE: the macro's text; NULL of a function-like one
    const char *body;      // DEFINE: all that stands behind the name
    const uint32_t *names; // which of the watched names it mentions, each once
    uint32_t name_count;
    uint32_t tested; // IFDEF, IFNDEF: which of them it is about; else UINT32_MAX
};

// The names to find.
struct scan_names {
    const char *const *items;
    uint32_t count;
};

struct scan {
    struct scan_item *items;
    uint32_t count;
    // (optional) Why this text cannot be followed line by line: names may arise that are nowhere
    // written ('##'), or the scanner does not know a construct. Nothing may then be concluded.
    const char *opaque;
    // The lines of an opaque text are themselves uncertain. If false, only further lines, or those
    // of an included file, are unknown.
    bool strange;
    const char *guard; // (optional) the macro of an include guard around the whole file
    bool once;         // has #pragma once
    uint32_t hides;    // the line of what may be a directive that is no item; 0: there is none
};

// Index among the names, or UINT32_MAX.
uint32_t scan_name_index(const struct scan_names *names, const char *name, size_t length);
// Scans a text. False without memory. Texts of any content are accepted.
bool scan_text(const char *text, size_t length, const struct scan_names *names, struct arena *a,
               struct scan *out);
// Does any part of the text mention the name, or ask whether it is defined?
bool scan_mentions(const struct scan *s, uint32_t name);
// Does the item, under no condition but include guards, define a name as a plain number, and nothing
// else the name?
bool scan_is_own_number(const struct scan *s, uint32_t item);
