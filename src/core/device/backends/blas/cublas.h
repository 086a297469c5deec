// The part of cuBLAS that hone calls, under the names and with the numbers of NVIDIA's headers,
// declared here so that hone builds without those; a test compares them with the real ones if there
// are any.
#pragma once

#include "device/backends/cuda/cuda_api.h"

// X(name, value)
#define CUBLAS_CONSTANTS(X)                                                                        \
    X(CUBLAS_STATUS_SUCCESS, 0)                                                                    \
    X(CUBLAS_STATUS_NOT_INITIALIZED, 1)                                                            \
    X(CUBLAS_STATUS_ALLOC_FAILED, 3)                                                               \
    X(CUBLAS_STATUS_INVALID_VALUE, 7)                                                              \
    X(CUBLAS_STATUS_ARCH_MISMATCH, 8)                                                              \
    X(CUBLAS_STATUS_MAPPING_ERROR, 11)                                                             \
    X(CUBLAS_STATUS_EXECUTION_FAILED, 13)                                                          \
    X(CUBLAS_STATUS_INTERNAL_ERROR, 14)                                                            \
    X(CUBLAS_STATUS_NOT_SUPPORTED, 15)                                                             \
    X(CUBLAS_STATUS_LICENSE_ERROR, 16)                                                             \
    X(CUBLAS_DEFAULT_MATH, 0) /* of float: without TF32 */                                         \
    X(CUBLAS_TF32_TENSOR_OP_MATH, 3)                                                               \
    X(CUBLAS_OP_N, 0)                                                                              \
    X(CUBLAS_OP_T, 1)                                                                              \
    X(CUBLAS_COMPUTE_32F, 68)                                                                      \
    X(CUBLAS_GEMM_DEFAULT, -1) /* the algorithm is cuBLAS's choice */                              \
    X(CUDA_R_32F, 0)                                                                               \
    X(CUDA_R_16F, 2)                                                                               \
    X(CUDA_R_16BF, 14)                                                                             \
    X(CUDA_R_8F_E4M3, 28)                                                                          \
    X(CUDA_R_8F_E5M2, 29)                                                                          \
    X(CUBLASLT_MATMUL_DESC_TRANSA, 3)                                                              \
    X(CUBLASLT_MATMUL_DESC_TRANSB, 4)                                                              \
    X(CUBLASLT_MATMUL_DESC_FAST_ACCUM, 25)                                                         \
    X(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)

#ifndef CUBLAS_VERSION // cublas_v2.h is not here

typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtMatmulDescOpaque *cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayoutOpaque *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreferenceOpaque *cublasLtMatmulPreference_t;

typedef struct {
    uint64_t data[8];
} cublasLtMatmulAlgo_t;

typedef struct {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    int state;
    float wavesCount;
    int reserved[4];
} cublasLtMatmulHeuristicResult_t;

enum {
#define X(name, value) name = value,
    CUBLAS_CONSTANTS(X)
#undef X
};

#endif

// X(name in this program, name in the library, result, parameters), as in cuda_api.h; enumerations
// are ints, and a CUstream is a cudaStream_t.
#define CUBLAS_FUNCTIONS(X)                                                                        \
    X(hone_cublas_create, "cublasCreate_v2", int, (cublasHandle_t * out))                          \
    X(hone_cublas_destroy, "cublasDestroy_v2", int, (cublasHandle_t handle))                       \
    X(hone_cublas_version, "cublasGetVersion_v2", int, (cublasHandle_t handle, int *version))      \
    X(hone_cublas_stream, "cublasSetStream_v2", int, (cublasHandle_t handle, CUstream stream))     \
    X(hone_cublas_math, "cublasSetMathMode", int, (cublasHandle_t handle, int mode))               \
    X(hone_cublas_sgemm, "cublasSgemm_v2", int,                                                    \
      (cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k,               \
       const float *alpha, const float *a, int lda, const float *b, int ldb, const float *beta,    \
       float *c, int ldc))                                                                         \
    X(hone_cublas_gemm_ex, "cublasGemmEx", int,                                                    \
      (cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k,               \
       const void *alpha, const void *a, int a_type, int lda, const void *b, int b_type, int ldb,  \
       const void *beta, void *c, int c_type, int ldc, int compute_type, int algorithm))           \
    X(hone_cublas_gemm_batched, "cublasGemmStridedBatchedEx", int,                                 \
      (cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k,               \
       const void *alpha, const void *a, int a_type, int lda, long long a_stride, const void *b,   \
       int b_type, int ldb, long long b_stride, const void *beta, void *c, int c_type, int ldc,    \
       long long c_stride, int count, int compute_type, int algorithm))                            \
    X(hone_cublas_dgemm, "cublasDgemm_v2", int,                                                    \
      (cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k,               \
       const double *alpha, const double *a, int lda, const double *b, int ldb,                    \
       const double *beta, double *c, int ldc))

// The same of libcublasLt, which libcublas needs: its handles serve here, too.
#define CUBLASLT_FUNCTIONS(X)                                                                      \
    X(hone_lt_desc_create, "cublasLtMatmulDescCreate", int,                                        \
      (cublasLtMatmulDesc_t * out, int compute_type, int scale_type))                              \
    X(hone_lt_desc_destroy, "cublasLtMatmulDescDestroy", int, (cublasLtMatmulDesc_t desc))         \
    X(hone_lt_desc_set, "cublasLtMatmulDescSetAttribute", int,                                     \
      (cublasLtMatmulDesc_t desc, int attribute, const void *value, size_t bytes))                 \
    X(hone_lt_layout_create, "cublasLtMatrixLayoutCreate", int,                                    \
      (cublasLtMatrixLayout_t * out, int type, uint64_t rows, uint64_t columns, int64_t ld))       \
    X(hone_lt_layout_destroy, "cublasLtMatrixLayoutDestroy", int, (cublasLtMatrixLayout_t layout)) \
    X(hone_lt_preference_create, "cublasLtMatmulPreferenceCreate", int,                            \
      (cublasLtMatmulPreference_t * out))                                                          \
    X(hone_lt_preference_destroy, "cublasLtMatmulPreferenceDestroy", int,                          \
      (cublasLtMatmulPreference_t preference))                                                     \
    X(hone_lt_preference_set, "cublasLtMatmulPreferenceSetAttribute", int,                         \
      (cublasLtMatmulPreference_t preference, int attribute, const void *value, size_t bytes))     \
    X(hone_lt_heuristic, "cublasLtMatmulAlgoGetHeuristic", int,                                    \
      (cublasHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,                 \
       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,               \
       cublasLtMatmulPreference_t preference, int most, cublasLtMatmulHeuristicResult_t *found,    \
       int *count))                                                                                \
    X(hone_lt_matmul, "cublasLtMatmul", int,                                                       \
      (cublasHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,         \
       cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout,            \
       const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d,                  \
       cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algorithm, void *workspace,    \
       size_t bytes, CUstream stream))

struct cublas_api {
    CUBLAS_FUNCTIONS(CUDA_POINTER)
    CUBLASLT_FUNCTIONS(CUDA_POINTER)
};
