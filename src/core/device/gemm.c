// Panels of A and B are packed so that the innermost loops read both in order; each thread computes
// rows of its own. Every element of C is the sum of its products in the order of k, whatever the
// number of threads, so that the reference is the same on every machine.
#include "device/gemm.h"

#include "device/parallel.h"

#include <stdlib.h>
#include <string.h>

#define ROWS    4   // of C in registers
#define COLUMNS 4   // likewise; with two doubles a register this fills the sixteen of x86-64
#define DEPTH   256 // of k in a panel: COLUMNS * DEPTH doubles of B stay in the first-level cache
#define BAND    64  // rows of A packed at a time: BAND * DEPTH doubles stay in the second level
#define WIDTH   512 // columns of B packed at a time

struct work {
    const struct gemm *gemm;
    double *packed[PARALLEL_MOST]; // WIDTH * DEPTH for B, then BAND * DEPTH for A
};

struct tile {
    uint64_t row, column, depth;    // of its first element
    uint64_t rows, columns, depths; // extent
};

static double element_a(const struct gemm *g, uint64_t i, uint64_t p)
{
    return g->transpose_a ? g->a[p * g->m + i] : g->a[i * g->k + p];
}

static double element_b(const struct gemm *g, uint64_t p, uint64_t j)
{
    return g->transpose_b ? g->b[j * g->k + p] : g->b[p * g->n + j];
}

// Slivers of ROWS rows, each depth after depth; missing rows are zero.
static void pack_a(const struct gemm *g, const struct tile *t, double *out)
{
    for (uint64_t i = 0; i < t->rows; i += ROWS) {
        for (uint64_t p = 0; p < t->depths; p++) {
            for (uint64_t r = 0; r < ROWS; r++)
                *out++ = i + r < t->rows ? element_a(g, t->row + i + r, t->depth + p) : 0;
        }
    }
}

static void pack_b(const struct gemm *g, const struct tile *t, double *out)
{
    for (uint64_t j = 0; j < t->columns; j += COLUMNS) {
        for (uint64_t p = 0; p < t->depths; p++) {
            for (uint64_t c = 0; c < COLUMNS; c++)
                *out++ = j + c < t->columns ? element_b(g, t->depth + p, t->column + j + c) : 0;
        }
    }
}

static void multiply_slivers(uint64_t depths, const double *restrict a, const double *restrict b,
                             double sum[ROWS][COLUMNS])
{
    double s[ROWS][COLUMNS];
    memcpy(s, sum, sizeof s);
    for (uint64_t p = 0; p < depths; p++, a += ROWS, b += COLUMNS) {
        for (int r = 0; r < ROWS; r++) {
            for (int c = 0; c < COLUMNS; c++)
                s[r][c] += a[r] * b[c];
        }
    }
    memcpy(sum, s, sizeof s);
}

// The running sums live in C itself between panels of k: the order of additions is that of k.
static void multiply_corner(const struct gemm *g, const struct tile *t, uint64_t i, uint64_t j,
                            const double *a, const double *b)
{
    double sum[ROWS][COLUMNS] = {{0}};
    uint64_t rows = t->rows - i < ROWS ? t->rows - i : ROWS;
    uint64_t columns = t->columns - j < COLUMNS ? t->columns - j : COLUMNS;
    double *c = g->c + (t->row + i) * g->n + t->column + j;
    for (uint64_t r = 0; r < rows; r++)
        memcpy(sum[r], c + r * g->n, columns * sizeof *c);
    multiply_slivers(t->depths, a, b, sum);
    for (uint64_t r = 0; r < rows; r++)
        memcpy(c + r * g->n, sum[r], columns * sizeof *c);
}

static void multiply_band(const struct gemm *g, const struct tile *t, const double *a,
                          const double *b)
{
    for (uint64_t j = 0; j < t->columns; j += COLUMNS) {
        for (uint64_t i = 0; i < t->rows; i += ROWS)
            multiply_corner(g, t, i, j, a + i * t->depths, b + j * t->depths);
    }
}

static uint64_t at_most(uint64_t left, uint64_t most)
{
    return left < most ? left : most;
}

// C starts as zero here, is the plain product, and takes alpha and the initial C at the end.
static void multiply_rows(void *context, struct range r)
{
    struct work *w = context;
    const struct gemm *g = w->gemm;
    for (uint64_t j = 0; j < g->n; j += WIDTH) {
        for (uint64_t p = 0; p < g->k; p += DEPTH) {
            struct tile t = {.column = j, .columns = at_most(g->n - j, WIDTH)};
            t.depth = p;
            t.depths = at_most(g->k - p, DEPTH);
            double *packed = w->packed[r.part];
            double *a = packed + WIDTH * DEPTH;
            pack_b(g, &t, packed);
            for (uint64_t i = r.first; i < r.end; i += BAND) {
                t.row = i;
                t.rows = at_most(r.end - i, BAND);
                pack_a(g, &t, a);
                multiply_band(g, &t, a, packed);
            }
        }
    }
}

static bool run_product(const struct gemm *g)
{
    struct work w = {.gemm = g};
    unsigned parts = parallel_parts(g->m, BAND);
    bool ok = true;
    for (unsigned i = 0; i < parts; i++) {
        w.packed[i] = aligned_alloc(64, (WIDTH + BAND) * DEPTH * sizeof(double));
        ok = ok && w.packed[i];
    }
    if (ok)
        parallel_run(g->m, parts, ROWS, multiply_rows, &w);
    for (unsigned i = 0; i < parts; i++)
        free(w.packed[i]);
    return ok;
}

bool gemm_host(const struct gemm *g, struct error *e)
{
    size_t count = (size_t)(g->m * g->n);
    struct gemm product = *g;
    product.c = calloc(count ? count : 1, sizeof(double));
    bool ok = product.c && run_product(&product);
    for (size_t i = 0; ok && i < count; i++) {
        double initial = g->beta == 0 ? 0 : g->beta * g->c[i];
        g->c[i] = g->alpha * product.c[i] + initial;
    }
    free(product.c);
    return ok || error_memory(e);
}
