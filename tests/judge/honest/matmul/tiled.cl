// honest: tiles in local memory
#define TILE 16
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    local float a[BY][TILE], b[TILE][BX];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int first = 0; first < K; first += TILE) {
        for (int k = lx; k < TILE; k += BX)
            a[ly][k] = y < M && first + k < K ? A[y * K + first + k] : 0;
        for (int k = ly; k < TILE; k += BY)
            b[k][lx] = x < N && first + k < K ? B[(first + k) * N + x] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += a[ly][k] * b[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < N && y < M)
        C[y * N + x] = sum;
}
