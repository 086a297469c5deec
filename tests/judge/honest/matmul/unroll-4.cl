// honest: four products at a time, with a rest
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    int k = 0;
    for (; k + 3 < K; k += 4)
        sum += A[y * K + k] * B[k * N + x] + A[y * K + k + 1] * B[(k + 1) * N + x] +
               A[y * K + k + 2] * B[(k + 2) * N + x] + A[y * K + k + 3] * B[(k + 3) * N + x];
    for (; k < K; k++)
        sum += A[y * K + k] * B[k * N + x];
    C[y * N + x] = sum;
}
