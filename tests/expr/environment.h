// The names that the tests' expressions use, with their values, in C and in Python.
#ifndef HONE_TESTS_EXPR_ENVIRONMENT_H
#define HONE_TESTS_EXPR_ENVIRONMENT_H

#include "expr/expr.h"

static const struct value environment_list[] = {
    {.kind = VALUE_INT, .i = 1},
    {.kind = VALUE_INT, .i = 2},
    {.kind = VALUE_INT, .i = 3},
};

// X(name, kind, member, value in C)
#define ENVIRONMENT(X)                                                                             \
    X(a, INT, i, 6)                                                                                \
    X(b, INT, i, 4)                                                                                \
    X(c, INT, i, 3)                                                                                \
    X(n, INT, i, -7)                                                                               \
    X(z, INT, i, 0)                                                                                \
    X(x, FLOAT, f, 2.5)                                                                            \
    X(y, FLOAT, f, -0.5)                                                                           \
    X(t, BOOL, i, 1)                                                                               \
    X(f, BOOL, i, 0)                                                                               \
    X(s, STRING, s, "shuffle")                                                                     \
    X(big, INT, i, INT64_C(1) << 62)                                                               \
    X(none, NONE, i, 0)                                                                            \
    X(KWG, INT, i, 32)                                                                             \
    X(MDIMC, INT, i, 16)                                                                           \
    X(NDIMC, INT, i, 8)                                                                            \
    X(MDIMA, INT, i, 32)                                                                           \
    X(block_size_x, INT, i, 64)                                                                    \
    X(tile_size_x, INT, i, 4)                                                                      \
    X(use_padding, INT, i, 1)

static const struct expr_symbol environment_symbols[] = {
#define X(name_, kind, member, c) {.name = #name_},
    ENVIRONMENT(X)
#undef X
        {.name = "l"},
};

static const struct value environment_slots[] = {
#define X(name, kind_, member, c) {.kind = VALUE_##kind_, .member = c},
    ENVIRONMENT(X)
#undef X
        {.kind = VALUE_LIST, .count = 3, .items = environment_list},
};

static const struct expr_symbols environment = {
    environment_symbols, sizeof environment_symbols / sizeof *environment_symbols};

#define ENVIRONMENT_IN_PYTHON                                                                      \
    "dict(a=6, b=4, c=3, n=-7, z=0, x=2.5, y=-0.5, t=True, f=False, s='shuffle', big=2**62, "      \
    "none=None, KWG=32, MDIMC=16, NDIMC=8, MDIMA=32, block_size_x=64, tile_size_x=4, "             \
    "use_padding=1, l=[1, 2, 3])"

#endif
