// Products of 8-bit floats by cublasLtMatmul(): C may be wider than A and B, k runs along the rows of
// both, and of the algorithms that the library proposes the one is taken that is the fastest here.
#include "device/backends/cuda/cuda_lt.h"

#include "device/backends/cuda/cuda.h"

#include <float.h>

#define TRIAL_CALLS 4 // of each algorithm, after one that is not timed

static int type_of(enum scalar s)
{
    static const int types[SCALAR_COUNT] = {
        [SCALAR_HALF] = CUDA_R_16F,     [SCALAR_BFLOAT16] = CUDA_R_16BF,
        [SCALAR_FLOAT] = CUDA_R_32F,    [SCALAR_E4M3] = CUDA_R_8F_E4M3,
        [SCALAR_E5M2] = CUDA_R_8F_E5M2,
    };
    return types[s];
}

// A matrix as cuBLAS sees it: `row` numbers of it follow each other, `count` times.
static int make_layout(const struct cuda_lt *t, enum scalar s, int row, int count,
                       cublasLtMatrixLayout_t *out)
{
    return t->call->hone_lt_layout_create(out, type_of(s), (uint64_t)row, (uint64_t)count, row);
}

static int describe_product(struct cuda_lt *t, bool fast)
{
    const struct cublas_api *call = t->call;
    const struct product *p = t->product;
    const int32_t op_a = p->of.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int32_t op_b = p->of.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int8_t sums = fast;
    const struct {
        int attribute;
        const void *value;
        size_t bytes;
    } set[] = {{CUBLASLT_MATMUL_DESC_TRANSA, &op_b, sizeof op_b},
               {CUBLASLT_MATMUL_DESC_TRANSB, &op_a, sizeof op_a},
               {CUBLASLT_MATMUL_DESC_FAST_ACCUM, &sums, sizeof sums}};
    int code = call->hone_lt_desc_create(&t->multiply, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    for (size_t i = 0; i < sizeof set / sizeof *set && code == CUBLAS_STATUS_SUCCESS; i++)
        code = call->hone_lt_desc_set(t->multiply, set[i].attribute, set[i].value, set[i].bytes);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = make_layout(t, p->type_b, p->b_row, p->of.transpose_b ? p->n : p->k, &t->b);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = make_layout(t, p->type, p->a_row, p->of.transpose_a ? p->k : p->m, &t->a);
    return code == CUBLAS_STATUS_SUCCESS ? make_layout(t, p->type_c, p->c_row, p->m, &t->c) : code;
}

static int find_algorithms(struct cuda_lt *t)
{
    const struct cublas_api *call = t->call;
    const size_t bytes = CUDA_LT_WORKSPACE_BYTES;
    int code = call->hone_lt_preference_create(&t->preference);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = call->hone_lt_preference_set(t->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                            &bytes, sizeof bytes);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = call->hone_lt_heuristic(t->handle, t->multiply, t->b, t->a, t->c, t->c,
                                       t->preference, CUDA_LT_MOST, t->found, &t->count);
    return code == CUBLAS_STATUS_SUCCESS && t->count == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : code;
}

bool cuda_lt_init(struct cuda_lt *t, bool fast, const char **call, int *code)
{
    *call = "describing a product to cublasLt";
    *code = describe_product(t, fast);
    if (*code != CUBLAS_STATUS_SUCCESS)
        return false;
    *call = "cublasLtMatmulAlgoGetHeuristic";
    *code = find_algorithms(t);
    if (*code == CUBLAS_STATUS_SUCCESS &&
        t->cuda->cu.cuMemAlloc(&t->workspace, CUDA_LT_WORKSPACE_BYTES) != CUDA_SUCCESS) {
        t->workspace = 0;
        *code = CUBLAS_STATUS_ALLOC_FAILED;
    }
    return *code == CUBLAS_STATUS_SUCCESS;
}

void cuda_lt_release(struct cuda_lt *t)
{
    const cublasLtMatrixLayout_t layouts[] = {t->a, t->b, t->c};
    if (t->workspace)
        t->cuda->cu.cuMemFree(t->workspace);
    if (t->preference)
        t->call->hone_lt_preference_destroy(t->preference);
    for (int i = 0; i < 3; i++) {
        if (layouts[i])
            t->call->hone_lt_layout_destroy(layouts[i]);
    }
    if (t->multiply)
        t->call->hone_lt_desc_destroy(t->multiply);
    *t = (struct cuda_lt){.count = 0};
}

// c: what is added; d: where the result goes, of the same layout.
static int call_lt(const struct cuda_lt *t, int which, const void *a, const void *b, const void *c,
                   void *d)
{
    const float alpha = (float)t->product->of.alpha, beta = (float)t->product->of.beta;
    return t->call->hone_lt_matmul(t->handle, t->multiply, &alpha, b, t->b, a, t->a, &beta, c, t->c,
                                   d, t->c, &t->found[which].algo, (void *)(uintptr_t)t->workspace,
                                   CUDA_LT_WORKSPACE_BYTES, t->cuda->stream);
}

// Milliseconds of a product; FLT_MAX where the algorithm fails.
static float time_algorithm(const struct cuda_lt *t, int which, const void *a, const void *b,
                            const void *c, void *d)
{
    const struct cuda *o = t->cuda;
    float ms = 0;
    for (int i = 0; i <= TRIAL_CALLS; i++) {
        if ((i == 1 && o->cu.cuEventRecord(o->events[0], o->stream) != CUDA_SUCCESS) ||
            call_lt(t, which, a, b, c, d) != CUBLAS_STATUS_SUCCESS)
            return FLT_MAX;
    }
    bool timed = o->cu.cuEventRecord(o->events[1], o->stream) == CUDA_SUCCESS &&
                 o->cu.cuStreamSynchronize(o->stream) == CUDA_SUCCESS &&
                 o->cu.cuEventElapsedTime(&ms, o->events[0], o->events[1]) == CUDA_SUCCESS;
    return timed ? ms : FLT_MAX;
}

// Algorithms write into memory of their own, for C may be what they add to.
static void choose_algorithm(struct cuda_lt *t, const void *a, const void *b, const void *c)
{
    const struct product *p = t->product;
    const size_t bytes = (size_t)p->m * (size_t)p->n * scalar_bytes(p->type_c);
    CUdeviceptr d = 0;
    float least = FLT_MAX;
    int fastest = 0;
    t->chosen = true;
    if (t->count < 2 || t->cuda->cu.cuMemAlloc(&d, bytes) != CUDA_SUCCESS)
        return;
    for (int i = 0; i < t->count; i++) {
        float ms = time_algorithm(t, i, a, b, c, (void *)(uintptr_t)d);
        if (ms < least) {
            least = ms;
            fastest = i;
        }
    }
    t->found[0] = t->found[fastest];
    t->cuda->cu.cuMemFree(d);
}

int cuda_lt_multiply(struct cuda_lt *t, const void *a, const void *b, void *c)
{
    if (!t->chosen)
        choose_algorithm(t, a, b, c);
    return call_lt(t, 0, a, b, c, c);
}
