// A Gaussian process over points of a unit cube, for choosing where to look next: it is told values
// at rows and predicts mean and variance for a pool of candidates, all at once and bit by bit: a
// new row costs one pass over the pool (Rasmussen and Williams 2006: "Gaussian processes for
// machine learning", algorithm 2.1, with the Cholesky factor extended row by row).
//
// The correlation is Matern 5/2 of a distance with a length for each axis. On each axis GP_JUMP of
// the squared distance is there as soon as two places differ at all, and only the rest grows with
// how far apart they are: a kernel with a width of 48 may be nothing like those with 32 and 64.
// (All growing, tuning found the best of a space whose best has such neighbours in half the runs.)
// Values are expected to be standardised: mean about 0, variance about 1.
//
// To this a trend may come: a line and a square along each axis, whose slopes are drawn from normal distributions around 0 (Rasmussen and
// Williams, 2.7). It is a part of the process where the rows are more probable with it than without, and of the variance that makes them most
// probable; else there is none. Its slopes are thus weighed as the process weighs everything: many rows near the best count about as one.
//
// A row may be pending, its value not known yet: it is then taken to be what the process predicts
// (kriging believer; Ginsbourger, Le Riche, Carraro 2010: "Kriging is well-suited to parallelize
// optimization"), so it changes no mean but takes away variance around it.
//
// Only additions, multiplications, divisions, square roots and maths.h: the same on every machine.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gp_axis {
    // How much of `jump` is to be expected on it; with INFINITY all of the distance jumps: two places are equal or not.
    double roughness;
    double line, square; // of the trend's variance, what each is worth; 0: it has no part in it
};

struct gp_shape {
    double *weights; // one an axis: 1 / length^2
    double jump;     // 0 .. 1
    double trend;    // variance of the trend relative to `variance`; 0: there is none
    double noise;    // variance of what is not smooth, relative to `variance`
    double mean;     // far from all rows
    double variance;
};

struct gp {
    uint32_t axes, row_most, pool_most;
    uint32_t row_stride, pool_stride; // the same in whole blocks
    const struct gp_axis *axis;       // each of them
    struct gp_shape shape;
    uint32_t rows, pool;
    float *points;    // of rows: axes x row_stride
    double *factor;   // lower triangle of the Cholesky factor: row_most x row_stride
    double *values;   // of rows
    double *residues; // factor^-1 (values - mean); 0 for a pending row
    bool *pending;
    double *scratch;   // row_stride
    float *point;      // scratch: axes
    float *candidates; // axes x pool_stride
    float *reach;      // factor^-1 correlations of rows and candidates: row_most x pool_stride
    float *means, *variances; // of candidates; variances relative to `variance`
};

// False without memory; gp_release() may follow in any case. The axes are kept and not copied.
bool gp_init(struct gp *g, uint32_t axes, const struct gp_axis *axis, uint32_t row_most,
             uint32_t pool_most);
void gp_release(struct gp *g);

// No rows, no candidates. Shape is the caller's to set before rows come.
void gp_clear(struct gp *g);
// One candidate more (there must be room); its place in the pool.
uint32_t gp_add_candidate(struct gp *g, const float *point);
// One row more (there must be room): known, or pending.
uint32_t gp_add_row(struct gp *g, const float *point, bool known, double value);
// The value of a pending row.
void gp_tell(struct gp *g, uint32_t row, double value);

double gp_mean(const struct gp *g, uint32_t candidate);
double gp_variance(const struct gp *g, uint32_t candidate);

// Chooses the shape for the first `count` rows: lengths, noise, trend, mean and variance of the highest
// posterior density, by steps along one coordinate after the other from the shape as it is. The
// rows' points and values are given by gp_place_row(); factor, residues and candidates are
// undefined afterwards: gp_clear() follows.
void gp_place_row(struct gp *g, uint32_t row, const float *point, double value);
void gp_fit(struct gp *g, uint32_t count, uint32_t sweeps);
// The shape to begin with.
void gp_prior(struct gp *g);

// Expected improvement over `best` of a normal variable (Jones, Schonlau, Welch 1998: "Efficient
// global optimization of expensive black-box functions"), for looking for the least value.
struct improvement {
    double table[513];
};
void improvement_init(struct improvement *t);
double improvement_expected(const struct improvement *t, double best, double mean,
                            double deviation);
