#ifndef TS
#define TS 16
#endif
__kernel void gemm_strided_batched(const int M, const int N, const int K, __global const float *A, const int strideA, __global const float *B, const int strideB, __global float *C, const int strideC)
{
    __local float As[TS][TS], Bs[TS][TS];
    const int row = get_local_id(1), col = get_local_id(0);
    const int gr = get_group_id(1) * TS + row, gc = get_group_id(0) * TS + col, b = get_global_id(2);
    float acc = 0.0f;
    for (int t = 0; t < K / TS; t++) {
        As[row][col] = A[b * strideA + gr * K + t * TS + col];
        Bs[row][col] = B[b * strideB + (t * TS + row) * N + gc];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++) acc += As[row][k] * Bs[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[b * strideC + gr * N + gc] = acc;
}
