// From a problem to its diagram: filters the parameters' values, then builds in the spec's order,
// or if that takes too long in an order of its own.
#pragma once

#include "space/build.h"

struct solve_options {
    const bool *skip;          // restrictions to leave out, or NULL
    const struct value *slots; // constants and facts to use, or NULL: the problem's
    bool any;                  // only: is there anything? (the diagram has a root, but no content)
    uint64_t *effort;          // what may be spent, reduced by what was; NULL: whatever it takes
    const struct build_limits *limits; // NULL: the usual
};

// Facts about the solution besides the diagram.
struct solved {
    uint64_t
        *faults; // one a restriction, the caller's: assignments of its parameters without value
    uint32_t culprit; // when the effort was used up: the restriction that took it; UINT32_MAX: none
};

// `solved`: NULL when it is not wanted.
enum build_outcome solve(const struct problem *p, const struct solve_options *o,
                         struct diagram *out, struct solved *solved);
