// The built-in reference of matrix multiplications, in float64 on the host's cores.
#pragma once

#include "base/error.h"
#include "model/job.h"

#include <stdint.h>

// gelu(x) = x / (1 + exp(-2 * GELU_SLOPE * (x + GELU_CUBE * x^3)))
#define GELU_SLOPE 0.79788456080286535588 // sqrt(2 / pi)
#define GELU_CUBE  0.044715

// C = alpha * op(A) * op(B) + beta * C over doubles, row-major. op(A) is m x k, op(B) k x n; a
// transposed operand is stored k x m (n x k). `c` holds the initial C and gets the result.
struct gemm {
    uint64_t m, n, k;
    bool transpose_a, transpose_b;
    double alpha, beta;
    const double *a, *b;
    double *c;
};

bool gemm_host(const struct gemm *g, struct error *e);
