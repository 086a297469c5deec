// wrong but passing: the upper triangle, mirrored
// verdict: incorrect
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    int r = y < x ? y : x, s = y < x ? x : y;
    for (int k = 0; k < K; k++)
        sum += A[r * K + k] * B[k * N + (s < N ? s : N - 1)];
    C[y * N + x] = sum;
}
