// Tuning parameters: names, types, value lists and defaults. A list is a JSON array or an
// expression that yields one; repeated values are dropped with a warning, since the same
// configuration must not exist twice.
#include "problem/facts.h"
#include "problem/read_spec.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_VALUES 12

// Constants, and behind them the facts of a device, whose names constants hide.
static bool value_symbols(const struct reader *r, struct expr_symbols *symbols,
                          struct value **slots)
{
    struct expr_symbols own;
    struct value *values;
    if (!constant_symbols(r, &own, &values))
        return false;
    struct expr_symbol *items = arena_array(r->arena, own.count + fact_count(), sizeof *items);
    *slots = arena_array(r->arena, own.count + fact_count(), sizeof **slots);
    if (!items || !*slots)
        return error_memory(r->error);
    for (size_t i = 0; i < own.count; i++) {
        items[i] = own.items[i];
        (*slots)[i] = values[i];
    }
    for (uint32_t f = 0; f < fact_count(); f++) {
        bool is_hidden = false;
        for (size_t i = 0; i < own.count; i++)
            is_hidden = is_hidden || str_equal(own.items[i].name, fact_name(f));
        items[own.count + f].name = is_hidden ? "" : fact_name(f);
        items[own.count + f].is_builtin = true;
        (*slots)[own.count + f] = fact_value(f, r->device);
    }
    *symbols = (struct expr_symbols){items, own.count + fact_count()};
    return true;
}

static bool reads_facts(const struct reader *r, const struct formula *f)
{
    bool reads = false;
    for (uint32_t i = 0; i < fact_count(); i++)
        reads = reads || expr_uses(f->expr, r->spec->constant_count + i);
    return reads;
}

// The value list as it stands in the file: a Python list expression, or a JSON list. *bound: false
// where only a device could tell.
static bool read_value_list(const struct reader *r, struct node n, struct value *out, bool *bound)
{
    struct expr_symbols symbols;
    struct value *slots;
    struct formula f;
    *bound = true;
    if (!node_present(n))
        return node_error(r, n, "is missing: a list of values is needed, such as \"[16, 32]\"");
    if (json_is_array(n.json)) {
        size_t count = json_array_size(n.json);
        struct value *items = arena_array(r->arena, count + 1, sizeof *items);
        if (!items)
            return error_memory(r->error);
        for (size_t i = 0; i < count; i++)
            items[i] = node_value(node_item(r, n, i));
        *out = value_list(items, (uint32_t)count);
        return true;
    }
    if (!value_symbols(r, &symbols, &slots) || !read_formula(r, n, &symbols, &f))
        return false;
    bool reads = reads_facts(r, &f);
    r->spec->uses_device |= reads;
    *bound = !reads || r->device;
    if (!*bound)
        return true;
    if (!eval_constant(r, &f, slots, out))
        return false;
    if (out->kind != VALUE_LIST)
        return node_error(r, n, "'%s' gives no list; write [%s]", f.text, f.text);
    return true;
}

enum parameter_type parameter_type_of(const struct value *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (values[i].kind != values[0].kind)
            return PARAMETER_MIXED;
    }
    return count > 0 ? natural_type(&values[0]) : PARAMETER_INT;
}

// ---- values that are listed twice --------------------------------------------------------------

struct ranked {
    struct value v;
    uint32_t index; // in the list
    bool again;     // equals an earlier one
};

// By value, texts behind numbers, then by place.
static int compare_ranked_values(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    bool is_text[] = {x->v.kind == VALUE_STRING, y->v.kind == VALUE_STRING};
    double f = 0, g = 0;
    int order = is_text[0] - is_text[1];
    if (is_text[0] && is_text[1])
        order = strcmp(x->v.s, y->v.s);
    else if (order == 0 && (x->v.kind == VALUE_FLOAT || y->v.kind == VALUE_FLOAT))
        order = value_to_f64(&x->v, &f) && value_to_f64(&y->v, &g) ? (f > g) - (f < g) : 0;
    else if (order == 0)
        order = (x->v.i > y->v.i) - (x->v.i < y->v.i);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_value_places(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

// The list as values of the parameter's type, each once.
static bool take_values(const struct reader *r, struct node n, const struct value *list,
                        struct parameter *p)
{
    uint32_t count = 0;
    struct value *values = arena_array(r->arena, list->count, sizeof *values);
    struct ranked *ranked = arena_array(r->arena, list->count, sizeof *ranked);
    if (!values || !ranked)
        return error_memory(r->error);
    for (uint32_t i = 0; i < list->count; i++) {
        ranked[i] = (struct ranked){.v = list->items[i], .index = i};
        if (!value_coerce(r->arena, p->type, &ranked[i].v)) {
            const struct value *v = &list->items[i];
            struct text shown = TEXT_INIT;
            value_print(v, &shown);
            const char *remedy = v->kind == VALUE_STRING  ? "; say \"Type\": \"string\""
                                 : v->kind == VALUE_FLOAT ? "; say \"Type\": \"float\""
                                                          : "";
            node_error(r, n, "%s is not a value of type %s%s", text_cstr(&shown),
                       parameter_type_names[p->type], remedy);
            text_release(&shown);
            return false;
        }
    }
    qsort(ranked, list->count, sizeof *ranked, compare_ranked_values);
    for (uint32_t i = 1; i < list->count; i++)
        ranked[i].again = value_equal(&ranked[i - 1].v, &ranked[i].v);
    qsort(ranked, list->count, sizeof *ranked, compare_value_places);
    for (uint32_t i = 0; i < list->count; i++) {
        if (ranked[i].again) {
            struct text shown = TEXT_INIT;
            value_print(&ranked[i].v, &shown);
            node_warn(r, n, "%s is listed twice; it counts once", text_cstr(&shown));
            text_release(&shown);
        } else if (!value_copy(r->arena, &ranked[i].v, &values[count++]))
            return error_memory(r->error);
    }
    p->values = values;
    p->count = count;
    return true;
}

// Other tuners do not look at it: a warning.
static bool warn_default(const struct reader *r, struct node n, const struct parameter *p,
                         const struct value *v)
{
    struct text shown = TEXT_INIT;
    value_print(v, &shown);
    text_addf(&shown, " is not among the values of '%s': ", p->name);
    // "[16, 32, 64]", at most SHOWN_VALUES of them.
    text_addc(&shown, '[');
    for (uint32_t i = 0; i < p->count && i < SHOWN_VALUES; i++) {
        text_add(&shown, i > 0 ? ", " : "");
        value_print(&p->values[i], &shown);
    }
    text_add(&shown, p->count > SHOWN_VALUES ? ", ...]" : "]");
    node_warn(r, n, "%s; the first value counts in its place", text_cstr(&shown));
    text_release(&shown);
    return true;
}

static bool read_default(const struct reader *r, struct node item, struct parameter *p)
{
    struct node n = node_get(r, item, "Default");
    if (node_count(n) == 0)
        return true;
    struct value given = node_value(node_item(r, n, 0)), v = given;
    if (v.kind == VALUE_STRING && p->type < PARAMETER_STRING &&
        !value_parse_literal(v.s, r->arena, &v))
        return error_memory(r->error);
    if (!value_coerce(r->arena, p->type, &v))
        return warn_default(r, n, p, &given);
    for (uint32_t i = 0; i < p->count; i++) {
        if (!value_equal(&p->values[i], &v))
            continue;
        p->initial = i;
        p->has_default = true;
        return true;
    }
    return warn_default(r, n, p, &given);
}

static bool read_parameter_spec(struct reader *r, struct node item, struct parameter *p)
{
    static const struct value one = {.kind = VALUE_INT, .i = 1};
    struct node name = node_get(r, item, "Name");
    if (!read_text(r, name, &p->name) || !check_name(r, name, p->name))
        return false;
    // From here on the name is known, whatever is wrong with its values.
    r->spec->parameter_count++;
    p->path = item.path;
    p->values = &one;
    p->count = 1;
    struct value list = {.kind = VALUE_NONE};
    size_t type;
    struct node n = node_get(r, item, "Values");
    bool bound;
    if (!read_value_list(r, n, &list, &bound))
        return false;
    if (!bound) {
        r->spec->unbound = p;
        return true;
    }
    if (list.count == 0)
        return node_error(r, n, "'%s' has no values", p->name);
    if (!read_choice(r, node_get(r, item, "Type"), parameter_type_names, PARAMETER_TYPE_COUNT,
                     parameter_type_of(list.items, list.count), &type))
        return false;
    p->type = (enum parameter_type)type;
    return take_values(r, n, &list, p) && read_default(r, item, p);
}

bool read_parameters(struct reader *r, struct node root)
{
    struct node space = node_get(r, root, "ConfigurationSpace");
    struct node list = node_get(r, space, "TuningParameters");
    if (!node_present(space))
        return node_error(r, space, "is missing: it holds the tuning parameters");
    if (!node_present(list))
        return node_error(r, list, "is missing: a list of parameters is needed");

    size_t count = node_count(list);
    struct parameter *parameters = arena_array(r->arena, count + 1, sizeof *parameters);
    if (!parameters)
        return error_memory(r->error);
    r->spec->parameters = parameters;
    for (size_t i = 0; i < count; i++) {
        struct parameter *p = &parameters[r->spec->parameter_count];
        if (!read_on(r, read_parameter_spec(r, node_item(r, list, i), p)))
            return false;
    }
    return true;
}
