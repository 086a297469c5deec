// Structs that a kernel takes by value: their members as parameters of their own.
#pragma once

#include "kernel_text/syntax.h"
#include "problem/layout.h"

// Where a parameter comes from.
struct spread_parameter {
    const struct layout *layout; // (or NULL) of a struct by value
    uint32_t owner;              // of a member: its struct's parameter; else its own index
    const char *member;          // (or NULL)
};

// The array of extents beside an array of strides, which are their products, the innermost first: strides[2] is
// dims[0] * dims[1]. NULL: `m` is no such array.
const struct layout_member *spread_extents(const struct layout *l, const struct layout_member *m);

// Which element of an array of extents "dims[1]" is; -1: of none.
int spread_extent(const char *member);

// Appends to the kernel's parameters the numbers among the members of its structs that its body uses, and puts them in place
// of `shape.rows`. `out` has a row for each parameter, the new ones too. False without memory.
bool spread_structs(struct syntax *s, struct function *kernel, const char *text, enum language l,
                    struct arena *a, struct spread_parameter **out);
