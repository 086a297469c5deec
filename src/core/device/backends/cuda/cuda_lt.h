// Products of matrices of 8-bit floats, which only cublasLtMatmul() of cuBLAS computes.
#pragma once

#include "device/backends/blas/cublas.h"
#include "device/routine.h"

struct cuda;

#define CUDA_LT_MOST            8                  // algorithms that are tried
#define CUDA_LT_WORKSPACE_BYTES ((size_t)32 << 20) // as much as cuBLAS itself takes on a Hopper

struct cuda_lt {
    // The caller's, which outlives it.
    const struct cublas_api *call;
    struct cuda *cuda;
    cublasHandle_t handle;
    const struct product *product;

    cublasLtMatmulDesc_t multiply;
    cublasLtMatrixLayout_t b, a, c; // in the order in which cuBLAS gets them
    cublasLtMatmulPreference_t preference;
    CUdeviceptr workspace;
    cublasLtMatmulHeuristicResult_t found[CUDA_LT_MOST];
    int count;   // of found
    bool chosen; // found[0] is the fastest
};

// Describes the product and asks for algorithms. False: *call failed with *code, a cuBLAS status.
bool cuda_lt_init(struct cuda_lt *t, bool fast, const char **call, int *code);
void cuda_lt_release(struct cuda_lt *t); // zeroed is fine
// One product, put into the stream: a cuBLAS status. The first call tries what was found and keeps
// the fastest, with a result of its own.
int cuda_lt_multiply(struct cuda_lt *t, const void *a, const void *b, void *c);
