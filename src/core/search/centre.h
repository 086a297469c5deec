// What is to be expected of a configuration before anything is measured: the further its values are from the middle of their
// lists, the slower it is. People list values on both sides of what they think is good, and what stands at an end is too large
// or too small for most kernels. How far that is true of the kernel at hand, for each of its parameters, and whether one end is
// better than the other, is fitted to the answers: a square and a line for each axis, by least squares with a normal prior for
// each slope (ridge regression; Hoerl, Kennard 1970).
#ifndef HONE_SEARCH_CENTRE_H
#define HONE_SEARCH_CENTRE_H

#include "base/arena.h"
#include "search/axes.h"

#define CENTRE_BUDGET 100 // questions; with fewer a search makes nothing of the centre

struct centre {
    const struct axes *axes;
    // Of each axis the square of its distance from the middle; behind these the place on each axis.
    uint32_t terms;
    double *weights;                // of each term
    double *slopes;                 // by how much a standardised value grows with each term
    double count, value;            // of the answers: how many, and the sum of their values
    double *sums, *products, *both; // over the answers: terms, terms by terms, terms by values
    double *term;                   // scratch: of a point
};

// The axes and the arena outlive it. False without memory.
bool centre_init(struct centre *c, const struct axes *axes, struct arena *a);
// How far a point (a place from 0 to 1 on each axis) is from the middle: 0 in the mean over all configurations, with a deviation
// of about 1. An axis without an order has no part in it, one of two values neither, and a long one more than a short one,
// many of whose values are at an end.
double centre_away(const struct centre *c, const float *point);
// What is expected of a point: the terms with their slopes. Standardised, 0 in the mean. Without answers it grows with
// centre_away().
double centre_value(const struct centre *c, const float *point);

// Fits the slopes: centre_forget(), each answer's point and standardised value, centre_fit().
void centre_forget(struct centre *c);
void centre_learn(struct centre *c, const float *point, double value);
void centre_fit(struct centre *c);

#endif
