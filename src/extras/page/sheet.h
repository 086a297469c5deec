// A table that is written as it is made: as HTML, CSV or Markdown. A cell is what people read and, behind it, the number
// itself: HTML has it as data-v, CSV has nothing else.
#pragma once

#include "base/text.h"

#include <stddef.h>

struct sheet {
    struct text *out;
    enum { SHEET_HTML, SHEET_CSV, SHEET_MARKDOWN } form;
    size_t most;   // rows that are written; of CSV all
    size_t rows;   // that were begun
    size_t column; // next of the row
};

// A text in one line, in which no character of `special` means anything to Markdown or HTML.
void put_markdown(const char *s, const char *special, struct text *out);
// `names` end with NULL.
void sheet_head(struct sheet *g, const char *const *names);
void sheet_row(struct sheet *g);
void sheet_text(struct sheet *g, const char *text);
// Not known: NaN.
void sheet_number(struct sheet *g, double value);
void sheet_count(struct sheet *g, uint64_t value);
void sheet_time(struct sheet *g, double ns);
void sheet_share(struct sheet *g, double value); // 0.25: "25 %"
void sheet_end(struct sheet *g);
