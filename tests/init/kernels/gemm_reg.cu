#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 64
#endif
#ifndef BK
#define BK 8
#endif
#ifndef TM
#define TM 8
#endif
__global__ void sgemm1DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const unsigned cRow = blockIdx.y, cCol = blockIdx.x;
    const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;
    const unsigned innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
    const unsigned innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
    float threadResults[TM] = {0.0};
    for (unsigned bkIdx = 0; bkIdx < K; bkIdx += BK) {
        As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
        Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (unsigned dot = 0; dot < BK; ++dot) {
            float tmpB = Bs[dot * BN + threadCol];
            for (unsigned r = 0; r < TM; ++r) threadResults[r] += As[(threadRow * TM + r) * BK + dot] * tmpB;
        }
        __syncthreads();
    }
    for (unsigned r = 0; r < TM; ++r)
        C[(threadRow * TM + r) * N + threadCol] = alpha * threadResults[r] + beta * C[(threadRow * TM + r) * N + threadCol];
}
