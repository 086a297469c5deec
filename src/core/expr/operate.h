// The operators of the language on values.
#pragma once

#include "expr/expr.h"

struct frame;

// X(code, text, level, name): binary operators; a higher level binds tighter, as in Python. `**`
// comes last because the parser treats it apart: it is right associative, and a sign may stand
// behind it.
#define OPERATORS(X)                                                                               \
    X(OR, "|", 1, or)                                                                              \
    X(XOR, "^", 2, xor)                                                                            \
    X(AND, "&", 3, and)                                                                            \
    X(SHL, "<<", 4, shl)                                                                           \
    X(SHR, ">>", 4, shr)                                                                           \
    X(ADD, "+", 5, add)                                                                            \
    X(SUB, "-", 5, sub)                                                                            \
    X(MUL, "*", 6, mul)                                                                            \
    X(DIV, "/", 6, div)                                                                            \
    X(FLOORDIV, "//", 6, floordiv)                                                                 \
    X(MOD, "%", 6, mod)                                                                            \
    X(POW, "**", 7, pow)

enum operator_code {
#define X(code, text, level, name) OPERATOR_##code,
    OPERATORS(X)
#undef X
        OPERATOR_COUNT
};

typedef enum expr_fault (*operate_fn)(struct frame *f, const struct value *a, const struct value *b,
                                      struct value *out);

struct operator_entry {
    const char *text;
    int level;
    operate_fn apply;
};
extern const struct operator_entry operators[OPERATOR_COUNT];

enum unary_code { UNARY_PLUS, UNARY_MINUS, UNARY_INVERT };
enum expr_fault unary_apply(enum unary_code code, const struct value *a, struct value *out);

enum compare_code {
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_IN,
    COMPARE_NOT_IN,
    COMPARE_IS,
    COMPARE_IS_NOT
};
enum expr_fault compare_values(struct frame *f, enum compare_code code, const struct value *a,
                               const struct value *b, bool *out);
enum expr_fault equal_values(struct frame *f, const struct value *a, const struct value *b,
                             bool *out);
// An order of all values, in which those that are equal stand side by side (a NaN equals none): for
// searching alone.
int search_order(const struct value *a, const struct value *b);
// Membership in a list in that order (node.ascending), by binary search.
enum expr_fault sorted_contains(struct frame *f, const struct value *list, const struct value *item,
                                bool *out);
// Only numbers, strings, and lists of them have an order. *order is -1, 0 or 1, or 2 with a NaN.
enum expr_fault order_values(struct frame *f, const struct value *a, const struct value *b,
                             int *order);

static inline bool is_integer(const struct value *v)
{
    return v->kind == VALUE_INT || v->kind == VALUE_BOOL;
}

static inline bool is_number(const struct value *v)
{
    return is_integer(v) || v->kind == VALUE_FLOAT || v->kind == VALUE_UINT;
}

static inline double as_double(const struct value *v)
{
    return v->kind == VALUE_FLOAT ? v->f : v->kind == VALUE_UINT ? (double)v->u : (double)v->i;
}

// A float that must become an int: its integral value, or why there is none.
enum expr_fault integral_value(double f, struct value *out);

// UTF-8: characters of a string, and the byte where character `index` starts.
size_t utf8_length(const char *s);
size_t utf8_offset(const char *s, size_t index);
