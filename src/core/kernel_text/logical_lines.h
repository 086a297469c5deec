// The lines of a C-family source as its compiler takes them: continuations joined, comments
// replaced by a blank.
#pragma once

#include "base/text.h"

struct logical_lines {
    struct text text; // the line
    uint32_t first;   // where it begins in the source, from 1
    uint32_t code;    // where the first of it stands that is no blank and no comment
    uint32_t line;    // where the next one begins
    const char *at, *end;
};

// The text is not copied.
void logical_lines_init(struct logical_lines *l, const char *text, size_t length);
void logical_lines_release(struct logical_lines *l);
// The next line into l->text, which may fail; false at the end of the source.
bool logical_lines_next(struct logical_lines *l);
