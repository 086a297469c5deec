// The parameters as axes: the values of each in their natural order, so that "one step" and "how
// far apart" mean something. Numbers and booleans are ordered by value, whatever the order of their
// list; everything else is unordered.
#pragma once

#include "base/arena.h"
#include "space/space.h"

struct axis {
    uint32_t parameter;
    uint32_t count; // of values, at least 2
    bool ordered;
    const uint32_t *order; // place -> value index
    const uint32_t *place; // value index -> place
    // Value index -> how often 2 divides the value, from 0 for the least to 1 for the most; NULL where the
    // list is short or this grows with the value. Sub-groups, banks and lines are powers of two: a width of 64
    // may be more like 32 and 128 than like the 48 and 80 beside it.
    const float *twos;
};

struct axes {
    const struct axis *items; // parameters with one value have none
    uint32_t count;
    uint32_t parameters;
    uint32_t twos;  // axes that have these
    uint64_t steps; // configurations that differ in one parameter, valid or not
    struct arena arena;
};

// False without memory; axes_release() may follow in any case.
bool axes_init(struct axes *x, const struct spec *s);
void axes_release(struct axes *x);

// How much of the axis's distance jumps, for gp.h: a handful of values was chosen one by one, each may
// be a case of its own; a long list is a range. INFINITY where it is unordered.
double axis_roughness(const struct axis *a);

// Changes one parameter of `choice`: step < x->steps enumerates all the ways.
void axes_change(const struct axes *x, uint64_t step, uint32_t *choice);
// A random other value for one axis; where it is ordered, as often the next one up or down.
void axes_mutate(const struct axes *x, uint32_t axis, struct rng *r, uint32_t *choice);
