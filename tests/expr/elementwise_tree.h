// Expressions over arrays, held against the tree that everything else in the language is evaluated by, which sees the
// arrays as lists. It counts negative indices from the end and evaluates what any() and all() ask for, no more.
#ifndef HONE_TESTS_EXPR_ELEMENTWISE_TREE_H
#define HONE_TESTS_EXPR_ELEMENTWISE_TREE_H

#include "base/text.h"
#include "expr/elementwise.h"

#include <math.h>
#include <string.h>

enum { TREE_ITEMS = 24, TREE_SIZE = 300 };

static const double tree_floats[TREE_ITEMS] = {0.5,  -1.25, 3, 0, 7.5,   -2,
                                               1e10, 0.1,   4, 9, -0.75, 2};
static const int64_t tree_integers[TREE_ITEMS] = {
    3, 1, 4, 1, 5, 9, 2, 6, -5, 3, 5, 8, 0, 7, 23, 11, INT64_C(1) << 40};

static void tree_read(const void *data, const int64_t *at, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++)
        memcpy((char *)out + 8 * i, (const char *)data + 8 * at[i], 8);
}

static const struct elementwise_constant tree_constants[] = {
    {"N", {.kind = VALUE_INT, .i = 5}},
    {"K", {.kind = VALUE_INT, .i = 4}},
    {"a", {.kind = VALUE_FLOAT, .f = 2.5}}};

static const struct elementwise_array tree_arrays[] = {
    {"x", TREE_ITEMS, true, 0, 0, tree_floats, tree_read, false},
    {"n", TREE_ITEMS, false, INT64_MIN, INT64_MAX, tree_integers, tree_read, false},
};

static struct elementwise *tree_compile(struct arena *a, const char *text, struct error *e)
{
    const struct elementwise_question q = {text, TREE_SIZE, tree_constants, 3, tree_arrays, 2, 0};
    return elementwise_compile(a, &q, e);
}

// As the tree has it at index i.
static enum expr_fault tree_value(const struct expr *x, uint64_t i, struct arena *scratch,
                                  struct value *out)
{
    struct value floats[TREE_ITEMS], integers[TREE_ITEMS], slots[7];
    for (int k = 0; k < TREE_ITEMS; k++) {
        floats[k] = value_float(tree_floats[k]);
        integers[k] = value_int(tree_integers[k]);
    }
    slots[0] = value_int((int64_t)i);
    slots[1] = value_int(TREE_SIZE);
    for (int k = 0; k < 3; k++)
        slots[2 + k] = tree_constants[k].value;
    slots[5] = value_list(floats, TREE_ITEMS);
    slots[6] = value_list(integers, TREE_ITEMS);
    enum expr_fault fault = expr_eval(x, slots, scratch, out);
    return fault ? fault : value_copy(scratch, out, out) ? EXPR_FAULT_NONE : EXPR_FAULT_MEMORY;
}

static struct expr *tree_parse(struct arena *a, const char *text)
{
    static const struct expr_symbol items[] = {{.name = "i"}, {.name = "size"}, {.name = "N"},
                                               {.name = "K"}, {.name = "a"},    {.name = "x"},
                                               {.name = "n"}};
    static const struct expr_symbols symbols = {items, 7};
    return expr_parse(a, text, &symbols, NULL);
}

static bool tree_agrees(const struct value *v, const union elementwise_value *found, bool is_float)
{
    double number, is = is_float ? found->f : (double)found->i;
    int64_t integer;
    if (!is_float && value_to_i64(v, &integer))
        return integer == found->i;
    if (!value_to_f64(v, &number))
        return false;
    return (isnan(number) && isnan(is)) || number == is ||
           fabs(number - is) <= 1e-9 * fabs(number) + 1e-300;
}

#endif
