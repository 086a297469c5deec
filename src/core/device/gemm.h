// The built-in reference of matrix multiplications, in float64 on the host's cores.
#pragma once

#include "base/error.h"
#include "model/job.h"

#include <stdint.h>

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
