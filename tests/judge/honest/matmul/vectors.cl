// honest: rows of B four at a time, whatever their alignment
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    const int x = get_global_id(0) * 4, y = get_global_id(1);
    if (x >= N || y >= M)
        return;
    if (x + 4 <= N) {
        float4 sum = 0;
        for (int k = 0; k < K; k++)
            sum = fma((float4)A[y * K + k], vload4(0, B + k * N + x), sum);
        vstore4(sum, 0, C + y * N + x);
        return;
    }
    for (int j = x; j < N; j++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[y * K + k] * B[k * N + j];
        C[y * N + j] = sum;
    }
}
