// How values grow along the axes: a line and a square for each of them, fitted to the answers by least squares with a normal prior
// for each slope whose mean is 0 (ridge regression; Hoerl, Kennard 1970). So nothing is assumed of a kernel that its own answers do
// not say: not where in its lists the best is, nor which end of them is better. A list written down instead of up makes no difference.
#ifndef HONE_SEARCH_TREND_H
#define HONE_SEARCH_TREND_H

#include "base/arena.h"
#include "search/axes.h"

#define TREND_BUDGET 100 // questions; with fewer a search makes nothing of the trend

struct trend {
    const struct axes *axes;
    // Two for each axis: first the squares of the distances from the middle, then the places on the axes.
    uint32_t terms;
    double *weights;                // of each term
    double *slopes;                 // by how much a standardised value grows with each term
    double count, value;            // of the answers: how many, and the sum of their values
    double *sums, *products, *both; // over the answers: terms, terms by terms, terms by values
    double *term;                   // scratch: of a point
};

// The axes and the arena outlive it. False without memory.
bool trend_init(struct trend *t, const struct axes *axes, struct arena *a);
// The value expected at a point (a place from -0.5 to 0.5 on each axis): the sum of its terms, each times its
// slope. Standardised, 0 in the mean over all configurations, and 0 everywhere without answers. An axis
// without an order has no part in it.
double trend_value(const struct trend *t, const float *point);

// Fits the slopes: trend_forget(), each answer's point and standardised value, trend_fit().
void trend_forget(struct trend *t);
void trend_learn(struct trend *t, const float *point, double value);
void trend_fit(struct trend *t);

#endif
