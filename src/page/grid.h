// A table that is written as it is made: as HTML, CSV or Markdown. A cell is what people read and, behind it, the number
// itself: HTML has it as data-v, CSV has nothing else.
#ifndef HONE_PAGE_GRID_H
#define HONE_PAGE_GRID_H

#include "base/text.h"

#include <stddef.h>

struct grid {
    struct text *out;
    enum { GRID_HTML, GRID_CSV, GRID_MARKDOWN } form;
    size_t most;   // rows that are written; of CSV all
    size_t rows;   // that were begun
    size_t column; // next of the row
    bool is_body;
};

// `names` end with NULL.
void grid_head(struct grid *g, const char *const *names);
void grid_row(struct grid *g);
void grid_text(struct grid *g, const char *text);
// Not known: NaN.
void grid_number(struct grid *g, double value);
void grid_count(struct grid *g, uint64_t value);
void grid_time(struct grid *g, double ns);
void grid_share(struct grid *g, double value); // 0.25: "25 %"
void grid_end(struct grid *g);

#endif
