// Code shared by gp.c and gp_fit.c: correlations, a block at a time.
#pragma once

#include "search/gp.h"

#define GP_SQUARE_MEAN (1.0 / 12) // of the square of a place, if all are equally frequent

// Loops over this many are unrolled and done in vector registers; arrays are padded to whole
// blocks.
#define GP_BLOCK 64

// The covariances of a point with GP_BLOCK others, whose places on axis i are at others[i *
// stride] and behind.
void gp_correlate(const struct gp *g, const float *point, const float *others, size_t stride,
                  float *out);
// Fills row `n` of the factor from points.
void gp_factor_row(struct gp *g, uint32_t n);
