// Evaluation of a tree. Every node holds a pointer to the function that evaluates its kind, so that
// walking the tree makes no decision twice. Work and memory are metered by the frame: an expression
// that would run for ever, or make a list too long, ends with a fault instead.
#include "expr/iterate.h"
#include "expr/syntax_node.h"

#include <string.h>

void *frame_alloc(struct frame *f, size_t bytes)
{
    return f->scratch ? arena_alloc(f->scratch, bytes ? bytes : 1) : NULL;
}

static enum expr_fault eval(const struct node *n, struct frame *f, struct value *out)
{
    return n->eval(n, f, out);
}

enum expr_fault eval_truth(const struct node *n, struct frame *f, bool *out)
{
    struct value v;
    enum expr_fault fault = eval(n, f, &v);
    if (!fault)
        *out = value_truth(&v);
    return fault;
}

static enum expr_fault eval_constant_node(const struct node *n, struct frame *f, struct value *out)
{
    (void)f;
    *out = n->value;
    return EXPR_FAULT_NONE;
}

static enum expr_fault eval_slot(const struct node *n, struct frame *f, struct value *out)
{
    *out = f->slots[n->slot];
    return EXPR_FAULT_NONE;
}

static enum expr_fault eval_local(const struct node *n, struct frame *f, struct value *out)
{
    *out = f->locals[n->slot];
    return EXPR_FAULT_NONE;
}

static enum expr_fault eval_unary(const struct node *n, struct frame *f, struct value *out)
{
    struct value operand;
    enum expr_fault fault = eval(n->items[0], f, &operand);
    return fault ? fault : unary_apply(n->unary, &operand, out);
}

static enum expr_fault eval_binary(const struct node *n, struct frame *f, struct value *out)
{
    struct value left, right;
    enum expr_fault fault = eval(n->items[0], f, &left);
    if (!fault)
        fault = eval(n->items[1], f, &right);
    return fault ? fault : operators[n->op].apply(f, &left, &right, out);
}

// The first operand whose truth is `stop` decides, and is the value; else the last is.
static enum expr_fault eval_until(const struct node *n, bool stop, struct frame *f,
                                  struct value *out)
{
    enum expr_fault fault = EXPR_FAULT_NONE;
    for (uint32_t i = 0; i < n->count && !fault; i++) {
        fault = eval(n->items[i], f, out);
        if (!fault && value_truth(out) == stop)
            break;
    }
    return fault;
}

static enum expr_fault eval_and(const struct node *n, struct frame *f, struct value *out)
{
    return eval_until(n, false, f, out);
}

static enum expr_fault eval_or(const struct node *n, struct frame *f, struct value *out)
{
    return eval_until(n, true, f, out);
}

static enum expr_fault eval_not(const struct node *n, struct frame *f, struct value *out)
{
    bool truth = false;
    enum expr_fault fault = eval_truth(n->items[0], f, &truth);
    *out = value_bool(!truth);
    return fault;
}

// `x in y` where y need not exist as a value.
static enum expr_fault eval_member(const struct node *n, const struct value *item, struct frame *f,
                                   bool *out)
{
    struct range r;
    if (n->kind == NODE_LIST) {
        // `x in (a, b)` without making the list.
        struct value candidate;
        enum expr_fault fault = EXPR_FAULT_NONE;
        *out = false;
        for (uint32_t i = 0; i < n->count && !fault; i++) { // Python evaluates all of them
            fault = eval(n->items[i], f, &candidate);
            if (!fault && !*out)
                fault = equal_values(f, item, &candidate, out);
        }
        return fault;
    }
    if (n->ascending) {
        return sorted_contains(f, &n->value, item, out);
    }
    if (is_range(n)) {
        enum expr_fault fault = range_of(n, f, &r);
        *out = !fault && range_contains(&r, item);
        return fault;
    }
    struct value in;
    enum expr_fault fault = eval(n, f, &in);
    return fault ? fault : compare_values(f, COMPARE_IN, item, &in, out);
}

// Compares *left with the next item, which becomes *left.
static enum expr_fault compare_link(const struct node *n, uint32_t i, struct frame *f,
                                    struct value *left, bool *truth)
{
    enum compare_code code = n->chain[i];
    bool member = code == COMPARE_IN || code == COMPARE_NOT_IN;
    enum expr_fault fault;
    if (member && i + 2 == n->count) {
        fault = eval_member(n->items[i + 1], left, f, truth);
        *truth = *truth == (code == COMPARE_IN);
        return fault;
    }
    struct value right;
    fault = eval(n->items[i + 1], f, &right);
    if (!fault)
        fault = compare_values(f, code, left, &right, truth);
    if (!fault)
        *left = right;
    return fault;
}

static enum expr_fault eval_compare(const struct node *n, struct frame *f, struct value *out)
{
    struct value left;
    bool truth = true;
    enum expr_fault fault = eval(n->items[0], f, &left);
    for (uint32_t i = 0; i + 1 < n->count && truth && !fault; i++)
        fault = compare_link(n, i, f, &left, &truth);
    *out = value_bool(truth);
    return fault;
}

static enum expr_fault eval_condition(const struct node *n, struct frame *f, struct value *out)
{
    bool truth = false;
    enum expr_fault fault = eval_truth(n->items[0], f, &truth);
    return fault ? fault : eval(n->items[truth ? 1 : 2], f, out);
}

static enum expr_fault eval_list(const struct node *n, struct frame *f, struct value *out)
{
    enum expr_fault fault = frame_spend(f, n->count);
    if (fault)
        return fault;
    struct value *items = frame_alloc(f, n->count * sizeof *items);
    if (!items)
        return EXPR_FAULT_MEMORY;
    for (uint32_t i = 0; i < n->count && !fault; i++)
        fault = eval(n->items[i], f, &items[i]);
    *out = value_list(items, n->count);
    return fault;
}

// ---- indexing and slicing ----

// Characters of a string or items of a list.
static enum expr_fault length_of(struct frame *f, const struct value *v, int64_t *out)
{
    *out = v->count;
    if (v->kind == VALUE_LIST)
        return EXPR_FAULT_NONE;
    if (v->kind != VALUE_STRING)
        return EXPR_FAULT_TYPE;
    *out = (int64_t)utf8_length(v->s);
    return frame_work(f, strlen(v->s));
}

static enum expr_fault item_at(struct frame *f, const struct value *what, int64_t index,
                               struct value *out)
{
    if (what->kind == VALUE_STRING) {
        size_t start = utf8_offset(what->s, (size_t)index);
        size_t length = utf8_offset(what->s + start, 1);
        char *text = frame_alloc(f, length + 1);
        if (!text)
            return EXPR_FAULT_MEMORY;
        memcpy(text, what->s + start, length);
        *out = value_string(text);
        return EXPR_FAULT_NONE;
    }
    *out = what->items[index];
    return EXPR_FAULT_NONE;
}

static enum expr_fault eval_index(const struct node *n, struct frame *f, struct value *out)
{
    struct value what, index;
    enum expr_fault fault = eval(n->items[0], f, &what);
    if (!fault)
        fault = eval(n->items[1], f, &index);
    if (fault)
        return fault;
    int64_t length = 0;
    fault = is_integer(&index) ? length_of(f, &what, &length) : EXPR_FAULT_TYPE;
    if (fault)
        return fault;
    int64_t i = index.i < 0 ? index.i + length : index.i;
    return i < 0 || i >= length ? EXPR_FAULT_INDEX : item_at(f, &what, i, out);
}

// One bound of a slice: absent and None mean `missing`; others count from the end when negative and
// are clamped to [low, high].
static enum expr_fault slice_bound(const struct node *n, struct frame *f, int64_t length,
                                   int64_t low, int64_t high, int64_t missing, int64_t *out)
{
    struct value v;
    *out = missing;
    if (!n)
        return EXPR_FAULT_NONE;
    enum expr_fault fault = eval(n, f, &v);
    if (fault || v.kind == VALUE_NONE)
        return fault;
    if (!is_integer(&v))
        return EXPR_FAULT_TYPE;
    int64_t i = v.i < 0 ? v.i + length : v.i;
    *out = i < low ? low : i > high ? high : i;
    return EXPR_FAULT_NONE;
}

struct slice {
    int64_t start, stop, step;
};

static enum expr_fault slice_of(const struct node *n, struct frame *f, int64_t length,
                                struct slice *s)
{
    enum expr_fault fault = slice_bound(n->items[3], f, 0, INT64_MIN + 1, INT64_MAX, 1, &s->step);
    if (fault || s->step == 0)
        return fault ? fault : EXPR_FAULT_DOMAIN;
    int64_t low = s->step < 0 ? -1 : 0, high = s->step < 0 ? length - 1 : length;
    fault = slice_bound(n->items[1], f, length, low, high, s->step < 0 ? high : low, &s->start);
    return fault
               ? fault
               : slice_bound(n->items[2], f, length, low, high, s->step < 0 ? low : high, &s->stop);
}

static uint64_t slice_count(const struct slice *s)
{
    if (s->step > 0 ? s->start >= s->stop : s->start <= s->stop)
        return 0;
    uint64_t span = (uint64_t)(s->step > 0 ? s->stop - s->start : s->start - s->stop);
    return (span - 1) / (uint64_t)(s->step > 0 ? s->step : -s->step) + 1;
}

// The character `step` behind (or before) this one, which exists.
static const char *utf8_move(const char *s, int64_t step)
{
    if (step >= 0)
        return s + utf8_offset(s, (size_t)step);
    for (; step < 0; step++)
        for (s--; ((unsigned char)*s & 0xC0) == 0x80;)
            s--;
    return s;
}

static enum expr_fault slice_string(struct frame *f, const char *s, const struct slice *slice,
                                    uint64_t count, struct value *out)
{
    char *text = frame_alloc(f, strlen(s) + 1), *end = text;
    if (!text)
        return EXPR_FAULT_MEMORY;
    s += count ? utf8_offset(s, (size_t)slice->start) : 0;
    for (uint64_t i = 0; i < count; i++) {
        size_t length = utf8_offset(s, 1);
        memcpy(end, s, length);
        end += length;
        if (i + 1 < count)
            s = utf8_move(s, slice->step);
    }
    *end = 0;
    *out = value_string(text);
    return EXPR_FAULT_NONE;
}

static enum expr_fault slice_list(struct frame *f, const struct value *what,
                                  const struct slice *slice, uint64_t count, struct value *out)
{
    struct value *items = frame_alloc(f, count * sizeof *items);
    if (!items)
        return EXPR_FAULT_MEMORY;
    int64_t index = slice->start;
    for (uint64_t i = 0; i < count; i++, index += i < count ? slice->step : 0)
        items[i] = what->items[index];
    *out = value_list(items, (uint32_t)count);
    return EXPR_FAULT_NONE;
}

static enum expr_fault eval_slice(const struct node *n, struct frame *f, struct value *out)
{
    struct value what;
    struct slice slice;
    enum expr_fault fault = eval(n->items[0], f, &what);
    if (fault)
        return fault;
    int64_t length = 0;
    fault = length_of(f, &what, &length);
    if (!fault)
        fault = slice_of(n, f, length, &slice);
    if (fault)
        return fault;
    uint64_t count = slice_count(&slice);
    fault = frame_spend(f, count);
    if (fault)
        return fault;
    return what.kind == VALUE_LIST ? slice_list(f, &what, &slice, count, out)
                                   : slice_string(f, what.s, &slice, count, out);
}

// ---- calls ----

static enum expr_fault eval_call(const struct node *n, struct frame *f, struct value *out)
{
    if (n->function->eval)
        return n->function->eval(n, f, out);
    struct value arguments[ARGUMENTS_LIMIT];
    for (uint32_t i = 0; i < n->count; i++) {
        enum expr_fault fault = eval(n->items[i], f, &arguments[i]);
        if (fault)
            return fault;
    }
    return n->function->call(f, arguments, n->count, out);
}

const eval_fn node_evals[NODE_KINDS] = {
    [NODE_CONSTANT] = eval_constant_node,
    [NODE_SLOT] = eval_slot,
    [NODE_LOCAL] = eval_local,
    [NODE_UNARY] = eval_unary,
    [NODE_BINARY] = eval_binary,
    [NODE_AND] = eval_and,
    [NODE_OR] = eval_or,
    [NODE_NOT] = eval_not,
    [NODE_COMPARE] = eval_compare,
    [NODE_CONDITION] = eval_condition,
    [NODE_LIST] = eval_list,
    [NODE_COMPREHENSION] = eval_comprehension,
    [NODE_INDEX] = eval_index,
    [NODE_SLICE] = eval_slice,
    [NODE_CALL] = eval_call,
};
