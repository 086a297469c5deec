// The operators on values, as Python defines them: integers exact with a fault on overflow, mixed
// comparisons of integers and floats exact too, strings and lists concatenated, repeated and
// ordered. A frame meters what concatenation and repetition cost.
#include "expr/operate.h"

#include "expr/integer.h"
#include "expr/syntax_node.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static bool both_integers(const struct value *a, const struct value *b)
{
    return is_integer(a) && is_integer(b);
}

static bool both_numbers(const struct value *a, const struct value *b)
{
    return is_number(a) && is_number(b);
}

static bool both(enum value_kind kind, const struct value *a, const struct value *b)
{
    return a->kind == kind && b->kind == kind;
}

// Integers of which at least one needs the range beyond 2^63.
static bool either_large(const struct value *a, const struct value *b)
{
    return (a->kind == VALUE_UINT || b->kind == VALUE_UINT) &&
           (a->kind == VALUE_UINT || is_integer(a)) && (b->kind == VALUE_UINT || is_integer(b));
}

static wide_integer as_wide(const struct value *v)
{
    return v->kind == VALUE_UINT ? (wide_integer)v->u : (wide_integer)v->i;
}

static enum expr_fault put_wide(wide_integer w, struct value *out)
{
    if (w < INT64_MIN || w > UINT64_MAX)
        return EXPR_FAULT_OVERFLOW;
    *out = w < 0 ? value_int((int64_t)w) : value_uint((uint64_t)w);
    return EXPR_FAULT_NONE;
}

static enum expr_fault apply_large(enum operator_code op, const struct value *a,
                                   const struct value *b, struct value *out)
{
    wide_integer w;
    enum expr_fault fault = integer_wide(op, as_wide(a), as_wide(b), &w);
    return fault ? fault : put_wide(w, out);
}

static enum expr_fault put_float(double f, struct value *out)
{
    *out = value_float(f);
    return EXPR_FAULT_NONE;
}

// ---- lists and strings ----

// `times` copies of `size` bytes; NULL with *fault set.
static char *repeat_bytes(struct frame *f, const void *bytes, size_t size, uint64_t units,
                          int64_t times, enum expr_fault *fault)
{
    uint64_t total;
    *fault = EXPR_FAULT_LIMIT;
    if (times < 0)
        times = 0;
    if (__builtin_mul_overflow(units, (uint64_t)times, &total) || frame_spend(f, total))
        return NULL;
    size_t copies = size ? (size_t)times : 0;
    char *out = frame_alloc(f, size * copies + 1);
    *fault = out ? EXPR_FAULT_NONE : EXPR_FAULT_MEMORY;
    for (size_t i = 0; out && i < copies; i++)
        memcpy(out + i * size, bytes, size);
    if (out)
        out[size * copies] = 0;
    return out;
}

static enum expr_fault repeat_sequence(struct frame *f, const struct value *what, int64_t times,
                                       struct value *out)
{
    enum expr_fault fault;
    bool is_list = what->kind == VALUE_LIST;
    if (!is_list && what->kind != VALUE_STRING)
        return EXPR_FAULT_TYPE;
    size_t size = is_list ? what->count * sizeof(struct value) : strlen(what->s);
    const void *bytes = is_list ? (const void *)what->items : what->s;
    void *made = repeat_bytes(f, bytes, size, is_list ? what->count : size, times, &fault);
    if (!made)
        return fault;
    uint64_t count = times > 0 && is_list ? what->count * (uint64_t)times : 0;
    *out = is_list ? value_list(made, (uint32_t)count) : value_string(made);
    return EXPR_FAULT_NONE;
}

// ---- arithmetic ----

static enum expr_fault apply_add(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    if (both_integers(a, b)) {
        out->kind = VALUE_INT;
        return integer_add(a->i, b->i, &out->i);
    }
    if (either_large(a, b))
        return apply_large(OPERATOR_ADD, a, b, out);
    if (both_numbers(a, b))
        return put_float(as_double(a) + as_double(b), out);
    if (both(VALUE_STRING, a, b)) {
        size_t first = strlen(a->s), second = strlen(b->s);
        enum expr_fault fault = frame_spend(f, first + second);
        if (fault)
            return fault;
        char *text = frame_alloc(f, first + second + 1);
        if (!text)
            return EXPR_FAULT_MEMORY;
        memcpy(text, a->s, first);
        memcpy(text + first, b->s, second + 1);
        *out = value_string(text);
        return EXPR_FAULT_NONE;
    }
    if (!both(VALUE_LIST, a, b))
        return EXPR_FAULT_TYPE;
    uint64_t count = (uint64_t)a->count + b->count;
    enum expr_fault fault = frame_spend(f, count);
    if (fault)
        return fault;
    struct value *items = frame_alloc(f, count * sizeof *items);
    if (!items)
        return EXPR_FAULT_MEMORY;
    if (a->count)
        memcpy(items, a->items, a->count * sizeof *items);
    if (b->count)
        memcpy(items + a->count, b->items, b->count * sizeof *items);
    *out = value_list(items, (uint32_t)count);
    return EXPR_FAULT_NONE;
}

static enum expr_fault apply_sub(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    if (both_integers(a, b)) {
        out->kind = VALUE_INT;
        return integer_sub(a->i, b->i, &out->i);
    }
    if (either_large(a, b))
        return apply_large(OPERATOR_SUB, a, b, out);
    return both_numbers(a, b) ? put_float(as_double(a) - as_double(b), out) : EXPR_FAULT_TYPE;
}

static enum expr_fault apply_mul(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    if (both_integers(a, b)) {
        out->kind = VALUE_INT;
        return integer_mul(a->i, b->i, &out->i);
    }
    if (either_large(a, b))
        return apply_large(OPERATOR_MUL, a, b, out);
    if (both_numbers(a, b))
        return put_float(as_double(a) * as_double(b), out);
    if (is_integer(b))
        return repeat_sequence(f, a, b->i, out);
    return is_integer(a) ? repeat_sequence(f, b, a->i, out) : EXPR_FAULT_TYPE;
}

static uint64_t integer_magnitude(int64_t i)
{
    return i < 0 ? -(uint64_t)i : (uint64_t)i;
}

// The correctly rounded quotient of integers that need not have a double: both are shifted to full
// width, so that the quotient has 60 bits or 61, more than enough to round once; the remainder
// survives as a sticky last bit.
static double divide_wide(int64_t a, int64_t b)
{
    uint64_t x = integer_magnitude(a), y = integer_magnitude(b);
    if (x == 0)
        return b < 0 ? -0.0 : 0.0;
    int shift_x = __builtin_clzll(x), shift_y = __builtin_clzll(y);
    wide numerator = (wide)(x << shift_x) << 60;
    uint64_t denominator = y << shift_y;
    uint64_t quotient = (uint64_t)(numerator / denominator);
    quotient |= numerator % denominator != 0;
    double result = ldexp((double)quotient, shift_y - shift_x - 60);
    return (a < 0) != (b < 0) ? -result : result;
}

static enum expr_fault apply_div(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    if (!both_numbers(a, b))
        return EXPR_FAULT_TYPE;
    if (as_double(b) == 0)
        return EXPR_FAULT_ZERO;
    if (!both_integers(a, b) ||
        (integer_magnitude(a->i) <= EXACT_IN_DOUBLE && integer_magnitude(b->i) <= EXACT_IN_DOUBLE))
        return put_float(as_double(a) / as_double(b), out);
    return put_float(divide_wide(a->i, b->i), out);
}

// The modulo takes the divisor's sign, even where it is zero.
static double float_mod(double a, double b)
{
    double rest = fmod(a, b);
    if (rest == 0)
        return copysign(0.0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

// The quotient that belongs to float_mod(): (a - mod) / b is an integer but for rounding.
static double float_floordiv(double a, double b)
{
    double quotient = (a - fmod(a, b)) / b;
    double rest = fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysign(0.0, a / b);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

static enum expr_fault apply_floordiv(struct frame *f, const struct value *a, const struct value *b,
                                      struct value *out)
{
    (void)f;
    if (both_integers(a, b)) {
        out->kind = VALUE_INT;
        return integer_floordiv(a->i, b->i, &out->i);
    }
    if (either_large(a, b))
        return apply_large(OPERATOR_FLOORDIV, a, b, out);
    if (!both_numbers(a, b))
        return EXPR_FAULT_TYPE;
    return as_double(b) == 0 ? EXPR_FAULT_ZERO
                             : put_float(float_floordiv(as_double(a), as_double(b)), out);
}

static enum expr_fault apply_mod(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    if (both_integers(a, b)) {
        out->kind = VALUE_INT;
        return integer_mod(a->i, b->i, &out->i);
    }
    if (either_large(a, b))
        return apply_large(OPERATOR_MOD, a, b, out);
    if (!both_numbers(a, b))
        return EXPR_FAULT_TYPE;
    return as_double(b) == 0 ? EXPR_FAULT_ZERO
                             : put_float(float_mod(as_double(a), as_double(b)), out);
}

static enum expr_fault float_pow(double a, double b, struct value *out)
{
    if (a == 0 && b < 0)
        return EXPR_FAULT_ZERO;
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        return EXPR_FAULT_DOMAIN; // Python answers with a complex number
    double result = pow(a, b);
    if (isinf(result) && isfinite(a) && isfinite(b))
        return EXPR_FAULT_OVERFLOW;
    return put_float(result, out);
}

static enum expr_fault apply_pow(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    if (both_integers(a, b) && b->i >= 0) {
        out->kind = VALUE_INT;
        return integer_pow(a->i, b->i, &out->i);
    }
    if (either_large(a, b) && b->kind != VALUE_FLOAT && as_wide(b) >= 0)
        return apply_large(OPERATOR_POW, a, b, out);
    return both_numbers(a, b) ? float_pow(as_double(a), as_double(b), out) : EXPR_FAULT_TYPE;
}

// ---- bits ----

typedef enum expr_fault (*integer_fn)(int64_t a, int64_t b, int64_t *out);

static enum expr_fault apply_shift(enum operator_code op, integer_fn shift, const struct value *a,
                                   const struct value *b, struct value *out)
{
    if (either_large(a, b))
        return apply_large(op, a, b, out);
    out->kind = VALUE_INT;
    return both_integers(a, b) ? shift(a->i, b->i, &out->i) : EXPR_FAULT_TYPE;
}

static enum expr_fault apply_shl(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    return apply_shift(OPERATOR_SHL, integer_shl, a, b, out);
}

static enum expr_fault apply_shr(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    return apply_shift(OPERATOR_SHR, integer_shr, a, b, out);
}

// Two bools stay a bool.
static enum expr_fault apply_bits(enum operator_code op, integer_fn bits, const struct value *a,
                                  const struct value *b, struct value *out)
{
    if (either_large(a, b))
        return apply_large(op, a, b, out);
    if (!both_integers(a, b))
        return EXPR_FAULT_TYPE;
    enum value_kind kind = both(VALUE_BOOL, a, b) ? VALUE_BOOL : VALUE_INT;
    enum expr_fault fault = bits(a->i, b->i, &out->i);
    out->kind = kind;
    return fault;
}

static enum expr_fault apply_and(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    return apply_bits(OPERATOR_AND, integer_and, a, b, out);
}

static enum expr_fault apply_or(struct frame *f, const struct value *a, const struct value *b,
                                struct value *out)
{
    (void)f;
    return apply_bits(OPERATOR_OR, integer_or, a, b, out);
}

static enum expr_fault apply_xor(struct frame *f, const struct value *a, const struct value *b,
                                 struct value *out)
{
    (void)f;
    return apply_bits(OPERATOR_XOR, integer_xor, a, b, out);
}

const struct operator_entry operators[OPERATOR_COUNT] = {
#define X(code, text, level, name) [OPERATOR_##code] = {text, level, apply_##name},
    OPERATORS(X)
#undef X
};

enum expr_fault unary_apply(enum unary_code code, const struct value *a, struct value *out)
{
    if (is_integer(a)) {
        struct value integer = value_int(a->i);
        enum expr_fault fault = EXPR_FAULT_NONE;
        if (code == UNARY_MINUS)
            fault = integer_sub(0, a->i, &integer.i);
        if (code == UNARY_INVERT)
            integer.i = ~a->i;
        *out = integer;
        return fault;
    }
    if (a->kind == VALUE_UINT && code != UNARY_PLUS)
        return put_wide(code == UNARY_MINUS ? -as_wide(a) : ~as_wide(a), out);
    if (a->kind == VALUE_UINT) {
        *out = *a;
        return EXPR_FAULT_NONE;
    }
    if (a->kind != VALUE_FLOAT || code == UNARY_INVERT)
        return EXPR_FAULT_TYPE;
    return put_float(code == UNARY_MINUS ? -a->f : a->f, out);
}

// ---- comparison ----

enum { UNORDERED = 2 };

// Exact where the integer has no double: compares with the float's integral part, then with its
// fraction.
static int order_mixed(wide_integer i, double f)
{
    if (isnan(f))
        return UNORDERED;
    if (f >= 0x1p64)
        return -1;
    if (f < -0x1p63)
        return 1;
    wide_integer whole = (wide_integer)f;
    if (i != whole)
        return i < whole ? -1 : 1;
    double fraction = f - (double)whole;
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0;
}

static int order_numbers(const struct value *a, const struct value *b)
{
    if (both_integers(a, b))
        return (a->i > b->i) - (a->i < b->i);
    if (both(VALUE_FLOAT, a, b))
        return a->f < b->f ? -1 : a->f > b->f ? 1 : a->f == b->f ? 0 : UNORDERED;
    if (a->kind != VALUE_FLOAT && b->kind != VALUE_FLOAT)
        return (as_wide(a) > as_wide(b)) - (as_wide(a) < as_wide(b));
    if (a->kind != VALUE_FLOAT)
        return order_mixed(as_wide(a), b->f);
    int order = order_mixed(as_wide(b), a->f);
    return order == UNORDERED ? UNORDERED : -order;
}

enum expr_fault order_values(struct frame *f, const struct value *a, const struct value *b,
                             int *order)
{
    if (both_numbers(a, b)) {
        *order = order_numbers(a, b);
        return EXPR_FAULT_NONE;
    }
    if (both(VALUE_STRING, a, b)) {
        int difference = strcmp(a->s, b->s); // UTF-8 sorts as its characters do
        *order = (difference > 0) - (difference < 0);
        return frame_work(f, strlen(a->s));
    }
    // The first items that differ decide, then the lengths.
    if (!both(VALUE_LIST, a, b))
        return EXPR_FAULT_TYPE;
    uint32_t common = a->count < b->count ? a->count : b->count;
    enum expr_fault fault = frame_work(f, common);
    bool equal = true;
    for (uint32_t i = 0; i < common && !fault; i++) {
        fault = equal_values(f, &a->items[i], &b->items[i], &equal);
        if (!fault && !equal)
            return order_values(f, &a->items[i], &b->items[i], order);
    }
    *order = (a->count > b->count) - (a->count < b->count);
    return fault;
}

enum expr_fault equal_values(struct frame *f, const struct value *a, const struct value *b,
                             bool *out)
{
    if (both_numbers(a, b)) {
        *out = order_numbers(a, b) == 0;
        return EXPR_FAULT_NONE;
    }
    if (both(VALUE_LIST, a, b)) {
        *out = a->count == b->count;
        enum expr_fault fault = *out ? frame_work(f, a->count) : EXPR_FAULT_NONE;
        for (uint32_t i = 0; i < a->count && *out && !fault; i++)
            fault = equal_values(f, &a->items[i], &b->items[i], out);
        return fault;
    }
    *out = a->kind == b->kind && (a->kind != VALUE_STRING || strcmp(a->s, b->s) == 0);
    return a->kind == VALUE_STRING ? frame_work(f, strlen(a->s)) : EXPR_FAULT_NONE;
}

static enum expr_fault list_contains(struct frame *f, const struct value *item,
                                     const struct value *in, bool *out)
{
    if (both(VALUE_STRING, item, in)) {
        *out = strstr(in->s, item->s) != NULL;
        return frame_work(f, strlen(in->s));
    }
    if (in->kind != VALUE_LIST)
        return EXPR_FAULT_TYPE;
    enum expr_fault fault = EXPR_FAULT_NONE;
    *out = false;
    for (uint32_t i = 0; i < in->count && !*out && !fault; i++) {
        fault = frame_work(f, 1);
        if (!fault)
            fault = equal_values(f, item, &in->items[i], out);
    }
    return fault;
}

static int search_class(const struct value *v)
{
    return (v->kind == VALUE_FLOAT && isnan(v->f)) ? 1
           : is_number(v)                          ? 2
           : v->kind == VALUE_STRING               ? 3
           : v->kind == VALUE_LIST                 ? 4
                                                   : 0;
}

int search_order(const struct value *a, const struct value *b)
{
    int class = search_class(a), other = search_class(b), order = 0;
    if (class != other)
        return class < other ? -1 : 1;
    if (class == 2)
        return order_numbers(a, b);
    if (class == 3)
        return strcmp(a->s, b->s);
    if (class != 4)
        return 0;
    uint32_t common = a->count < b->count ? a->count : b->count;
    for (uint32_t i = 0; i < common && order == 0; i++)
        order = search_order(&a->items[i], &b->items[i]);
    return order ? order : (a->count > b->count) - (a->count < b->count);
}

enum expr_fault sorted_contains(struct frame *f, const struct value *list, const struct value *item,
                                bool *out)
{
    uint32_t low = 0, high = list->count;
    enum expr_fault fault = EXPR_FAULT_NONE;
    while (low < high && !fault) {
        uint32_t middle = low + (high - low) / 2;
        fault = frame_work(f, item->kind == VALUE_LIST ? item->count : 1);
        if (search_order(&list->items[middle], item) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *out = false;
    return fault || low == list->count ? fault : equal_values(f, item, &list->items[low], out);
}

// Values have no identity: `is` asks for the same kind and an equal value.
static enum expr_fault compare_equal(struct frame *f, enum compare_code code, const struct value *a,
                                     const struct value *b, bool *out)
{
    bool same_kind = code == COMPARE_IS || code == COMPARE_IS_NOT;
    bool equal = !same_kind || a->kind == b->kind;
    enum expr_fault fault = equal ? equal_values(f, a, b, &equal) : EXPR_FAULT_NONE;
    *out = equal == (code == COMPARE_EQ || code == COMPARE_IS);
    return fault;
}

static enum expr_fault compare_member(struct frame *f, enum compare_code code,
                                      const struct value *a, const struct value *b, bool *out)
{
    bool found = false;
    enum expr_fault fault = list_contains(f, a, b, &found);
    *out = found == (code == COMPARE_IN);
    return fault;
}

static enum expr_fault compare_order(struct frame *f, enum compare_code code, const struct value *a,
                                     const struct value *b, bool *out)
{
    // Which orders (-1, 0, 1, unordered) make the comparison true.
    static const bool truth[][4] = {
        [COMPARE_LT] = {true, false, false, false},
        [COMPARE_LE] = {true, true, false, false},
        [COMPARE_GT] = {false, false, true, false},
        [COMPARE_GE] = {false, true, true, false},
    };
    int order;
    enum expr_fault fault = order_values(f, a, b, &order);
    if (!fault)
        *out = truth[code][order + 1];
    return fault;
}

enum expr_fault compare_values(struct frame *f, enum compare_code code, const struct value *a,
                               const struct value *b, bool *out)
{
    static enum expr_fault (*const compare[])(struct frame * f, enum compare_code code,
                                              const struct value *a, const struct value *b,
                                              bool *out) = {
        [COMPARE_LT] = compare_order,  [COMPARE_LE] = compare_order,
        [COMPARE_EQ] = compare_equal,  [COMPARE_NE] = compare_equal,
        [COMPARE_GT] = compare_order,  [COMPARE_GE] = compare_order,
        [COMPARE_IN] = compare_member, [COMPARE_NOT_IN] = compare_member,
        [COMPARE_IS] = compare_equal,  [COMPARE_IS_NOT] = compare_equal,
    };
    return compare[code](f, code, a, b, out);
}

enum expr_fault integral_value(double f, struct value *out)
{
    if (isnan(f))
        return EXPR_FAULT_DOMAIN;
    f = trunc(f);
    if (f >= 0x1p63 || f < -0x1p63)
        return EXPR_FAULT_OVERFLOW;
    *out = value_int((int64_t)f);
    return EXPR_FAULT_NONE;
}

size_t utf8_length(const char *s)
{
    size_t length = 0;
    for (; *s; s++)
        length += ((unsigned char)*s & 0xC0) != 0x80;
    return length;
}

size_t utf8_offset(const char *s, size_t index)
{
    const char *p = s;
    for (; *p && index > 0; index--)
        for (p++; ((unsigned char)*p & 0xC0) == 0x80;)
            p++;
    return (size_t)(p - s);
}
