// From trees to a graph. A tree is translated bottom up; a node that is there already is found and
// shared (hash consing), which makes equal parts of several definitions one node. Three rewritings
// make states few:
//
// - Sums and products of integers are flattened into terms and chained again in the order in which
//   the terms become known, so that a*b*c has the one known part a*b after two stages, whatever the
//   order of the text. Only if no partial sum can overflow: the graph must fault exactly where
//   the tree does.
// - Below a modulus that is known early, parts are reduced modulo it as soon as they are known: a
//   product of which only the rest modulo 32 matters has 32 states.
// - Comparisons, `in`, min, max, sum and prod over written lists are unrolled into nodes.
//
// A part without a node kind of its own (a comprehension, an index, a text) becomes one opaque
// node, which is evaluated as a tree once all slots in it are known. The result of each node (a
// range, and whether it may fault) is kept beside it.
#include "expr/graph.h"

#include "expr/iterate.h"

#include <string.h>

// TREES_MOST: trees visited. A sum that may overflow is visited twice, as terms and as it
// stands, and so are the sums within, twice each time.
enum { NODES_MOST = 4096, TERMS_MOST = 64, TREES_MOST = 1 << 16 };
#define NO_NODE UINT32_MAX

struct maker {
    struct graph *graph;
    const struct graph_question *question;
    uint32_t *definitions; // slot -> the node of what defines it, NO_NODE: not made yet
    uint32_t trees;        // visited so far
    enum graph_outcome outcome;
};

static uint32_t make_tree(struct maker *m, const struct node *n);

static uint32_t fail_graph(struct maker *m, enum graph_outcome outcome)
{
    if (m->outcome == GRAPH_DONE)
        m->outcome = outcome;
    return NO_NODE;
}

// ---- nodes -------------------------------------------------------------------------------------

static bool same_detail(const struct graph_node *a, const struct graph_node *b)
{
    switch (a->kind) {
    case GRAPH_CONSTANT:
        if (a->value.kind != b->value.kind || a->value.kind == VALUE_LIST)
            return a->value.kind == b->value.kind && a->value.items == b->value.items &&
                   a->value.count == b->value.count;
        if (a->value.kind == VALUE_STRING)
            return strcmp(a->value.s, b->value.s) == 0;
        return a->value.kind == VALUE_NONE ||
               memcmp(&a->value.i, &b->value.i, sizeof a->value.i) == 0;
    case GRAPH_SLOT:
        return a->slot == b->slot;
    case GRAPH_UNARY:
        return a->unary == b->unary;
    case GRAPH_BINARY:
        return a->op == b->op;
    case GRAPH_COMPARE:
        return a->compare == b->compare;
    case GRAPH_CALL:
        return a->function == b->function;
    case GRAPH_OPAQUE:
        return a->opaque.tree == b->opaque.tree;
    default:
        return true;
    }
}

static uint32_t find_node(const struct graph *g, const struct graph_node *n, const uint32_t *items)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct graph_node *other = &g->nodes[i];
        if (other->kind == n->kind && other->count == n->count && same_detail(other, n) &&
            (n->count == 0 || memcmp(graph_items(g, i), items, n->count * sizeof *items) == 0))
            return i;
    }
    return NO_NODE;
}

static bool reserve_nodes(struct graph *g, uint32_t items)
{
    size_t ranged = g->capacity; // that of the nodes, which grow last
    size_t count = (size_t)g->count + 1, item_count = (size_t)g->item_count + items + 1;
    return ARENA_ROOM(g->arena, g->items, g->item_capacity, item_count) &&
           ARENA_ROOM(g->arena, g->ranges, ranged, count) &&
           ARENA_ROOM(g->arena, g->nodes, g->capacity, count);
}

// Adds the node with its items, unless it is there. `range`: what its items do not say; or NULL.
static uint32_t add_ranged(struct maker *m, struct graph_node n, const uint32_t *items,
                           uint32_t count, const struct graph_range *range)
{
    struct graph *g = m->graph;
    if (m->outcome != GRAPH_DONE)
        return NO_NODE;
    n.count = count;
    uint32_t found = find_node(g, &n, items);
    if (found != NO_NODE)
        return found;
    if (g->count == NODES_MOST)
        return fail_graph(m, GRAPH_TOO_LARGE);
    if (!reserve_nodes(g, count))
        return fail_graph(m, GRAPH_MEMORY);
    for (uint32_t i = 0; i < n.count; i++) {
        uint32_t stage = g->nodes[items[i]].stage;
        n.stage = stage > n.stage ? stage : n.stage;
    }
    n.alone = true;
    for (uint32_t i = 0; i < n.count; i++) {
        const struct graph_node *item = &g->nodes[items[i]];
        n.alone = n.alone && (item->stage == 0 || (item->stage == n.stage && item->alone));
    }
    n.first = g->item_count;
    for (uint32_t i = 0; i < count; i++)
        g->items[g->item_count++] = items[i];
    g->nodes[g->count] = n;
    g->ranges[g->count] = range ? *range : graph_range_of(g, g->count, g->ranges);
    return g->count++;
}

static uint32_t add_node(struct maker *m, struct graph_node n, const uint32_t *items,
                         uint32_t count)
{
    return add_ranged(m, n, items, count, NULL);
}

static uint32_t add_two(struct maker *m, struct graph_node n, uint32_t a, uint32_t b)
{
    return add_node(m, n, (uint32_t[]){a, b}, 2);
}

static uint32_t add_constant_node(struct maker *m, struct value v)
{
    struct graph_range range = graph_range_of_value(&v);
    return add_ranged(m, (struct graph_node){.kind = GRAPH_CONSTANT, .value = v}, NULL, 0, &range);
}

static uint32_t add_operation(struct maker *m, enum operator_code op, uint32_t a, uint32_t b)
{
    return add_two(m, (struct graph_node){.kind = GRAPH_BINARY, .op = op}, a, b);
}

// ---- slots -------------------------------------------------------------------------------------

static uint32_t make_slot(struct maker *m, uint32_t slot)
{
    const struct graph_slot *s = &m->question->slots[slot];
    if (s->definition) {
        if (m->definitions[slot] == NO_NODE)
            m->definitions[slot] = make_tree(m, s->definition->root);
        return m->definitions[slot];
    }
    if (s->stage == 0)
        return add_constant_node(m, s->values[0]);
    struct graph_node n = {.kind = GRAPH_SLOT, .slot = slot, .stage = s->stage};
    struct graph_range range = graph_range_of_value(&s->values[0]);
    for (uint32_t i = 1; i < s->count; i++) {
        struct graph_range other = graph_range_of_value(&s->values[i]);
        graph_range_join(&range, &other);
    }
    return add_ranged(m, n, NULL, 0, &range);
}

// ---- opaque parts ------------------------------------------------------------------------------

static bool mark_slots(const struct node *n, bool *marks)
{
    if (!n)
        return true;
    if (n->kind == NODE_SLOT)
        marks[n->slot] = true;
    for (uint32_t i = 0; i < n->count; i++)
        mark_slots(n->items[i], marks);
    for (uint32_t i = 0; n->kind == NODE_COMPREHENSION && i < n->clause_count; i++)
        mark_slots(n->clauses[i].source, marks);
    return true;
}

static uint32_t make_opaque(struct maker *m, const struct node *tree)
{
    uint32_t total = m->question->slot_count, count = 0;
    bool *marks = arena_array(m->graph->arena, (size_t)total + 1, sizeof *marks);
    uint32_t *slots = arena_array(m->graph->arena, (size_t)total + 1, sizeof *slots);
    uint32_t *items = arena_array(m->graph->arena, (size_t)total + 1, sizeof *items);
    if (!marks || !slots || !items)
        return fail_graph(m, GRAPH_MEMORY);
    mark_slots(tree, marks);
    for (uint32_t i = 0; i < total; i++) {
        if (!marks[i])
            continue;
        slots[count] = i;
        items[count++] = make_slot(m, i);
    }
    struct graph_node n = {.kind = GRAPH_OPAQUE, .opaque = {tree, slots}};
    return add_node(m, n, items, count);
}

// ---- sums and products -------------------------------------------------------------------------

struct term {
    uint32_t node, stage;
    bool minus;
};

struct terms {
    struct term items[TERMS_MOST];
    uint32_t count;
    bool too_many;
    uint32_t modulus; // a node: the terms matter modulo this only; NO_NODE: as they are
};

static uint32_t make_residue(struct maker *m, const struct node *n, uint32_t modulus);

static void collect_items(struct maker *m, const struct node *n, bool product, bool minus,
                          struct terms *out)
{
    if (out->too_many || m->outcome != GRAPH_DONE)
        return;
    bool binary = n->kind == NODE_BINARY;
    if (binary && n->op == (product ? OPERATOR_MUL : OPERATOR_ADD)) {
        collect_items(m, n->items[0], product, minus, out);
        collect_items(m, n->items[1], product, minus, out);
    } else if (binary && !product && n->op == OPERATOR_SUB) {
        collect_items(m, n->items[0], product, minus, out);
        collect_items(m, n->items[1], product, !minus, out);
    } else if (out->count == TERMS_MOST) {
        out->too_many = true;
    } else {
        uint32_t node =
            out->modulus == NO_NODE ? make_tree(m, n) : make_residue(m, n, out->modulus);
        if (node != NO_NODE)
            out->items[out->count++] = (struct term){node, m->graph->nodes[node].stage, minus};
    }
}

// Can no part of the sum or product overflow, in whatever order?
static bool is_safe(const struct maker *m, const struct terms *t, bool product)
{
    int64_t bound = product;
    bool overflow = t->too_many;
    for (uint32_t i = 0; i < t->count && !overflow; i++) {
        const struct graph_range *r = &m->graph->ranges[t->items[i].node];
        overflow = r->kind != RANGE_INTEGER || r->low == INT64_MIN;
        if (overflow)
            break;
        int64_t low = r->low < 0 ? -r->low : r->low, high = r->high < 0 ? -r->high : r->high;
        int64_t most = low > high ? low : high;
        overflow = product ? __builtin_mul_overflow(bound, most > 1 ? most : 1, &bound)
                           : __builtin_add_overflow(bound, most, &bound);
    }
    return !overflow;
}

// Sorts terms by the stage at which they become known; within a stage they keep their order.
static void sort_terms(struct terms *t)
{
    for (uint32_t i = 1; i < t->count; i++) {
        struct term moved = t->items[i];
        uint32_t at = i;
        for (; at > 0 && t->items[at - 1].stage > moved.stage; at--)
            t->items[at] = t->items[at - 1];
        t->items[at] = moved;
    }
}

// A part that is known before the next term is, modulo the modulus if that leaves fewer values.
static uint32_t reduce_modulo(struct maker *m, uint32_t part, uint32_t next, uint32_t modulus)
{
    const struct graph *g = m->graph;
    if (part == NO_NODE || modulus == NO_NODE || g->nodes[part].stage == g->nodes[next].stage ||
        g->nodes[part].stage < g->nodes[modulus].stage)
        return part;
    const struct graph_range *r = &g->ranges[part], *by = &g->ranges[modulus];
    bool reduced = r->low >= 0 && r->high < by->low;
    return reduced ? part : add_operation(m, OPERATOR_MOD, part, modulus);
}

static uint32_t chain(struct maker *m, const struct terms *t, bool product)
{
    uint32_t sum = t->items[0].node;
    if (t->items[0].minus)
        sum = add_node(m, (struct graph_node){.kind = GRAPH_UNARY, .unary = UNARY_MINUS}, &sum, 1);
    for (uint32_t i = 1; i < t->count && sum != NO_NODE; i++) {
        enum operator_code op = product             ? OPERATOR_MUL
                                : t->items[i].minus ? OPERATOR_SUB
                                                    : OPERATOR_ADD;
        sum = reduce_modulo(m, sum, t->items[i].node, t->modulus);
        if (sum != NO_NODE)
            sum = add_operation(m, op, sum, t->items[i].node);
    }
    return sum;
}

static bool is_exact(const struct maker *m, uint32_t node)
{
    const struct graph_range *r = &m->graph->ranges[node];
    return r->kind == RANGE_INTEGER && !r->fault;
}

static bool is_sum_or_product(const struct node *n)
{
    return n->kind == NODE_BINARY &&
           (n->op == OPERATOR_ADD || n->op == OPERATOR_SUB || n->op == OPERATOR_MUL);
}

// A node that is congruent to the tree. Sums and products that cannot overflow are reduced as soon
// as a part of them is known, so that a product modulo m has m states, however many values it has.
static uint32_t make_residue(struct maker *m, const struct node *n, uint32_t modulus)
{
    uint32_t whole = make_tree(m, n);
    if (whole == NO_NODE || !is_sum_or_product(n) || !is_exact(m, whole))
        return whole;
    struct terms t = {.modulus = modulus};
    collect_items(m, n, n->op == OPERATOR_MUL, false, &t);
    if (m->outcome != GRAPH_DONE)
        return NO_NODE;
    if (t.too_many)
        return whole;
    sort_terms(&t);
    uint32_t reduced = chain(m, &t, n->op == OPERATOR_MUL);
    return reduced == NO_NODE || is_exact(m, reduced) ? reduced : whole;
}

// The modulus of `x % b` or `x & b`: b, or the power of two above all bits of a mask; or NO_NODE.
static uint32_t modulus_of(struct maker *m, enum operator_code op, uint32_t b)
{
    const struct graph_range *r = b == NO_NODE ? &graph_fault_range : &m->graph->ranges[b];
    if (r->kind != RANGE_INTEGER || r->fault)
        return NO_NODE;
    bool mask = r->low == r->high && r->low > 0 && r->low < INT64_MAX && !(r->low & (r->low + 1));
    if (op == OPERATOR_AND && mask)
        return add_constant_node(m, value_int(r->low + 1));
    return op == OPERATOR_MOD ? b : NO_NODE;
}

static uint32_t make_operation(struct maker *m, const struct node *n)
{
    if (is_sum_or_product(n)) {
        bool product = n->op == OPERATOR_MUL;
        struct terms t = {.modulus = NO_NODE};
        collect_items(m, n, product, false, &t);
        if (m->outcome != GRAPH_DONE)
            return NO_NODE;
        if (is_safe(m, &t, product)) {
            sort_terms(&t);
            return chain(m, &t, product);
        }
    }
    uint32_t b = make_tree(m, n->items[1]), modulus = modulus_of(m, n->op, b);
    uint32_t a =
        modulus == NO_NODE ? make_tree(m, n->items[0]) : make_residue(m, n->items[0], modulus);
    return add_operation(m, n->op, a, b);
}

// ---- comparisons -------------------------------------------------------------------------------

static uint32_t add_not(struct maker *m, uint32_t item)
{
    return add_node(m, (struct graph_node){.kind = GRAPH_NOT}, &item, 1);
}

// `x in range(a, b)` makes no list, which could be a long one: if all are integers x lies
// between the bounds, else the comparison `n` is evaluated as a whole.
static uint32_t make_within(struct maker *m, const struct node *n, uint32_t x,
                            const struct node *range, bool sense)
{
    bool from = range->count > 1;
    uint32_t low = from ? make_tree(m, range->items[0]) : add_constant_node(m, value_int(0));
    uint32_t high = make_tree(m, range->items[from]);
    if (m->outcome != GRAPH_DONE)
        return NO_NODE;
    const struct graph_range *r = m->graph->ranges;
    if (range->count == 3 || r[x].kind != RANGE_INTEGER || r[low].kind != RANGE_INTEGER ||
        r[high].kind != RANGE_INTEGER)
        return make_opaque(m, n);
    uint32_t above =
        add_two(m, (struct graph_node){.kind = GRAPH_COMPARE, .compare = COMPARE_LE}, low, x);
    uint32_t below =
        add_two(m, (struct graph_node){.kind = GRAPH_COMPARE, .compare = COMPARE_LT}, x, high);
    uint32_t within = add_operation(m, OPERATOR_AND, above, below); // all are evaluated: no `and`
    return sense ? within : add_not(m, within);
}

static uint32_t make_pair(struct maker *m, const struct node *n, uint32_t i)
{
    enum compare_code code = n->chain[i];
    uint32_t left = make_tree(m, n->items[i]);
    const struct node *right = n->items[i + 1];
    bool member = code == COMPARE_IN || code == COMPARE_NOT_IN;
    if (right->kind == NODE_LIST) {
        // `x in [a, b]`: Python evaluates all of them, so this is no `or`.
        uint32_t any = add_constant_node(m, value_bool(false));
        for (uint32_t item = 0; item < right->count; item++) {
            struct graph_node equal = {.kind = GRAPH_COMPARE, .compare = COMPARE_EQ};
            uint32_t one = add_two(m, equal, left, make_tree(m, right->items[item]));
            any = item == 0 ? one : add_operation(m, OPERATOR_OR, any, one);
        }
        return code == COMPARE_IN ? any : add_not(m, any);
    }
    if (member && i + 2 == n->count && is_range(right))
        return make_within(m, n, left, right, code == COMPARE_IN);
    struct graph_node pair = {.kind = GRAPH_COMPARE, .compare = code};
    pair.ascending = member && right->ascending;
    return add_two(m, pair, left, make_tree(m, right));
}

// a < b < c: a < b and b < c, b being one node.
static uint32_t make_comparison(struct maker *m, const struct node *n)
{
    uint32_t *pairs = arena_array(m->graph->arena, n->count, sizeof *pairs);
    if (!pairs)
        return fail_graph(m, GRAPH_MEMORY);
    for (uint32_t i = 0; i + 1 < n->count; i++)
        pairs[i] = make_pair(m, n, i);
    return n->count == 2 ? pairs[0]
                         : add_node(m, (struct graph_node){.kind = GRAPH_AND}, pairs, n->count - 1);
}

// ---- the rest ----------------------------------------------------------------------------------

static uint32_t make_all(struct maker *m, enum graph_kind kind, const struct node *n)
{
    uint32_t *items = arena_array(m->graph->arena, (size_t)n->count + 1, sizeof *items);
    struct graph_node made = {.kind = kind};
    if (!items)
        return fail_graph(m, GRAPH_MEMORY);
    for (uint32_t i = 0; i < n->count; i++)
        items[i] = make_tree(m, n->items[i]);
    if (kind == GRAPH_UNARY)
        made.unary = n->unary;
    if (kind == GRAPH_CALL)
        made.function = n->function;
    return add_node(m, made, items, n->count);
}

static bool is_plain(const struct node *n)
{
    return n && n->kind != NODE_LIST && n->kind != NODE_COMPREHENSION && n->kind != NODE_SLICE &&
           n->kind != NODE_LOCAL;
}

static bool all_plain(const struct node *n)
{
    bool plain = true;
    for (uint32_t i = 0; i < n->count; i++)
        plain = plain && is_plain(n->items[i]);
    return plain;
}

static uint32_t make_graph_call(struct maker *m, const struct node *n)
{
    const char *name = n->function->name;
    const struct node *list = n->count == 1 ? n->items[0] : n;
    bool many = list->count > 0 && all_plain(list) && (n->count > 1 || list->kind == NODE_LIST);
    bool one_list = many && n->count == 1;
    if (many && (str_equal(name, "min") || str_equal(name, "max"))) {
        uint32_t result = make_tree(m, list->items[0]);
        for (uint32_t i = 1; i < list->count; i++)
            result = add_two(
                m, (struct graph_node){.kind = (name[1] == 'i' ? GRAPH_LEAST : GRAPH_LARGEST)},
                result, make_tree(m, list->items[i]));
        return result;
    }
    if (one_list && (str_equal(name, "sum") || str_equal(name, "prod"))) {
        enum operator_code op = name[0] == 's' ? OPERATOR_ADD : OPERATOR_MUL;
        uint32_t result = add_constant_node(m, value_int(op == OPERATOR_MUL));
        for (uint32_t i = 0; i < list->count; i++)
            result = add_operation(m, op, result, make_tree(m, list->items[i]));
        return result;
    }
    return n->function->call && all_plain(n) ? make_all(m, GRAPH_CALL, n) : make_opaque(m, n);
}

// Lists may stand on the right of a last `in` only. One of nothing would forget what is looked for,
// and its faults.
static bool comparable(const struct node *n)
{
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *item = n->items[i];
        bool member = i > 0 && (n->chain[i - 1] == COMPARE_IN || n->chain[i - 1] == COMPARE_NOT_IN);
        bool looked_in = member && i + 1 == n->count && item->count > 0 &&
                         (item->kind == NODE_LIST || is_range(item));
        if (looked_in ? !all_plain(item) : !is_plain(item))
            return false;
    }
    return true;
}

static uint32_t make_tree(struct maker *m, const struct node *n)
{
    if (m->outcome != GRAPH_DONE)
        return NO_NODE;
    if (++m->trees > TREES_MOST)
        return fail_graph(m, GRAPH_TOO_LARGE);
    switch (n->kind) {
    case NODE_CONSTANT:
        return add_constant_node(m, n->value);
    case NODE_SLOT:
        return make_slot(m, n->slot);
    case NODE_COMPARE:
        return comparable(n) ? make_comparison(m, n) : make_opaque(m, n);
    case NODE_CALL:
        return make_graph_call(m, n);
    default:
        break;
    }
    if (!all_plain(n))
        return make_opaque(m, n);
    switch (n->kind) {
    case NODE_BINARY:
        return make_operation(m, n);
    case NODE_UNARY:
        return make_all(m, GRAPH_UNARY, n);
    case NODE_AND:
        return make_all(m, GRAPH_AND, n);
    case NODE_OR:
        return make_all(m, GRAPH_OR, n);
    case NODE_NOT:
        return make_all(m, GRAPH_NOT, n);
    case NODE_CONDITION:
        return make_all(m, GRAPH_CONDITION, n);
    default:
        return make_opaque(m, n);
    }
}

// Marks the nodes of which only the truth is asked. From the root down, since a node comes after
// the nodes that it uses.
static void mark_truths(struct graph *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        g->nodes[i].truth = true;
    for (uint32_t i = g->count; i-- > 0;) {
        const struct graph_node *n = &g->nodes[i];
        bool passes_on = n->kind == GRAPH_AND || n->kind == GRAPH_OR || n->kind == GRAPH_CONDITION;
        bool asks = n->kind == GRAPH_NOT || n->kind == GRAPH_HAS_VALUE ||
                    n->kind == GRAPH_MUST_HAVE || (passes_on && n->truth);
        for (uint32_t k = 0; k < n->count; k++) {
            bool condition = n->kind == GRAPH_CONDITION && k == 0;
            if (!asks && !condition)
                g->nodes[graph_items(g, i)[k]].truth = false;
        }
    }
}

static void make_root(struct maker *m)
{
    const struct graph_question *q = m->question;
    uint32_t count = 0;
    uint32_t *items = arena_array(m->graph->arena, (size_t)q->needed_count + 2, sizeof *items);
    if (!items) {
        fail_graph(m, GRAPH_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < q->needed_count; i++) {
        bool reports = q->reports && i + 1 == q->needed_count;
        uint32_t value = make_slot(m, q->needed[i]);
        struct graph_node n = {.kind = reports ? GRAPH_MUST_HAVE : GRAPH_HAS_VALUE};
        items[count++] = add_node(m, n, &value, 1);
    }
    if (q->condition || count == 0)
        items[count++] = q->condition ? make_tree(m, q->condition->root)
                                      : add_constant_node(m, value_bool(true));
    m->graph->root =
        count == 1 ? items[0] : add_node(m, (struct graph_node){.kind = GRAPH_AND}, items, count);
}

// Drops the nodes that nothing uses: trees that were translated in another way, too.
static bool drop_unused(struct graph *g)
{
    uint32_t *places = arena_array(g->arena, (size_t)g->count + 1, sizeof *places), kept = 0;
    if (!places)
        return false;
    places[g->root] = 1;
    for (uint32_t i = g->root + 1; i-- > 0;) {
        for (uint32_t k = 0; places[i] && k < g->nodes[i].count; k++)
            places[graph_items(g, i)[k]] = 1;
    }
    for (uint32_t i = 0; i <= g->root; i++) {
        if (!places[i])
            continue;
        for (uint32_t k = 0; k < g->nodes[i].count; k++)
            g->items[g->nodes[i].first + k] = places[graph_items(g, i)[k]];
        places[i] = kept;
        g->nodes[kept] = g->nodes[i];
        g->ranges[kept++] = g->ranges[i];
    }
    g->root = places[g->root];
    g->count = kept;
    return true;
}

enum graph_outcome graph_build(struct graph *g, struct arena *a, const struct graph_question *q)
{
    struct maker m = {.graph = g, .question = q};
    *g = (struct graph){.arena = a, .stages = q->stages, .slot_count = q->slot_count};
    m.definitions = arena_array(a, (size_t)q->slot_count + 1, sizeof *m.definitions);
    if (!m.definitions)
        return GRAPH_MEMORY;
    for (uint32_t i = 0; i < q->slot_count; i++)
        m.definitions[i] = NO_NODE;
    make_root(&m);
    if (m.outcome == GRAPH_DONE && !drop_unused(g))
        return GRAPH_MEMORY;
    if (m.outcome == GRAPH_DONE)
        mark_truths(g);
    return m.outcome;
}
