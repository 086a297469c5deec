// Walking over what a node yields (a list, a range, a string, a comprehension) with a visitor, so
// that `sum(x*x for x in range(n))` makes no list. A comprehension nests a visitor for each of its
// clauses.
#include "expr/iterate.h"

#include <stddef.h>
#include <string.h>

// ---- lists under construction ----

enum expr_fault builder_add(struct builder *b, struct frame *f, const struct value *item)
{
    if (b->count == b->capacity) {
        uint32_t capacity = b->capacity ? 2 * b->capacity : 8;
        struct value *items = frame_alloc(f, capacity * sizeof *items);
        if (!items)
            return EXPR_FAULT_MEMORY;
        if (b->count)
            memcpy(items, b->items, b->count * sizeof *items);
        b->items = items;
        b->capacity = capacity;
    }
    b->items[b->count++] = *item;
    return EXPR_FAULT_NONE;
}

static enum expr_fault builder_visit(struct visitor *v, struct frame *f, const struct value *item)
{
    return builder_add((struct builder *)v, f, item);
}

void builder_init(struct builder *b)
{
    *b = (struct builder){.visitor = {.visit = builder_visit, .collects = true}};
}

struct value builder_list(const struct builder *b)
{
    return value_list(b->items, b->count);
}

// ---- walking ----

static enum expr_fault visit(struct visitor *v, struct frame *f, const struct value *item)
{
    enum expr_fault fault = frame_spend(f, 1);
    return fault ? fault : v->visit(v, f, item);
}

static enum expr_fault iterate_string(const char *s, struct frame *f, struct visitor *v)
{
    enum expr_fault fault = EXPR_FAULT_NONE;
    while (*s && !fault && !v->done) {
        size_t length = utf8_offset(s, 1);
        char *text = frame_alloc(f, length + 1);
        if (!text)
            return EXPR_FAULT_MEMORY;
        memcpy(text, s, length);
        struct value item = value_string(text);
        fault = visit(v, f, &item);
        s += length;
    }
    return fault;
}

enum expr_fault iterate_value(const struct value *value, struct frame *f, struct visitor *v)
{
    enum expr_fault fault = EXPR_FAULT_NONE;
    if (value->kind == VALUE_STRING)
        return iterate_string(value->s, f, v);
    if (value->kind != VALUE_LIST)
        return EXPR_FAULT_TYPE;
    for (uint32_t i = 0; i < value->count && !fault && !v->done; i++)
        fault = visit(v, f, &value->items[i]);
    return fault;
}

static enum expr_fault iterate_range(const struct node *n, struct frame *f, struct visitor *v)
{
    struct range r;
    enum expr_fault fault = range_of(n, f, &r);
    if (!fault && v->collects && r.count > f->budget)
        return EXPR_FAULT_LIMIT;
    for (uint64_t i = 0; !fault && i < r.count && !v->done; i++) {
        struct value item = value_int((int64_t)((uint64_t)r.start + i * (uint64_t)r.step));
        fault = visit(v, f, &item);
    }
    return fault;
}

// ---- comprehensions ----

// Runs the clauses from `next` on for one setting of the variables before it.
struct turn {
    struct visitor visitor; // what the iterable of clause next - 1 feeds
    const struct node *node;
    struct visitor *target; // where elements go
    uint32_t next;
};

static enum expr_fault run_clauses(const struct turn *t, struct frame *f);

// a, b = item
static enum expr_fault unpack_targets(const struct clause *c, struct frame *f,
                                      const struct value *item)
{
    struct value *locals = &f->locals[c->first_local];
    if (c->target_count == 1) {
        locals[0] = *item;
        return EXPR_FAULT_NONE;
    }
    if (item->kind != VALUE_LIST || item->count != c->target_count)
        return EXPR_FAULT_TYPE;
    memcpy(locals, item->items, item->count * sizeof *locals);
    return EXPR_FAULT_NONE;
}

static enum expr_fault take_turn(struct visitor *v, struct frame *f, const struct value *item)
{
    struct turn *t = (struct turn *)v;
    enum expr_fault fault = frame_step(f, NODE_STEPS * (uint64_t)t->node->weight);
    if (!fault)
        fault = unpack_targets(&t->node->clauses[t->next - 1], f, item);
    if (!fault)
        fault = run_clauses(t, f);
    v->done = t->target->done;
    return fault;
}

static enum expr_fault run_clauses(const struct turn *t, struct frame *f)
{
    const struct clause *c = &t->node->clauses[t->next];
    uint32_t next = t->next;
    for (; next < t->node->clause_count && !c->loops; next++, c++) {
        bool truth = false;
        enum expr_fault fault = eval_truth(c->source, f, &truth);
        if (fault || !truth)
            return fault;
    }
    if (next == t->node->clause_count) {
        struct value element;
        enum expr_fault fault = t->node->items[0]->eval(t->node->items[0], f, &element);
        return fault ? fault : t->target->visit(t->target, f, &element);
    }
    struct turn inner = {{.visit = take_turn}, t->node, t->target, next + 1};
    return iterate_node(c->source, f, &inner.visitor);
}

static enum expr_fault iterate_comprehension(const struct node *n, struct frame *f,
                                             struct visitor *v)
{
    struct turn first = {.node = n, .target = v};
    return run_clauses(&first, f);
}

enum expr_fault iterate_node(const struct node *n, struct frame *f, struct visitor *v)
{
    if (n->kind == NODE_COMPREHENSION && n->lazy)
        return iterate_comprehension(n, f, v);
    if (is_range(n))
        return iterate_range(n, f, v);
    struct value value;
    enum expr_fault fault = n->eval(n, f, &value);
    return fault ? fault : iterate_value(&value, f, v);
}

enum expr_fault eval_comprehension(const struct node *n, struct frame *f, struct value *out)
{
    struct builder b;
    builder_init(&b);
    enum expr_fault fault = iterate_comprehension(n, f, &b.visitor);
    *out = builder_list(&b);
    return fault;
}

// ---- ranges ----

bool is_range(const struct node *n)
{
    return n->kind == NODE_CALL && n->function->eval == eval_range;
}

uint64_t range_count(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? start >= stop : start <= stop)
        return 0;
    uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    return (span - 1) / stride + 1;
}

enum expr_fault range_of(const struct node *n, struct frame *f, struct range *out)
{
    int64_t given[3] = {0, 0, 1};
    struct value v;
    for (uint32_t i = 0; i < n->count; i++) {
        enum expr_fault fault = n->items[i]->eval(n->items[i], f, &v);
        if (fault)
            return fault;
        if (!is_integer(&v))
            return EXPR_FAULT_TYPE;
        given[n->count == 1 ? 1 : i] = v.i;
    }
    if (given[2] == 0)
        return EXPR_FAULT_DOMAIN;
    *out = (struct range){given[0], given[2], range_count(given[0], given[1], given[2])};
    return EXPR_FAULT_NONE;
}

bool range_contains(const struct range *r, const struct value *v)
{
    int64_t i;
    if (r->count == 0 || !value_to_i64(v, &i))
        return false;
    if (r->step > 0 ? i < r->start : i > r->start)
        return false;
    uint64_t span =
        r->step > 0 ? (uint64_t)i - (uint64_t)r->start : (uint64_t)r->start - (uint64_t)i;
    uint64_t stride = r->step > 0 ? (uint64_t)r->step : -(uint64_t)r->step;
    return span % stride == 0 && span / stride < r->count;
}

enum expr_fault eval_range(const struct node *n, struct frame *f, struct value *out)
{
    struct builder b;
    builder_init(&b);
    enum expr_fault fault = iterate_range(n, f, &b.visitor);
    *out = builder_list(&b);
    return fault;
}
