__kernel void gemm(__global const float *A, __global const float *B, __global float *C, int M, int N, int K, int lda, int ldb, int ldc, float alpha, float beta)
{
    int col = get_global_id(0), row = get_global_id(1);
    if (row < M && col < N) {
        float s = 0;
        for (int k = 0; k < K; k++) s += A[row * lda + k] * B[k * ldb + col];
        C[row * ldc + col] = alpha * s + beta * C[row * ldc + col];
    }
}
