// Writes the spec of a captured kernel, in the short form: its constants are the sizes that tell the captured launches apart, and
// what differs between launches is an expression of these. Data files are named by them, each a link to a content.
#include "extras/capture/capture_spec.h"

#include "base/emit.h"
#include "os/file_replace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS_MOST = 12, LAUNCHES_MOST = 256 };

struct column {
    const char *name;
    int32_t argument; // a scalar; -1: the global size along `axis`
    uint32_t axis;
};

struct emitting {
    struct making *m;
    struct column columns[COLUMNS_MOST];
    uint32_t column_count;
    const struct capture_launch *launches[LAUNCHES_MOST]; // of the spec
    uint32_t launch_count;
    const struct capture_launch *cases[LAUNCHES_MOST]; // and besides those that changed nothing
    uint32_t case_count;
    bool varies[COLUMNS_MOST];
    struct text out;
};

// ---- columns -----------------------------------------------------------------------------------

static bool column_value(const struct emitting *x, uint32_t column, const struct capture_launch *l,
                         int64_t *out)
{
    const struct column *c = &x->columns[column];
    if (c->argument >= 0)
        return making_scalar(x->m, (uint32_t)c->argument, l, out);
    *out = l->global[c->axis];
    return true;
}

static void add_column(struct emitting *x, const char *name, int32_t argument, uint32_t axis)
{
    if (x->column_count < COLUMNS_MOST)
        x->columns[x->column_count++] = (struct column){name, argument, axis};
}

static void choose_columns(struct emitting *x)
{
    static const char *const names[] = {"launch_x", "launch_y", "launch_z"};
    struct making *m = x->m;
    const struct capture_kernel *k = m->k;
    for (uint32_t i = 0; i < k->argument_count; i++) {
        int64_t first, value;
        bool varies = false, is_size = making_scalar(m, i, &k->launches[0], &first) && first > 0;
        for (size_t l = 1; is_size && l < k->launch_count; l++) {
            is_size = making_scalar(m, i, &k->launches[l], &value) && value > 0;
            varies = varies || value != first;
        }
        if (is_size && (varies || making_is_size(m, argument_name(m, i))))
            add_column(x, argument_name(m, i), (int32_t)i, 0);
    }
    for (uint32_t a = 0; a < k->launches[0].dimensions; a++) {
        if (m->keeps_global[a])
            add_column(x, names[a], -1, a);
    }
    if (x->column_count == 0) { // a table needs one
        m->keeps_global[0] = true;
        m->global[0] = names[0];
        add_column(x, names[0], -1, 0);
    }
}

static bool same_columns(const struct emitting *x, const struct capture_launch *a,
                         const struct capture_launch *b)
{
    for (uint32_t c = 0; c < x->column_count; c++) {
        int64_t u, v;
        if (!column_value(x, c, a, &u) || !column_value(x, c, b, &v) || u != v)
            return false;
    }
    return true;
}

static bool same_globals(const struct making *m, const struct capture_launch *l)
{
    const struct capture_launch *first = &m->k->launches[0];
    bool same = l->symbol_count == first->symbol_count;
    for (uint32_t i = 0; same && i < l->symbol_count; i++)
        same = str_equal(l->symbols[i].name, first->symbols[i].name) &&
               l->symbols[i].value == first->symbols[i].value &&
               l->values[l->symbols[i].value].bytes == first->values[l->symbols[i].value].bytes;
    return same;
}

// The launches that change something and that the constants tell apart; the others are replayed, but not in the spec.
static void choose_launches(struct emitting *x)
{
    const struct capture_kernel *k = x->m->k;
    const struct capture_launch *first = &k->launches[0];
    for (size_t i = 0; i < k->launch_count && x->case_count < LAUNCHES_MOST; i++) {
        const struct capture_launch *l = &k->launches[i];
        bool ok = l->dimensions == first->dimensions && str_equal(l->device, first->device) &&
                  making_is_alike(x->m, l) && !l->has_offset && !l->is_indirect &&
                  l->shared == first->shared && !l->has_inside && same_globals(x->m, l) &&
                  (i == 0 || !l->replay.why);
        for (uint32_t o = 0; o < x->case_count; o++)
            ok = ok && !same_columns(x, l, x->cases[o]);
        for (uint32_t a = 0; ok && a < k->argument_count; a++)
            ok = l->values[a].kind == first->values[a].kind &&
                 l->values[a].same == first->values[a].same &&
                 capture_twin(l, a) == capture_twin(first, a) && !capture_changes_shared(l, a);
        if (ok)
            x->cases[x->case_count++] = l;
        if (ok && (i == 0 || capture_changes(l, k->argument_count)))
            x->launches[x->launch_count++] = l;
    }
    for (uint32_t c = 0; c < x->column_count; c++) {
        for (uint32_t i = 1; i < x->launch_count; i++) {
            int64_t u, v;
            x->varies[c] = x->varies[c] || (column_value(x, c, x->launches[0], &u) &&
                                            column_value(x, c, x->launches[i], &v) && u != v);
        }
    }
}

// A value for each launch as one expression.
static const char *by_launch(const struct emitting *x, const char *const *values)
{
    struct text t = TEXT_INIT;
    bool differ = false;
    if (x->launch_count == 0)
        return "0";
    for (uint32_t i = 1; i < x->launch_count; i++)
        differ = differ || !str_equal(values[i], values[0]);
    for (uint32_t i = 0; differ && i + 1 < x->launch_count; i++) {
        text_addf(&t, "%s if ", values[i]);
        // "n == 5 and m == 6": true of this launch alone.
        bool any = false;
        for (uint32_t c = 0; c < x->column_count; c++) {
            int64_t v = 0;
            if (!x->varies[c] || !column_value(x, c, x->launches[i], &v))
                continue;
            text_addf(&t, "%s%s == %lld", any ? " and " : "", x->columns[c].name, (long long)v);
            any = true;
        }
        text_add(&t, " else ");
    }
    text_add(&t, differ ? values[x->launch_count - 1] : values[0]);
    return text_to_arena(&t, x->m->a);
}

// ---- data --------------------------------------------------------------------------------------

// The file of a content; where it differs between launches, a name with the constants in braces.
static const char *data_name(struct emitting *x, uint32_t argument, bool is_after, struct error *e)
{
    struct making *m = x->m;
    struct text braced = TEXT_INIT;
    bool differ = false;
    const char *first = NULL;
    for (uint32_t i = 0; i < x->launch_count; i++) {
        const struct capture_value *v = &x->launches[i]->values[argument];
        const char *digest = is_after ? v->after : v->before;
        differ = differ || (first && !str_equal(first, digest));
        first = first ? first : digest;
    }
    if (!differ)
        return arena_printf(m->a, "data/%s.bin", first);
    text_addf(&braced, "data/%s.%u%s", m->k->title, argument, is_after ? ".after" : "");
    for (uint32_t c = 0; c < x->column_count; c++) {
        if (x->varies[c])
            text_addf(&braced, ".{%s}", x->columns[c].name);
    }
    text_add(&braced, ".bin");
    for (uint32_t i = 0; i < x->launch_count; i++) {
        const struct capture_value *v = &x->launches[i]->values[argument];
        struct text name = TEXT_INIT;
        text_addf(&name, "%s/data/%s.%u%s", m->c->folder, m->k->title, argument,
                  is_after ? ".after" : "");
        for (uint32_t c = 0; c < x->column_count; c++) {
            int64_t value = 0;
            if (x->varies[c] && column_value(x, c, x->launches[i], &value))
                text_addf(&name, ".%lld", (long long)value);
        }
        text_add(&name, ".bin");
        const char *target =
            arena_printf(m->a, "%s/data/%s.bin", m->c->folder, is_after ? v->after : v->before);
        const char *path = text_to_arena(&name, m->a);
        if (path && target)
            unlink(path);
        if (!path || !target ||
            (link(target, path) != 0 && symlink(strrchr(target, '/') + 1, path) != 0)) {
            error_set_driver(e, ERROR_IO, errno, "%s: %s", path ? path : m->c->folder,
                             strerror(errno));
            text_release(&braced);
            return NULL;
        }
    }
    return text_to_arena(&braced, m->a);
}

// ---- parts of the spec -------------------------------------------------------------------------

static void emit_expression(struct emit *j, const char *text)
{
    double number;
    if (text && str_to_f64(text, &number))
        emit_raw(j, text);
    else
        emit_text(j, text ? text : "");
}

static bool is_changed(const struct emitting *x, uint32_t argument)
{
    for (uint32_t i = 0; i < x->launch_count; i++) {
        const struct capture_value *v = &x->launches[i]->values[argument];
        if (v->kind == CAPTURED_BUFFER && !str_equal(v->before, v->after))
            return true;
    }
    return false;
}

// As the text says it, where it was understood.
static bool is_written(const struct emitting *x, uint32_t argument)
{
    const struct making *m = x->m;
    const struct capture_value *v = &x->launches[0]->values[argument];
    if (v->kind != CAPTURED_BUFFER)
        return false;
    if (m->is_inferred && argument < m->f.argument_count &&
        m->f.arguments[argument].kind == INFERRED_BUFFER &&
        m->f.arguments[argument].access != INFERRED_READ)
        return true;
    return is_changed(x, argument);
}

static bool has_twin(const struct emitting *x, uint32_t argument)
{
    return making_twin(x->m, argument) >= 0;
}

// By any of the arguments that are this memory.
static bool is_output(const struct emitting *x, uint32_t argument)
{
    bool any = !has_twin(x, argument) && is_written(x, argument);
    for (uint32_t i = argument + 1; !any && i < x->m->k->argument_count; i++)
        any = making_twin(x->m, i) == argument && is_written(x, i);
    return any;
}

// A buffer of an unknown type, of one that it does not hold a whole number of, or that other arguments see as another is bytes.
static bool buffer_type(const struct emitting *x, uint32_t argument, const char **type,
                        uint32_t *bytes, uint32_t *width)
{
    bool ok = making_type(x->m, argument, type, bytes, width);
    for (uint32_t i = argument + 1; ok && i < x->m->k->argument_count; i++)
        ok = making_twin(x->m, i) != argument ||
             str_equal(argument_type(x->m, i), argument_type(x->m, argument));
    for (uint32_t i = 0; ok && i < x->launch_count; i++) {
        const struct capture_value *v = &x->launches[i]->values[argument];
        ok = v->kind == CAPTURED_LOCAL || v->bytes % *bytes == 0;
    }
    if (!ok)
        *type = "custom", *bytes = *width = 1;
    return ok;
}

// A vector by its name in the kernel: "float4".
static const char *vector_type(const struct emitting *x, uint32_t argument)
{
    const char *type = argument_type(x->m, argument);
    return arena_strndup(x->m->a, type, strcspn(type, " *"));
}

static const char *channel_order(uint32_t order)
{
    static const char *const orders[] = {"R",    "A",    "RG",   "RA",        NULL,
                                         "RGBA", "BGRA", "ARGB", "INTENSITY", "LUMINANCE"};
    const uint32_t at = order - 0x10B0; // CL_R
    return at < sizeof orders / sizeof *orders ? orders[at] : NULL;
}

// The type of an element in a kernel's words, "uchar4"; NULL: a spec has no such images.
static const char *image_element(struct arena *a, const struct capture_image *image,
                                 bool *is_normalized)
{
    static const char *const channels[] = {"char",  "short",  "uchar", "ushort", NULL,
                                           NULL,    NULL,     "char",  "short",  "int",
                                           "uchar", "ushort", "uint",  "half",   "float"};
    const uint32_t at = image->channel - 0x10D0; // CL_SNORM_INT8
    const char *order = channel_order(image->order);
    const char *channel = at < sizeof channels / sizeof *channels ? channels[at] : NULL;
    const bool is_plain = image->type == 0x10F1 || image->type == 0x10F2; // two dimensions, three
    if (!order || !channel || !is_plain || image->layers)
        return NULL;
    const size_t width =
        str_equal(order, "INTENSITY") || str_equal(order, "LUMINANCE") ? 1 : strlen(order);
    *is_normalized = at < 4;
    return width == 1 ? channel : arena_printf(a, "%s%zu", channel, width);
}

bool capture_image_is_known(struct arena *a, const struct capture_image *image)
{
    bool is_normalized;
    return image_element(a, image, &is_normalized) != NULL;
}

static const char *image_size(struct emitting *x, uint32_t argument, uint32_t axis)
{
    const char *sizes[LAUNCHES_MOST];
    for (uint32_t i = 0; i < x->launch_count; i++)
        sizes[i] =
            arena_printf(x->m->a, "%llu",
                         (unsigned long long)x->launches[i]->values[argument].image->size[axis]);
    return by_launch(x, sizes);
}

static bool emit_image(struct emitting *x, struct emit *j, uint32_t argument, struct error *e)
{
    const struct capture_image *image = x->launches[0]->values[argument].image;
    bool is_normalized = false;
    const char *type = image_element(x->m->a, image, &is_normalized);
    const char *order = channel_order(image->order), *file = data_name(x, argument, false, e);
    if (!file || !type || !order)
        return false;
    emit_object(j);
    emit_array_at(j, "image");
    for (uint32_t axis = 0; axis < (image->type == 0x10F2 ? 3 : 2); axis++)
        emit_expression(j, image_size(x, argument, axis));
    emit_array_end(j);
    emit_text_at(j, "type", type);
    emit_text_at(j, "format",
                 arena_printf(x->m->a, "%s%s", order, is_normalized ? " normalized" : ""));
    const char *sampler = x->launches[0]->values[argument].sampler; // of a texture
    emit_text_at(j, "access",
                 image->is_surface        ? "readwrite"
                 : is_output(x, argument) ? "write"
                                          : "read");
    if (sampler)
        emit_text_at(j, "sampler", sampler);
    emit_object_at(j, "fill");
    emit_text_at(j, "file", file);
    emit_object_end(j);
    emit_object_end(j);
    return true;
}

static void emit_sampler(struct emitting *x, struct emit *j, uint32_t argument)
{
    emit_object(j);
    emit_text_at(j, "sampler", x->launches[0]->values[argument].sampler);
    emit_object_end(j);
}

// Has the program's own output what is no number?
static bool has_nan(const struct emitting *x, uint32_t argument, const char *type)
{
    const bool is_double = str_equal(type, "double");
    struct text t = TEXT_INIT;
    struct error e = ERROR_INIT;
    bool any = false;
    for (uint32_t i = 0; (is_double || str_equal(type, "float")) && i < x->launch_count; i++) {
        text_clear(&t);
        capture_content(x->m->c, x->launches[i]->values[argument].after, &t, &e);
        for (size_t at = 0; !any && at + (is_double ? 8 : 4) <= t.length; at += is_double ? 8 : 4) {
            float f = 0;
            double d = 0;
            memcpy(is_double ? (void *)&d : (void *)&f, t.data + at, is_double ? 8 : 4);
            any = isnan(f) || isnan(d);
        }
    }
    text_release(&t);
    return any;
}

static bool emit_buffer(struct emitting *x, struct emit *j, uint32_t argument, struct error *e)
{
    struct making *m = x->m;
    const char *type, *sizes[LAUNCHES_MOST];
    uint32_t bytes, width;
    const bool is_known = buffer_type(x, argument, &type, &bytes, &width);
    const bool is_local = x->launches[0]->values[argument].kind == CAPTURED_LOCAL;
    for (uint32_t i = 0; i < x->launch_count; i++) {
        const uint64_t size = x->launches[i]->values[argument].bytes;
        sizes[i] = arena_printf(m->a, "%llu", (unsigned long long)((size + bytes - 1) / bytes));
    }
    emit_object(j);
    emit_text_at(j, "type", width == 1 ? type : vector_type(x, argument));
    if (!is_known) { // compared byte for byte
        emit_key(j, "type_size");
        emit_i64(j, 1);
    }
    if (is_local)
        emit_text_at(j, "memory", "local");
    emit_key(j, "size");
    emit_expression(j, by_launch(x, sizes));
    if (!is_local) {
        const char *file = data_name(x, argument, false, e);
        if (!file)
            return false;
        emit_text_at(j, "access", is_output(x, argument) ? "readwrite" : "read");
        if (is_output(x, argument) && has_nan(x, argument, type)) {
            emit_object_at(j, "verify");
            emit_bool_at(j, "nan", true);
            emit_object_end(j);
        }
        emit_object_at(j, "fill");
        emit_text_at(j, "file", file);
        emit_object_end(j);
    }
    emit_object_end(j);
    return true;
}

static bool emit_number(struct emitting *x, struct emit *j, uint32_t argument,
                        const struct value_piece *p)
{
    const char *values[LAUNCHES_MOST];
    for (uint32_t i = 0; i < x->launch_count; i++) {
        values[i] = making_number(x->m, p, &x->launches[i]->values[argument]);
        if (!values[i])
            return false;
    }
    emit_expression(j, by_launch(x, values));
    return true;
}

static bool emit_pieces(struct emitting *x, struct emit *j, uint32_t argument)
{
    uint32_t count;
    const struct value_piece *p = making_pieces(x->m, argument, &count);
    bool ok = p != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        if (p[i].key)
            emit_key(j, p[i].key);
        switch (p[i].kind) {
        case PIECE_LIST:
            emit_array(j);
            break;
        case PIECE_LIST_END:
            emit_array_end(j);
            break;
        case PIECE_OBJECT:
            emit_object(j);
            break;
        case PIECE_OBJECT_END:
            emit_object_end(j);
            break;
        case PIECE_NUMBER:
            ok = emit_number(x, j, argument, &p[i]);
        }
    }
    return ok;
}

static bool emit_value(struct emitting *x, struct emit *j, uint32_t argument)
{
    const char *type, *column = NULL;
    uint32_t bytes, width = 1;
    for (uint32_t c = 0; c < x->column_count; c++)
        column = x->columns[c].argument == (int32_t)argument ? x->columns[c].name : column;
    emit_object(j);
    if (making_type(x->m, argument, &type, &bytes, &width))
        emit_text_at(j, "type", width == 1 ? type : vector_type(x, argument));
    emit_key(j, "value");
    if (column)
        emit_text(j, column);
    const bool ok = column || emit_pieces(x, j, argument);
    emit_object_end(j);
    return ok;
}

// A symbol of the module, set before the launch.
static bool emit_global(struct emitting *x, struct emit *j, const struct capture_symbol *g,
                        struct error *e)
{
    const char *type, *file = data_name(x, g->value, false, e);
    uint32_t bytes;
    const bool is_known = making_global_type(x->m, g, &type, &bytes);
    emit_object_at(j, g->name);
    emit_text_at(j, "type", type);
    if (!is_known) {
        emit_key(j, "type_size");
        emit_i64(j, 1);
    }
    emit_text_at(j, "memory", "symbol");
    emit_key(j, "size");
    emit_i64(j, (int64_t)(x->launches[0]->values[g->value].bytes / bytes));
    emit_object_at(j, "fill");
    emit_text_at(j, "file", file);
    emit_object_end(j);
    emit_object_end(j);
    return file != NULL;
}

static bool emit_arguments(struct emitting *x, struct emit *j, struct error *e)
{
    struct making *m = x->m;
    emit_object_at(j, "arguments");
    for (uint32_t i = 0; i < m->k->argument_count; i++) {
        const enum capture_kind kind = x->launches[0]->values[i].kind;
        if (has_twin(x, i))
            continue;
        emit_key(j, argument_name(m, i));
        if (kind == CAPTURED_NULL)
            emit_null(j);
        else if (kind == CAPTURED_SAMPLER)
            emit_sampler(x, j, i);
        else if (kind == CAPTURED_BUFFER && x->launches[0]->values[i].image) {
            if (!emit_image(x, j, i, e))
                return false;
        } else if (!(kind == CAPTURED_VALUE ? emit_value(x, j, i) : emit_buffer(x, j, i, e)))
            return false;
    }
    for (uint32_t g = 0; g < m->global_count; g++) {
        if (!emit_global(x, j, m->globals[g], e))
            return false;
    }
    emit_object_end(j);
    return true;
}

// The kernel's own list, where one buffer stands for several of its arguments.
static void emit_launch(struct emitting *x, struct emit *j)
{
    struct making *m = x->m;
    bool any = false;
    for (uint32_t i = 0; i < m->k->argument_count; i++)
        any = any || has_twin(x, i);
    if (!any)
        return;
    emit_array_at(j, "launches");
    emit_object(j);
    emit_array_at(j, "arguments");
    for (uint32_t i = 0; i < m->k->argument_count; i++)
        emit_text(j, argument_name(m, has_twin(x, i) ? (uint32_t)making_twin(m, i) : i));
    emit_array_end(j);
    emit_object_end(j);
    emit_array_end(j);
}

static bool emit_reference(struct emitting *x, struct emit *j, struct error *e)
{
    struct making *m = x->m;
    bool any = false;
    emit_object_at(j, "reference");
    emit_text_at(j, "kind", "file");
    emit_object_at(j, "files");
    for (uint32_t i = 0; i < m->k->argument_count; i++) {
        if (!is_output(x, i))
            continue;
        const char *file = data_name(x, i, true, e);
        if (!file)
            return false;
        emit_text_at(j, argument_name(m, i), file);
        any = any || is_changed(x, i);
    }
    emit_object_end(j);
    emit_object_end(j);
    if (!any)
        m->k->why = "it changed no buffer: there is nothing to compare";
    return any;
}

static void emit_geometry(struct emitting *x, struct emit *j)
{
    struct making *m = x->m;
    const uint32_t dimensions = m->k->launches[0].dimensions;
    emit_array_at(j, "global");
    for (uint32_t a = 0; a < dimensions; a++)
        emit_text(j, m->global[a]);
    emit_array_end(j);
    if (m->k->launches[0].shared) {
        emit_key(j, "shared");
        emit_i64(j, m->k->launches[0].shared);
    }
    if (!m->local[0])
        return;
    emit_array_at(j, "local");
    for (uint32_t a = 0; a < dimensions; a++)
        emit_text(j, m->local[a] ? m->local[a] : "1");
    emit_array_end(j);
}

static int compare_integers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void emit_parameters(struct emitting *x, struct emit *j)
{
    struct making *m = x->m;
    emit_object_at(j, "parameters");
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        struct parameter *p = &m->parameters[i];
        int64_t sorted[VALUES_ROOM];
        memcpy(sorted, p->values, p->count * sizeof *sorted);
        qsort(sorted, p->count, sizeof *sorted, compare_integers);
        emit_array_at(j, p->name);
        for (uint32_t v = 0; v < p->count; v++)
            emit_i64(j, sorted[v]);
        emit_array_end(j);
    }
    if (m->parameter_count == 0) { // nothing can be tuned; a spec needs one all the same
        emit_array_at(j, "as_captured");
        emit_i64(j, 1);
        emit_array_end(j);
    }
    emit_object_end(j);
    emit_object_at(j, "defaults");
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        emit_key(j, m->parameters[i].name);
        emit_i64(j, m->parameters[i].value);
    }
    emit_object_end(j);
}

static bool is_parameter(const struct making *m, const char *name)
{
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        if (str_equal(m->parameters[i].name, name))
            return true;
    }
    return false;
}

// Sizes; and of macros and the text's numbers those that the geometry is made of.
static void emit_constants(struct emitting *x, struct emit *j)
{
    struct making *m = x->m;
    emit_object_at(j, "constants");
    for (uint32_t c = 0; c < x->column_count; c++) {
        int64_t value = 0;
        column_value(x, c, x->launches[0], &value);
        emit_key(j, x->columns[c].name);
        emit_i64(j, value);
    }
    for (uint32_t s = 0; s < m->symbol_count; s++) {
        const bool is_macro = m->kinds[s] == SYMBOL_MACRO;
        if ((!is_macro && m->kinds[s] != SYMBOL_CONSTANT) || !making_is_size(m, m->symbols[s].name))
            continue;
        emit_key(j, m->symbols[s].name);
        emit_i64(j, is_macro ? m->macros[m->indices[s]].value : m->f.names[m->indices[s]].value);
    }
    emit_object_end(j);
}

static void emit_options(struct emitting *x, struct emit *j)
{
    struct making *m = x->m;
    emit_array_at(j, "options");
    for (uint32_t i = 0; i < m->other_count; i++) {
        // Options that hone chooses itself.
        if (!(str_starts(m->others[i], "-arch") || str_starts(m->others[i], "--gpu-architecture")))
            emit_text(j, m->others[i]);
    }
    for (uint32_t i = 0; i < m->macro_count; i++) {
        const struct macro *o = &m->macros[i];
        if (!is_parameter(m, o->name) && !(o->is_integer && making_is_size(m, o->name)))
            emit_text(j, arena_printf(m->a, "-D%s=%s", o->name, o->text));
    }
    emit_array_end(j);
    if (m->include) {
        emit_array_at(j, "include");
        emit_text(j, m->include);
        emit_array_end(j);
    }
}

static void emit_restrictions(struct emitting *x, struct emit *j)
{
    struct making *m = x->m;
    const struct expr_symbols symbols = {m->symbols, m->symbol_count};
    emit_array_at(j, "restrictions");
    for (uint32_t i = 0; m->is_inferred && i < m->f.restriction_count; i++) {
        struct error e = ERROR_INIT;
        struct expr *r = expr_parse(m->a, m->f.restrictions[i], &symbols, &e);
        bool is_known = r != NULL;
        for (uint32_t s = 0; r && s < m->symbol_count; s++) {
            bool is_column =
                m->kinds[s] == SYMBOL_PARAMETER ||
                (m->kinds[s] != SYMBOL_SCALAR && making_is_size(m, m->symbols[s].name));
            for (uint32_t c = 0; c < x->column_count; c++)
                is_column = is_column || str_equal(x->columns[c].name, m->symbols[s].name);
            is_known = is_known && (!expr_uses(r, s) || is_column);
        }
        if (is_known)
            emit_text(j, m->f.restrictions[i]);
    }
    emit_array_end(j);
}

static bool emit_spec(struct emitting *x, struct error *e)
{
    struct making *m = x->m;
    struct emit j;
    emit_start(&j, &x->out);
    emit_object(&j);
    emit_text_at(&j, "name", m->k->title);
    if (m->file_count == 1)
        emit_text_at(&j, "kernel", m->files[0]);
    else {
        emit_array_at(&j, "kernel");
        for (uint32_t i = 0; i < m->file_count; i++)
            emit_text(&j, m->files[i]);
        emit_array_end(&j);
    }
    emit_text_at(&j, "function", m->k->function);
    emit_options(x, &j);
    emit_constants(x, &j);
    emit_parameters(x, &j);
    emit_restrictions(x, &j);
    emit_geometry(x, &j);
    if (!emit_arguments(x, &j, e) || !emit_reference(x, &j, e))
        return false;
    emit_launch(x, &j);
    emit_object_end(&j);
    text_addc(&x->out, '\n');
    return true;
}

// ---- beside the spec ---------------------------------------------------------------------------

static bool write_beside(struct emitting *x, const char *ending, struct error *e)
{
    const char *name = arena_printf(x->m->a, "%s/%s%s", x->m->c->folder, x->m->k->title, ending);
    const bool ok = (name || error_memory(e)) && (!x->out.failed || error_memory(e)) &&
                    file_replace(name, &x->out, e);
    text_clear(&x->out);
    return ok;
}

// The shapes with their weights, as `hone deploy --shapes` reads them.
static void add_shapes(struct emitting *x)
{
    for (uint32_t c = 0; c < x->column_count; c++)
        text_addf(&x->out, "%s,", x->columns[c].name);
    text_add(&x->out, "weight\n");
    for (uint32_t i = 0; i < x->launch_count; i++) {
        for (uint32_t c = 0; c < x->column_count; c++) {
            int64_t value = 0;
            column_value(x, c, x->launches[i], &value);
            text_addf(&x->out, "%lld,", (long long)value);
        }
        text_addf(&x->out, "%llu\n",
                  (unsigned long long)(x->launches[i]->launches ? x->launches[i]->launches : 1));
    }
}

// The size of a value, or of the floats that a buffer holds.
static uint64_t binding_bytes(const struct making *m, uint32_t argument,
                              const struct capture_value *v)
{
    const char *type;
    uint32_t bytes, width;
    if (v->kind == CAPTURED_BUFFER)
        return !v->image && making_type(m, argument, &type, &bytes, &width) &&
                       str_equal(type, "float")
                   ? 4
                   : 0;
    return v->kind == CAPTURED_VALUE ? v->bytes : v->kind == CAPTURED_SAMPLER ? sizeof(void *) : 0;
}

static uint32_t root_of(const struct capture_launch *l, uint32_t argument)
{
    while (l->values[argument].same >= 0)
        argument = (uint32_t)l->values[argument].same;
    return argument;
}

// The bytes of a buffer as far as the next one in the same memory: in these no other buffer begins.
static uint64_t binding_reach(const struct capture_launch *l, uint32_t argument, uint32_t count)
{
    const struct capture_value *v = &l->values[argument];
    uint64_t reach = v->bytes;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t origin = l->values[i].origin;
        if (root_of(l, i) == root_of(l, argument) && origin > v->origin &&
            origin - v->origin < reach)
            reach = origin - v->origin;
    }
    return reach;
}

// The key that `hone with` looks for in the program; `hone deploy --for-program` puts it in front of the table.
static void add_binding(struct emitting *x)
{
    const struct making *m = x->m;
    const struct capture_kernel *k = m->k;
    text_addf(&x->out, "kernel %s %s\n", k->program, k->name);
    text_addf(&x->out, "device %s\ndriver %s\n", k->launches[0].device, k->launches[0].driver);
    text_addf(&x->out, "dimensions %u local %u shared %u\n", k->launches[0].dimensions,
              k->launches[0].has_local ? 1u : 0u, k->launches[0].shared);
    text_addf(&x->out, "arguments %u", k->argument_count);
    for (uint32_t i = 0; i < k->argument_count; i++) {
        const struct capture_value *v = &k->launches[0].values[i];
        text_addf(&x->out, " %c%llu", v->image ? 'i' : "vblNv"[v->kind],
                  (unsigned long long)binding_bytes(m, i, v));
        if (making_twin(m, i) >= 0)
            text_addf(&x->out, "=%lld", (long long)v->same);
    }
    text_addf(&x->out, "\ncolumns %u", x->column_count);
    for (uint32_t c = 0; c < x->column_count; c++)
        text_addf(&x->out, " %c%u", x->columns[c].argument >= 0 ? 's' : 'g',
                  x->columns[c].argument >= 0 ? (uint32_t)x->columns[c].argument
                                              : x->columns[c].axis);
    text_add(&x->out, "\nlaunches ");
    text_addf(&x->out, "%u\n", x->case_count);
    for (uint32_t i = 0; i < x->case_count; i++) {
        const struct capture_launch *l = x->cases[i];
        for (uint32_t a = 0; a < 3; a++)
            text_addf(&x->out, "%lld ", (long long)(a < l->dimensions ? l->global[a] : 1));
        for (uint32_t a = 0; a < 3; a++)
            text_addf(&x->out, "%lld ",
                      (long long)(l->has_local && a < l->dimensions ? l->local[a] : 0));
        for (uint32_t c = 0; c < x->column_count; c++) {
            int64_t value = 0;
            column_value(x, c, l, &value);
            text_addf(&x->out, "%s%lld", c ? " " : "", (long long)value);
        }
        for (uint32_t v = 0; v < k->argument_count; v++) {
            if (l->values[v].kind == CAPTURED_BUFFER && !l->values[v].image)
                text_addf(&x->out, " %llu",
                          (unsigned long long)binding_reach(l, v, k->argument_count));
        }
        text_add(&x->out, "\n");
    }
}

// A text that the program does not bring is part of the table.
static bool add_given_text(struct emitting *x, struct error *e)
{
    const struct making *m = x->m;
    struct text t = TEXT_INIT;
    if (!m->k->given)
        return true;
    const bool ok = capture_content(m->c, m->k->given, &t, e);
    if (ok) {
        text_addf(&x->out, "text %zu %s\n", t.length, m->k->function);
        text_addn(&x->out, t.data, t.length);
        text_add(&x->out, "\n");
    }
    text_release(&t);
    return ok;
}

bool capture_emit_spec(struct making *m, struct error *e)
{
    struct emitting *x = arena_alloc(m->a, sizeof *x);
    if (!x)
        return error_memory(e);
    memset(x, 0, sizeof *x);
    x->m = m;
    choose_columns(x);
    choose_launches(x);
    bool ok = emit_spec(x, e) && write_beside(x, ".json", e);
    if (ok) {
        add_shapes(x);
        ok = write_beside(x, ".csv", e);
    }
    if (ok) {
        add_binding(x);
        ok = add_given_text(x, e) && write_beside(x, ".bind", e);
    }
    if (ok)
        m->k->spec = arena_printf(m->a, "%s.json", m->k->title);
    text_release(&x->out);
    return ok;
}
