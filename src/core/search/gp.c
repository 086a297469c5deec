// The Gaussian process. Points, correlations and the Cholesky factor lie in arrays with a row for
// each result; a new row extends the factor by one row and updates the mean and variance of every
// candidate in one pass, instead of solving anew.
#include "search/gp.h"

#include "search/gp_inside.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK GP_BLOCK

static uint32_t whole_blocks(uint32_t count)
{
    return (count + BLOCK - 1) / BLOCK * BLOCK;
}

bool gp_init(struct gp *g, uint32_t axes, const struct gp_axis *axis, uint32_t row_most,
             uint32_t pool_most)
{
    size_t n = whole_blocks(row_most), p = whole_blocks(pool_most);
    size_t d = (size_t)axes + 1; // + 1: no allocation of nothing
    *g = (struct gp){.axes = axes,
                     .row_most = row_most,
                     .pool_most = pool_most,
                     .row_stride = (uint32_t)n,
                     .pool_stride = (uint32_t)p,
                     .axis = axis};
    g->shape.weights = calloc(d, sizeof *g->shape.weights);
    g->points = calloc(n * d, sizeof *g->points);
    g->factor = calloc(n * n, sizeof *g->factor);
    g->values = calloc(n, sizeof *g->values);
    g->residues = calloc(n, sizeof *g->residues);
    g->pending = calloc(n, sizeof *g->pending);
    g->scratch = calloc(n, sizeof *g->scratch);
    g->point = calloc(d, sizeof *g->point);
    g->candidates = calloc(p * d, sizeof *g->candidates);
    g->reach = calloc(n * p, sizeof *g->reach);
    g->means = calloc(p, sizeof *g->means);
    g->variances = calloc(p, sizeof *g->variances);
    return g->shape.weights && g->points && g->factor && g->values && g->residues && g->pending &&
           g->scratch && g->point && g->candidates && g->reach && g->means && g->variances;
}

void gp_release(struct gp *g)
{
    free(g->shape.weights);
    free(g->points);
    free(g->factor);
    free(g->values);
    free(g->residues);
    free(g->pending);
    free(g->scratch);
    free(g->point);
    free(g->candidates);
    free(g->reach);
    free(g->means);
    free(g->variances);
}

void gp_clear(struct gp *g)
{
    g->rows = g->pool = 0;
}

// ---- covariance --------------------------------------------------------------------------------

// exp(-x) for 0 <= x, in float, without a branch: as maths_exp(), for a block.
static inline float falling_exp(float x)
{
    x = x < 80 ? -x : -80;
    float k = x * 0x1.715476p+0f + 0x1.8p23f - 0x1.8p23f;
    float r = x - k * 0x1.63p-1f + k * 0x1.bd0106p-13f;
    float sum = 1 + r * (1.0f / 6);
    sum = 1 + r * (1.0f / 5) * sum;
    sum = 1 + r * (1.0f / 4) * sum;
    sum = 1 + r * (1.0f / 3) * sum;
    sum = 1 + r * (1.0f / 2) * sum;
    sum = 1 + r * sum;
    union {
        int32_t i;
        float f;
    } power = {.i = ((int32_t)k + 127) * (1 << 23)};
    return sum * power.f;
}

// The trend's part of the covariances is added.
static void add_trend(const struct gp *g, const float *point, const float *others, size_t stride,
                      float *restrict out)
{
    const float mean = (float)GP_SQUARE_MEAN;
    float sums[BLOCK] = {0};
    for (uint32_t i = 0; i < g->axes; i++) {
        const float *places = others + i * stride;
        float line = (float)(g->shape.trend * g->axis[i].line) * point[i];
        float square = (float)(g->shape.trend * g->axis[i].square) * (point[i] * point[i] - mean);
        for (int p = 0; p < BLOCK; p++)
            sums[p] += line * places[p] + square * (places[p] * places[p] - mean);
    }
    for (int p = 0; p < BLOCK; p++)
        out[p] += sums[p];
}

// The variance of a point.
static double own_variance(const struct gp *g, const float *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < g->axes; i++) {
        double place = (double)point[i], apart = place * place - GP_SQUARE_MEAN;
        sum += g->axis[i].line * place * place + g->axis[i].square * apart * apart;
    }
    return 1 + g->shape.trend * sum;
}

void gp_correlate(const struct gp *g, const float *point, const float *others, size_t stride,
                  float *restrict out)
{
    float square[BLOCK] = {0};
    for (uint32_t i = 0; i < g->axes; i++) {
        const float *places = others + i * stride;
        double share = g->axis[i].roughness * g->shape.jump;
        float at = point[i], weight = (float)g->shape.weights[i];
        float jump = weight * (float)(share < 1 ? share : 1);
        weight -= jump;
        for (int p = 0; p < BLOCK; p++) {
            float apart = places[p] - at;
            square[p] += weight * apart * apart + (apart != 0 ? jump : 0);
        }
    }
    for (int p = 0; p < BLOCK; p++) {
        float r = sqrtf(5 * square[p]);
        out[p] = (1 + r + r * r * (1.0f / 3)) * falling_exp(r);
    }
    if (g->shape.trend > 0)
        add_trend(g, point, others, stride, out);
}

// ---- rows --------------------------------------------------------------------------------------

// In an order that vector registers keep: four sums, then their sum.
static double dot_product(const double *a, const double *b, uint32_t count)
{
    double sums[4] = {0}, rest = 0;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    }
    for (; i < count; i++)
        rest += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
}

// Row `n` of the factor from its covariances with the rows before it, which it replaces. Its point is g->point.
static void extend_factor(struct gp *g, uint32_t n)
{
    double *row = g->factor + (size_t)n * g->row_stride;
    for (uint32_t i = 0; i < n; i++) {
        const double *upper = g->factor + (size_t)i * g->row_stride;
        row[i] = (row[i] - dot_product(row, upper, i)) / upper[i];
    }
    double left = own_variance(g, g->point) + g->shape.noise - dot_product(row, row, n);
    row[n] = sqrt(left > 1e-9 ? left : 1e-9);
}

static void correlate_rows(const struct gp *g, const float *point, uint32_t count, double *out)
{
    for (uint32_t from = 0; from < count; from += BLOCK) {
        float block[BLOCK];
        gp_correlate(g, point, g->points + from, g->row_stride, block);
        for (uint32_t p = 0; p < BLOCK && from + p < count; p++)
            out[from + p] = (double)block[p];
    }
}

void gp_factor_row(struct gp *g, uint32_t n)
{
    for (uint32_t i = 0; i < g->axes; i++)
        g->point[i] = g->points[(size_t)i * g->row_stride + n];
    correlate_rows(g, g->point, n, g->factor + (size_t)n * g->row_stride);
    extend_factor(g, n);
}

// The reach of row `n` for a block of candidates, and the variance that it takes away.
static void extend_reach(struct gp *g, uint32_t n, const float *point, uint32_t from)
{
    const double *row = g->factor + (size_t)n * g->row_stride;
    size_t stride = g->pool_stride;
    const float *r = g->reach + from;
    float work[BLOCK];
    gp_correlate(g, point, g->candidates + from, stride, work);
    uint32_t j = 0;
    for (; j + 4 <= n; j += 4, r += 4 * stride) {
        const float *r1 = r + stride, *r2 = r1 + stride, *r3 = r2 + stride;
        float w0 = (float)row[j], w1 = (float)row[j + 1], w2 = (float)row[j + 2],
              w3 = (float)row[j + 3];
        for (int p = 0; p < BLOCK; p++)
            work[p] -= (w0 * r[p] + w1 * r1[p]) + (w2 * r2[p] + w3 * r3[p]);
    }
    for (; j < n; j++, r += stride) {
        float w = (float)row[j];
        for (int p = 0; p < BLOCK; p++)
            work[p] -= w * r[p];
    }
    float inverse = (float)(1 / row[n]), *restrict out = g->reach + (size_t)n * stride + from;
    float *restrict variances = g->variances + from;
    for (int p = 0; p < BLOCK; p++) {
        out[p] = work[p] * inverse;
        variances[p] -= out[p] * out[p];
    }
}

static void add_to_means(struct gp *g, uint32_t row, double residue)
{
    const float *reach = g->reach + (size_t)row * g->pool_stride;
    float weight = (float)residue;
    for (uint32_t from = 0; from < g->pool; from += BLOCK) {
        float *restrict means = g->means + from;
        for (int p = 0; p < BLOCK; p++)
            means[p] += weight * reach[from + p];
    }
}

static double residue_of(const struct gp *g, uint32_t n)
{
    const double *row = g->factor + (size_t)n * g->row_stride;
    return (g->values[n] - g->shape.mean - dot_product(row, g->residues, n)) / row[n];
}

void gp_place_row(struct gp *g, uint32_t row, const float *point, double value)
{
    for (uint32_t i = 0; i < g->axes; i++)
        g->points[(size_t)i * g->row_stride + row] = point[i];
    g->values[row] = value;
}

uint32_t gp_add_row(struct gp *g, const float *point, bool known, double value)
{
    uint32_t n = g->rows++;
    gp_place_row(g, n, point, value);
    gp_factor_row(g, n);
    g->pending[n] = !known;
    g->residues[n] = known ? residue_of(g, n) : 0;
    for (uint32_t from = 0; from < g->pool; from += BLOCK)
        extend_reach(g, n, point, from);
    if (known)
        add_to_means(g, n, g->residues[n]);
    return n;
}

void gp_tell(struct gp *g, uint32_t row, double value)
{
    g->values[row] = value;
    g->pending[row] = false;
    for (uint32_t n = row; n < g->rows; n++) {
        double before = g->residues[n];
        g->residues[n] = g->pending[n] ? 0 : residue_of(g, n);
        if (g->residues[n] != before)
            add_to_means(g, n, g->residues[n] - before);
    }
}

// ---- candidates --------------------------------------------------------------------------------

uint32_t gp_add_candidate(struct gp *g, const float *point)
{
    uint32_t at = g->pool++;
    for (uint32_t i = 0; i < g->axes; i++)
        g->candidates[(size_t)i * g->pool_stride + at] = point[i];
    correlate_rows(g, point, g->rows, g->scratch);
    for (uint32_t n = 0; n < g->rows; n++) {
        const double *row = g->factor + (size_t)n * g->row_stride;
        g->scratch[n] = (g->scratch[n] - dot_product(row, g->scratch, n)) / row[n];
        g->reach[(size_t)n * g->pool_stride + at] = (float)g->scratch[n];
    }
    g->means[at] = (float)dot_product(g->scratch, g->residues, g->rows);
    g->variances[at] =
        (float)(own_variance(g, point) - dot_product(g->scratch, g->scratch, g->rows));
    return at;
}

double gp_mean(const struct gp *g, uint32_t candidate)
{
    return g->shape.mean + (double)g->means[candidate];
}

double gp_variance(const struct gp *g, uint32_t candidate)
{
    double left = (double)g->variances[candidate];
    return g->shape.variance * (left > 1e-7 ? left : 1e-7);
}
