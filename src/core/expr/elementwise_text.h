// The text of an expression over arrays: an expression alone, or lines before it that name parts of it, and
// loops that carry values from turn to turn:
//
//     c = key[i] ^ 0xffffffff
//     for k in range(32): c = c >> 1 ^ (0xedb88320 if c & 1 else 0)
//     ~c
//
// Lines end with a line break or, outside of a loop, with ';'. `a, b = b, a + b` assigns all at once. The body of a loop
// stands behind its ':', parted by ';', or in the indented lines below.
#pragma once

#include "expr/expr.h"

enum { LINE_TARGETS_LIMIT = 16, LINE_NAMES_LIMIT = 256 };

// `targets = value`, or `for targets[0] in value: body`. A target is a slot behind those of the symbols.
struct text_line {
    bool loops;
    const char *place; // in the text
    uint32_t targets[LINE_TARGETS_LIMIT];
    uint32_t target_count;
    const struct expr *value;
    struct text_line *body;
    uint32_t body_count;
};

struct elementwise_text {
    const char *text;
    struct text_line *lines;
    uint32_t line_count;
    const struct expr *value; // of the last line
    uint32_t name_count;      // slots that the lines assign
    uint32_t *slots;          // of the symbols, those that are read, ascending
    size_t slot_count;
};

// NULL with the line (if there are several), the column, and what would be right.
struct elementwise_text *elementwise_parse(struct arena *a, const char *text,
                                           const struct expr_symbols *symbols, struct error *e);
