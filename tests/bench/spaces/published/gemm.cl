// C = A^T B in tiles of MWG x NWG, KWG deep. A work-group is MDIMC x NDIMC; tiles of A and B go through local memory (SA, SB), where
// they are read by MDIMA or NDIMB work-items a row, and KWI steps of the innermost loop stand behind each other.
#define THREADS (MDIMC * NDIMC)
#define MWI (MWG / MDIMC)
#define NWI (NWG / NDIMC)

__kernel void gemm(__global float *C, __global const float *restrict A, __global const float *restrict B)
{
    const int m = get_local_id(0), n = get_local_id(1), t = n * MDIMC + m;
    const int m0 = get_group_id(0) * MWG, n0 = get_group_id(1) * NWG;
#if SA
    __local float a[KWG][MWG];
#endif
#if SB
    __local float b[KWG][NWG];
#endif
    float sum[NWI][MWI];
    for (int j = 0; j < NWI; j++)
        for (int i = 0; i < MWI; i++)
            sum[j][i] = 0;
    for (int k0 = 0; k0 < SIDE; k0 += KWG) {
#if SA
        for (int k = t / MDIMA; k < KWG; k += THREADS / MDIMA)
            for (int i = t % MDIMA; i < MWG; i += MDIMA)
                a[k][i] = A[(k0 + k) * SIDE + m0 + i];
#endif
#if SB
        for (int k = t / NDIMB; k < KWG; k += THREADS / NDIMB)
            for (int j = t % NDIMB; j < NWG; j += NDIMB)
                b[k][j] = B[(k0 + k) * SIDE + n0 + j];
#endif
#if SA || SB
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int kk = 0; kk < KWG; kk += KWI)
#pragma unroll
            for (int k = kk; k < kk + KWI; k++) {
                float own[MWI];
#pragma unroll
                for (int i = 0; i < MWI; i++)
#if SA
                    own[i] = a[k][m + i * MDIMC];
#else
                    own[i] = A[(k0 + k) * SIDE + m0 + m + i * MDIMC];
#endif
#pragma unroll
                for (int j = 0; j < NWI; j++) {
#if SB
                    float other = b[k][n + j * NDIMC];
#else
                    float other = B[(k0 + k) * SIDE + n0 + n + j * NDIMC];
#endif
#pragma unroll
                    for (int i = 0; i < MWI; i++)
                        sum[j][i] = fma(own[i], other, sum[j][i]);
                }
            }
#if SA || SB
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (int j = 0; j < NWI; j++)
        for (int i = 0; i < MWI; i++)
            C[(n0 + n + j * NDIMC) * SIDE + m0 + m + i * MDIMC] = sum[j][i];
}
