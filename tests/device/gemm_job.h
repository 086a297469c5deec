// A matrix product as a vendor's routine, for tests of who calls one.
#ifndef HONE_TESTS_DEVICE_GEMM_JOB_H
#define HONE_TESTS_DEVICE_GEMM_JOB_H

#include "model/job.h"

struct gemm_case {
    uint64_t m, n, k;
    bool transpose_a, transpose_b;
    double alpha, beta;
};

// Odd sizes, ones, every pair of transposes, beta with and without what C held.
#define GEMM_CASES 12
extern const struct gemm_case gemm_cases[GEMM_CASES];

// Random A and B (and C where beta takes it), held against the reference.
struct job *gemm_job(enum language language, enum routine routine, const char *library,
                     const struct gemm_case *c);

#endif
