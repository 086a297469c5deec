// Tables of text: columns as wide as their widest cell, two blanks between them.
#pragma once

#include "base/arena.h"
#include "base/text.h"
#include "report/writer.h"

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct table_column {
    const char *title;
    enum align align;
};

struct table_row;

struct table {
    struct arena arena;
    const struct table_column *columns; // the caller's
    size_t column_count;
    struct table_row *first, *last;
    struct text open; // the cell of the last row that is being written
    size_t open_column;
    bool failed; // no memory
};

void table_init(struct table *t, const struct table_column *columns, size_t count);
void table_release(struct table *t);
// A new row, its cells empty.
void table_row(struct table *t);
// A cell of the last row.
void table_cell(struct table *t, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The text of a cell of the last row, empty: what is added to it is the cell, until the table is called again.
struct text *table_text(struct table *t, size_t column);
// A line below the last row that starts at the column and may run over those to its right.
void table_note(struct table *t, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Columns without any text are left out, and so is the line of titles when no column has one. As
// text each line starts with `indent`; Markdown has a row of titles always.
void table_print(struct table *t, enum report_format format, const char *indent, struct text *out);
// The same, and releases it.
void table_end(struct table *t, enum report_format format, const char *indent, struct text *out);
