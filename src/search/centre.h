// What is to be expected of a configuration before anything is measured: the further its values are from the middle of their
// lists, the slower it is. People list values on both sides of what they think is good, and what stands at an end is too large
// or too small for most kernels. How far that is true of the kernel at hand is fitted to the answers.
#ifndef HONE_SEARCH_CENTRE_H
#define HONE_SEARCH_CENTRE_H

#include "search/axes.h"

struct centre {
    const struct axes *axes;
    double deviation; // of the sum over the axes, where values are drawn at random
    double slope;     // by how much a standardised value grows with centre_away()
    double count, away, value, products, squares; // sums over the answers
};

// The axes outlive it.
void centre_init(struct centre *c, const struct axes *axes);
// How far a point (a place from 0 to 1 on each axis) is from the middle: 0 in the mean over all configurations, with a deviation
// of about 1. An axis without an order has no part in it, one of two values neither, and a long one more than a short one,
// many of whose values are at an end.
double centre_away(const struct centre *c, const float *point);

// Fits the slope: centre_forget(), then each answer's standardised value.
void centre_forget(struct centre *c);
void centre_learn(struct centre *c, double away, double value);

#endif
