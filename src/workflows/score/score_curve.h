// How a search does beside drawing at random: the measure of Willemsen, Schoonhoven, Filipovič,
// Tørring, van Nieuwpoort and van Werkhoven, "A methodology for comparing auto-tuning optimization
// algorithms" (Future Generation Computer Systems 159, 2024). Pure functions of numbers: no space,
// clock or strategy.
//
// Values are those of the objective, smaller is better. A failed configuration is a draw that finds
// nothing. As long as nothing was found, search and baseline are both taken to have the worst of
// the values: so drawing at random scores 0 in the mean, however many fail.
#pragma once

#include "base/error.h"
#include "workflows/score/score_shares.h"

#include <stdint.h>

// The budget ends at this share of the way from the median to the optimum.
#define BASELINE_SHARE 0.95

// The result of drawing from a space without replacement: expectations, exact from the sorted
// values.
struct baseline {
    uint64_t count;                // configurations of the space
    uint64_t correct;              // of them; those have values
    double optimum, median, worst; // of the values; optimum < worst
    // The budget: the least number of draws whose expected best has come BASELINE_SHARE of the way
    // from the median to the optimum. At least 2.
    uint64_t draws;
    double *gap; // [0 .. draws]: the expected best after so many draws, less the optimum
    double *sum; // [0 .. draws + 1]: of 1 / gap[i] for i below
};

// Sorts `values`, those of the correct ones among `count` configurations. False where there is
// nothing to look for (no value, or all are equal) and without memory. What failed is released too.
bool baseline_init(struct baseline *b, double *values, uint64_t correct, uint64_t count,
                   struct error *e);
void baseline_release(struct baseline *b);

// One search along the baseline: its best value so far, set against the baseline from `position`
// to `limit`, both counted in draws of the baseline.
struct curve {
    const struct baseline *baseline;
    double first, position, limit;
    double best; // so far; the worst value as long as nothing was found
    double loss; // integral of (best - optimum) / gap
    bool found;
    double marks[CURVE_SHARES]; // positions that are still to come by then
    double at[CURVE_SHARES];    // the best there; NaN as long as it was not passed
};

// By evaluations: after the k-th the search's best meets the baseline's after k draws, k = 1 ..
// draws. curve_found() and curve_pass(c, 1) for each evaluation.
void curve_by_evaluations(struct curve *c, const struct baseline *b);
// By time: the baseline draws at the mean cost of the space's configurations, so that times are
// passed as multiples of that. curve_pass(c, cost) and then curve_found() for each evaluation.
void curve_by_time(struct curve *c, const struct baseline *b);
void curve_found(struct curve *c, double value); // NaN: it failed
void curve_pass(struct curve *c, double draws);
bool curve_is_over(const struct curve *c); // nothing that comes later counts
// The mean of (baseline - best) / (baseline - optimum): 0 as good as random, 1 the optimum at once.
// The rest of the budget counts with the best so far.
double curve_score(const struct curve *c);
// The same after curve_shares[share] of the budget, and not a mean: the lead over random draws as a part of what they
// have left. NaN where they are sure of the optimum by then.
double curve_lead(const struct curve *c, unsigned share);
// Is the best of now within CURVE_NEAR of the optimum?
bool curve_is_near(const struct curve *c);
// Has it come BASELINE_SHARE of the way from the median to the optimum?
bool curve_is_along(const struct curve *c);
