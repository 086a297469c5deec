// Constants: named values of the spec, a list or a map, which the caller may override with
// NAME=VALUE. A value is coerced to the declared type, or to the type of the value it replaces;
// names are checked against all others.
#include "problem/read_spec.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

const char *const parameter_type_names[PARAMETER_TYPE_COUNT] = {PARAMETER_TYPES(LIST_TEXT)};

bool value_coerce(struct arena *a, enum parameter_type type, struct value *v)
{
    int64_t i;
    double f;
    if (v->kind == VALUE_UINT && (type == PARAMETER_INT || type == PARAMETER_UINT))
        return true;
    if (type == PARAMETER_STRING || type == PARAMETER_MIXED) {
        if (v->kind == VALUE_LIST || v->kind == VALUE_NONE)
            return false;
        if (v->kind == VALUE_STRING || type == PARAMETER_MIXED)
            return true;
        struct text text = TEXT_INIT;
        value_print(v, &text);
        const char *copy = text_to_arena(&text, a);
        *v = value_string(copy);
        return copy != NULL;
    }
    if (type == PARAMETER_FLOAT) {
        if (!value_to_f64(v, &f))
            return false;
        *v = value_float(f);
        return true;
    }
    if (!value_to_i64(v, &i) || (type == PARAMETER_UINT && i < 0) ||
        (type == PARAMETER_BOOL && i != 0 && i != 1))
        return false;
    *v = type == PARAMETER_BOOL ? value_bool(i != 0) : value_int(i);
    return true;
}

static bool is_spec_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (const char *c = name; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    }
    return true;
}

bool spec_name_is_reserved(const char *name)
{
    static const char *const words[] = {
        "and",   "or",   "not",    "in",   "is",          "if",           "else",    "for", "True",
        "False", "None", "lambda", "HONE", "HONE_SOURCE", "kernel_tuner", "defined", NULL};
    return str_listed(words, name);
}

static bool is_taken(const struct spec *s, const char *name)
{
    for (uint32_t i = 0; i < s->constant_count; i++) {
        if (strcmp(s->constants[i].name, name) == 0)
            return true;
    }
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (strcmp(s->parameters[i].name, name) == 0)
            return true;
    }
    for (uint32_t i = 0; i < s->derived_count; i++) {
        if (strcmp(s->derived[i].name, name) == 0)
            return true;
    }
    return false;
}

bool check_name(const struct reader *r, struct node n, const char *name)
{
    // Every name is looked up among all others, here and in the kernel's source.
    if (r->spec->constant_count + r->spec->parameter_count + r->spec->derived_count >=
        SPEC_NAMES_LIMIT)
        return node_error(r, n,
                          "more than %d parameters, constants and derived parameters together; a "
                          "spec can have no more: leave out those that have one value alone",
                          SPEC_NAMES_LIMIT);
    if (!is_spec_identifier(name))
        return node_error(r, n,
                          "'%s' cannot be passed to a compiler with -D: use letters, digits and "
                          "'_', and no digit in front",
                          name);
    if (spec_name_is_reserved(name))
        return node_error(r, n, "'%s' has a meaning of its own; choose another name", name);
    if (is_taken(r->spec, name))
        return node_error(r, n,
                          "'%s' is defined twice; names of parameters, constants and "
                          "derived parameters must differ",
                          name);
    return true;
}

enum parameter_type natural_type(const struct value *v)
{
    switch (v->kind) {
    case VALUE_BOOL:
        return PARAMETER_BOOL;
    case VALUE_INT:
    case VALUE_UINT:
        return PARAMETER_INT;
    case VALUE_FLOAT:
        return PARAMETER_FLOAT;
    default:
        return PARAMETER_STRING;
    }
}

// Once the name is known to be one the constant is there, whatever is wrong with its value: what
// reads it is not wrong for that.
static bool add_named_constant(struct reader *r, struct constant *c, struct node name,
                               struct node value, struct node type)
{
    if (!check_name(r, name, c->name))
        return false;
    r->spec->constant_count++;
    c->path = value.path;
    c->value = value_int(1);
    struct value v = node_value(value);
    size_t index;
    if (!node_present(value))
        return node_error(r, value, "is missing: the value of '%s' is needed", c->name);
    if (!read_choice(r, type, parameter_type_names, PARAMETER_MIXED, natural_type(&v), &index))
        return false;
    if (v.kind == VALUE_STRING && index != PARAMETER_STRING &&
        !value_parse_literal(v.s, r->arena, &v))
        return error_memory(r->error);
    if (!value_coerce(r->arena, (enum parameter_type)index, &v))
        return node_error(r, value, "the value of '%s' is not of type %s", c->name,
                          parameter_type_names[index]);
    return value_copy(r->arena, &v, &c->value) || error_memory(r->error);
}

static bool read_constant_list(struct reader *r, struct node list, struct constant *constants)
{
    for (size_t i = 0; i < node_count(list); i++) {
        struct node item = node_item(r, list, i);
        struct node name = node_get(r, item, "Name");
        struct constant *c = &constants[r->spec->constant_count];
        if (!read_on(r, read_text(r, name, &c->name) &&
                            add_named_constant(r, c, name, node_get(r, item, "Value"),
                                               node_get(r, item, "Type"))))
            return false;
    }
    return true;
}

static bool read_constant_map(struct reader *r, struct node map, struct constant *constants)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)map.json, name, value)
    {
        if (strcmp(name, "Comment") == 0)
            continue;
        struct node n = node_get(r, map, name);
        struct constant *c = &constants[r->spec->constant_count];
        c->name = arena_strdup(r->arena, name);
        if (!c->name)
            return error_memory(r->error);
        if (!read_on(r, add_named_constant(r, c, n, n, (struct node){NULL, n.path})))
            return false;
    }
    return true;
}

// ---- overrides ---------------------------------------------------------------------------------

static bool unknown_constant(const struct reader *r, const char *word, const char *name)
{
    const struct spec *s = r->spec;
    const char **names = arena_array(r->arena, s->constant_count + 1, sizeof *names);
    if (!names)
        return error_memory(r->error);
    struct text known = TEXT_INIT;
    for (uint32_t i = 0; i < s->constant_count; i++) {
        names[i] = s->constants[i].name;
        text_addf(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = str_nearest(name, names, s->constant_count);
    if (s->constant_count == 0)
        error_set(r->error, ERROR_USAGE, "--set %s: the spec has no constants to set", word);
    else if (near)
        error_set(r->error, ERROR_USAGE,
                  "--set %s: unknown constant '%s'; did you mean '%s'? The spec has %s", word, name,
                  near, text_cstr(&known));
    else
        error_set(r->error, ERROR_USAGE, "--set %s: unknown constant '%s'; the spec has %s", word,
                  name, text_cstr(&known));
    text_release(&known);
    return false;
}

// Does the document declare a parameter of this name? Parameters are read later.
static bool is_parameter_name(struct reader *r, struct node root, const char *name)
{
    struct node list = node_get(r, node_get(r, root, "ConfigurationSpace"), "TuningParameters");
    for (size_t i = 0; node_present(list) && i < node_count(list); i++) {
        const char *known = node_text(node_get(r, node_item(r, list, i), "Name"));
        if (known && strcmp(known, name) == 0)
            return true;
    }
    return false;
}

static bool apply_override(struct reader *r, struct node root, const char *word,
                           struct constant *constants)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return error_set(r->error, ERROR_USAGE, "--set %s: write NAME=VALUE", word);
    const char *name = arena_strndup(r->arena, word, (size_t)(equals - word));
    if (!name)
        return error_memory(r->error);
    for (uint32_t i = 0; i < r->spec->constant_count; i++) {
        if (strcmp(constants[i].name, name) == 0) {
            struct constant *c = &constants[i];
            const char *text = equals + 1;
            enum parameter_type type = natural_type(&c->value);
            struct value v = value_string(text);
            if (type != PARAMETER_STRING && !value_parse_literal(text, r->arena, &v))
                return error_memory(r->error);
            if (v.kind == VALUE_STRING && type != PARAMETER_STRING)
                return error_set(r->error, ERROR_USAGE,
                                 "--set %s: '%s' is not of type %s, as %s is", word, text,
                                 parameter_type_names[type], c->name);
            if (!value_coerce(r->arena, type, &v))
                return error_set(r->error, ERROR_USAGE, "--set %s: %s is of type %s; '%s' is not",
                                 word, c->name, parameter_type_names[type], text);
            return value_copy(r->arena, &v, &c->value) || error_memory(r->error);
        }
    }
    if (is_parameter_name(r, root, name))
        return error_set(r->error, ERROR_USAGE,
                         "--set %s: '%s' is a parameter, not a constant: --config %s", word, name,
                         word);
    return unknown_constant(r, word, name);
}

bool read_constants(struct reader *r, struct node root, const struct spec_options *options)
{
    struct node n = node_get(r, root, "Constants");
    bool map = json_is_object(n.json);
    size_t count = map ? json_object_size(n.json) : node_count(n);
    struct constant *constants = arena_array(r->arena, count + 1, sizeof *constants);
    if (!constants)
        return error_memory(r->error);

    r->spec->constants = constants;
    if (!(map ? read_constant_map(r, n, constants) : read_constant_list(r, n, constants)))
        return false;
    // Skipped after a fault above: the faulty constant might be one that is set.
    for (uint32_t i = 0; i < options->set_count && r->faults->count == 0; i++) {
        if (!apply_override(r, root, options->set[i], constants))
            return false;
    }
    return true;
}

// ---- expressions over constants ----------------------------------------------------------------

bool constant_symbols(const struct reader *r, struct expr_symbols *symbols, struct value **slots)
{
    const struct spec *s = r->spec;
    struct expr_symbol *items = arena_array(r->arena, s->constant_count + 1, sizeof *items);
    *slots = arena_array(r->arena, s->constant_count + 1, sizeof **slots);
    if (!items || !*slots)
        return error_memory(r->error);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        items[i].name = s->constants[i].name;
        (*slots)[i] = s->constants[i].value;
    }
    *symbols = (struct expr_symbols){items, s->constant_count};
    return true;
}

bool eval_constant(const struct reader *r, const struct formula *f, const struct value *slots,
                   struct value *out)
{
    enum expr_fault fault = expr_eval(f->expr, slots, r->arena, out);
    if (fault == EXPR_FAULT_NONE)
        return true;
    return error_set(r->error, ERROR_INPUT, "%s: '%s' has no value: %s", f->path, f->text,
                     expr_fault_text(fault));
}
