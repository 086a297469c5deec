// The text's functions are walked for evidence: a variable of an open type within a subscript, beside %, a shift or an operator
// of bits, or compared with an item's number. Then every declaration that has the type's name is made an integer.
#include "extras/init/open_types.h"

#include "base/text.h"

struct typist {
    const struct syntax *syntax;
    struct arena *arena;
    bool *is_integer;          // by open type
    const struct type **slots; // of the function's variables
    bool *is_place;            // which of them are items' numbers, or follow one
    uint32_t slot_count;
    struct type **seen; // where an open type stands
    size_t seen_count, seen_room;
    bool failed;
    unsigned depth;
};

static void note_type(struct typist *t, const struct type *type)
{
    if (!type || type->base != TYPE_OPEN)
        return;
    if (ARENA_ROOM(t->arena, t->seen, t->seen_room, t->seen_count + 1))
        t->seen[t->seen_count++] = (struct type *)type; // the tree is the study's own
    else
        t->failed = true;
}

static bool *integer_of(struct typist *t, const struct type *type)
{
    for (uint32_t i = 0; type && type->base == TYPE_OPEN && i < t->syntax->open_type_count; i++) {
        if (str_equal(t->syntax->open_types[i], type->words))
            return &t->is_integer[i];
    }
    return NULL;
}

static const struct type *type_of_name(const struct typist *t, const struct node *n)
{
    if (n->kind != NODE_NAME || n->slot == SLOT_NONE)
        return NULL;
    if (n->slot & SLOT_SHARED)
        return t->syntax->shared[n->slot & ~SLOT_SHARED].type;
    return n->slot < t->slot_count ? t->slots[n->slot] : NULL;
}

// The expression is a place or a number of bits: so are all that it adds and multiplies, and the elements that it takes.
static void mark_integers(struct typist *t, const struct node *n)
{
    if (!n || n->kind == NODE_CALL || n->kind == NODE_CAST)
        return;
    const bool is_element = n->kind == NODE_INDEX;
    const struct node *name = n;
    while (is_element && name && (name->kind == NODE_INDEX || name->kind == NODE_BINARY))
        name = name->a;
    const struct type *type = name ? type_of_name(t, name) : NULL;
    const bool is_plain = type && type->stars == 0 && type->dimension_count == 0;
    bool *mark = is_element || is_plain ? integer_of(t, type) : NULL;
    if (mark)
        *mark = true;
    for (uint32_t i = 0; i < 3 && !is_element; i++)
        mark_integers(t, node_part(n, i));
}

// An item's number, or what is added to it, or a variable that began so.
static bool is_place(const struct typist *t, const struct node *n)
{
    const struct type *type = n ? type_of_name(t, n) : NULL;
    if (type)
        return type->base == TYPE_INTEGER && type->stars == 0 && n->slot < t->slot_count &&
               t->is_place[n->slot];
    return n && (n->kind == NODE_ITEM || ((n->kind == NODE_BINARY || n->kind == NODE_CAST) &&
                                          (is_place(t, n->a) || is_place(t, n->b))));
}

static bool has_sign(const struct node *n, const uint32_t *signs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (n->sign == signs[i])
            return n->kind == NODE_BINARY || n->kind == NODE_ASSIGN;
    }
    return false;
}

static void weigh_node(struct typist *t, const struct node *n)
{
    static const uint32_t bits[] = {SIGN('%', 0, 0), SIGN('&', 0, 0),   SIGN('|', 0, 0),
                                    SIGN('^', 0, 0), SIGN('<', '<', 0), SIGN('>', '>', 0)};
    static const uint32_t orders[] = {SIGN('<', 0, 0), SIGN('<', '=', 0), SIGN('>', 0, 0),
                                      SIGN('>', '=', 0)};
    const bool is_bits = has_sign(n, bits, sizeof bits / sizeof *bits);
    const bool is_order = has_sign(n, orders, sizeof orders / sizeof *orders);
    const bool is_pointed =
        n->kind == NODE_UNARY && n->sign == SIGN('*', 0, 0) && n->a->kind == NODE_BINARY;
    if (is_bits || (is_order && n->a->kind == NODE_NAME && is_place(t, n->b)))
        mark_integers(t, n->a);
    if (is_bits || n->kind == NODE_INDEX ||
        (is_order && n->b->kind == NODE_NAME && is_place(t, n->a)))
        mark_integers(t, n->b);
    if (is_pointed) // *(p + i)
        mark_integers(t, n->a->b);
}

static void walk_node(struct typist *t, const struct node *n)
{
    if (!n || t->depth > 1000)
        return;
    t->depth++;
    note_type(t, n->type);
    if (n->kind == NODE_DECLARE && n->slot < t->slot_count) {
        t->slots[n->slot] = n->type;
        t->is_place[n->slot] = is_place(t, n->a);
    }
    weigh_node(t, n);
    for (uint32_t i = 0; i < node_parts(n); i++)
        walk_node(t, node_part(n, i));
    t->depth--;
}

static void walk_function(struct typist *t, const struct function *f)
{
    t->slots = arena_array(t->arena, f->slots + (size_t)1, sizeof *t->slots);
    t->is_place = arena_array(t->arena, f->slots + (size_t)1, sizeof(bool));
    t->slot_count = t->slots && t->is_place ? f->slots : 0;
    t->failed |= !t->slots || !t->is_place;
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        note_type(t, f->parameters[i].type);
        if (f->parameters[i].slot < t->slot_count)
            t->slots[f->parameters[i].slot] = f->parameters[i].type;
    }
    walk_node(t, f->body);
}

bool open_types_settle(struct syntax *s, struct arena *a)
{
    struct typist t = {.syntax = s, .arena = a};
    s->open_is_integer = t.is_integer =
        arena_array(a, s->open_type_count + (size_t)1, sizeof(bool));
    for (uint32_t i = 0; s->open_type_count && t.is_integer && i < s->function_count; i++)
        walk_function(&t, &s->functions[i]);
    for (uint32_t i = 0; i < s->shared_count; i++)
        note_type(&t, s->shared[i].type);
    for (size_t i = 0; i < t.seen_count; i++) {
        const bool *mark = integer_of(&t, t.seen[i]);
        if (!mark || !*mark)
            continue;
        t.seen[i]->base = TYPE_INTEGER;
        t.seen[i]->component = 4;
    }
    return t.is_integer && !t.failed;
}
