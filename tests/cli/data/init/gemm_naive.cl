__kernel void gemm(const int M, const int N, const int K, const float alpha,
                   const __global float *A, const __global float *B, const float beta,
                   __global float *C)
{
    const int row = get_global_id(1);
    const int col = get_global_id(0);
    if (row >= M || col >= N)
        return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * acc + beta * C[row * N + col];
}
