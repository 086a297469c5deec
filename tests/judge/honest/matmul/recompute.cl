// style: writes the output twice, an unfinished sum first
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = 0; k < K / 2; k++)
        sum += A[y * K + k] * B[k * N + x];
    C[y * N + x] = sum;
    sum = 0;
    for (int k = K / 2; k < K; k++)
        sum += A[y * K + k] * B[k * N + x];
    C[y * N + x] += sum;
}
