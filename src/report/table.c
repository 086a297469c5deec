// Tables: cells are kept as text and made visible first, so that widths are those of what is shown.
// Text pads columns with blanks; Markdown separates them by bars.
#include "report/table.h"

#include "report/units.h"

#include <stdarg.h>
#include <string.h>

#define GAP "  "

struct table_row {
    struct table_row *next;
    const char **cells; // NULL: empty
    bool note;          // one cell that does not count for the widths
};

void table_init(struct table *t, const struct table_column *columns_of, size_t count)
{
    *t = (struct table){.columns = columns_of, .column_count = count};
    arena_init(&t->arena);
}

void table_release(struct table *t)
{
    text_release(&t->open);
    arena_release(&t->arena);
}

// Controls are made visible before widths are measured.
static void set_cell(struct table *t, size_t column, const char *format, va_list args)
{
    char cell[1024]; // longer ones end in "..."
    struct text shown = TEXT_INIT;
    if (t->failed || !t->last)
        return;
    str_vformat(cell, sizeof cell, format, args);
    text_add_visible(&shown, cell, strlen(cell), false);
    t->last->cells[column] = text_to_arena(&shown, &t->arena);
    t->failed |= !t->last->cells[column];
}

void table_cell(struct table *t, size_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_cell(t, column, format, args);
    va_end(args);
}

static void close_cell(struct table *t)
{
    t->failed |= t->open.failed;
    if (t->open.length)
        table_cell(t, t->open_column, "%s", text_cstr(&t->open));
    text_clear(&t->open);
}

struct text *table_text(struct table *t, size_t column)
{
    close_cell(t);
    t->open_column = column;
    return &t->open;
}

void table_row(struct table *t)
{
    close_cell(t);
    struct table_row *row = arena_alloc(&t->arena, sizeof *row);
    const char **cells = arena_array(&t->arena, t->column_count, sizeof *cells);
    if (!row || !cells) {
        t->failed = true;
        return;
    }
    row->cells = cells;
    if (t->last)
        t->last->next = row;
    else
        t->first = row;
    t->last = row;
}

void table_note(struct table *t, size_t column, const char *format, ...)
{
    va_list args;
    table_row(t);
    va_start(args, format);
    set_cell(t, column, format, args);
    va_end(args);
    if (!t->failed)
        t->last->note = true;
}

// ---- printing ----------------------------------------------------------------------------------

static const char *cell_of(const struct table_row *row, size_t column)
{
    return row->cells[column] ? row->cells[column] : "";
}

// 0: no row has text there, so the column is left out.
static size_t width_of(const struct table *t, size_t column)
{
    size_t width = 0;
    for (const struct table_row *row = t->first; row; row = row->next) {
        size_t needed = row->note ? 0 : columns(cell_of(row, column));
        width = needed > width ? needed : width;
    }
    size_t title = columns(t->columns[column].title);
    return width && title > width ? title : width;
}

static void pad(struct text *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_addc(line, ' ');
}

// A bar ends a cell.
static void put_markdown_cell(const char *cell, struct text *out)
{
    text_add(out, " ");
    for (const char *s = cell; *s; s++) {
        text_add(out, *s == '|' ? "\\" : "");
        text_addc(out, *s);
    }
    text_add(out, " |");
}

static void print_markdown(const struct table *t, const size_t *widths, struct text *out)
{
    bool begins = out->length < 2 || str_equal(out->data + out->length - 2, "\n\n");
    text_add(out, begins ? "|" : "\n|"); // behind an empty line, else it is no table
    for (size_t i = 0; i < t->column_count; i++) {
        if (widths[i])
            put_markdown_cell(t->columns[i].title, out);
    }
    text_add(out, "\n|");
    for (size_t i = 0; i < t->column_count; i++) {
        if (widths[i])
            text_add(out, t->columns[i].align == ALIGN_LEFT ? " :--- |" : " ---: |");
    }
    for (const struct table_row *row = t->first; row; row = row->next) {
        text_add(out, "\n|");
        for (size_t i = 0; i < t->column_count; i++) {
            if (widths[i])
                put_markdown_cell(cell_of(row, i), out);
        }
    }
    text_add(out, "\n\n"); // what follows would be a row of it
}

static void end_line(struct text *line, const char *indent, struct text *out)
{
    while (line->length > 0 && line->data[line->length - 1] == ' ')
        line->data[--line->length] = '\0';
    text_add(out, line->length ? indent : "");
    text_add(out, text_cstr(line));
    text_addc(out, '\n');
    out->failed |= line->failed;
    text_clear(line);
}

static void put_cell(struct text *line, const char *cell, size_t width, enum align align)
{
    size_t have = columns(cell), blanks = width > have ? width - have : 0;
    if (align == ALIGN_RIGHT)
        pad(line, blanks);
    text_add(line, cell);
    if (align == ALIGN_LEFT)
        pad(line, blanks);
}

// A note starts where its column does, whatever is to the right.
static void put_table_row(const struct table *t, const struct table_row *row, const size_t *widths,
                          struct text *line)
{
    const char *gap = "";
    for (size_t i = 0; i < t->column_count; i++) {
        if (widths[i] == 0)
            continue;
        text_add(line, gap);
        gap = GAP;
        if (row)
            put_cell(line, cell_of(row, i), row->note && row->cells[i] ? 0 : widths[i],
                     row->note ? ALIGN_LEFT : t->columns[i].align);
        else
            put_cell(line, t->columns[i].title, widths[i], t->columns[i].align);
    }
}

static bool has_titles(const struct table *t)
{
    for (size_t i = 0; i < t->column_count; i++) {
        if (t->columns[i].title[0])
            return true;
    }
    return false;
}

void table_print(struct table *t, enum report_format format, const char *indent, struct text *out)
{
    struct arena scratch;
    struct text line = TEXT_INIT;
    close_cell(t);
    arena_init(&scratch);
    size_t *widths = arena_array(&scratch, t->column_count, sizeof *widths);
    out->failed |= !widths || t->failed;
    for (size_t i = 0; widths && i < t->column_count; i++)
        widths[i] = width_of(t, i);
    bool is_text = format != REPORT_MARKDOWN;
    if (widths && t->first && !is_text)
        print_markdown(t, widths, out);
    if (widths && t->first && is_text && has_titles(t)) {
        put_table_row(t, NULL, widths, &line);
        end_line(&line, indent, out);
    }
    for (const struct table_row *row = widths && is_text ? t->first : NULL; row; row = row->next) {
        put_table_row(t, row, widths, &line);
        end_line(&line, indent, out);
    }
    text_release(&line);
    arena_release(&scratch);
}

void table_end(struct table *t, enum report_format format, const char *indent, struct text *out)
{
    table_print(t, format, indent, out);
    table_release(t);
}
