// Reads shapes from CSV, line by line, into an array that grows.
#include "extras/deploy/shapes.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct shapes_reader {
    const char *at, *end, *name;
    const struct spec *spec;
    uint32_t line; // of what is read, from 1
    uint32_t names_line;
    struct arena *a;
    struct error *e;
    struct shapes *out;
    const char *columns[SHAPE_COLUMNS + 1]; // with the weight
    uint32_t cell_count;
    uint32_t weight; // its cell; UINT32_MAX: there is none
    int64_t *sizes;
    double *weights;
    size_t size_capacity, weight_capacity;
};

static bool shapes_error(const struct shapes_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool shapes_error(const struct shapes_reader *r, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    str_vformat(text, sizeof text, format, args);
    va_end(args);
    error_set(r->e, ERROR_INPUT, "%s: line %u: %s", r->name, r->line, text);
    return false;
}

// ---- cells -------------------------------------------------------------------------------------

static void skip_blanks(struct shapes_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static bool is_at_line_end(const struct shapes_reader *r)
{
    return r->at == r->end || *r->at == '\n' || *r->at == '\r';
}

// One cell, without the blanks around it; leaves the reader at a comma or the line's end.
static bool read_cell(struct shapes_reader *r, const char **out)
{
    struct text cell = TEXT_INIT;
    skip_blanks(r);
    bool is_quoted = r->at < r->end && *r->at == '"', is_closed = !is_quoted;
    r->at += is_quoted;
    while (r->at < r->end && !(is_closed && (*r->at == ',' || is_at_line_end(r)))) {
        char c = *r->at++;
        if (!is_closed && (c == '\n' || c == '\r'))
            break;
        if (is_quoted && c == '"') {
            is_closed = r->at == r->end || *r->at != '"';
            r->at += !is_closed;
            if (is_closed) {
                skip_blanks(r);
                break;
            }
        }
        text_addc(&cell, c);
    }
    while (!is_quoted && cell.length > 0 &&
           (cell.data[cell.length - 1] == ' ' || cell.data[cell.length - 1] == '\t'))
        cell.data[--cell.length] = '\0';
    bool has_nul = cell.length != strlen(text_cstr(&cell)), ok = !cell.failed;
    *out = ok ? arena_strdup(r->a, text_cstr(&cell)) : NULL;
    text_release(&cell);
    if (!*out)
        return error_memory(r->e);
    if (has_nul)
        return shapes_error(r, "a byte 0; the file is to be text in UTF-8");
    if (!is_closed || !(is_at_line_end(r) || *r->at == ','))
        return shapes_error(r, "a quoted cell does not end as one");
    return true;
}

// All cells of a line, at most SHAPE_COLUMNS + 1.
static bool read_cells(struct shapes_reader *r, const char **cells, uint32_t *count)
{
    for (*count = 0;;) {
        if (*count > SHAPE_COLUMNS)
            return shapes_error(r, "more than %d columns", SHAPE_COLUMNS);
        if (!read_cell(r, &cells[(*count)++]))
            return false;
        if (is_at_line_end(r))
            return true;
        r->at++;
    }
}

// Goes to the next line that counts; false at the end.
static bool next_line(struct shapes_reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (r->at < r->end && *r->at == '#') {
            while (!is_at_line_end(r))
                r->at++;
        }
        if (r->at == r->end)
            return false;
        if (!is_at_line_end(r))
            return true;
        bool is_pair = *r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n';
        r->at += is_pair ? 2 : 1;
        r->line++;
    }
}

// ---- lines -------------------------------------------------------------------------------------

static bool is_constant(const struct spec *s, const char *name)
{
    for (uint32_t i = 0; i < s->constant_count; i++) {
        if (str_equal(s->constants[i].name, name))
            return true;
    }
    return false;
}

static bool refuse_column(const struct shapes_reader *r, const char *name)
{
    const struct spec *s = r->spec;
    const char **names = arena_array(r->a, s->constant_count + (size_t)1, sizeof *names);
    struct text known = TEXT_INIT;
    if (!names)
        return error_memory(r->e);
    if (name[strcspn(name, ";\t")])
        return shapes_error(r, "'%s': columns are separated by commas", name);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        names[i] = s->constants[i].name;
        text_addf(&known, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = str_nearest(name, names, s->constant_count);
    shapes_error(
        r, "unknown constant '%s'%s%s%s spec has %s%s", name, near ? "; did you mean '" : ";",
        near ? near : "", near ? "'? The" : " the", text_cstr(&known),
        near ? "" : " (the first line names constants, each further one has their values)");
    text_release(&known);
    return false;
}

// Is the column how often a shape is asked for?
static bool is_weight(const struct shapes_reader *r, const char *name)
{
    return (str_equal_nocase(name, "weight") || str_equal_nocase(name, "count")) &&
           !is_constant(r->spec, name);
}

static bool read_names(struct shapes_reader *r)
{
    const char **names = arena_array(r->a, SHAPE_COLUMNS + 1, sizeof *names);
    r->weight = UINT32_MAX;
    if (!names)
        return error_memory(r->e);
    r->names_line = r->line;
    if (!read_cells(r, r->columns, &r->cell_count))
        return false;
    for (uint32_t i = 0; i < r->cell_count; i++) {
        const char *name = r->columns[i];
        if (!name[0])
            return shapes_error(r, "column %u has no name", i + 1);
        for (uint32_t k = 0; k < i; k++) {
            if (str_equal(name, r->columns[k]))
                return shapes_error(r, "the column '%s' is there twice", name);
        }
        if (!is_weight(r, name) && !is_constant(r->spec, name))
            return refuse_column(r, name);
        if (!is_weight(r, name))
            names[r->out->column_count++] = name;
        else if (r->weight == UINT32_MAX)
            r->weight = i;
        else
            return shapes_error(r, "'%s' and '%s' are both weights", r->columns[r->weight], name);
    }
    r->out->columns = names;
    return r->out->column_count > 0 || shapes_error(r, "there is no column but the weight");
}

// Adds the shape that stands behind the others, or its weight to an earlier one.
static void keep_shape(struct shapes_reader *r, double weight)
{
    struct shapes *s = r->out;
    const int64_t *own = &r->sizes[(size_t)s->count * s->column_count];
    for (uint32_t i = 0; i < s->count; i++) {
        if (memcmp(&r->sizes[(size_t)i * s->column_count], own, s->column_count * sizeof *own) ==
            0) {
            r->weights[i] += weight;
            return;
        }
    }
    r->weights[s->count++] = weight;
}

static bool read_shape(struct shapes_reader *r)
{
    const char *cells[SHAPE_COLUMNS + 1];
    uint32_t count, column = 0;
    double weight = 1;
    struct shapes *s = r->out;
    if (!read_cells(r, cells, &count))
        return false;
    if (count != r->cell_count)
        return shapes_error(r, "%u cells, where line %u names %u columns", count, r->names_line,
                            r->cell_count);
    if (s->count == SHAPES_MOST)
        return shapes_error(r, "more than %d shapes", SHAPES_MOST);
    size_t shapes = (size_t)s->count + 1;
    if (!ARENA_ROOM(r->a, r->sizes, r->size_capacity, shapes * s->column_count) ||
        !ARENA_ROOM(r->a, r->weights, r->weight_capacity, shapes))
        return error_memory(r->e);
    for (uint32_t i = 0; i < count; i++) {
        int64_t *size = &r->sizes[(size_t)s->count * s->column_count + column];
        if (i == r->weight) {
            if (!str_to_f64(cells[i], &weight) || !isfinite(weight) || weight <= 0)
                return shapes_error(r, "%s: '%s' is not a number above 0", r->columns[i], cells[i]);
            continue;
        }
        if (!str_to_i64(cells[i], size) || *size < 1)
            return shapes_error(r, "%s: '%s' is not a whole number from 1 on", r->columns[i],
                                cells[i]);
        column++;
    }
    keep_shape(r, weight);
    return true;
}

bool shapes_parse(const char *text, size_t length, const char *name, const struct spec *spec,
                  struct arena *a, struct shapes *out, struct error *e)
{
    struct shapes_reader r = {
        .at = text, .end = text + length, .name = name, .spec = spec, .line = 1};
    r.a = a;
    r.e = e;
    r.out = out;
    *out = (struct shapes){.columns = NULL};
    r.at += str_mark_length(text, length);
    if (!next_line(&r))
        return error_set(e, ERROR_INPUT,
                         "%s: empty; the first line names the columns: M,N,K,weight", name);
    if (!read_names(&r))
        return false;
    while (next_line(&r)) {
        if (!read_shape(&r))
            return false;
    }
    out->sizes = r.sizes;
    out->weights = r.weights;
    return out->count > 0 || error_set(e, ERROR_INPUT, "%s: there are names, but no shape", name);
}
