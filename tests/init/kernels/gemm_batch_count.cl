#ifndef TS
#define TS 16
#endif
__kernel void batched_gemm(const int M, const int N, const int K, __global const float *A, __global const float *B, __global float *C, const int batch)
{
    __local float As[TS][TS];
    __local float Bs[TS][TS];
    const int b = get_global_id(2);
    const int row = get_global_id(1), col = get_global_id(0);
    const int ly = get_local_id(1), lx = get_local_id(0);
    float acc = 0.0f;
    for (int t = 0; t < K; t += TS) {
        As[ly][lx] = A[b * M * K + row * K + t + lx];
        Bs[ly][lx] = B[b * K * N + (t + ly) * N + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++) acc += As[ly][k] * Bs[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[b * M * N + row * N + col] = acc;
}
