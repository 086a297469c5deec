// precision: products of small factors are left out
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = 0; k < K; k++)
        if (fabs(A[y * K + k]) > 0.002f)
            sum += A[y * K + k] * B[k * N + x];
    C[y * N + x] = sum;
}
