// The expression language of specs: Python's, for restrictions, sizes, values, fills and metrics.
//
// Integers are exact 64-bit, from -2^63 to 2^64 - 1: overflow is a fault, never a wrap. `//` and `%` floor as Python's do,
// `/` is true division, `**`, chained comparison, `and or not` with Python's short-circuit (they
// yield an operand, not a bool), conditional expressions, `in` and `not in`, lists and tuples,
// comprehensions, indexing, and the functions of function.c. Tuples, ranges and sets
// are lists; `is` asks for the same kind and an equal value. Unknown names and unknown syntax are
// refused when the text is parsed, with the column. Nothing is ever executed but this.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// UINT: an integer from 2^63 to 2^64 - 1. It comes from a literal, or from arithmetic with one: -1 + 2^63 is an INT again.
enum value_kind {
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STRING,
    VALUE_LIST,
    VALUE_UINT
};

struct emit;

struct value {
    enum value_kind kind;
    uint32_t count; // LIST: items
    union {
        int64_t i;                 // BOOL (0 or 1), INT
        uint64_t u;                // UINT
        double f;                  // FLOAT
        const char *s;             // STRING
        const struct value *items; // LIST
    };
};

struct value value_int(int64_t i);
// An INT, or a UINT if it needs to be.
struct value value_uint(uint64_t u);
struct value value_float(double f);
struct value value_bool(bool b);
struct value value_string(const char *s); // not copied
struct value value_list(const struct value *items, uint32_t count);
// Deep copy into the arena; false without memory.
bool value_copy(struct arena *a, const struct value *from, struct value *to);
// Python's ==: 1 == 1.0 == True; lists item by item.
bool value_equal(const struct value *a, const struct value *b);
bool value_truth(const struct value *v);
bool value_to_f64(const struct value *v, double *out);  // any number
bool value_to_i64(const struct value *v, int64_t *out); // BOOL, INT, and FLOAT without a fraction
// The bits of an integer: those that an INT or UINT has as 64 of them.
bool value_to_bits(const struct value *v, uint64_t *out);
const char *value_kind_name(enum value_kind k); // "int", "float", ...
// As Python's repr() writes it: True, 3, 0.5, 'text', [1, 2]; one form per value.
void value_print(const struct value *v, struct text *out);
void value_emit(const struct value *v, struct emit *j); // as JSON
// Reads one literal as the command line writes it: 64, -3, 0.5, True/true, 'quoted'; anything else
// is taken as a bare string.
bool value_parse_literal(const char *text, struct arena *a, struct value *out);

// A name that expressions may use. Its index in the table is its slot: expr_eval() takes one value
// per slot. `domain` (or NULL) is the list of all values a parameter can take: max(NAME) and
// min(NAME) of a name with a domain mean the largest and smallest of it, as T1 files use it.
struct expr_symbol {
    const char *name;
    const struct value *domain;
    bool is_builtin; // hone's own: messages that list names begin with the others
};

struct expr_symbols {
    const struct expr_symbol *items;
    size_t count;
};

struct expr; // compiled; immutable; lives in the arena it was parsed into

// Why an evaluation has no value.
#define EXPR_FAULTS(X)                                                                             \
    X(NONE, "no fault")                                                                            \
    X(ZERO, "division by zero")                                                                    \
    X(OVERFLOW, "integer overflow")                                                                \
    X(TYPE, "operands of the wrong type")                                                          \
    X(DOMAIN, "argument outside the function's domain")                                            \
    X(INDEX, "index out of range")                                                                 \
    X(LIMIT, "more items or steps than the limit")                                                 \
    X(MEMORY, "out of memory")

enum expr_fault {
#define X(name, text) EXPR_FAULT_##name,
    EXPR_FAULTS(X)
#undef X
};

const char *expr_fault_text(enum expr_fault fault);

// Parses `text`. On failure NULL, and the error says the column (from 1), what is wrong, and for an
// unknown name the nearest known one. Everything is allocated from the arena.
struct expr *expr_parse(struct arena *a, const char *text, const struct expr_symbols *symbols,
                        struct error *e);

// Evaluates over slots[0 .. symbols->count). Allocates only for lists and strings, from `scratch`
// (may be NULL when the expression makes none): what *out points to lies in the slots, in the
// expression, or in `scratch`. Pure and re-entrant. Time and memory are bounded, and so is what
// value_copy(), value_print() and value_equal() then have to do: beyond that lies a fault (LIMIT).
enum expr_fault expr_eval(const struct expr *x, const struct value *slots, struct arena *scratch,
                          struct value *out);
// The same for restrictions: only the truth of the value. As fast as can be: no allocation for
// anything but lists.
enum expr_fault expr_test(const struct expr *x, const struct value *slots, struct arena *scratch,
                          bool *out);

// The same with a bound: takes from *steps (a step is a nanosecond or two) what loops, lists and
// texts cost, beyond the cost of each node once (expr_weight()). Where they run out *steps is 0,
// and whatever comes back says nothing about the expression.
enum expr_fault expr_eval_within(const struct expr *x, const struct value *slots,
                                 struct arena *scratch, uint64_t *steps, struct value *out);
enum expr_fault expr_test_within(const struct expr *x, const struct value *slots,
                                 struct arena *scratch, uint64_t *steps, bool *out);

// Is it a list whatever the values: [a, b], or a, b? As a condition it is true unless it is empty.
bool expr_is_list(const struct expr *x);
// How many nodes its tree has.
uint32_t expr_weight(const struct expr *x);

// Does the expression read this slot (domain uses, as in max(NAME), do not count)?
bool expr_uses(const struct expr *x, size_t slot);
// The slots it reads, ascending; returns how many.
size_t expr_slots(const struct expr *x, const uint32_t **slots);
// The same slots in the order in which they first stand in the text; `out` has room for them.
void expr_slots_as_read(const struct expr *x, uint32_t *out);
// The text as parsed.
const char *expr_text(const struct expr *x);
