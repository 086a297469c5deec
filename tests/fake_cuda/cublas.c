// libcublas.so.13: as much as hone-worker calls, on the fake driver's memory. A call fails on order
// (FAKE_CUDA_FAIL=cublasSgemm:13), and takes FAKE_CUBLAS_NS of the driver's clock (50000). With
// TF32 it rounds its inputs to eleven bits, as the cards do.
#include "fake.h"

#include "device/backends/blas/cublas.h"
#include "model/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, symbol, result, parameters) result name parameters __asm__(symbol);
CUBLAS_FUNCTIONS(DECLARE)
CUBLASLT_FUNCTIONS(DECLARE)

struct cublasContext {
    CUstream stream;
    int mode;
};

int hone_cublas_create(cublasHandle_t *out)
{
    int code = fake_enter("cublasCreate");
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    *out = fake_new(sizeof **out);
    return CUBLAS_STATUS_SUCCESS;
}

int hone_cublas_destroy(cublasHandle_t handle)
{
    fake_free(handle);
    return fake_enter("cublasDestroy");
}

int hone_cublas_version(cublasHandle_t handle, int *version)
{
    (void)handle;
    *version = 130102;
    return fake_enter("cublasGetVersion");
}

int hone_cublas_stream(cublasHandle_t handle, CUstream stream)
{
    handle->stream = stream;
    return fake_enter("cublasSetStream");
}

int hone_cublas_math(cublasHandle_t handle, int mode)
{
    handle->mode = mode;
    return fake_enter("cublasSetMathMode");
}

static double rounded(double x, int mode)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    return mode == CUBLAS_TF32_TENSOR_OP_MATH ? ldexp(rint(fraction * 2048) / 2048, exponent) : x;
}

// A matrix whose columns follow each other.
struct matrix {
    unsigned char *data;
    enum scalar type;
    int column_length, columns; // as it is stored
    int transpose;
};

static unsigned char *place(const struct matrix *m, int row, int column)
{
    int stored = m->transpose == CUBLAS_OP_T ? row * m->column_length + column
                                             : column * m->column_length + row;
    return m->data + (size_t)stored * scalar_bytes(m->type);
}

static double at(const struct matrix *m, int row, int column)
{
    return float_load(m->type, place(m, row, column));
}

static bool holds(const struct matrix *m, int least)
{
    return m->column_length >= least &&
           fake_memory_left((uintptr_t)m->data) >=
               (size_t)m->column_length * (size_t)m->columns * scalar_bytes(m->type);
}

static int multiply(cublasHandle_t handle, const struct matrix *a, const struct matrix *b,
                    const struct matrix *c, int m, int n, int k, double alpha, double beta)
{
    if (!handle->stream || !holds(a, a->transpose == CUBLAS_OP_T ? k : m) ||
        !holds(b, b->transpose == CUBLAS_OP_T ? n : k) || !holds(c, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += rounded(at(a, i, p), handle->mode) * rounded(at(b, p, j), handle->mode);
            float_store(c->type, alpha * sum + (beta == 0 ? 0 : beta * at(c, i, j)),
                        place(c, i, j));
        }
    }
    fake_clock_enqueue();
    fake_pass_ns(fake_number("FAKE_CUBLAS_NS", 50000));
    return CUBLAS_STATUS_SUCCESS;
}

int hone_cublas_sgemm(cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k,
                      const float *alpha, const float *a, int lda, const float *b, int ldb,
                      const float *beta, float *c, int ldc)
{
    int code = fake_enter("cublasSgemm");
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    const struct matrix x = {(unsigned char *)(uintptr_t)a, SCALAR_FLOAT, lda,
                             transpose_a == CUBLAS_OP_T ? m : k, transpose_a};
    const struct matrix y = {(unsigned char *)(uintptr_t)b, SCALAR_FLOAT, ldb,
                             transpose_b == CUBLAS_OP_T ? k : n, transpose_b};
    const struct matrix z = {(unsigned char *)c, SCALAR_FLOAT, ldc, n, CUBLAS_OP_N};
    return multiply(handle, &x, &y, &z, m, n, k, (double)*alpha, (double)*beta);
}

int hone_cublas_dgemm(cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k,
                      const double *alpha, const double *a, int lda, const double *b, int ldb,
                      const double *beta, double *c, int ldc)
{
    int code = fake_enter("cublasDgemm");
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    const struct matrix x = {(unsigned char *)(uintptr_t)a, SCALAR_DOUBLE, lda,
                             transpose_a == CUBLAS_OP_T ? m : k, transpose_a};
    const struct matrix y = {(unsigned char *)(uintptr_t)b, SCALAR_DOUBLE, ldb,
                             transpose_b == CUBLAS_OP_T ? k : n, transpose_b};
    const struct matrix z = {(unsigned char *)c, SCALAR_DOUBLE, ldc, n, CUBLAS_OP_N};
    return multiply(handle, &x, &y, &z, m, n, k, *alpha, *beta);
}

static enum scalar scalar_of(int type)
{
    return type == CUDA_R_16F       ? SCALAR_HALF
           : type == CUDA_R_16BF    ? SCALAR_BFLOAT16
           : type == CUDA_R_32F     ? SCALAR_FLOAT
           : type == CUDA_R_8F_E4M3 ? SCALAR_E4M3
           : type == CUDA_R_8F_E5M2 ? SCALAR_E5M2
                                    : SCALAR_CUSTOM;
}

int hone_cublas_gemm_ex(cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n,
                        int k, const void *alpha, const void *a, int a_type, int lda, const void *b,
                        int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,
                        int compute_type, int algorithm)
{
    int code = fake_enter("cublasGemmEx");
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    if (a_type != b_type || b_type != c_type || (a_type != CUDA_R_16F && a_type != CUDA_R_16BF) ||
        compute_type != CUBLAS_COMPUTE_32F || algorithm != CUBLAS_GEMM_DEFAULT)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const enum scalar type = scalar_of(a_type);
    const struct matrix x = {(unsigned char *)(uintptr_t)a, type, lda,
                             transpose_a == CUBLAS_OP_T ? m : k, transpose_a};
    const struct matrix y = {(unsigned char *)(uintptr_t)b, type, ldb,
                             transpose_b == CUBLAS_OP_T ? k : n, transpose_b};
    const struct matrix z = {c, type, ldc, n, CUBLAS_OP_N};
    const float *factors[] = {alpha, beta};
    return multiply(handle, &x, &y, &z, m, n, k, (double)*factors[0], (double)*factors[1]);
}

int hone_cublas_gemm_batched(cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n,
                             int k, const void *alpha, const void *a, int a_type, int lda,
                             long long a_stride, const void *b, int b_type, int ldb,
                             long long b_stride, const void *beta, void *c, int c_type, int ldc,
                             long long c_stride, int count, int compute_type, int algorithm)
{
    int code = fake_enter("cublasGemmStridedBatchedEx");
    const enum scalar type = scalar_of(a_type);
    const size_t bytes = scalar_bytes(type);
    const float *factors[] = {alpha, beta};
    if (a_type != b_type || b_type != c_type || compute_type != CUBLAS_COMPUTE_32F ||
        algorithm != CUBLAS_GEMM_DEFAULT)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    for (int i = 0; i < count && code == CUBLAS_STATUS_SUCCESS; i++) {
        const struct matrix x = {(unsigned char *)(uintptr_t)a + (size_t)(i * a_stride) * bytes,
                                 type, lda, transpose_a == CUBLAS_OP_T ? m : k, transpose_a};
        const struct matrix y = {(unsigned char *)(uintptr_t)b + (size_t)(i * b_stride) * bytes,
                                 type, ldb, transpose_b == CUBLAS_OP_T ? k : n, transpose_b};
        const struct matrix z = {(unsigned char *)c + (size_t)(i * c_stride) * bytes, type, ldc, n,
                                 CUBLAS_OP_N};
        code = multiply(handle, &x, &y, &z, m, n, k, (double)*factors[0], (double)*factors[1]);
    }
    return code;
}

// ---- cublasLt: 8-bit floats with k along the rows of both operands ------------------------------

struct cublasLtMatmulDescOpaque {
    int32_t transpose[2];
    int8_t fast;
};

struct cublasLtMatrixLayoutOpaque {
    int type;
    uint64_t rows, columns;
    int64_t ld;
};

int hone_lt_desc_create(cublasLtMatmulDesc_t *out, int compute_type, int scale_type)
{
    if (compute_type != CUBLAS_COMPUTE_32F || scale_type != CUDA_R_32F)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = fake_new(sizeof **out);
    return CUBLAS_STATUS_SUCCESS;
}

int hone_lt_desc_destroy(cublasLtMatmulDesc_t desc)
{
    fake_free(desc);
    return CUBLAS_STATUS_SUCCESS;
}

int hone_lt_desc_set(cublasLtMatmulDesc_t desc, int attribute, const void *value, size_t bytes)
{
    void *to = attribute == CUBLASLT_MATMUL_DESC_TRANSA   ? (void *)&desc->transpose[0]
               : attribute == CUBLASLT_MATMUL_DESC_TRANSB ? (void *)&desc->transpose[1]
                                                          : (void *)&desc->fast;
    if (bytes != (to == &desc->fast ? 1 : 4))
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

int hone_lt_layout_create(cublasLtMatrixLayout_t *out, int type, uint64_t rows, uint64_t columns,
                          int64_t ld)
{
    *out = fake_new(sizeof **out);
    **out = (struct cublasLtMatrixLayoutOpaque){type, rows, columns, ld};
    return CUBLAS_STATUS_SUCCESS;
}

int hone_lt_layout_destroy(cublasLtMatrixLayout_t layout)
{
    fake_free(layout);
    return CUBLAS_STATUS_SUCCESS;
}

int hone_lt_preference_create(cublasLtMatmulPreference_t *out)
{
    *out = fake_new(1);
    return CUBLAS_STATUS_SUCCESS;
}

int hone_lt_preference_destroy(cublasLtMatmulPreference_t preference)
{
    fake_free(preference);
    return CUBLAS_STATUS_SUCCESS;
}

int hone_lt_preference_set(cublasLtMatmulPreference_t preference, int attribute, const void *value,
                           size_t bytes)
{
    (void)preference;
    (void)value;
    return attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == sizeof(size_t)
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_INVALID_VALUE;
}

// Three algorithms, of which the first fails and the last is the fastest: two thirds of the time.
int hone_lt_heuristic(cublasHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                      cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                      cublasLtMatmulPreference_t preference, int most,
                      cublasLtMatmulHeuristicResult_t *found, int *count)
{
    int code = fake_enter("cublasLtMatmulAlgoGetHeuristic");
    (void)handle;
    (void)preference;
    *count = 0;
    if (code != CUBLAS_STATUS_SUCCESS || most < 3 || c != d || desc->transpose[0] != CUBLAS_OP_T ||
        desc->transpose[1] != CUBLAS_OP_N ||
        (a->type == CUDA_R_8F_E5M2 && b->type == CUDA_R_8F_E5M2))
        return code;
    for (*count = 0; *count < 3; ++*count)
        found[*count].algo.data[0] = (uint64_t)*count;
    return CUBLAS_STATUS_SUCCESS;
}

static struct matrix matrix_of(const void *data, cublasLtMatrixLayout_t layout, int transpose)
{
    return (struct matrix){(unsigned char *)(uintptr_t)data, scalar_of(layout->type),
                           (int)layout->ld, (int)layout->columns, transpose};
}

int hone_lt_matmul(cublasHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                   const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                   cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
                   cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                   const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t bytes,
                   CUstream stream)
{
    int code = fake_enter("cublasLtMatmul");
    const float *factors[] = {alpha, beta};
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    if (algorithm->data[0] == 0 || stream != handle->stream || c_layout != d_layout ||
        fake_memory_left((uintptr_t)workspace) < bytes)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const struct matrix x = matrix_of(a, a_layout, desc->transpose[0]);
    const struct matrix y = matrix_of(b, b_layout, desc->transpose[1]);
    const struct matrix z = matrix_of(d, d_layout, CUBLAS_OP_N);
    if (c != d && *factors[1] != 0) // into other memory than it adds
        memcpy(d, c, d_layout->columns * (size_t)d_layout->ld * scalar_bytes(z.type));
    fake_pass_ns(algorithm->data[0] == 1 ? fake_number("FAKE_CUBLAS_NS", 50000) / 2 : 0);
    return multiply(handle, &x, &y, &z, (int)d_layout->rows, (int)d_layout->columns,
                    (int)(desc->transpose[0] == CUBLAS_OP_T ? a_layout->rows : a_layout->columns),
                    (double)*factors[0], (double)*factors[1]);
}
