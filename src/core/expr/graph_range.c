// Ranges: what may come out of a node, from what may come out of its items (interval arithmetic,
// and whether a fault is possible). A range may be wider than the truth and never narrower: a
// restriction that is decided by ranges alone is decided for certain.
#include "expr/graph.h"
#include "expr/integer.h"

const struct graph_range graph_fault_range = {.kind = RANGE_ANY, .fault = true};

static const struct graph_range anything = {
    .kind = RANGE_ANY, .fault = true, .yes = true, .no = true, .low = INT64_MIN, .high = INT64_MAX};

static struct graph_range integers(int64_t low, int64_t high, bool fault)
{
    return (struct graph_range){.kind = RANGE_INTEGER,
                                .fault = fault,
                                .yes = low != 0 || high != 0,
                                .no = low <= 0 && high >= 0,
                                .low = low,
                                .high = high};
}

static struct graph_range truth(bool fault, bool yes, bool no)
{
    return (struct graph_range){
        .kind = RANGE_INTEGER, .fault = fault, .yes = yes, .no = no, .low = !no, .high = yes};
}

struct graph_range graph_range_of_value(const struct value *v)
{
    if (is_integer(v))
        return integers(v->i, v->i, false);
    bool yes = value_truth(v);
    return (struct graph_range){.kind = is_number(v) ? RANGE_NUMBER : RANGE_ANY,
                                .yes = yes,
                                .no = !yes,
                                .low = INT64_MIN,
                                .high = INT64_MAX};
}

static bool has_value(const struct graph_range *r)
{
    return r->yes || r->no;
}

// ---- arithmetic --------------------------------------------------------------------------------

typedef enum expr_fault (*integer_fn)(int64_t a, int64_t b, int64_t *out);

// The range of an operation whose extremes lie at the corners of its operands' ranges. An overflow
// makes it unbounded on both sides.
static struct graph_range corners(integer_fn f, const struct graph_range *a,
                                  const struct graph_range *b, bool fault)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int corner = 0; corner < 4; corner++) {
        int64_t value;
        if (f(corner & 1 ? a->high : a->low, corner & 2 ? b->high : b->low, &value))
            return integers(INT64_MIN, INT64_MAX, true);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    return integers(low, high, fault);
}

static bool spans_zero(const struct graph_range *r)
{
    return r->low <= 0 && r->high >= 0;
}

// The rest has the divisor's sign.
static struct graph_range mod(const struct graph_range *a, const struct graph_range *b)
{
    bool fault = a->fault || b->fault || spans_zero(b);
    int64_t low = b->low < 0 ? (b->low == INT64_MIN ? INT64_MIN : b->low + 1) : 0;
    int64_t high = b->high > 0 ? b->high - 1 : 0;
    if (b->low > 0 && a->low >= 0) {
        if (a->high < b->low)
            return integers(a->low, a->high, fault);
        high = a->high < high ? a->high : high;
    }
    return integers(low, high, fault);
}

static struct graph_range power(const struct graph_range *a, const struct graph_range *b)
{
    if (b->low < 0)
        return anything;
    if (a->low < 0)
        return integers(INT64_MIN, INT64_MAX, true);
    struct graph_range r = corners(integer_pow, a, b, a->fault || b->fault);
    bool crosses = a->low == 0 && b->low == 0; // 0**0 is 1, 0**1 is 0
    return crosses && r.low > 0 ? integers(0, r.high, r.fault) : r;
}

static struct graph_range shift(integer_fn f, const struct graph_range *a,
                                const struct graph_range *b)
{
    if (b->low < 0 || b->high > 63)
        return integers(INT64_MIN, INT64_MAX, true);
    return corners(f, a, b, a->fault || b->fault);
}

// All bits below the highest that either may have.
static int64_t all_bits(int64_t a, int64_t b)
{
    uint64_t most = (uint64_t)a | (uint64_t)b;
    return most == 0 ? 0 : (int64_t)(UINT64_MAX >> __builtin_clzll(most));
}

static struct graph_range bits(enum operator_code op, const struct graph_range *a,
                               const struct graph_range *b)
{
    bool fault = a->fault || b->fault;
    if (a->low < 0 || b->low < 0)
        return integers(INT64_MIN, INT64_MAX, fault);
    if (op == OPERATOR_AND)
        return integers(0, a->high < b->high ? a->high : b->high, fault);
    return integers(0, all_bits(a->high, b->high), fault);
}

static struct graph_range binary(enum operator_code op, const struct graph_range *a,
                                 const struct graph_range *b)
{
    bool fault = a->fault || b->fault;
    if (a->kind != RANGE_INTEGER || b->kind != RANGE_INTEGER)
        return anything;
    switch (op) {
    case OPERATOR_ADD:
        return corners(integer_add, a, b, fault);
    case OPERATOR_SUB:
        return corners(integer_sub, a, b, fault);
    case OPERATOR_MUL:
        return corners(integer_mul, a, b, fault);
    case OPERATOR_FLOORDIV:
        if (!spans_zero(b))
            return corners(integer_floordiv, a, b, a->fault || b->fault);
        return integers(INT64_MIN, INT64_MAX, true);
    case OPERATOR_MOD:
        return mod(a, b);
    case OPERATOR_POW:
        return power(a, b);
    case OPERATOR_SHL:
        return shift(integer_shl, a, b);
    case OPERATOR_SHR:
        return shift(integer_shr, a, b);
    case OPERATOR_AND:
    case OPERATOR_OR:
    case OPERATOR_XOR:
        return bits(op, a, b);
    case OPERATOR_DIV:
    default:
        break;
    }
    struct graph_range r = anything; // a quotient is 0 only if the dividend is (or tiny)
    r.kind = RANGE_NUMBER;
    r.fault = fault || spans_zero(b);
    return r;
}

static struct graph_range unary(enum unary_code code, const struct graph_range *a)
{
    if (a->kind != RANGE_INTEGER)
        return anything;
    if (code == UNARY_INVERT)
        return integers(~a->high, ~a->low, a->fault);
    if (code == UNARY_PLUS)
        return *a;
    if (a->low == INT64_MIN)
        return integers(INT64_MIN, INT64_MAX, true);
    return integers(-a->high, -a->low, a->fault);
}

static struct graph_range range_of_extreme(bool least, const struct graph_range *a,
                                           const struct graph_range *b)
{
    if (a->kind != RANGE_INTEGER || b->kind != RANGE_INTEGER)
        return anything;
    bool low = least ? a->low < b->low : a->low > b->low;
    bool high = least ? a->high < b->high : a->high > b->high;
    return integers(low ? a->low : b->low, high ? a->high : b->high, a->fault || b->fault);
}

static struct graph_range call(const struct function *f, const struct graph_range *a)
{
    if (!str_equal(f->name, "abs") || a->kind != RANGE_INTEGER || a->low == INT64_MIN)
        return anything;
    int64_t low = a->low < 0 ? -a->low : a->low, high = a->high < 0 ? -a->high : a->high;
    int64_t most = low > high ? low : high, least = low > high ? high : low;
    return integers(spans_zero(a) ? 0 : least, most, a->fault);
}

// ---- comparisons and logic ---------------------------------------------------------------------

static struct graph_range compare(enum compare_code code, const struct graph_range *a,
                                  const struct graph_range *b)
{
    bool ordered = code != COMPARE_IN && code != COMPARE_NOT_IN;
    bool numbers = a->kind != RANGE_ANY && b->kind != RANGE_ANY;
    if (!ordered || !numbers || code == COMPARE_IS || code == COMPARE_IS_NOT)
        return anything;
    bool fault = a->fault || b->fault, both = a->kind == RANGE_INTEGER && b->kind == RANGE_INTEGER;
    if (!both)
        return truth(fault, true, true);
    bool less = a->low<b->high, more = a->high> b->low;
    bool equal = a->low <= b->high && b->low <= a->high;
    bool points = equal && a->low == a->high && b->low == b->high;
    switch (code) {
    case COMPARE_LT:
        return truth(fault, less, a->high >= b->low);
    case COMPARE_LE:
        return truth(fault, a->low <= b->high, more);
    case COMPARE_GT:
        return truth(fault, more, a->low <= b->high);
    case COMPARE_GE:
        return truth(fault, a->high >= b->low, less);
    case COMPARE_EQ:
        return truth(fault, equal, !points);
    default:
        return truth(fault, !points, equal);
    }
}

static void widen(struct graph_range *r, const struct graph_range *by)
{
    r->kind = r->kind > by->kind ? r->kind : by->kind;
    r->low = r->low < by->low ? r->low : by->low;
    r->high = r->high > by->high ? r->high : by->high;
}

void graph_range_join(struct graph_range *r, const struct graph_range *other)
{
    widen(r, other);
    r->fault |= other->fault;
    r->yes |= other->yes;
    r->no |= other->no;
}

// Operands up to the first that certainly ends it; `stop`: the truth that ends it.
static struct graph_range until(const struct graph *g, uint32_t node, bool stop,
                                const struct graph_range *ranges)
{
    const uint32_t *items = graph_items(g, node);
    struct graph_range r = ranges[items[0]];
    r.fault = false;
    bool ends = false, goes_on = true; // may it have ended, may it still go on?
    for (uint32_t i = 0; i < g->nodes[node].count && goes_on; i++) {
        const struct graph_range *item = &ranges[items[i]];
        widen(&r, item);
        r.fault |= item->fault;
        ends |= stop ? item->yes : item->no;
        goes_on = stop ? item->no : item->yes;
    }
    r.yes = stop ? ends : goes_on;
    r.no = stop ? goes_on : ends;
    return r;
}

static struct graph_range condition(const struct graph_range *c, const struct graph_range *yes,
                                    const struct graph_range *no)
{
    if (!has_value(c))
        return *c;
    struct graph_range r = c->yes ? *yes : *no;
    if (c->yes && c->no)
        graph_range_join(&r, no);
    r.fault |= c->fault;
    return r;
}

// ---- nodes -------------------------------------------------------------------------------------

static bool faults_for_certain(const struct graph *g, uint32_t node,
                               const struct graph_range *ranges)
{
    const struct graph_node *n = &g->nodes[node];
    bool lazy = n->kind == GRAPH_AND || n->kind == GRAPH_OR || n->kind == GRAPH_CONDITION ||
                n->kind == GRAPH_HAS_VALUE;
    for (uint32_t i = 0; i < n->count && !lazy; i++) {
        if (!has_value(&ranges[graph_items(g, node)[i]]))
            return true;
    }
    return false;
}

struct graph_range graph_range_of(const struct graph *g, uint32_t node,
                                  const struct graph_range *ranges)
{
    const struct graph_node *n = &g->nodes[node];
    const uint32_t *items = graph_items(g, node);
    if (n->count == 0 || n->kind == GRAPH_OPAQUE)
        return anything;
    if (faults_for_certain(g, node, ranges))
        return graph_fault_range;
    const struct graph_range *a = &ranges[items[0]];
    const struct graph_range *b = &ranges[items[n->count > 1]];
    switch (n->kind) {
    case GRAPH_UNARY:
        return unary(n->unary, a);
    case GRAPH_BINARY:
        return binary(n->op, a, b);
    case GRAPH_COMPARE:
        return compare(n->compare, a, b);
    case GRAPH_AND:
    case GRAPH_OR:
        return until(g, node, n->kind == GRAPH_OR, ranges);
    case GRAPH_NOT:
        return truth(a->fault, a->no, a->yes);
    case GRAPH_CONDITION:
        return condition(a, b, &ranges[items[2]]);
    case GRAPH_LEAST:
    case GRAPH_LARGEST:
        return range_of_extreme(n->kind == GRAPH_LEAST, a, b);
    case GRAPH_CALL:
        return call(n->function, a);
    case GRAPH_HAS_VALUE:
        return truth(false, has_value(a), a->fault);
    case GRAPH_MUST_HAVE:
        return truth(a->fault, has_value(a), false);
    default:
        return anything;
    }
}
