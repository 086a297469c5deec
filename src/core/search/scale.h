// From objective values to numbers that a Gaussian process can be told.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Values of one sign become logarithms: a kernel that takes twice as long is as much worse at a
// microsecond as at a second. Then they are centred and divided by their deviation. What is far
// worse than the median is cut off there: how bad the bad ones are says nothing about the best,
// and would take all the detail from where it matters. A failure is a little worse than that.
struct scale {
    enum { SCALE_PLAIN, SCALE_LOG, SCALE_NEGATIVE_LOG } form;
    double centre, deviation;
    double ceiling, failure; // scaled
};

// Something with a value, for sorting.
struct ranked {
    double value;
    uint32_t at;
};

// By value, and where that is equal by place: one order on every machine. For qsort().
int ranked_compare(const void *a, const void *b);
// The i-th of `some` out of `count` that are in order: the best as one half, the other half spread
// over the rest.
uint32_t ranked_spread(uint32_t i, uint32_t some, uint32_t count);

// Finite values, ascending, at least one.
void scale_choose(struct scale *s, const struct ranked *values, size_t count);
// A value of another sign than those seen so far comes out as far better or as bad as it gets.
double scale_apply(const struct scale *s, double value);
