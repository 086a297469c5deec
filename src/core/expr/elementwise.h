// An expression over arrays that has a value for each index: "a * x[i] + y[i]". The language is that of expr.h; names
// are constants and arrays, and `i` is the index. It is compiled into cells of known type (exact integers
// from -2^63 to 2^64 - 1, or doubles) that are evaluated for a block of indices at a time, each cell as often as what it reads changes: of
// `sum(A[i // N * K + k] for k in range(K))` the part without k is evaluated once a block.
//
// Integers are as large as 64 bits hold; `%`, `//` and `>>` take what two such give. What is taken modulo a power of two,
// or masked by `&`, is computed modulo 2^64 from there down, which is the same and never overflows.
//
// An index without a value is a fault that names the index: an array index out of range (or negative), a division by
// zero, an overflow. Parts that a condition leaves out are not evaluated, as in Python.
#pragma once

#include "expr/expr.h"

#define ELEMENTWISE_BLOCK 256 // indices at a time

// An array that the expression may read, one number a component.
struct elementwise_array {
    const char *name;
    uint64_t count;
    bool is_float;     // read as doubles, else as int64_t
    int64_t low, high; // integers: what they may be
    const void *data;  // not read before it is evaluated
    // Reads data[at[0]] .. data[at[count - 1]], whose indices were checked.
    void (*read)(const void *data, const int64_t *at, size_t count, void *out);
    bool
        is_unsigned; // integers up to 2^64 - 1, as the bits of an int64_t; low and high mean nothing
};

struct elementwise_constant {
    const char *name;
    struct value value; // a bool, int or float
};

struct elementwise_question {
    const char *text;
    uint64_t size; // indices: `i` is in [0, size)
    const struct elementwise_constant *constants;
    uint32_t constant_count;
    const struct elementwise_array *arrays;
    uint32_t array_count;
    // An integer is taken modulo 2**wraps, as the unsigned types of C do; 0: it is exact.
    uint32_t wraps;
};

struct elementwise; // compiled; immutable

// All values of an expression are of one of the two. An unsigned integer has its bits in `i`.
union elementwise_value {
    int64_t i;
    double f;
};

// Everything lives in the arena, and the arrays outlive it. NULL with the column, what is wrong and what would be right.
struct elementwise *elementwise_compile(struct arena *a, const struct elementwise_question *q,
                                        struct error *e);
bool elementwise_is_float(const struct elementwise *p);
// May its integers be above 2^63 - 1? Then none is negative.
bool elementwise_is_unsigned(const struct elementwise *p);
// Does its value depend on the index at all?
bool elementwise_uses_index(const struct elementwise *p);
// Does the expression read the data of this array?
bool elementwise_reads(const struct elementwise *p, uint32_t array);
// Operations on one number that an index costs; at least 1.
uint64_t elementwise_cost(const struct elementwise *p);

// Starts an evaluation; each thread needs its own. NULL if memory runs out.
struct elementwise_run *elementwise_begin(const struct elementwise *p);
void elementwise_end(struct elementwise_run *r); // NULL is fine
// The values from `first` on, at most ELEMENTWISE_BLOCK, valid until the next call. NULL: the error
// names the first index without a value, which is also *at.
const union elementwise_value *elementwise_values(struct elementwise_run *r, uint64_t first,
                                                  size_t count, uint64_t *at, struct error *e);
