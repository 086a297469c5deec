// libcublas.so.13: as much as hone-worker calls, on the fake driver's memory. A call fails on order
// (FAKE_CUDA_FAIL=cublasSgemm:13), and takes FAKE_CUBLAS_NS of the driver's clock (50000). With
// TF32 it rounds its inputs to eleven bits, as the cards do.
#include "fake.h"

#include "device/backends/blas/cublas.h"

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

static double rounded(float x, int mode)
{
    int exponent;
    double fraction = frexp((double)x, &exponent);
    return mode == CUBLAS_TF32_TENSOR_OP_MATH ? ldexp(rint(fraction * 2048) / 2048, exponent)
                                              : (double)x;
}

// Columns follow each other.
static float at(const float *matrix, int column_length, int transpose, int row, int column)
{
    return transpose == CUBLAS_OP_T ? matrix[row * column_length + column]
                                    : matrix[column * column_length + row];
}

static bool holds(const float *matrix, int column_length, int columns)
{
    return fake_memory_left((uintptr_t)matrix) >=
           (size_t)column_length * (size_t)columns * sizeof *matrix;
}

int hone_cublas_sgemm(cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k,
                      const float *alpha, const float *a, int lda, const float *b, int ldb,
                      const float *beta, float *c, int ldc)
{
    int code = fake_enter("cublasSgemm");
    if (code != CUBLAS_STATUS_SUCCESS)
        return code;
    if (!handle->stream || lda < (transpose_a == CUBLAS_OP_T ? k : m) ||
        ldb < (transpose_b == CUBLAS_OP_T ? n : k) || ldc < m ||
        !holds(a, lda, transpose_a == CUBLAS_OP_T ? m : k) ||
        !holds(b, ldb, transpose_b == CUBLAS_OP_T ? k : n) || !holds(c, ldc, n))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += rounded(at(a, lda, transpose_a, i, p), handle->mode) *
                       rounded(at(b, ldb, transpose_b, p, j), handle->mode);
            float *out = &c[j * ldc + i];
            *out = (float)((double)*alpha * sum + (*beta == 0 ? 0 : (double)*beta * (double)*out));
        }
    }
    fake_clock_enqueue();
    fake_pass_ns(fake_number("FAKE_CUBLAS_NS", 50000));
    return CUBLAS_STATUS_SUCCESS;
}
