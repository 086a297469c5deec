// libcublas.so.13: as much as hone-worker calls, on the fake driver's memory. A call fails on order
// (FAKE_CUDA_FAIL=cublasSgemm:13), and takes FAKE_CUBLAS_NS of the driver's clock (50000). With
// TF32 it rounds its inputs to eleven bits, as the cards do.
#include "fake.h"

#include "device/backends/blas/cublas.h"
#include "model/job.h"

#include <math.h>
#include <stdlib.h>

#define DECLARE(name, symbol, result, parameters) result name parameters __asm__(symbol);
CUBLAS_FUNCTIONS(DECLARE)

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

static enum scalar scalar_of(int type)
{
    return type == CUDA_R_16F ? SCALAR_HALF : type == CUDA_R_16BF ? SCALAR_BFLOAT16 : SCALAR_CUSTOM;
}

int hone_cublas_gemm_ex(cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n,
                        int k, const void *alpha, const void *a, int a_type, int lda, const void *b,
                        int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,
                        int compute_type, int algorithm)
{
    int code = fake_enter("cublasGemmEx");
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    if (a_type != b_type || b_type != c_type || scalar_of(a_type) == SCALAR_CUSTOM ||
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
