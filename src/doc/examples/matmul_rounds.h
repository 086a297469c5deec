/* What both applications have in common: sizes from the command line, matrices, the check of a product, and the ratio of
   two configurations that were launched in turn. */
#ifndef MATMUL_ROUNDS_H
#define MATMUL_ROUNDS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 21, CHECKED = 256 };

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* One size after the other: M N K. */
static int64_t read_size(const char *word)
{
    char *end;
    long long size = strtoll(word, &end, 10);
    if (*end || size < 1 || size > 65536)
        stop(word, "a size is a number from 1 to 65536; three of them, M N K, for each product");
    return size;
}

/* Values in [-0.5, 0.5) that are the same in every run. */
static float *random_matrix(size_t count, uint32_t seed)
{
    float *matrix = (float *)malloc(count * sizeof *matrix);
    if (!matrix)
        stop("a matrix", "no memory");
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        matrix[i] = (float)(seed >> 8) / 16777216.0f - 0.5f;
    }
    return matrix;
}

/* Computes some entries of A * B in doubles. `precision` is that of the kernel's products. */
static void check_product(const float *a, const float *b, const float *c, int64_t m, int64_t n,
                          int64_t k, double precision)
{
    uint32_t place = 1;
    for (int i = 0; i < CHECKED; i++) {
        place = place * 1664525u + 1013904223u;
        const int64_t row = (int64_t)(place >> 4) % m, column = (int64_t)(place >> 7) % n;
        double sum = 0, size = 0;
        for (int64_t x = 0; x < k; x++) {
            const double product = (double)a[row * k + x] * b[x * n + column];
            sum += product;
            size += fabs(product);
        }
        if (!(fabs(sum - c[row * n + column]) <= precision * (size + 1e-6))) {
            fprintf(stderr, "C[%lld, %lld] is %g, not %g\n", (long long)row, (long long)column,
                    (double)c[row * n + column], sum);
            exit(EXIT_FAILURE);
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the rounds' ratios, and an interval that holds the true one in 97 of 100 cases: the sixth from either
   end of 21 (the sign test's). Both configurations ran in every round, so that a clock that drifts moves both. */
static void print_ratio(const double *best_ns, const double *default_ns)
{
    double ratios[ROUNDS], sorted[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ratios[i] = default_ns[i] / best_ns[i];
        sorted[i] = best_ns[i];
    }
    qsort(ratios, ROUNDS, sizeof *ratios, compare_doubles);
    qsort(sorted, ROUNDS, sizeof *sorted, compare_doubles);
    printf("  %.4g us, %.2f times as fast as the default [%.2f, %.2f]\n", sorted[ROUNDS / 2] / 1e3,
           ratios[ROUNDS / 2], ratios[5], ratios[ROUNDS - 6]);
}
#endif
