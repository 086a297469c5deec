// Files are looked at, not read: how many elements one has decides the constant that the argument's size is, or the one
// constant of a product that is still open. Where a size does not become what the file has, it stays in the spec, whose
// check then says so.
#include "extras/init/given.h"

#include "base/text.h"
#include "expr/expr.h"
#include "problem/data.h"

#include <string.h>
#include <unistd.h>

// ---- values ------------------------------------------------------------------------------------

// As JSON, which knows neither 016 nor a comma at the end.
static const char *write_integers(struct arena *a, const struct value *list)
{
    struct text t = TEXT_INIT;
    for (uint32_t i = 0; i < list->count; i++)
        text_addf(&t, "%s%lld", i ? ", " : "[", (long long)list->items[i].i);
    text_add(&t, "]");
    const char *written = text_to_arena(&t, a);
    text_release(&t);
    return written;
}

bool given_values(struct inferred_name *n, const char *values, struct arena *a, struct error *e)
{
    bool is_plain = values[strspn(values, "0123456789, ")] == 0;
    const char *list = is_plain ? arena_printf(a, "[%s]", values) : values;
    const struct expr_symbols none = {NULL, 0};
    struct error why = ERROR_INIT;
    struct value found, one = value_int(n->value);
    int64_t first = 0;
    if (strpbrk(values, "\"\\"))
        return error_set(e, ERROR_USAGE, "'%s' has a quotation mark or a backslash", values);
    struct expr *x = list ? expr_parse(a, list, &none, &why) : NULL;
    bool ok = x && expr_eval(x, NULL, a, &found) == EXPR_FAULT_NONE && found.kind == VALUE_LIST &&
              found.count > 0;
    bool has_default = false;
    for (uint32_t i = 0; ok && i < found.count; i++) {
        int64_t value = 0;
        ok = value_to_i64(&found.items[i], &value);
        first = i == 0 ? value : first;
        has_default |= ok && value_equal(&found.items[i], &one);
    }
    if (!ok)
        return error_set(e, ERROR_USAGE, "'%s' gives no integers; '16, 32' and 'range(1, 9)' do",
                         values);
    const char *written = list[strspn(list, "0123456789, []")] == 0
                              ? write_integers(a, &found)
                              : arena_printf(a, "\"%s\"", list);
    if (!written)
        return error_memory(e);
    n->values = written;
    n->value = has_default ? n->value : first;
    n->is_guess = false;
    return true;
}

static bool give_name(struct inferred_name *n, const char *value, struct arena *a, struct error *e)
{
    int64_t number;
    if (n->role == NAME_PARAMETER)
        return given_values(n, value, a, e);
    if (n->role != NAME_CONSTANT || !str_to_i64(value, &number))
        return error_set(e, ERROR_USAGE, "'%s' is not an integer", value);
    n->value = number;
    n->follows = NULL;
    n->is_guess = false;
    return true;
}

static bool give_argument(struct inferred_argument *a, const char *value, struct error *e)
{
    if (strpbrk(value, "\"\\"))
        return error_set(e, ERROR_USAGE, "'%s' has a quotation mark or a backslash", value);
    if (a->kind == INFERRED_SCALAR || a->kind == INFERRED_MEMBER) {
        a->value = value;
        a->is_settled = true;
        return true;
    }
    if (a->kind != INFERRED_BUFFER || a->access == INFERRED_READ)
        return error_set(e, ERROR_USAGE, "the kernel does not write it");
    a->expect = value;
    return true;
}

static struct inferred_name *find_constant(const struct inferred *f, const char *name,
                                           size_t length)
{
    for (uint32_t i = 0; i < f->name_count; i++) {
        struct inferred_name *n = &f->names[i];
        if (n->role == NAME_CONSTANT && strlen(n->name) == length &&
            strncmp(n->name, name, length) == 0)
            return n;
    }
    return NULL;
}

static bool refuse_name(const struct inferred *f, const char *name, struct arena *a,
                        struct error *e)
{
    const char **names =
        arena_array(a, f->name_count + f->argument_count + (size_t)1, sizeof *names);
    struct text known = TEXT_INIT;
    size_t count = 0;
    for (uint32_t i = 0; names && i < f->name_count; i++)
        names[count++] = f->names[i].name;
    for (uint32_t i = 0; names && i < f->argument_count; i++) {
        if (!find_constant(f, f->arguments[i].name, strlen(f->arguments[i].name)))
            names[count++] = f->arguments[i].name;
    }
    for (size_t i = 0; i < count; i++)
        text_addf(&known, "%s%s", i ? ", " : "", names[i]);
    const char *near = names ? str_nearest(name, names, count) : NULL;
    error_set(e, ERROR_USAGE, "it is none of %s%s%s%s", text_cstr(&known),
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    text_release(&known);
    return false;
}

bool given_value(struct inferred *f, const char *setting, struct arena *a, struct error *e)
{
    const char *equals = strchr(setting, '=');
    size_t length = equals ? (size_t)(equals - setting) : 0;
    while (length && setting[length - 1] == ' ')
        length--;
    const char *name = arena_strndup(a, setting, length);
    const char *value = equals ? arena_strdup(a, equals + 1 + strspn(equals + 1, " ")) : NULL;
    if (!length || !value || !*value)
        return error_set(e, ERROR_USAGE, "--set: '%s' is not NAME=VALUES", setting);
    if (!name)
        return error_memory(e);
    struct inferred_name *n = inferred_find_name(f, name);
    struct inferred_argument *x = inferred_find_argument(f, name);
    const bool ok = n   ? give_name(n, value, a, e)
                    : x ? give_argument(x, value, e)
                        : refuse_name(f, name, a, e);
    return ok || error_context(e, "--set: %s", name);
}

// ---- arrays ------------------------------------------------------------------------------------

struct array {
    struct inferred_argument *argument;
    uint64_t count; // elements
    uint64_t rows;  // of the first axis
};

#define FACTORS_MOST 6

// "n * m * 4": the constants, and the product of its numbers. False: it is another expression.
static bool read_product(const struct inferred *f, const char *size, struct inferred_name **factors,
                         uint32_t *count, int64_t *number)
{
    *count = 0;
    *number = 1;
    for (const char *at = size; *at;) {
        char word[64];
        int64_t value;
        const size_t length = strcspn(at, " *");
        struct inferred_name *n = find_constant(f, at, length);
        str_format(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), at);
        if (n && *count < FACTORS_MOST)
            factors[(*count)++] = n;
        else if (n || !str_to_i64(word, &value) || value < 1 || value > 1 << 20)
            return false;
        else
            *number *= value;
        at += length;
        at += strspn(at, " *");
    }
    return *count > 0;
}

static void set_constant(struct inferred_name *n, uint64_t value)
{
    n->value = (int64_t)value;
    n->is_given = true;
}

// True: a constant was set by it.
static bool solve_size(const struct inferred *f, const struct array *of, struct arena *a)
{
    struct inferred_name *factors[FACTORS_MOST], *open[FACTORS_MOST];
    uint32_t count, open_count = 0;
    int64_t number;
    if (!of->argument->size || !read_product(f, of->argument->size, factors, &count, &number))
        return false;
    uint64_t known = (uint64_t)number;
    for (uint32_t i = 0; i < count; i++) {
        if (factors[i]->is_given)
            known *= (uint64_t)factors[i]->value;
        else
            open[open_count++] = factors[i];
    }
    if (open_count == 0 || known == 0 || of->count % known != 0)
        return false;
    const uint64_t rest = of->count / known;
    if (open_count == 1) {
        set_constant(open[0], rest);
        if (count == 1 && number == 1)
            open[0]->follows = arena_printf(a, "len(%s)", of->argument->name);
        return true;
    }
    if (open_count != 2 || open[0] == open[1] || of->rows < 2 || rest % of->rows)
        return false;
    set_constant(open[0], of->rows);
    set_constant(open[1], rest / of->rows);
    return true;
}

// Is the size, with the constants as they are, what the file has?
static bool is_size_right(const struct inferred *f, const struct array *of, struct arena *a)
{
    struct expr_symbol *symbols = arena_array(a, f->name_count + (size_t)1, sizeof *symbols);
    struct value *slots = arena_array(a, f->name_count + (size_t)1, sizeof *slots), v;
    struct error why = ERROR_INIT;
    int64_t count;
    for (uint32_t i = 0; symbols && slots && i < f->name_count; i++) {
        symbols[i].name = f->names[i].name;
        slots[i] = value_int(f->names[i].value);
    }
    const struct expr_symbols all = {symbols, f->name_count};
    struct expr *x = symbols && slots && of->argument->size
                         ? expr_parse(a, of->argument->size, &all, &why)
                         : NULL;
    return x && expr_eval(x, slots, a, &v) == EXPR_FAULT_NONE && value_to_i64(&v, &count) &&
           (uint64_t)count == of->count;
}

// Looks at FOLDER/NAME ENDING. *there: it is one; false: it cannot be used.
static bool look_at_array(const char *folder, const char *name, const char *ending, struct arena *a,
                          struct data_file *out, bool *there, struct error *e)
{
    const char *path = arena_printf(a, "%s/%s%s", folder, name, ending);
    *there = path && access(path, F_OK) == 0;
    return path ? !*there || data_look(path, a, out, e) : error_memory(e);
}

static uint64_t count_elements(const struct inferred_argument *a, const struct data_file *d)
{
    struct element el;
    bool has_lanes = a->type && element_parse(a->type, &el) && el.width > 1;
    return has_lanes ? d->components * scalar_bytes(el.scalar) / element_bytes(&el) : d->components;
}

// The file as the spec names it: beside it without a folder.
static const char *spell_file(const char *as, const char *name, const char *ending, struct arena *a)
{
    const bool is_here = strcmp(as, ".") == 0;
    return arena_printf(a, "%s%s%s%s", is_here ? "" : as, is_here ? "" : "/", name, ending);
}

static bool look_at_argument(struct inferred_argument *x, const char *folder, const char *as,
                             struct arena *a, struct array *out, struct error *e)
{
    struct data_file file;
    bool is_filled, is_expected;
    if (!look_at_array(folder, x->name, ".expect.npy", a, &file, &is_expected, e))
        return false;
    if (is_expected) {
        x->expect = spell_file(as, x->name, ".expect.npy", a);
        *out = (struct array){x, count_elements(x, &file), file.rows};
    }
    if (!look_at_array(folder, x->name, ".npy", a, &file, &is_filled, e))
        return false;
    if (is_filled) {
        x->file = spell_file(as, x->name, ".npy", a);
        x->access = x->access == INFERRED_WRITE ? INFERRED_BOTH : x->access;
        *out = (struct array){x, count_elements(x, &file), file.rows};
    }
    return ((!is_expected || x->expect) && (!is_filled || x->file)) || error_memory(e);
}

bool given_arrays(struct inferred *f, const char *folder, const char *as, struct arena *a,
                  struct error *e)
{
    struct array *arrays = arena_array(a, f->argument_count + (size_t)1, sizeof *arrays);
    uint32_t count = 0;
    if (!arrays)
        return error_memory(e);
    for (uint32_t i = 0; i < f->argument_count; i++) {
        struct inferred_argument *x = &f->arguments[i];
        bool is_array = x->kind == INFERRED_BUFFER || x->kind == INFERRED_SYMBOL;
        if (is_array && !look_at_argument(x, folder, as, a, &arrays[count], e))
            return error_context(e, "--inputs");
        count += arrays[count].argument != NULL;
    }
    if (count == 0)
        return error_set(e, ERROR_INPUT, "--inputs: %s has no NAME.npy of an argument of %s",
                         folder, f->kernel);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; i++)
            changed |= solve_size(f, &arrays[i], a);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct inferred_argument *x = arrays[i].argument;
        if (x->is_guess || is_size_right(f, &arrays[i], a))
            x->size = NULL; // the file says it
        x->is_guess = false;
    }
    return true;
}
