// Each function is walked once for evidence: a variable of an open type within a subscript, beside %, a shift or an operator
// of bits, or compared with an item's number. Then every declaration that has the type's name is made an integer.
#include "extras/init/open_types.h"

#include "base/text.h"

#include <string.h>

struct typist {
    const struct syntax *syntax;
    bool *is_integer;          // by open type
    const struct type **slots; // of the function's variables
    uint32_t slot_count;
    bool makes; // the second walk: declarations are changed
    unsigned depth;
};

static const struct type *type_of_name(const struct typist *t, const struct node *n)
{
    if (n->kind != NODE_NAME || n->slot == SLOT_NONE)
        return NULL;
    if (n->slot & SLOT_SHARED)
        return t->syntax->shared[n->slot & ~SLOT_SHARED].type;
    return n->slot < t->slot_count ? t->slots[n->slot] : NULL;
}

static void mark_type(struct typist *t, const struct type *type)
{
    for (uint32_t i = 0; type && type->base == TYPE_OPEN && i < t->syntax->open_type_count; i++)
        t->is_integer[i] |= str_equal(t->syntax->open_types[i], type->words);
}

// The expression is a place or a number of bits: so are all that it adds and multiplies.
static void mark_integers(struct typist *t, const struct node *n)
{
    if (!n || n->kind == NODE_CALL || n->kind == NODE_CAST)
        return;
    const struct type *type = type_of_name(t, n);
    if (type && type->stars == 0 && type->dimension_count == 0)
        mark_type(t, type);
    if (n->kind == NODE_INDEX) { // its elements
        const struct node *array = n->a;
        while (array && (array->kind == NODE_INDEX || array->kind == NODE_BINARY))
            array = array->a;
        mark_type(t, array ? type_of_name(t, array) : NULL);
        return;
    }
    if (n->kind == NODE_UNARY || n->kind == NODE_STEP || n->kind == NODE_BINARY)
        mark_integers(t, n->a);
    if (n->kind == NODE_BINARY || n->kind == NODE_CHOICE)
        mark_integers(t, n->b);
    if (n->kind == NODE_CHOICE)
        mark_integers(t, n->c);
}

static bool is_bits(uint32_t sign)
{
    return sign == SIGN('%', 0, 0) || sign == SIGN('&', 0, 0) || sign == SIGN('|', 0, 0) ||
           sign == SIGN('^', 0, 0) || sign == SIGN('<', '<', 0) || sign == SIGN('>', '>', 0);
}

static bool is_integer_name(const struct typist *t, const struct node *n)
{
    const struct type *type = type_of_name(t, n);
    return n->kind == NODE_ITEM || (type && type->base == TYPE_INTEGER && type->stars == 0);
}

static void weigh_node(struct typist *t, const struct node *n)
{
    const bool has_sign = n->kind == NODE_BINARY || n->kind == NODE_ASSIGN;
    if (n->kind == NODE_INDEX)
        mark_integers(t, n->b);
    if (has_sign && is_bits(n->sign)) {
        mark_integers(t, n->a);
        mark_integers(t, n->b);
    }
    const bool is_pointed = n->kind == NODE_UNARY && n->sign == SIGN('*', 0, 0) &&
                            n->a->kind == NODE_BINARY && n->a->sign == SIGN('+', 0, 0);
    if (is_pointed)
        mark_integers(t, n->a->b);
    const bool is_order =
        n->kind == NODE_BINARY && (n->sign == SIGN('<', 0, 0) || n->sign == SIGN('<', '=', 0) ||
                                   n->sign == SIGN('>', 0, 0) || n->sign == SIGN('>', '=', 0));
    if (is_order && is_integer_name(t, n->a) && n->b->kind == NODE_NAME)
        mark_integers(t, n->b);
    if (is_order && is_integer_name(t, n->b) && n->a->kind == NODE_NAME)
        mark_integers(t, n->a);
}

static void make_integer(const struct typist *t, const struct type *type)
{
    for (uint32_t i = 0; type && type->base == TYPE_OPEN && i < t->syntax->open_type_count; i++) {
        if (!t->is_integer[i] || !str_equal(t->syntax->open_types[i], type->words))
            continue;
        ((struct type *)type)->base = TYPE_INTEGER; // the tree is the study's own
        ((struct type *)type)->component = 4;
    }
}

static void walk_node(struct typist *t, const struct node *n)
{
    if (!n || t->depth > 1000)
        return;
    t->depth++;
    if (t->makes)
        make_integer(t, n->type);
    else if (n->kind == NODE_DECLARE && n->slot < t->slot_count)
        t->slots[n->slot] = n->type;
    for (uint32_t i = 0; i < node_parts(n); i++)
        walk_node(t, node_part(n, i));
    if (!t->makes)
        weigh_node(t, n);
    t->depth--;
}

static bool walk_functions(struct typist *t, struct arena *a)
{
    for (uint32_t i = 0; i < t->syntax->function_count; i++) {
        const struct function *f = &t->syntax->functions[i];
        t->slots = arena_array(a, f->slots + (size_t)1, sizeof *t->slots);
        t->slot_count = f->slots;
        if (!t->slots)
            return false;
        for (uint32_t k = 0; k < f->parameter_count; k++) {
            if (t->makes)
                make_integer(t, f->parameters[k].type);
            else if (f->parameters[k].slot < t->slot_count)
                t->slots[f->parameters[k].slot] = f->parameters[k].type;
        }
        walk_node(t, f->body);
    }
    return true;
}

bool open_types_settle(struct syntax *s, struct arena *a)
{
    struct typist t = {.syntax = s,
                       .is_integer = arena_array(a, s->open_type_count + (size_t)1, sizeof(bool))};
    if (s->open_type_count == 0)
        return true;
    if (!t.is_integer || !walk_functions(&t, a))
        return false;
    t.makes = true;
    for (uint32_t i = 0; i < s->shared_count; i++)
        make_integer(&t, s->shared[i].type);
    s->open_is_integer = t.is_integer;
    return walk_functions(&t, a);
}
