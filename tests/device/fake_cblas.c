// A CBLAS for tests: right, unless $FAKE_CBLAS says "wrong", "beyond" (it writes behind C), "input"
// (it writes into A) or "die". Name and version are in $FAKE_CBLAS_CONFIG, as OpenBLAS tells them.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

const char *openblas_get_config(void);

const char *openblas_get_config(void)
{
    const char *given = getenv("FAKE_CBLAS_CONFIG");
    return given ? given : "";
}

static int is_asked(const char *what)
{
    const char *given = getenv("FAKE_CBLAS");
    return given && strcmp(given, what) == 0;
}

static double at(const float *matrix, int row_length, int transpose, int row, int column)
{
    return transpose == 112 ? matrix[column * row_length + row] : matrix[row * row_length + column];
}

void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
    if (order != 101 || is_asked("die"))
        raise(SIGSEGV);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += at(a, lda, transpose_a, i, p) * at(b, ldb, transpose_b, p, j);
            float *out = &c[i * ldc + j];
            *out = (float)(alpha * sum + (beta == 0 ? 0 : (double)beta * (double)*out));
        }
    }
    if (is_asked("wrong"))
        c[0] += 1;
    if (is_asked("beyond"))
        c[m * ldc] = 1;
    if (is_asked("input"))
        ((float *)a)[0] += 1;
}
