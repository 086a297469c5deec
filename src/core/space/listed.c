// A space that is a list of configurations: sorted, then made a diagram from the leaves up, equal
// remainders shared.
#include "space/inside.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

// ---- sorting -----------------------------------------------------------------------------------

struct rows {
    const uint32_t *choices;
    uint32_t columns, count;
    uint32_t *order; // the rows in lexicographic order
};

static const uint32_t *listed_row(const struct rows *r, uint32_t row)
{
    return r->choices + (size_t)row * r->columns;
}

// The first column in which two rows differ; columns: none.
static uint32_t first_difference(const struct rows *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t c = 0;
    while (c < r->columns && a[c] == b[c])
        c++;
    return c;
}

static bool is_sorted(const struct rows *r)
{
    for (uint32_t i = 1; i < r->count; i++) {
        const uint32_t *a = listed_row(r, i - 1), *b = listed_row(r, i);
        uint32_t c = first_difference(r, a, b);
        if (c < r->columns && a[c] > b[c])
            return false;
    }
    return true;
}

static uint32_t most_values(const struct spec *s)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->parameter_count; i++)
        most = s->parameters[i].count > most ? s->parameters[i].count : most;
    return most;
}

// By the last column first: linear, whatever the values. False without memory.
static bool sort_rows(struct rows *r, const struct spec *s)
{
    r->order = malloc(((size_t)r->count + 1) * sizeof *r->order);
    for (uint32_t i = 0; r->order && i < r->count; i++)
        r->order[i] = i;
    if (!r->order || is_sorted(r))
        return r->order != NULL;
    uint32_t *to = malloc(((size_t)r->count + 1) * sizeof *to);
    uint32_t *starts = malloc(((size_t)most_values(s) + 1) * sizeof *starts);
    bool ok = to && starts;
    for (uint32_t c = r->columns; ok && c-- > 0;) {
        // Stable, by one column: how many rows have each value says where each begins. `starts` has
        // a place for every value of the column and one more.
        uint32_t values = s->parameters[c].count;
        memset(starts, 0, ((size_t)values + 1) * sizeof *starts);
        for (uint32_t i = 0; i < r->count; i++)
            starts[listed_row(r, i)[c] + 1]++;
        for (uint32_t v = 0; v < values; v++)
            starts[v + 1] += starts[v];
        for (uint32_t i = 0; i < r->count; i++)
            to[starts[listed_row(r, r->order[i])[c]]++] = r->order[i];
        uint32_t *from = r->order;
        r->order = to;
        to = from;
    }
    free(to);
    free(starts);
    return ok;
}

// ---- the diagram -------------------------------------------------------------------------------

// The node of a layer that is still growing: (value, child) pairs. Its last edge has no child yet,
// because the node that it leads to is growing, too.
struct growing {
    uint32_t *pairs;
    size_t count, capacity;
};

struct folding {
    const struct rows *rows;
    struct growing *layers;
    struct intern nodes; // see diagram_init()
};

// The nodes of the layers from `layer` on are complete; false without memory.
static bool complete_layers(struct folding *f, uint32_t layer, uint32_t *node)
{
    *node = DIAGRAM_END;
    for (uint32_t l = f->rows->columns; l-- > layer;) {
        struct growing *g = &f->layers[l];
        g->pairs[g->count - 1] = *node;
        uint32_t word = intern_add(&f->nodes, g->pairs, (uint32_t)g->count);
        if (word == INTERN_NONE)
            return false;
        *node = word + 1;
        g->count = 0;
    }
    return true;
}

static bool fold_rows(struct folding *f, uint32_t *root)
{
    const struct rows *r = f->rows;
    const uint32_t *before = NULL;
    for (uint32_t i = 0; i < r->count; i++) {
        const uint32_t *row = listed_row(r, r->order[i]);
        uint32_t from = before ? first_difference(r, before, row) : 0;
        // The row differs from the one before from the column `from` on: the layers behind it are
        // complete and become nodes, then the row's own values open new ones.
        if (from < r->columns) {
            uint32_t node;
            if (before) {
                if (!complete_layers(f, from + 1, &node))
                    return false;
                f->layers[from].pairs[f->layers[from].count - 1] = node;
            }
            for (uint32_t l = from; l < f->rows->columns; l++) {
                struct growing *g = &f->layers[l];
                if (!ARRAY_ROOM(g->pairs, g->capacity, g->count + 2))
                    return false;
                g->pairs[g->count++] = row[l];
                g->pairs[g->count++] = DIAGRAM_END;
            }
        }
        before = row;
    }
    *root = DIAGRAM_NONE;
    return r->count == 0 || complete_layers(f, 0, root);
}

static bool make_diagram(const struct rows *r, struct diagram *out)
{
    struct folding f = {.rows = r, .nodes = INTERN_INIT};
    uint32_t *order = malloc(((size_t)r->columns + 1) * sizeof *order), root;
    f.layers = calloc((size_t)r->columns + 1, sizeof *f.layers);
    bool ok = order && f.layers && fold_rows(&f, &root), overflow;
    for (uint32_t i = 0; ok && i < r->columns; i++)
        order[i] = i;
    ok = ok && diagram_init(out, order, r->columns, &f.nodes, root, &overflow);
    for (uint32_t i = 0; f.layers && i < r->columns; i++)
        free(f.layers[i].pairs);
    intern_release(&f.nodes);
    free(f.layers);
    free(order);
    return ok;
}

// ---- from the caller ---------------------------------------------------------------------------

static bool check_rows(const struct spec *s, const uint32_t *choices, uint64_t count,
                       struct error *e)
{
    if (count >= UINT32_MAX)
        return error_set(e, ERROR_INPUT, "%s: %llu recorded configurations; at most %lu can be",
                         s->path, (unsigned long long)count, (unsigned long)UINT32_MAX - 1);
    for (uint64_t row = 0; row < count; row++) {
        for (uint32_t i = 0; i < s->parameter_count; i++, choices++) {
            if (*choices >= s->parameters[i].count)
                return error_set(e, ERROR_INPUT,
                                 "%s: recorded configuration %llu: '%s' has %lu values, so no "
                                 "value %lu",
                                 s->path, (unsigned long long)row, s->parameters[i].name,
                                 (unsigned long)s->parameters[i].count, (unsigned long)*choices);
        }
    }
    return true;
}

static bool set_listed(struct space *sp)
{
    struct formula *f = arena_alloc(&sp->problem.arena, sizeof *f);
    if (f)
        *f = (struct formula){.path = "recorded", .text = "not among the recorded configurations"};
    sp->listed = f;
    return f != NULL;
}

struct space *space_listed(const struct spec *s, const uint32_t *choices, uint64_t count,
                           struct error *e)
{
    struct rows r = {.choices = choices, .columns = s->parameter_count};
    if (!check_rows(s, choices, count, e))
        return NULL;
    r.count = (uint32_t)count;
    struct space *sp = space_start(s, NULL, e);
    bool ok = sp && set_listed(sp) && sort_rows(&r, s) && make_diagram(&r, &sp->diagram);
    free(r.order);
    if (ok)
        return sp;
    if (sp)
        error_memory(e);
    space_free(sp);
    return NULL;
}
