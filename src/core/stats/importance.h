// How much each parameter matters: shares of the variance of a number (log time) over a space, by functional analysis of
// variance on a forest of regression trees (Hutter, Hoos, Leyton-Brown, "An efficient approach for assessing
// hyperparameter importance", ICML 2014). Every tree is grown from a sample drawn with replacement; what it says of the
// whole product of the values, valid or not, is exact, since its leaves are boxes. The trees differ, and that is how
// uncertain a share is.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMPORTANCE_TREES 24
#define IMPORTANCE_LEAST 12 // rows without which nothing is said
#define IMPORTANCE_PAIRS 8  // of the parameters that matter most

struct importance_data {
    const uint32_t *const *choices; // of each row a value's index for each parameter
    const double *values;
    size_t count;
    const uint32_t *sizes; // values of each parameter
    uint32_t parameter_count;
};

struct importance_share {
    uint32_t first, second; // second: first itself, or of a pair what both do beyond each alone
    double share;           // of the variance, the mean over the trees
    double low, high;       // between which the central 80 % of the trees are
};

struct importance {
    struct importance_share *shares; // the largest first, one for each parameter
    size_t count;
    struct importance_share *pairs; // likewise, of the IMPORTANCE_PAIRS first
    size_t pair_count;
    double explained; // share of the variance of rows that a tree has not seen: of 1
};

// In the arena. Same seed, same answer. *count 0: too few rows, or all are equal. False without memory.
bool importance_find(const struct importance_data *d, uint64_t seed, struct arena *a,
                     struct importance *out);
