// Conjunctions as the parts that must all hold: `a and b`, all(...) over a written list, chained
// comparisons, and "all different" tests, which become pairs. A part is only taken out where
// neither the order of evaluation nor a fault could tell the difference; what cannot be split stays
// whole.
#include "expr/graph.h"

enum { PARTS_MOST = 2048 };

struct splitter {
    struct arena *arena;
    const struct expr *whole;
    const struct graph_slot *slots;
    uint32_t slot_count;
    const struct node **parts;
    uint32_t count;
    bool fits;   // in PARTS_MOST
    bool memory; // there was enough
};

static void add_part(struct splitter *s, const struct node *part)
{
    s->fits = s->fits && s->count < PARTS_MOST;
    if (s->fits)
        s->parts[s->count++] = part;
}

// ---- all different -----------------------------------------------------------------------------

static bool is_call(const struct node *n, const char *name)
{
    return n->kind == NODE_CALL && n->count == 1 && str_equal(n->function->name, name);
}

// The list of `len(set([a, b, c])) == 3`, where it is one of names; else NULL.
static const struct node *differing(const struct node *n)
{
    if (n->kind != NODE_COMPARE || n->count != 2 || n->chain[0] != COMPARE_EQ)
        return NULL;
    bool first = n->items[0]->kind == NODE_CONSTANT;
    const struct node *count = n->items[!first], *length = n->items[first];
    if (count->kind != NODE_CONSTANT || !is_call(length, "len") ||
        !is_call(length->items[0], "set"))
        return NULL;
    const struct node *list = length->items[0]->items[0];
    int64_t wanted;
    if (list->kind != NODE_LIST || !is_number(&count->value) ||
        !value_to_i64(&count->value, &wanted) || wanted != list->count)
        return NULL;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i]->kind != NODE_SLOT)
            return NULL;
    return list;
}

static void add_pair(struct splitter *s, struct node *a, struct node *b, const char *place)
{
    static const enum compare_code differ[] = {COMPARE_NE};
    struct node *n = arena_alloc(s->arena, sizeof *n);
    struct node **items = arena_array(s->arena, 2, sizeof(struct node *));
    if (!n || !items) {
        s->memory = false;
        return;
    }
    items[0] = a;
    items[1] = b;
    *n = (struct node){.eval = node_evals[NODE_COMPARE],
                       .kind = NODE_COMPARE,
                       .place = place,
                       .height = 2,
                       .weight = 3,
                       .count = 2,
                       .items = items,
                       .chain = differ};
    add_part(s, n);
}

// ---- conjunctions ------------------------------------------------------------------------------

static void gather_conjuncts(struct splitter *s, const struct node *n)
{
    const struct node *list = differing(n);
    if (list) {
        for (uint32_t i = 0; i < list->count && s->fits && s->memory; i++)
            for (uint32_t j = 0; j < i && s->fits && s->memory; j++)
                add_pair(s, list->items[j], list->items[i], list->place);
    }
    for (uint32_t i = 0; n->kind == NODE_AND && i < n->count && s->fits; i++)
        gather_conjuncts(s, n->items[i]);
    if (!list && n->kind != NODE_AND)
        add_part(s, n);
}

// Equality, and membership in a constant list, are defined for values of every kind: they cannot
// fault.
static bool is_sure(const struct splitter *s, const struct node *n)
{
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *item = n->items[i];
        bool given = item->kind == NODE_SLOT && !s->slots[item->slot].definition;
        if (n->kind != NODE_COMPARE || (!given && item->kind != NODE_CONSTANT))
            return false;
        if (i > 0 && n->chain[i - 1] != COMPARE_EQ && n->chain[i - 1] != COMPARE_NE &&
            !item->ascending)
            return false;
    }
    return n->kind == NODE_COMPARE;
}

static bool may_fault(struct splitter *s, const struct expr *part)
{
    struct graph_question q = {
        .slots = s->slots, .slot_count = s->slot_count, .stages = 1, .condition = part};
    struct graph g;
    struct arena scratch;
    arena_init(&scratch);
    enum graph_outcome outcome = graph_build(&g, &scratch, &q);
    bool fault = outcome != GRAPH_DONE || g.ranges[g.root].fault;
    s->memory &= outcome != GRAPH_MEMORY;
    arena_release(&scratch);
    return fault;
}

static const struct expr **make_parts(struct splitter *s)
{
    const struct expr **made = arena_array(s->arena, s->count, sizeof *made);
    s->memory &= made != NULL;
    for (uint32_t i = 0; s->memory && i < s->count; i++) {
        struct expr *part = expr_of_part(s->arena, s->whole, s->parts[i]);
        made[i] = part;
        s->memory &= part != NULL;
        if (part && !is_sure(s, s->parts[i]) && may_fault(s, part))
            return NULL;
    }
    return made;
}

bool graph_split(struct arena *a, const struct expr *x, const struct graph_slot *slots,
                 uint32_t slot_count, const struct expr ***parts, uint32_t *count)
{
    struct splitter s = {.arena = a,
                         .whole = x,
                         .slots = slots,
                         .slot_count = slot_count,
                         .fits = true,
                         .memory = true};
    *count = 0;
    if (x->root->kind != NODE_AND && !differing(x->root))
        return true;
    s.parts = arena_array(a, PARTS_MOST, sizeof *s.parts);
    if (!s.parts)
        return false;
    gather_conjuncts(&s, x->root);
    if (!s.fits || !s.memory || s.count < 2)
        return s.memory;
    *parts = make_parts(&s);
    if (*parts)
        *count = s.count;
    return s.memory;
}
