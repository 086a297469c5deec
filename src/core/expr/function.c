// The functions of the language, each a row of the table at the end: its name, how many arguments
// it takes, and what computes it. Functions of scalars get values; those of iterables (sum, any,
// sorted, ...) walk their argument without making a list of it first where they need none.
#include "base/text.h"
#include "expr/integer.h"
#include "expr/iterate.h"
#include "expr/syntax_node.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- rounding and conversion ----

// ceil, floor and trunc: integers are themselves, floats become integers.
static enum expr_fault to_integral(double (*rounding)(double), const struct value *v,
                                   struct value *out)
{
    *out = *v;
    if (v->kind == VALUE_UINT)
        return EXPR_FAULT_NONE;
    *out = value_int(v->i);
    if (is_integer(v))
        return EXPR_FAULT_NONE;
    return v->kind == VALUE_FLOAT ? integral_value(rounding(v->f), out) : EXPR_FAULT_TYPE;
}

static enum expr_fault call_ceil(struct frame *f, const struct value *args, uint32_t count,
                                 struct value *out)
{
    (void)f, (void)count;
    return to_integral(ceil, args, out);
}

static enum expr_fault call_floor(struct frame *f, const struct value *args, uint32_t count,
                                  struct value *out)
{
    (void)f, (void)count;
    return to_integral(floor, args, out);
}

static enum expr_fault call_trunc(struct frame *f, const struct value *args, uint32_t count,
                                  struct value *out)
{
    (void)f, (void)count;
    return to_integral(trunc, args, out);
}

static double round_half_even(double x)
{
    double below = floor(x), fraction = x - below;
    if (fraction < 0.5 || (fraction == 0.5 && fmod(below, 2) == 0))
        return below;
    return below + 1;
}

// `digits` behind the point (before it when negative). printf rounds the exact binary value.
static enum expr_fault round_float(double x, int64_t digits, struct value *out)
{
    char text[400];
    *out = value_float(x);
    if (!isfinite(x) || digits > 22 || fabs(x) >= 0x1p53)
        return EXPR_FAULT_NONE;
    if (digits < -22) {
        *out = value_float(copysign(0.0, x));
        return EXPR_FAULT_NONE;
    }
    if (digits >= 0) {
        snprintf(text, sizeof text, "%.*f", (int)digits, x);
        str_dot_decimal(text);
        return str_to_f64(text, &out->f) ? EXPR_FAULT_NONE : EXPR_FAULT_OVERFLOW;
    }
    double unit = 1;
    for (int64_t i = digits; i < 0; i++)
        unit *= 10; // exact up to 1e22
    double rest = fmod(fabs(x), unit), whole = fabs(x) - rest;
    bool up = rest > unit / 2 || (rest == unit / 2 && fmod(whole / unit, 2) != 0);
    out->f = copysign(whole + (up ? unit : 0), x);
    return EXPR_FAULT_NONE;
}

static enum expr_fault round_to_digits(const struct value *v, int64_t digits, struct value *out)
{
    int64_t unit;
    if (v->kind == VALUE_FLOAT)
        return round_float(v->f, digits, out);
    *out = value_int(v->i);
    if (digits >= 0)
        return EXPR_FAULT_NONE;
    if (digits < -18 || integer_pow(10, -digits, &unit)) {
        *out = value_int(0); // 10 ** 19 is more than twice any integer
        return EXPR_FAULT_NONE;
    }
    // To a multiple of `unit`, a tie to the even multiple.
    int64_t rest, result;
    *out = value_int(v->i);
    if (integer_mod(v->i, unit, &rest) || rest == 0)
        return EXPR_FAULT_NONE;
    int64_t below; // floor(i / unit)
    if (integer_floordiv(v->i, unit, &below))
        return EXPR_FAULT_OVERFLOW;
    bool up = rest > unit - rest || (rest == unit - rest && (below & 1));
    enum expr_fault fault = integer_sub(v->i, rest, &result);
    if (!fault && up)
        fault = integer_add(result, unit, &result);
    *out = value_int(result);
    return fault;
}

static enum expr_fault call_round(struct frame *f, const struct value *args, uint32_t count,
                                  struct value *out)
{
    (void)f;
    if (!is_number(&args[0]))
        return EXPR_FAULT_TYPE;
    if (count == 1 || args[1].kind == VALUE_NONE)
        return to_integral(round_half_even, args, out);
    return is_integer(&args[1]) ? round_to_digits(&args[0], args[1].i, out) : EXPR_FAULT_TYPE;
}

// A string's copy without the blanks around it.
static enum expr_fault trim_blanks(struct frame *f, const char *s, char **out)
{
    static const char blanks[] = " \t\r\n\f\v";
    s += strspn(s, blanks);
    size_t length = strlen(s);
    enum expr_fault fault = frame_spend(f, length);
    if (fault)
        return fault;
    while (length && strchr(blanks, s[length - 1]))
        length--;
    *out = frame_alloc(f, length + 1);
    if (!*out)
        return EXPR_FAULT_MEMORY;
    memcpy(*out, s, length);
    (*out)[length] = 0;
    return EXPR_FAULT_NONE;
}

static enum expr_fault call_int(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    (void)count;
    if (args->kind != VALUE_STRING)
        return to_integral(trunc, args, out);
    char *text = NULL;
    enum expr_fault fault = trim_blanks(f, args->s, &text);
    if (fault)
        return fault;
    out->kind = VALUE_INT;
    return str_to_i64(text, &out->i) ? EXPR_FAULT_NONE : EXPR_FAULT_DOMAIN;
}

static enum expr_fault call_float(struct frame *f, const struct value *args, uint32_t count,
                                  struct value *out)
{
    (void)count;
    if (is_number(args)) {
        *out = value_float(as_double(args));
        return EXPR_FAULT_NONE;
    }
    if (args->kind != VALUE_STRING)
        return EXPR_FAULT_TYPE;
    char *text = NULL;
    enum expr_fault fault = trim_blanks(f, args->s, &text);
    if (fault)
        return fault;
    out->kind = VALUE_FLOAT;
    return str_to_f64(text, &out->f) ? EXPR_FAULT_NONE : EXPR_FAULT_DOMAIN;
}

static enum expr_fault call_bool(struct frame *f, const struct value *args, uint32_t count,
                                 struct value *out)
{
    (void)f, (void)count;
    *out = value_bool(value_truth(args));
    return EXPR_FAULT_NONE;
}

static enum expr_fault call_str(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    (void)count;
    *out = *args;
    if (args->kind == VALUE_STRING)
        return EXPR_FAULT_NONE;
    struct text text = TEXT_INIT;
    uint64_t most = f->budget;
    if (!value_fits(args, &most))
        return EXPR_FAULT_LIMIT;
    value_print(args, &text);
    enum expr_fault fault = text.failed ? EXPR_FAULT_MEMORY : frame_spend(f, text.length);
    char *copy = fault ? NULL : frame_alloc(f, text.length + 1);
    if (copy)
        memcpy(copy, text_cstr(&text), text.length + 1);
    *out = value_string(copy);
    text_release(&text);
    return fault ? fault : copy ? EXPR_FAULT_NONE : EXPR_FAULT_MEMORY;
}

// ---- arithmetic ----

static enum expr_fault call_abs(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    (void)f, (void)count;
    *out = *args;
    if (args->kind == VALUE_FLOAT)
        out->f = fabs(args->f);
    else if (args->kind == VALUE_UINT)
        return EXPR_FAULT_NONE;
    else if (!is_integer(args))
        return EXPR_FAULT_TYPE;
    else if (args->i < 0)
        return integer_sub(0, args->i, &out->i);
    else
        *out = value_int(args->i);
    return EXPR_FAULT_NONE;
}

static enum expr_fault call_pow(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    (void)count;
    return operators[OPERATOR_POW].apply(f, &args[0], &args[1], out);
}

static enum expr_fault call_math_pow(struct frame *f, const struct value *args, uint32_t count,
                                     struct value *out)
{
    (void)count;
    struct value x, y;
    if (!is_number(&args[0]) || !is_number(&args[1]))
        return EXPR_FAULT_TYPE;
    x = value_float(as_double(&args[0]));
    y = value_float(as_double(&args[1]));
    enum expr_fault fault = operators[OPERATOR_POW].apply(f, &x, &y, out);
    return fault == EXPR_FAULT_ZERO ? EXPR_FAULT_DOMAIN : fault;
}

static enum expr_fault call_divmod(struct frame *f, const struct value *args, uint32_t count,
                                   struct value *out)
{
    (void)count;
    struct value *both = frame_alloc(f, 2 * sizeof *both);
    if (!both)
        return EXPR_FAULT_MEMORY;
    enum expr_fault fault = operators[OPERATOR_FLOORDIV].apply(f, &args[0], &args[1], &both[0]);
    if (!fault)
        fault = operators[OPERATOR_MOD].apply(f, &args[0], &args[1], &both[1]);
    *out = value_list(both, 2);
    return fault;
}

static uint64_t magnitude_of_integer(int64_t i)
{
    return i < 0 ? -(uint64_t)i : (uint64_t)i;
}

static enum expr_fault put_magnitude(uint64_t m, struct value *out)
{
    *out = value_int((int64_t)(m & INT64_MAX));
    return m > INT64_MAX ? EXPR_FAULT_OVERFLOW : EXPR_FAULT_NONE;
}

static enum expr_fault call_gcd(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    (void)f;
    uint64_t divisor = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_integer(&args[i]))
            return EXPR_FAULT_TYPE;
        divisor = integer_common_divisor(divisor, magnitude_of_integer(args[i].i));
    }
    return put_magnitude(divisor, out);
}

static enum expr_fault call_lcm(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    (void)f;
    uint64_t multiple = 1;
    bool over = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_integer(&args[i]))
            return EXPR_FAULT_TYPE;
        uint64_t m = magnitude_of_integer(args[i].i);
        if (m == 0)
            multiple = 0, over = false;
        else if (multiple)
            over |= __builtin_mul_overflow(multiple, m / integer_common_divisor(multiple, m),
                                           &multiple);
    }
    return over ? EXPR_FAULT_OVERFLOW : put_magnitude(multiple, out);
}

// ---- real functions ----

// A function of one float: NaN from a number is outside its domain, infinity from a finite one is
// overflow.
static enum expr_fault real(double (*function)(double), const struct value *v, struct value *out)
{
    if (!is_number(v))
        return EXPR_FAULT_TYPE;
    double x = as_double(v), y = function(x);
    *out = value_float(y);
    if (isnan(y) && !isnan(x))
        return EXPR_FAULT_DOMAIN;
    return isinf(y) && isfinite(x) ? EXPR_FAULT_OVERFLOW : EXPR_FAULT_NONE;
}

// A logarithm's pole at 0 is outside its domain.
static enum expr_fault logarithm(double (*function)(double), const struct value *v,
                                 struct value *out)
{
    enum expr_fault fault = real(function, v, out);
    return fault == EXPR_FAULT_OVERFLOW ? EXPR_FAULT_DOMAIN : fault;
}

#define CALL_REAL(function)                                                                        \
    static enum expr_fault call_##function(struct frame *f, const struct value *args,              \
                                           uint32_t count, struct value *out)                      \
    {                                                                                              \
        (void)f, (void)count;                                                                      \
        return real(function, args, out);                                                          \
    }
CALL_REAL(sqrt)
CALL_REAL(exp)
CALL_REAL(sin)
CALL_REAL(cos)
CALL_REAL(tan)
CALL_REAL(asin)
CALL_REAL(acos)
CALL_REAL(atan)
CALL_REAL(tanh)
CALL_REAL(erf)
CALL_REAL(fabs)

static enum expr_fault call_atan2(struct frame *f, const struct value *args, uint32_t count,
                                  struct value *out)
{
    (void)f, (void)count;
    if (!is_number(&args[0]) || !is_number(&args[1]))
        return EXPR_FAULT_TYPE;
    *out = value_float(atan2(as_double(&args[0]), as_double(&args[1])));
    return EXPR_FAULT_NONE;
}

static enum expr_fault call_log2(struct frame *f, const struct value *args, uint32_t count,
                                 struct value *out)
{
    (void)f, (void)count;
    return logarithm(log2, args, out);
}

static enum expr_fault call_log10(struct frame *f, const struct value *args, uint32_t count,
                                  struct value *out)
{
    (void)f, (void)count;
    return logarithm(log10, args, out);
}

static enum expr_fault call_log(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    struct value base;
    enum expr_fault fault = logarithm(log, &args[0], out);
    if (fault || count == 1)
        return fault;
    struct value top = *out;
    fault = logarithm(log, &args[1], &base);
    return fault ? fault : operators[OPERATOR_DIV].apply(f, &top, &base, out);
}

// ---- reductions: over an iterable, without making it a list ----

struct reduction {
    struct visitor visitor;
    struct value value;
    int sense; // min: -1, max: 1
    bool empty;
    enum operator_code op;
};

static enum expr_fault keep_extreme(struct visitor *v, struct frame *f, const struct value *item)
{
    struct reduction *r = (struct reduction *)v;
    int order = 0;
    enum expr_fault fault = r->empty ? EXPR_FAULT_NONE : order_values(f, item, &r->value, &order);
    if (r->empty || order == r->sense)
        r->value = *item;
    r->empty = false;
    return fault;
}

static enum expr_fault find_extreme(const struct node *n, struct frame *f, int sense,
                                    struct value *out)
{
    struct reduction r = {.visitor = {.visit = keep_extreme}, .sense = sense, .empty = true};
    enum expr_fault fault = EXPR_FAULT_NONE;
    if (n->count == 1)
        fault = iterate_node(n->items[0], f, &r.visitor);
    for (uint32_t i = 0; i < n->count && n->count > 1 && !fault; i++) {
        struct value v;
        fault = n->items[i]->eval(n->items[i], f, &v);
        if (!fault)
            fault = keep_extreme(&r.visitor, f, &v);
    }
    *out = r.value;
    return fault ? fault : r.empty ? EXPR_FAULT_DOMAIN : EXPR_FAULT_NONE;
}

static enum expr_fault eval_min(const struct node *n, struct frame *f, struct value *out)
{
    return find_extreme(n, f, -1, out);
}

static enum expr_fault eval_max(const struct node *n, struct frame *f, struct value *out)
{
    return find_extreme(n, f, 1, out);
}

static enum expr_fault accumulate(struct visitor *v, struct frame *f, const struct value *item)
{
    struct reduction *r = (struct reduction *)v;
    struct value so_far = r->value;
    return operators[r->op].apply(f, &so_far, item, &r->value);
}

// sum and prod; an optional second argument is the start.
static enum expr_fault total(const struct node *n, struct frame *f, enum operator_code op,
                             struct value *out)
{
    struct reduction r = {.visitor = {.visit = accumulate}, .op = op};
    enum expr_fault fault = EXPR_FAULT_NONE;
    r.value = value_int(op == OPERATOR_MUL);
    if (n->count == 2)
        fault = n->items[1]->eval(n->items[1], f, &r.value);
    if (!fault)
        fault = iterate_node(n->items[0], f, &r.visitor);
    *out = r.value;
    return fault;
}

static enum expr_fault eval_sum(const struct node *n, struct frame *f, struct value *out)
{
    return total(n, f, OPERATOR_ADD, out);
}

static enum expr_fault eval_prod(const struct node *n, struct frame *f, struct value *out)
{
    return total(n, f, OPERATOR_MUL, out);
}

// any stops at the first truth, all at the first untruth.
static enum expr_fault stop_at(struct visitor *v, struct frame *f, const struct value *item)
{
    struct reduction *r = (struct reduction *)v;
    (void)f;
    v->done = value_truth(item) == (r->sense > 0);
    return EXPR_FAULT_NONE;
}

static enum expr_fault quantify(const struct node *n, struct frame *f, int sense, struct value *out)
{
    struct reduction r = {.visitor = {.visit = stop_at}, .sense = sense};
    enum expr_fault fault = iterate_node(n->items[0], f, &r.visitor);
    *out = value_bool(r.visitor.done == (sense > 0));
    return fault;
}

static enum expr_fault eval_any(const struct node *n, struct frame *f, struct value *out)
{
    return quantify(n, f, 1, out);
}

static enum expr_fault eval_all(const struct node *n, struct frame *f, struct value *out)
{
    return quantify(n, f, -1, out);
}

// ---- lists ----

static enum expr_fault call_len(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    (void)count;
    if (args->kind == VALUE_STRING) {
        *out = value_int((int64_t)utf8_length(args->s));
        return frame_work(f, strlen(args->s));
    }
    *out = value_int(args->count);
    return args->kind == VALUE_LIST ? EXPR_FAULT_NONE : EXPR_FAULT_TYPE;
}

static enum expr_fault gather_values(const struct node *n, struct frame *f, struct builder *b)
{
    builder_init(b);
    return n->count ? iterate_node(n->items[0], f, &b->visitor) : EXPR_FAULT_NONE;
}

static enum expr_fault eval_as_list(const struct node *n, struct frame *f, struct value *out)
{
    struct builder b;
    enum expr_fault fault = gather_values(n, f, &b);
    *out = builder_list(&b);
    return fault;
}

static enum expr_fault eval_reversed(const struct node *n, struct frame *f, struct value *out)
{
    struct builder b;
    enum expr_fault fault = gather_values(n, f, &b);
    for (uint32_t i = 0; i < b.count / 2; i++) {
        struct value first = b.items[i];
        b.items[i] = b.items[b.count - 1 - i];
        b.items[b.count - 1 - i] = first;
    }
    *out = builder_list(&b);
    return fault;
}

// Merges the sorted halves [0, middle) and [middle, count) of `from` into `to`; equal items keep
// their order.
static enum expr_fault merge_runs(struct frame *f, const struct value *from, uint32_t middle,
                                  uint32_t count, struct value *to)
{
    uint32_t left = 0, right = middle;
    for (uint32_t i = 0; i < count; i++) {
        int order = left == middle ? -1 : 1;
        enum expr_fault fault = EXPR_FAULT_NONE;
        if (left < middle && right < count)
            fault = order_values(f, &from[right], &from[left], &order);
        if (fault)
            return fault;
        to[i] = order == -1 ? from[right++] : from[left++];
    }
    return EXPR_FAULT_NONE;
}

// A merge sort, bottom up; the result is in `items`, `spare` has the same size.
static enum expr_fault merge_sort(struct frame *f, struct value *items, struct value *spare,
                                  uint32_t count)
{
    enum expr_fault fault = EXPR_FAULT_NONE;
    for (uint64_t width = 1; width < count && !fault; width *= 2) {
        for (uint64_t at = 0; at < count && !fault; at += 2 * width) {
            uint64_t left = count - at;
            uint32_t run = (uint32_t)(left < 2 * width ? left : 2 * width);
            uint32_t middle = (uint32_t)(left < width ? left : width);
            fault = merge_runs(f, items + at, middle, run, spare + at);
        }
        if (!fault)
            memcpy(items, spare, count * sizeof *items);
    }
    return fault;
}

static enum expr_fault eval_sorted(const struct node *n, struct frame *f, struct value *out)
{
    struct builder b;
    enum expr_fault fault = gather_values(n, f, &b);
    struct value *spare = fault ? NULL : frame_alloc(f, b.count * sizeof *spare);
    if (!fault)
        fault = spare ? merge_sort(f, b.items, spare, b.count) : EXPR_FAULT_MEMORY;
    *out = builder_list(&b);
    return fault;
}

static uint64_t mix_hash(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

// Equal values have equal hashes: 1, 1.0 and True are one.
static uint64_t hash_value(const struct value *v)
{
    uint64_t h = 1;
    int64_t i = 0;
    if (value_to_i64(v, &i))
        return mix_hash((uint64_t)i);
    if (v->kind == VALUE_FLOAT)
        memcpy(&h, &v->f, sizeof h);
    for (const char *s = v->kind == VALUE_STRING ? v->s : ""; *s; s++)
        h = mix_hash(h ^ (unsigned char)*s);
    for (uint32_t k = 0; v->kind == VALUE_LIST && k < v->count; k++)
        h = mix_hash(h ^ hash_value(&v->items[k]));
    return mix_hash(h);
}

// The places of a set's items in its list, plus one, in open addressing; 0 is free.
struct index_table {
    uint32_t *places;
    uint64_t mask;
};

// Keeps the item, as place *count, when it is new.
static enum expr_fault enter_value(struct index_table *t, struct frame *f, struct value *items,
                                   uint32_t *count, const struct value *item)
{
    bool known = false;
    if (!value_fits(item, &f->work)) // to hash it
        return EXPR_FAULT_LIMIT;
    uint64_t at = hash_value(item) & t->mask;
    for (; t->places[at] && !known; at = (at + 1) & t->mask) {
        enum expr_fault fault = frame_work(f, 1);
        if (!fault)
            fault = equal_values(f, &items[t->places[at] - 1], item, &known);
        if (fault)
            return fault;
    }
    if (known)
        return EXPR_FAULT_NONE;
    items[*count] = *item;
    t->places[at] = ++*count;
    return EXPR_FAULT_NONE;
}

// A list without duplicates; the first of equal items stays where it is.
static enum expr_fault eval_set(const struct node *n, struct frame *f, struct value *out)
{
    struct builder b;
    enum expr_fault fault = gather_values(n, f, &b);
    if (fault)
        return fault;
    struct index_table table = {.mask = 15};
    while (table.mask < 2 * (uint64_t)b.count)
        table.mask = 2 * table.mask + 1;
    table.places = frame_alloc(f, (table.mask + 1) * sizeof *table.places);
    if (!table.places)
        return EXPR_FAULT_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b.count && !fault; i++)
        fault = enter_value(&table, f, b.items, &count, &b.items[i]);
    *out = value_list(b.items, count);
    return fault;
}

static enum expr_fault add_function_row(struct builder *b, struct frame *f, const struct value *row,
                                        uint32_t count)
{
    enum expr_fault fault = frame_spend(f, count);
    struct value *items = fault ? NULL : frame_alloc(f, count * sizeof *items);
    if (!items)
        return fault ? fault : EXPR_FAULT_MEMORY;
    memcpy(items, row, count * sizeof *items);
    struct value list = value_list(items, count);
    return builder_add(b, f, &list);
}

static enum expr_fault eval_enumerate(const struct node *n, struct frame *f, struct value *out)
{
    struct builder items, rows;
    struct value row[2] = {value_int(0)};
    enum expr_fault fault = gather_values(n, f, &items);
    if (!fault && n->count == 2)
        fault = n->items[1]->eval(n->items[1], f, &row[0]);
    if (!fault && !is_integer(&row[0]))
        fault = EXPR_FAULT_TYPE;
    builder_init(&rows);
    for (uint32_t i = 0; i < items.count && !fault; i++) {
        row[1] = items.items[i];
        fault = add_function_row(&rows, f, row, 2);
        if (!fault)
            fault = integer_add(row[0].i, 1, &row[0].i);
    }
    *out = builder_list(&rows);
    return fault;
}

static enum expr_fault call_zip(struct frame *f, const struct value *args, uint32_t count,
                                struct value *out)
{
    struct builder columns[ARGUMENTS_LIMIT], rows;
    struct value row[ARGUMENTS_LIMIT];
    enum expr_fault fault = EXPR_FAULT_NONE;
    uint32_t shortest = count ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < count && !fault; i++) {
        builder_init(&columns[i]);
        fault = iterate_value(&args[i], f, &columns[i].visitor);
        if (columns[i].count < shortest)
            shortest = columns[i].count;
    }
    builder_init(&rows);
    for (uint32_t k = 0; k < shortest && !fault; k++) {
        for (uint32_t i = 0; i < count; i++)
            row[i] = columns[i].items[k];
        fault = add_function_row(&rows, f, row, count);
    }
    *out = builder_list(&rows);
    return fault;
}

// ---- the table ----

// X(name, in Python's math, least and most arguments, usage, kind, implementation). A name written
// with its prefix stands for itself alone; others take it when Python's math has them.
#define FUNCTIONS(X)                                                                               \
    X("abs", false, 1, 1, "abs(x)", call, call_abs)                                                \
    X("acos", true, 1, 1, "acos(x)", call, call_acos)                                              \
    X("all", false, 1, 1, "all(list)", eval, eval_all)                                             \
    X("any", false, 1, 1, "any(list)", eval, eval_any)                                             \
    X("asin", true, 1, 1, "asin(x)", call, call_asin)                                              \
    X("atan", true, 1, 1, "atan(x)", call, call_atan)                                              \
    X("atan2", true, 2, 2, "atan2(y, x)", call, call_atan2)                                        \
    X("bool", false, 1, 1, "bool(x)", call, call_bool)                                             \
    X("ceil", true, 1, 1, "ceil(x)", call, call_ceil)                                              \
    X("cos", true, 1, 1, "cos(x)", call, call_cos)                                                 \
    X("divmod", false, 2, 2, "divmod(a, b)", call, call_divmod)                                    \
    X("enumerate", false, 1, 2, "enumerate(list, start)", eval, eval_enumerate)                    \
    X("erf", true, 1, 1, "erf(x)", call, call_erf)                                                 \
    X("exp", true, 1, 1, "exp(x)", call, call_exp)                                                 \
    X("fabs", true, 1, 1, "fabs(x)", call, call_fabs)                                              \
    X("float", false, 1, 1, "float(x)", call, call_float)                                          \
    X("floor", true, 1, 1, "floor(x)", call, call_floor)                                           \
    X("gcd", true, 0, ARGUMENTS_LIMIT, "gcd(a, b, ...)", call, call_gcd)                           \
    X("int", false, 1, 1, "int(x)", call, call_int)                                                \
    X("lcm", true, 0, ARGUMENTS_LIMIT, "lcm(a, b, ...)", call, call_lcm)                           \
    X("len", false, 1, 1, "len(list)", call, call_len)                                             \
    X("list", false, 0, 1, "list(items)", eval, eval_as_list)                                      \
    X("log", true, 1, 2, "log(x, base)", call, call_log)                                           \
    X("log10", true, 1, 1, "log10(x)", call, call_log10)                                           \
    X("log2", true, 1, 1, "log2(x)", call, call_log2)                                              \
    X("math.pow", false, 2, 2, "math.pow(x, y)", call, call_math_pow)                              \
    X("max", false, 1, ARGUMENTS_LIMIT, "max(a, b, ...) or max(list)", eval, eval_max)             \
    X("min", false, 1, ARGUMENTS_LIMIT, "min(a, b, ...) or min(list)", eval, eval_min)             \
    X("pow", false, 2, 2, "pow(x, y)", call, call_pow)                                             \
    X("prod", true, 1, 1, "prod(list)", eval, eval_prod)                                           \
    X("range", false, 1, 3, "range(stop) or range(start, stop, step)", eval, eval_range)           \
    X("reversed", false, 1, 1, "reversed(list)", eval, eval_reversed)                              \
    X("round", false, 1, 2, "round(x, digits)", call, call_round)                                  \
    X("set", false, 0, 1, "set(items)", eval, eval_set)                                            \
    X("sin", true, 1, 1, "sin(x)", call, call_sin)                                                 \
    X("sorted", false, 1, 1, "sorted(list)", eval, eval_sorted)                                    \
    X("sqrt", true, 1, 1, "sqrt(x)", call, call_sqrt)                                              \
    X("str", false, 1, 1, "str(x)", call, call_str)                                                \
    X("sum", false, 1, 2, "sum(list, start)", eval, eval_sum)                                      \
    X("tan", true, 1, 1, "tan(x)", call, call_tan)                                                 \
    X("tanh", true, 1, 1, "tanh(x)", call, call_tanh)                                              \
    X("trunc", true, 1, 1, "trunc(x)", call, call_trunc)                                           \
    X("tuple", false, 0, 1, "tuple(items)", eval, eval_as_list)                                    \
    X("zip", false, 0, ARGUMENTS_LIMIT, "zip(list, list, ...)", call, call_zip)

static const struct {
    struct function function;
    bool in_math;
} functions[] = {
#define X(name_, in_math_, least_, most_, usage_, kind_, implementation_)                          \
    {{.name = name_, .least = least_, .most = most_, .usage = usage_, .kind_ = implementation_},   \
     in_math_},
    FUNCTIONS(X)
#undef X
};

enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

const struct function *function_find(const char *name)
{
    bool prefixed = str_starts(name, "math.");
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (str_equal(functions[i].function.name, name))
            return &functions[i].function;
        if (prefixed && functions[i].in_math && str_equal(functions[i].function.name, name + 5))
            return &functions[i].function;
    }
    return NULL;
}

size_t function_names(const char **names, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < FUNCTION_COUNT && count < capacity; i++)
        names[count++] = functions[i].function.name;
    return count;
}

bool math_constant(const char *name, double *out)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", 3.141592653589793},
                     {"e", 2.718281828459045},
                     {"tau", 6.283185307179586},
                     {"inf", INFINITY},
                     {"nan", NAN}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (str_equal(constants[i].name, name)) {
            *out = constants[i].value;
            return true;
        }
    return false;
}
