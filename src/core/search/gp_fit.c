// The shape of a Gaussian process from its data: the lengths, the share of a jump, the noise and the trend
// that make the data most probable. Found by trying each in turn a step longer and a step shorter;
// steps become finer with each sweep.
#include "search/gp_inside.h"
#include "search/maths.h"

#include <math.h>

// Lengths are expected around the cube's side, longer with more axes, since distances grow with
// them (Hvarfner, Hellsten, Nardi 2024: "Vanilla Bayesian optimization performs great in high
// dimensions"); a factor of e away from that is one deviation.
#define LENGTH_USUAL     0.7
#define LENGTH_DEVIATION 1.0
#define LENGTH_LEAST     0.05
#define LENGTH_MOST      30.0
#define JUMP_USUAL       0.1
#define JUMP_LEAST       0.001
#define JUMP_MOST        0.9
#define JUMP_DEVIATION   2.0
#define NOISE_USUAL      1e-3
#define NOISE_LEAST      1e-5
#define NOISE_MOST       0.3
#define NOISE_DEVIATION  2.0
#define TREND_USUAL      0.1
#define TREND_LEAST      1e-4
#define TREND_MOST       30.0
#define TREND_DEVIATION  2.0
#define STEP             0.7 // of logarithms, the first
#define FINER            0.7 // each later sweep's

static double usual_length(const struct gp *g)
{
    return LENGTH_USUAL * sqrt((double)(g->axes > 0 ? g->axes : 1));
}

void gp_prior(struct gp *g)
{
    double length = usual_length(g);
    for (uint32_t i = 0; i < g->axes; i++)
        g->shape.weights[i] = 1 / (length * length);
    g->shape.jump = JUMP_USUAL;
    g->shape.trend = 0;
    g->shape.noise = NOISE_USUAL;
    g->shape.mean = 0;
    g->shape.variance = 1;
}

// Fills the factor; returns half the logarithm of the determinant.
static double factorise(struct gp *g, uint32_t count)
{
    double determinant = 0;
    for (uint32_t n = 0; n < count; n++) {
        gp_factor_row(g, n);
        determinant += maths_log(g->factor[(size_t)n * g->row_stride + n]);
    }
    return determinant;
}

// out = factor^-1 in
static void solve_lower(const struct gp *g, const double *in, uint32_t count, double *out)
{
    for (uint32_t n = 0; n < count; n++) {
        const double *row = g->factor + (size_t)n * g->row_stride;
        double sum = in ? in[n] : 1;
        for (uint32_t j = 0; j < n; j++)
            sum -= row[j] * out[j];
        out[n] = sum / row[n];
    }
}

// The logarithm of the posterior density, with the mean and variance that make it largest, which
// it sets.
static double density(struct gp *g, uint32_t count)
{
    double determinant = factorise(g, count);
    double *y = g->residues, *one = g->scratch, ones = 1, both = 0, square = 0;
    solve_lower(g, g->values, count, y);
    solve_lower(g, NULL, count, one);
    for (uint32_t i = 0; i < count; i++) {
        ones += one[i] * one[i]; // begins at 1: the mean is 0, give or take the deviation
        both += one[i] * y[i];
    }
    g->shape.mean = both / ones;
    for (uint32_t i = 0; i < count; i++) {
        double rest = y[i] - g->shape.mean * one[i];
        square += rest * rest;
    }
    // A variance of 1 is worth two observations.
    g->shape.variance = (square + 2) / (count + 2);
    double usual = maths_log(usual_length(g)), penalty = 0, away;
    for (uint32_t i = 0; i < g->axes; i++) {
        away = (-0.5 * maths_log(g->shape.weights[i]) - usual) / LENGTH_DEVIATION;
        penalty += away * away / 2;
    }
    away = (maths_log(g->shape.jump) - maths_log(JUMP_USUAL)) / JUMP_DEVIATION;
    penalty += away * away / 2;
    away = (maths_log(g->shape.noise) - maths_log(NOISE_USUAL)) / NOISE_DEVIATION;
    penalty += away * away / 2;
    if (g->shape.trend > 0) {
        away = (maths_log(g->shape.trend) - maths_log(TREND_USUAL)) / TREND_DEVIATION;
        penalty += away * away / 2;
    }
    return -0.5 * count * maths_log(g->shape.variance) - determinant - penalty;
}

// The coordinates behind the axes' weights.
enum { JUMP, NOISE, TREND, OTHERS };

struct range {
    double least, most;
};

static double *coordinate(struct gp *g, uint32_t c, struct range *range)
{
    static const struct range ranges[] = {[JUMP] = {JUMP_LEAST, JUMP_MOST},
                                          [NOISE] = {NOISE_LEAST, NOISE_MOST},
                                          [TREND] = {TREND_LEAST, TREND_MOST}};
    if (c >= g->axes) {
        double *others[] = {
            [JUMP] = &g->shape.jump, [NOISE] = &g->shape.noise, [TREND] = &g->shape.trend};
        *range = ranges[c - g->axes];
        return others[c - g->axes];
    }
    *range = (struct range){1 / (LENGTH_MOST * LENGTH_MOST), 1 / (LENGTH_LEAST * LENGTH_LEAST)};
    return &g->shape.weights[c];
}

// Tries a coordinate times `factor`, and keeps it where it is better.
static bool try_step(struct gp *g, uint32_t c, double factor, double *best, uint32_t count)
{
    struct range range;
    double *at = coordinate(g, c, &range), before = *at, next = before * factor;
    next = next < range.least ? range.least : next > range.most ? range.most : next;
    if (next == before)
        return false;
    *at = next;
    double found = density(g, count);
    if (found > *best) {
        *best = found;
        return true;
    }
    *at = before;
    return false;
}

// Whether the rows are more probable with a trend or without: what decides is the other of the two.
static void weigh_trend(struct gp *g, uint32_t count, double best)
{
    double kept = g->shape.trend;
    g->shape.trend = kept > 0 ? 0 : TREND_USUAL;
    if (density(g, count) <= best)
        g->shape.trend = kept;
}

// A trend that is not there is no coordinate.
static uint32_t coordinates(const struct gp *g)
{
    return g->axes + (g->shape.trend > 0 ? OTHERS : TREND);
}

void gp_fit(struct gp *g, uint32_t count, uint32_t sweeps)
{
    double best = density(g, count), step = STEP;
    for (uint32_t sweep = 0; sweep < sweeps; sweep++) {
        for (uint32_t c = 0; c < coordinates(g); c++) {
            double factor = maths_exp(2 * step); // of a length's square
            if (!try_step(g, c, factor, &best, count))
                try_step(g, c, 1 / factor, &best, count);
        }
        step *= FINER;
    }
    weigh_trend(g, count, best);
    density(g, count); // mean and variance of the shape that is kept
}
