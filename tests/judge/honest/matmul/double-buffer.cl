// honest: one part of A is fetched while the one before is used
#define PART 8
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    local float rows[2][BY][PART];
    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    const int parts = (K + PART - 1) / PART;
    float sum = 0;
    for (int p = 0; p <= parts; p++) {
        for (int k = lx; k < PART && p < parts; k += BX)
            rows[p % 2][ly][k] = y < M && p * PART + k < K ? A[y * K + p * PART + k] : 0;
        if (p > 0 && x < N)
            for (int k = 0; k < PART && (p - 1) * PART + k < K; k++)
                sum += rows[(p - 1) % 2][ly][k] * B[((p - 1) * PART + k) * N + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < N && y < M)
        C[y * N + x] = sum;
}
