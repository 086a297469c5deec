// Evaluates cells for a block of indices at a time. A cell keeps its values until a variable changes that it depends on:
// each level (the index, then the loops from the outermost in) has a stamp, which is new whenever its variable is, and a
// cell is evaluated when its own stamp is not that of its level.
//
// A mask selects the lanes whose values are needed: the others may hold anything, and have no faults. A loop whose body
// does not depend on the lanes around it takes its turns as lanes; if its length differs from lane to lane, as in
// `sum(x[k] for k in range(i + 1))`, it goes on from where the lane before it ended.
#include "expr/elementwise_cell.h"
#include "expr/integer.h"
#include "expr/iterate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where a loop of turns apart ended, for the lane that goes on from there.
struct memo {
    uint64_t stamp; // of what its body depends on; 0: nothing is kept
    int64_t start, step;
    uint64_t turns;
    union elementwise_value total;
    bool found; // of min and max: was there any?
};

struct elementwise_run {
    const struct elementwise *program;
    uint64_t now[LEVELS_LIMIT], clock;
    uint64_t *stamps;
    union elementwise_value *registers; // ELEMENTWISE_BLOCK for each cell
    uint8_t *masks;                     // two of ELEMENTWISE_BLOCK for each cell
    struct memo *memos;                 // one for each cell
    size_t *lanes;                      // of each space
    uint64_t first;                     // index of the first lane
    struct error *error;
};

static const union elementwise_value *evaluate(struct elementwise_run *r, const struct cell *c,
                                               const uint8_t *mask);

static union elementwise_value *register_of(const struct elementwise_run *r, const struct cell *c)
{
    return r->registers + (size_t)c->id * ELEMENTWISE_BLOCK;
}

static size_t lanes_of(const struct elementwise_run *r, const struct cell *c)
{
    return is_uniform(c) ? 1 : r->lanes[c->space];
}

// Steps from one lane to the next: 0 if all have one value.
static size_t stride_of(const struct cell *c)
{
    return !is_uniform(c);
}

static bool is_asked(const uint8_t *mask, size_t lane)
{
    return !mask || mask[lane];
}

// ---- faults -------------------------------------------------------------------------------------

// Names r->first: elementwise_values() repeats a faulty block one index at a time.
static bool fault_in(struct elementwise_run *r, enum expr_fault fault)
{
    return error_set(r->error, ERROR_INPUT, "at i = %llu: %s", (unsigned long long)r->first,
                     expr_fault_text(fault));
}

static bool index_outside(struct elementwise_run *r, const struct elementwise_array *a,
                          int64_t index)
{
    return error_set(r->error, ERROR_INPUT,
                     "at i = %llu: %s[%lld] is outside: %s has %llu elements",
                     (unsigned long long)r->first, a->name, (long long)index, a->name,
                     (unsigned long long)a->count);
}

// ---- arithmetic ---------------------------------------------------------------------------------

// out[l] = EXPRESSION of x and y, with the loops that a compiler can make vectors of.
#define EACH_LANE(member, type, result, expression)                                                \
    do {                                                                                           \
        if (!stride_of(c->items[0])) {                                                             \
            const type x = a[0].member;                                                            \
            for (size_t l = 0; l < n; l++) {                                                       \
                const type y = b[l].member;                                                        \
                out[l].result = expression;                                                        \
            }                                                                                      \
        } else if (!stride_b) {                                                                    \
            const type y = b[0].member;                                                            \
            for (size_t l = 0; l < n; l++) {                                                       \
                const type x = a[l].member;                                                        \
                out[l].result = expression;                                                        \
            }                                                                                      \
        } else {                                                                                   \
            for (size_t l = 0; l < n; l++) {                                                       \
                const type x = a[l].member, y = b[l].member;                                       \
                out[l].result = expression;                                                        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// Sums wrap in lanes whose values are not used.
#define WRAPPED(op) (int64_t)((uint64_t)x op(uint64_t) y)

typedef enum expr_fault (*integer_fn)(int64_t a, int64_t b, int64_t *out);

static const integer_fn integer_operators[OPERATOR_COUNT] = {
    [OPERATOR_OR] = integer_or,
    [OPERATOR_XOR] = integer_xor,
    [OPERATOR_AND] = integer_and,
    [OPERATOR_SHL] = integer_shl,
    [OPERATOR_SHR] = integer_shr,
    [OPERATOR_ADD] = integer_add,
    [OPERATOR_SUB] = integer_sub,
    [OPERATOR_MUL] = integer_mul,
    [OPERATOR_FLOORDIV] = integer_floordiv,
    [OPERATOR_MOD] = integer_mod,
    [OPERATOR_POW] = integer_pow,
};

// With an integer beyond 2^63 among them.
static bool large_integers(struct elementwise_run *r, const struct cell *c,
                           const union elementwise_value *a, const union elementwise_value *b,
                           const uint8_t *mask, union elementwise_value *out)
{
    const struct cell *x = c->items[0], *y = c->items[1];
    for (size_t l = 0; l < lanes_of(r, c); l++) {
        wide_integer w;
        out[l].i = 0;
        if (!is_asked(mask, l))
            continue;
        enum expr_fault fault = integer_wide(c->code, widen_integer(x, a[l * stride_of(x)].i),
                                             widen_integer(y, b[l * stride_of(y)].i), &w);
        if (!fault)
            fault = narrow_integer(c, w, &out[l].i);
        if (fault)
            return fault_in(r, fault);
    }
    return true;
}

static bool checked_integers(struct elementwise_run *r, const struct cell *c,
                             const union elementwise_value *a, const union elementwise_value *b,
                             const uint8_t *mask, union elementwise_value *out)
{
    size_t n = lanes_of(r, c), stride_a = stride_of(c->items[0]), stride_b = stride_of(c->items[1]);
    if (is_unsigned(c) || is_unsigned(c->items[0]) || is_unsigned(c->items[1]))
        return large_integers(r, c, a, b, mask, out);
    for (size_t l = 0; l < n; l++) {
        out[l].i = 0;
        if (!is_asked(mask, l))
            continue;
        enum expr_fault fault =
            integer_operators[c->code](a[l * stride_a].i, b[l * stride_b].i, &out[l].i);
        if (fault)
            return fault_in(r, fault);
    }
    return true;
}

// Both parts fit 32 bits and the divisor is above 0: what nearly all indices are made of.
static bool divides_small(const struct cell *c, const uint8_t *mask)
{
    const struct cell *a = c->items[0], *b = c->items[1];
    return !mask && a->low >= 0 && a->high <= UINT32_MAX && b->low > 0 && b->high <= UINT32_MAX;
}

static bool evaluate_integers(struct elementwise_run *r, const struct cell *c,
                              const union elementwise_value *restrict a,
                              const union elementwise_value *restrict b, const uint8_t *mask,
                              union elementwise_value *restrict out)
{
    size_t n = lanes_of(r, c), stride_b = stride_of(c->items[1]);
    bool divides = c->code == OPERATOR_FLOORDIV || c->code == OPERATOR_MOD;
    if (c->checks || (divides && !divides_small(c, mask)))
        return checked_integers(r, c, a, b, mask, out);
    switch (c->code) {
    case OPERATOR_ADD:
        EACH_LANE(i, int64_t, i, WRAPPED(+));
        return true;
    case OPERATOR_SUB:
        EACH_LANE(i, int64_t, i, WRAPPED(-));
        return true;
    case OPERATOR_MUL:
        EACH_LANE(i, int64_t, i, WRAPPED(*));
        return true;
    case OPERATOR_AND:
        EACH_LANE(i, int64_t, i, x & y);
        return true;
    case OPERATOR_OR:
        EACH_LANE(i, int64_t, i, x | y);
        return true;
    case OPERATOR_XOR:
        EACH_LANE(i, int64_t, i, x ^ y);
        return true;
    case OPERATOR_SHL:
        EACH_LANE(i, int64_t, i, (uint64_t)y > 63 ? 0 : (int64_t)((uint64_t)x << y));
        return true;
    case OPERATOR_SHR:
        EACH_LANE(i, int64_t, i, (uint64_t)y > 63 ? 0 : (int64_t)((uint64_t)x >> y));
        return true;
    case OPERATOR_FLOORDIV:
        EACH_LANE(i, int64_t, i, (int64_t)((uint32_t)x / (uint32_t)y));
        return true;
    case OPERATOR_MOD:
        EACH_LANE(i, int64_t, i, (int64_t)((uint32_t)x % (uint32_t)y));
        return true;
    default:
        return checked_integers(r, c, a, b, mask, out);
    }
}

// As the tree does it, one lane after the other.
static bool apply_floats(struct elementwise_run *r, const struct cell *c,
                         const union elementwise_value *a, const union elementwise_value *b,
                         const uint8_t *mask, union elementwise_value *out)
{
    size_t n = lanes_of(r, c), stride_a = stride_of(c->items[0]), stride_b = stride_of(c->items[1]);
    struct frame frame = {.scratch = NULL};
    for (size_t l = 0; l < n; l++) {
        struct value x = value_float(a[l * stride_a].f), y = value_float(b[l * stride_b].f),
                     v = value_float(0);
        enum expr_fault fault =
            is_asked(mask, l) ? operators[c->code].apply(&frame, &x, &y, &v) : EXPR_FAULT_NONE;
        if (fault)
            return fault_in(r, fault);
        out[l].f = v.f;
    }
    return true;
}

static bool evaluate_floats(struct elementwise_run *r, const struct cell *c,
                            const union elementwise_value *restrict a,
                            const union elementwise_value *restrict b, const uint8_t *mask,
                            union elementwise_value *restrict out)
{
    size_t n = lanes_of(r, c), stride_b = stride_of(c->items[1]);
    switch (c->code) {
    case OPERATOR_ADD:
        EACH_LANE(f, double, f, x + y);
        return true;
    case OPERATOR_SUB:
        EACH_LANE(f, double, f, x - y);
        return true;
    case OPERATOR_MUL:
        EACH_LANE(f, double, f, x *y);
        return true;
    case OPERATOR_DIV:
        for (size_t l = 0; l < n; l++)
            if (b[l * stride_b].f == 0 && is_asked(mask, l))
                return fault_in(r, EXPR_FAULT_ZERO);
        EACH_LANE(f, double, f, x / y);
        return true;
    default:
        return apply_floats(r, c, a, b, mask, out);
    }
}

// A product of two that are not negative may have 128 bits and no sign.
static enum expr_fault fuse_integers(const struct cell *c, wide_integer a, wide_integer b,
                                     wide_integer third, wide_integer *out)
{
    __extension__ typedef unsigned __int128 natural;
    if (c->inner != OPERATOR_MUL || a < 0 || b < 0 || third < 0) {
        enum expr_fault fault = integer_wide(c->inner, a, b, &a);
        return fault ? fault : integer_wide(c->code, a, third, out);
    }
    natural product = (natural)a * (natural)b;
    if (c->code != OPERATOR_SHR && third == 0)
        return EXPR_FAULT_ZERO;
    product = c->code == OPERATOR_MOD        ? product % (natural)third
              : c->code == OPERATOR_FLOORDIV ? product / (natural)third
              : third > 127                  ? 0
                                             : product >> (int)third;
    *out = (wide_integer)product;
    return product >> 127 ? EXPR_FAULT_OVERFLOW : EXPR_FAULT_NONE;
}

static bool evaluate_fused(struct elementwise_run *r, const struct cell *c, const uint8_t *mask,
                           union elementwise_value *out)
{
    const union elementwise_value *operands[3];
    for (int k = 0; k < 3; k++)
        if (!(operands[k] = evaluate(r, c->items[k], mask)))
            return false;
    for (size_t l = 0; l < lanes_of(r, c); l++) {
        wide_integer given[3], w = 0;
        out[l].i = 0;
        if (!is_asked(mask, l))
            continue;
        for (int k = 0; k < 3; k++)
            given[k] = widen_integer(c->items[k], operands[k][l * stride_of(c->items[k])].i);
        enum expr_fault fault = fuse_integers(c, given[0], given[1], given[2], &w);
        if (!fault)
            fault = narrow_integer(c, w, &out[l].i);
        if (fault)
            return fault_in(r, fault);
    }
    return true;
}

static bool evaluate_compare(struct elementwise_run *r, const struct cell *c,
                             const union elementwise_value *restrict a,
                             const union elementwise_value *restrict b,
                             union elementwise_value *restrict out)
{
    size_t n = lanes_of(r, c), stride_b = stride_of(c->items[1]);
    const struct cell *left = c->items[0], *right = c->items[1];
    bool floats = left->is_float, large = is_unsigned(left) || is_unsigned(right);
#define COMPARED(operation)                                                                        \
    do {                                                                                           \
        if (floats)                                                                                \
            EACH_LANE(f, double, i, x operation y);                                                \
        else if (large)                                                                            \
            EACH_LANE(i, int64_t, i, widen_integer(left, x) operation widen_integer(right, y));    \
        else                                                                                       \
            EACH_LANE(i, int64_t, i, x operation y);                                               \
    } while (0)
    switch (c->compare) {
    case COMPARE_LT:
        COMPARED(<);
        return true;
    case COMPARE_LE:
        COMPARED(<=);
        return true;
    case COMPARE_EQ:
        COMPARED(==);
        return true;
    default:
        COMPARED(!=);
        return true;
    }
}

// As Python's: the first of two that are equal.
static void evaluate_extreme(struct elementwise_run *r, const struct cell *c,
                             const union elementwise_value *restrict a,
                             const union elementwise_value *restrict b,
                             union elementwise_value *restrict out)
{
    size_t n = lanes_of(r, c), stride_b = stride_of(c->items[1]);
    const struct cell *left = c->items[0], *right = c->items[1];
    bool large = is_unsigned(left) || is_unsigned(right);
    if (c->op == CELL_LEAST) {
        if (c->is_float)
            EACH_LANE(f, double, f, y < x ? y : x);
        else if (large)
            EACH_LANE(i, int64_t, i, widen_integer(right, y) < widen_integer(left, x) ? y : x);
        else
            EACH_LANE(i, int64_t, i, y < x ? y : x);
    } else {
        if (c->is_float)
            EACH_LANE(f, double, f, y > x ? y : x);
        else if (large)
            EACH_LANE(i, int64_t, i, widen_integer(right, y) > widen_integer(left, x) ? y : x);
        else
            EACH_LANE(i, int64_t, i, y > x ? y : x);
    }
}

// ---- one operand --------------------------------------------------------------------------------

static bool evaluate_load(struct elementwise_run *r, const struct cell *c,
                          const union elementwise_value *index, const uint8_t *mask,
                          union elementwise_value *out)
{
    size_t n = lanes_of(r, c);
    int64_t at[ELEMENTWISE_BLOCK];
    const int64_t *from = at;
    if (!c->checks && !mask) {
        from = &index[0].i;
    } else {
        for (size_t l = 0; l < n; l++) {
            int64_t i = is_asked(mask, l) ? index[l].i : 0;
            if ((uint64_t)i >= c->array->count && is_asked(mask, l))
                return index_outside(r, c->array, i);
            at[l] = i;
        }
    }
    if (c->array->count == 0) { // no lane asks
        memset(out, 0, n * sizeof *out);
        return true;
    }
    c->array->read(c->array->data, from, n, out);
    return true;
}

static struct value lane_value(const struct cell *c, union elementwise_value l)
{
    return c->is_float ? value_float(l.f) : value_int(l.i);
}

static bool evaluate_call(struct elementwise_run *r, const struct cell *c, const uint8_t *mask,
                          union elementwise_value *out)
{
    struct frame frame = {.scratch = NULL};
    uint32_t count = c->items[1] ? 2 : 1;
    const union elementwise_value *operands[2] = {NULL, NULL};
    for (uint32_t k = 0; k < count; k++)
        if (!(operands[k] = evaluate(r, c->items[k], mask)))
            return false;
    for (size_t l = 0; l < lanes_of(r, c); l++) {
        struct value given[2] = {{.kind = VALUE_NONE}}, v = value_int(0);
        out[l].i = 0;
        if (!is_asked(mask, l))
            continue;
        for (uint32_t k = 0; k < count; k++)
            given[k] = lane_value(c->items[k], operands[k][l * stride_of(c->items[k])]);
        enum expr_fault fault = c->function->call(&frame, given, count, &v);
        if (fault)
            return fault_in(r, fault);
        if (c->is_float)
            out[l].f = v.f;
        else
            out[l].i = v.i;
    }
    return true;
}

static bool evaluate_root(struct elementwise_run *r, const struct cell *c,
                          const union elementwise_value *restrict x, const uint8_t *mask,
                          union elementwise_value *restrict out)
{
    size_t n = lanes_of(r, c);
    for (size_t l = 0; l < n; l++)
        if (x[l].f < 0 && is_asked(mask, l))
            return fault_in(r, EXPR_FAULT_DOMAIN);
    for (size_t l = 0; l < n; l++)
        out[l].f = sqrt(x[l].f);
    return true;
}

static bool evaluate_single(struct elementwise_run *r, const struct cell *c, const uint8_t *mask,
                            union elementwise_value *restrict out)
{
    size_t n = lanes_of(r, c);
    const union elementwise_value *x = evaluate(r, c->items[0], mask);
    if (!x)
        return false;
    if (c->op == CELL_LOAD)
        return evaluate_load(r, c, x, mask, out);
    if (c->op == CELL_ROOT)
        return evaluate_root(r, c, x, mask, out);
    if (c->checks && (c->op == CELL_TO_SIGNED || is_unsigned(c->items[0])))
        for (size_t l = 0; l < n; l++)
            if (x[l].i < 0 && is_asked(mask, l))
                return fault_in(r, EXPR_FAULT_OVERFLOW);
    if (c->op == CELL_TO_SIGNED) {
        memcpy(out, x, n * sizeof *out);
    } else if (c->op == CELL_TO_FLOAT) {
        for (size_t l = 0; l < n; l++)
            out[l].f = is_unsigned(c->items[0]) ? (double)(uint64_t)x[l].i : (double)x[l].i;
    } else if (c->op == CELL_INVERT) {
        for (size_t l = 0; l < n; l++)
            out[l].i = ~x[l].i;
    } else if (c->items[0]->is_float) {
        for (size_t l = 0; l < n; l++)
            out[l].i = x[l].f != 0;
    } else {
        for (size_t l = 0; l < n; l++)
            out[l].i = x[l].i != 0;
    }
    return true;
}

static bool evaluate_double(struct elementwise_run *r, const struct cell *c, const uint8_t *mask,
                            union elementwise_value *out)
{
    const union elementwise_value *a = evaluate(r, c->items[0], mask);
    const union elementwise_value *b = a ? evaluate(r, c->items[1], mask) : NULL;
    if (!b)
        return false;
    if (c->op == CELL_COMPARE)
        return evaluate_compare(r, c, a, b, out);
    if (c->op == CELL_ARITHMETIC)
        return c->is_float ? evaluate_floats(r, c, a, b, mask, out)
                           : evaluate_integers(r, c, a, b, mask, out);
    evaluate_extreme(r, c, a, b, out);
    return true;
}

// ---- conditions ---------------------------------------------------------------------------------

static uint8_t *mask_of(const struct elementwise_run *r, const struct cell *c, int which)
{
    return r->masks + ((size_t)c->id * 2 + (size_t)which) * ELEMENTWISE_BLOCK;
}

// The lanes of `mask` for which the condition is as wanted; how many.
static size_t narrow_mask(const union elementwise_value *condition, size_t stride, bool wanted,
                          const uint8_t *mask, size_t n, uint8_t *out)
{
    size_t count = 0;
    for (size_t l = 0; l < n; l++) {
        out[l] = is_asked(mask, l) && (condition[l * stride].i != 0) == wanted;
        count += out[l];
    }
    return count;
}

static void copy_lanes(const struct cell *from, const union elementwise_value *x, size_t n,
                       const uint8_t *mask, union elementwise_value *out)
{
    for (size_t l = 0; l < n; l++)
        if (is_asked(mask, l))
            out[l] = x[l * stride_of(from)];
}

static bool evaluate_select(struct elementwise_run *r, const struct cell *c, const uint8_t *mask,
                            union elementwise_value *out)
{
    const struct cell *condition = c->items[0];
    const union elementwise_value *x = evaluate(r, condition, mask);
    size_t n = lanes_of(r, c);
    if (!x)
        return false;
    if (is_uniform(condition)) {
        const struct cell *chosen = c->items[x[0].i ? 1 : 2];
        const union elementwise_value *v = evaluate(r, chosen, mask);
        if (v)
            copy_lanes(chosen, v, n, NULL, out);
        return v != NULL;
    }
    memset(out, 0, n * sizeof *out);
    for (int which = 0; which < 2; which++) {
        uint8_t *narrow = mask_of(r, c, which);
        const struct cell *part = c->items[which + 1];
        if (narrow_mask(x, 1, which == 0, mask, n, narrow) == 0)
            continue;
        const union elementwise_value *v = evaluate(r, part, narrow);
        if (!v)
            return false;
        copy_lanes(part, v, n, narrow, out);
    }
    return true;
}

// ---- loops --------------------------------------------------------------------------------------

static union elementwise_value first_total(const struct cell *c)
{
    bool one = c->reduce.kind == REDUCE_PRODUCT || c->reduce.kind == REDUCE_ALL;
    union elementwise_value l = {.i = one};
    if (c->is_float)
        l.f = one ? 1 : 0;
    return l;
}

static enum expr_fault take_integer(const struct cell *c, enum operator_code op,
                                    union elementwise_value *total, int64_t bits)
{
    wide_integer w;
    if (c->wraps) {
        uint64_t a = (uint64_t)total->i, b = (uint64_t)bits;
        total->i = (int64_t)(op == OPERATOR_ADD ? a + b : a * b);
        return EXPR_FAULT_NONE;
    }
    enum expr_fault fault =
        integer_wide(op, widen_integer(c, total->i), widen_integer(c->reduce.body, bits), &w);
    return fault ? fault : narrow_integer(c, w, &total->i);
}

// Adds a number to a total; `found`: of min and max, whether there is one already.
static enum expr_fault take_lane(const struct cell *c, union elementwise_value *total,
                                 union elementwise_value v, bool found)
{
    bool floats = c->is_float;
    switch (c->reduce.kind) {
    case REDUCE_SUM:
        if (!floats)
            return take_integer(c, OPERATOR_ADD, total, v.i);
        total->f += v.f;
        return EXPR_FAULT_NONE;
    case REDUCE_PRODUCT:
        if (!floats)
            return take_integer(c, OPERATOR_MUL, total, v.i);
        total->f *= v.f;
        return EXPR_FAULT_NONE;
    case REDUCE_LEAST:
        if (!found ||
            (floats ? v.f < total->f : widen_integer(c, v.i) < widen_integer(c, total->i)))
            *total = v;
        return EXPR_FAULT_NONE;
    case REDUCE_LARGEST:
        if (!found ||
            (floats ? v.f > total->f : widen_integer(c, v.i) > widen_integer(c, total->i)))
            *total = v;
        return EXPR_FAULT_NONE;
    case REDUCE_ANY:
        total->i |= v.i;
        return EXPR_FAULT_NONE;
    default:
        total->i &= v.i;
        return EXPR_FAULT_NONE;
    }
}

// One turn's numbers into the totals of the lanes that ask; `found` is a byte for each.
static bool take_turn_lanes(struct elementwise_run *r, const struct cell *c,
                            const union elementwise_value *v, const uint8_t *mask, uint8_t *found,
                            union elementwise_value *out)
{
    size_t n = lanes_of(r, c), stride = stride_of(c->reduce.body);
    if (c->reduce.kind == REDUCE_SUM && c->is_float && !mask) {
        if (stride)
            for (size_t l = 0; l < n; l++)
                out[l].f += v[l].f;
        else
            for (size_t l = 0; l < n; l++)
                out[l].f += v[0].f;
        return true;
    }
    if (c->reduce.kind == REDUCE_SUM && !c->is_float && !mask && !c->checks) {
        for (size_t l = 0; l < n; l++)
            out[l].i = (int64_t)((uint64_t)out[l].i + (uint64_t)v[l * stride].i);
        return true;
    }
    for (size_t l = 0; l < n; l++) {
        if (!is_asked(mask, l))
            continue;
        enum expr_fault fault = take_lane(c, &out[l], v[l * stride], found[l]);
        if (fault)
            return fault_in(r, fault);
        found[l] = 1;
    }
    return true;
}

// Evaluates the filter, then the body, for the lanes of `mask`; *narrow is the rest of it. NULL
// without a fault (*none): no lane is left.
static const union elementwise_value *evaluate_turn(struct elementwise_run *r, const struct cell *c,
                                                    const uint8_t *mask, size_t n, uint8_t *room,
                                                    const uint8_t **narrow, bool *none)
{
    const struct cell *filter = c->reduce.filter;
    *narrow = mask;
    *none = false;
    if (filter) {
        const union elementwise_value *x = evaluate(r, filter, mask);
        if (!x)
            return NULL;
        if (is_uniform(filter)) {
            *none = x[0].i == 0;
        } else {
            *none = narrow_mask(x, 1, true, mask, n, room) == 0;
            *narrow = room;
        }
        if (*none)
            return NULL;
    }
    return evaluate(r, c->reduce.body, *narrow);
}

// The bounds of a loop at one lane; false: a step of 0.
struct bounds {
    int64_t start, step;
    uint64_t turns;
};

static bool bounds_at(const struct cell *c, const union elementwise_value *const bounds[3],
                      size_t lane, struct bounds *out)
{
    int64_t v[3];
    for (int i = 0; i < 3; i++)
        v[i] = bounds[i][lane * stride_of(c->items[i])].i;
    *out = (struct bounds){v[0], v[2], v[2] ? range_count(v[0], v[1], v[2]) : 0};
    return v[2] != 0;
}

// Turns with the same bounds in all lanes.
static bool run_turns_alike(struct elementwise_run *r, const struct cell *c, const struct bounds *b,
                            const uint8_t *mask, uint8_t *found, union elementwise_value *out)
{
    uint16_t level = c->reduce.level_inside;
    union elementwise_value *variable = register_of(r, c->reduce.variable);
    for (uint64_t t = 0; t < b->turns; t++) {
        const uint8_t *narrow;
        bool none;
        variable[0].i = (int64_t)((uint64_t)b->start + t * (uint64_t)b->step);
        r->now[level] = ++r->clock;
        const union elementwise_value *v =
            evaluate_turn(r, c, mask, lanes_of(r, c), mask_of(r, c, 1), &narrow, &none);
        if (v ? !take_turn_lanes(r, c, v, narrow, found, out) : !none)
            return false;
    }
    return true;
}

// Turns whose bounds differ: in each turn the lanes take part that have as many.
static bool run_turns_unlike(struct elementwise_run *r, const struct cell *c,
                             const struct bounds *all, const uint8_t *mask, uint8_t *found,
                             union elementwise_value *out)
{
    uint16_t level = c->reduce.level_inside;
    size_t n = lanes_of(r, c);
    uint8_t active[ELEMENTWISE_BLOCK] = {0};
    union elementwise_value *variable = register_of(r, c->reduce.variable);
    uint64_t most = 0;
    // Lanes that are asked have bounds, which the analyzer does not see.
    for (size_t l = 0; l < n; l++) {
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
        most = is_asked(mask, l) && all[l].turns > most ? all[l].turns : most;
    }
    for (uint64_t t = 0; t < most; t++) {
        const uint8_t *narrow;
        bool none;
        for (size_t l = 0; l < n; l++) {
            active[l] = is_asked(mask, l) && t < all[l].turns;
            variable[l].i =
                active[l] ? (int64_t)((uint64_t)all[l].start + t * (uint64_t)all[l].step) : 0;
        }
        r->now[level] = ++r->clock;
        const union elementwise_value *v =
            evaluate_turn(r, c, active, n, mask_of(r, c, 1), &narrow, &none);
        if (v ? !take_turn_lanes(r, c, v, narrow, found, out) : !none)
            return false;
    }
    return true;
}

// Turns from `from` on as lanes, one after the other into one total.
static bool run_turns_apart(struct elementwise_run *r, const struct cell *c, const struct bounds *b,
                            uint64_t from, union elementwise_value *total, bool *found)
{
    uint16_t level = c->reduce.level_inside;
    size_t stride = stride_of(c->reduce.body);
    union elementwise_value *variable = register_of(r, c->reduce.variable);
    for (uint64_t t = from; t < b->turns; t += ELEMENTWISE_BLOCK) {
        size_t n = b->turns - t < ELEMENTWISE_BLOCK ? (size_t)(b->turns - t) : ELEMENTWISE_BLOCK;
        const uint8_t *narrow;
        bool none;
        for (size_t l = 0; l < n; l++)
            variable[l].i = (int64_t)((uint64_t)b->start + (t + l) * (uint64_t)b->step);
        r->lanes[c->reduce.turns] = n;
        r->now[level] = ++r->clock;
        const union elementwise_value *v =
            evaluate_turn(r, c, NULL, n, mask_of(r, c, 1), &narrow, &none);
        if (!v && !none)
            return false;
        for (size_t l = 0; v && l < n; l++) {
            if (!is_asked(narrow, l))
                continue;
            enum expr_fault fault = take_lane(c, total, v[l * stride], *found);
            if (fault)
                return fault_in(r, fault);
            *found = true;
        }
    }
    return true;
}

// Goes on where the lane before ended, if that began equally and was not longer.
static bool run_apart(struct elementwise_run *r, const struct cell *c, const struct bounds *b,
                      union elementwise_value *out, bool *found)
{
    struct memo *m = &r->memos[c->id];
    uint64_t stamp = r->now[c->reduce.memo_level];
    bool goes_on =
        m->stamp == stamp && m->start == b->start && m->step == b->step && m->turns <= b->turns;
    if (!goes_on)
        *m = (struct memo){.start = b->start, .step = b->step, .total = first_total(c)};
    m->stamp = 0;
    if (!run_turns_apart(r, c, b, m->turns, &m->total, &m->found))
        return false;
    m->turns = b->turns;
    m->stamp = stamp;
    *out = m->total;
    *found = m->found;
    return true;
}

static bool run_all_apart(struct elementwise_run *r, const struct cell *c, const struct bounds *all,
                          const uint8_t *mask, uint8_t *found, union elementwise_value *out)
{
    for (size_t l = 0; l < lanes_of(r, c); l++) {
        bool one = false;
        if (!is_asked(mask, l))
            continue;
        if (!run_apart(r, c, &all[l], &out[l], &one))
            return false;
        found[l] = one;
    }
    return true;
}

static bool evaluate_reduce(struct elementwise_run *r, const struct cell *c, const uint8_t *mask,
                            union elementwise_value *out)
{
    const union elementwise_value *bounds[3];
    struct bounds all[ELEMENTWISE_BLOCK];
    size_t n = lanes_of(r, c), lengths;
    uint8_t *found = mask_of(r, c, 0);
    bool alike = is_uniform(c->items[0]) && is_uniform(c->items[1]) && is_uniform(c->items[2]), ok;
    for (int i = 0; i < 3; i++)
        if (!(bounds[i] = evaluate(r, c->items[i], mask)))
            return false;
    lengths = alike ? 1 : n;
    for (size_t l = 0; l < lengths; l++)
        if (!bounds_at(c, bounds, l, &all[l]) && (alike || is_asked(mask, l)))
            return fault_in(r, EXPR_FAULT_DOMAIN);
    for (size_t l = 0; l < n; l++)
        out[l] = first_total(c);
    memset(found, 0, n);
    if (c->reduce.apart)
        ok = run_all_apart(r, c, all, mask, found, out);
    else if (alike)
        ok = run_turns_alike(r, c, all, mask, found, out);
    else
        ok = run_turns_unlike(r, c, all, mask, found, out);
    bool extreme = c->reduce.kind == REDUCE_LEAST || c->reduce.kind == REDUCE_LARGEST;
    for (size_t l = 0; ok && extreme && l < n; l++)
        if (is_asked(mask, l) && !found[l])
            return fault_in(r, EXPR_FAULT_DOMAIN);
    return ok;
}

// ---- loops of lines -----------------------------------------------------------------------------

// All names change at once.
static bool take_fold_turn(struct elementwise_run *r, const struct fold *f, size_t n,
                           const uint8_t *active)
{
    union elementwise_value next[LINE_TARGETS_LIMIT][ELEMENTWISE_BLOCK];
    for (size_t i = 0; i < f->parts.count; i++)
        if (!evaluate(r, f->parts.cells[i], active))
            return false;
    for (uint32_t i = 0; i < f->count; i++) {
        const union elementwise_value *v = evaluate(r, f->nexts[i], active);
        if (!v)
            return false;
        copy_lanes(f->nexts[i], v, n, active, next[i]);
    }
    for (uint32_t i = 0; i < f->count; i++)
        copy_lanes(f->states[i], next[i], n, active, register_of(r, f->states[i]));
    return true;
}

static bool run_fold_turns(struct elementwise_run *r, const struct cell *c,
                           const struct bounds *all)
{
    const struct fold *f = c->fold;
    size_t n = lanes_of(r, c);
    uint8_t *active = mask_of(r, c, 0);
    union elementwise_value *variable = register_of(r, f->variable);
    uint64_t most = 0;
    for (size_t l = 0; l < (f->alike ? 1 : n); l++)
        most = all[l].turns > most ? all[l].turns : most;
    for (uint64_t t = 0; t < most; t++) {
        for (size_t l = 0; l < (f->alike ? 1 : n); l++) {
            active[l] = t < all[l].turns;
            variable[l].i = (int64_t)((uint64_t)all[l].start + t * (uint64_t)all[l].step);
        }
        r->now[f->level_inside] = ++r->clock;
        if (!take_fold_turn(r, f, n, f->alike ? NULL : active))
            return false;
    }
    return true;
}

static bool evaluate_fold(struct elementwise_run *r, const struct cell *c)
{
    const struct fold *f = c->fold;
    const union elementwise_value *bounds[3];
    struct bounds all[ELEMENTWISE_BLOCK];
    size_t n = lanes_of(r, c);
    for (int i = 0; i < 3; i++)
        if (!(bounds[i] = evaluate(r, c->items[i], NULL)))
            return false;
    for (size_t l = 0; l < (f->alike ? 1 : n); l++)
        if (!bounds_at(c, bounds, l, &all[l]))
            return fault_in(r, EXPR_FAULT_DOMAIN);
    for (uint32_t i = 0; i < f->count; i++) {
        const union elementwise_value *start = evaluate(r, f->starts[i], NULL);
        if (!start)
            return false;
        copy_lanes(f->starts[i], start, n, NULL, register_of(r, f->states[i]));
    }
    return run_fold_turns(r, c, all);
}

static bool evaluate_folded(struct elementwise_run *r, const struct cell *c,
                            union elementwise_value *out)
{
    if (!evaluate(r, c->from, NULL))
        return false;
    memcpy(out, register_of(r, c->from->fold->states[c->state]), lanes_of(r, c) * sizeof *out);
    return true;
}

// ---- the whole ----------------------------------------------------------------------------------

static const union elementwise_value *evaluate(struct elementwise_run *r, const struct cell *c,
                                               const uint8_t *mask)
{
    union elementwise_value *out = register_of(r, c);
    bool ok;
    if (c->op == CELL_VARIABLE || r->stamps[c->id] == r->now[c->level])
        return out;
    const uint8_t *asked = is_uniform(c) ? NULL : mask;
    if (c->op == CELL_NAMED)
        return evaluate(r, c->items[0],
                        c->inside && !c->inside->fold->alike ? mask_of(r, c->inside, 0) : NULL);
    switch (c->op) {
    case CELL_CONSTANT:
        if (c->is_float)
            out[0].f = c->number;
        else
            out[0].i = c->integer;
        ok = true;
        break;
    case CELL_LOAD:
    case CELL_TO_FLOAT:
    case CELL_TO_SIGNED:
    case CELL_ROOT:
    case CELL_TRUTH:
    case CELL_INVERT:
        ok = evaluate_single(r, c, asked, out);
        break;
    case CELL_FUSED:
        ok = evaluate_fused(r, c, asked, out);
        break;
    case CELL_SELECT:
        ok = evaluate_select(r, c, asked, out);
        break;
    case CELL_FOLD:
        ok = evaluate_fold(r, c);
        break;
    case CELL_FOLDED:
        ok = evaluate_folded(r, c, out);
        break;
    case CELL_REDUCE:
        ok = evaluate_reduce(r, c, asked, out);
        break;
    case CELL_CALL:
        ok = evaluate_call(r, c, asked, out);
        break;
    default:
        ok = evaluate_double(r, c, asked, out);
        break;
    }
    if (!ok)
        return NULL;
    r->stamps[c->id] = r->now[c->level];
    return out;
}

void elementwise_end(struct elementwise_run *r)
{
    if (!r)
        return;
    free(r->stamps);
    free(r->registers);
    free(r->masks);
    free(r->memos);
    free(r->lanes);
    free(r);
}

struct elementwise_run *elementwise_begin(const struct elementwise *p)
{
    struct elementwise_run *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->program = p;
    r->stamps = calloc(p->cell_count, sizeof *r->stamps);
    r->registers = calloc((size_t)p->cell_count * ELEMENTWISE_BLOCK, sizeof *r->registers);
    r->masks = calloc((size_t)p->cell_count * 2 * ELEMENTWISE_BLOCK, 1);
    r->memos = calloc(p->cell_count, sizeof *r->memos);
    r->lanes = calloc(p->space_count, sizeof *r->lanes);
    r->now[0] = r->clock = 1;
    if (r->stamps && r->registers && r->masks && r->memos && r->lanes)
        return r;
    elementwise_end(r);
    return NULL;
}

static const union elementwise_value *evaluate_block(struct elementwise_run *r, uint64_t first,
                                                     size_t count)
{
    const struct elementwise *p = r->program;
    union elementwise_value *index = register_of(r, p->index);
    r->first = first;
    r->lanes[0] = count;
    for (size_t l = 0; l < count; l++)
        index[l].i = (int64_t)(first + l);
    r->now[1] = ++r->clock;
    for (size_t i = 0; i < p->parts.count; i++)
        if (!evaluate(r, p->parts.cells[i], NULL))
            return NULL;
    return evaluate(r, p->root, NULL);
}

static const union elementwise_value *values_or_cause(struct elementwise_run *r, uint64_t first,
                                                      size_t count, uint64_t *at,
                                                      struct error *cause, struct error *e)
{
    const union elementwise_value *v = evaluate_block(r, first, count);
    // Which lane has a fault first depends on the order of the cells: alone each has its own.
    for (size_t l = 0; !v && l < count; l++) {
        error_clear(cause);
        if (!evaluate_block(r, first + l, 1)) {
            *at = first + l;
            error_set(e, ERROR_INPUT, "%s", cause->text);
            return NULL;
        }
    }
    if (!v) {
        *at = first;
        error_set(e, ERROR_INTERNAL, "at i = %llu: no value", (unsigned long long)first);
        return NULL;
    }
    // A value without an index is the same for all.
    union elementwise_value *all = (union elementwise_value *)v;
    for (size_t l = 1; is_uniform(r->program->root) && l < count; l++)
        all[l] = all[0];
    return v;
}

const union elementwise_value *elementwise_values(struct elementwise_run *r, uint64_t first,
                                                  size_t count, uint64_t *at, struct error *e)
{
    struct error cause = ERROR_INIT;
    r->error = &cause;
    const union elementwise_value *v = values_or_cause(r, first, count, at, &cause, e);
    r->error = NULL;
    return v;
}
