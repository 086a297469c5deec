// style: sums in double
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    double sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = K - 1; k >= 0; k--)
        sum += (double)A[y * K + k] * B[k * N + x];
    C[y * N + x] = (float)sum;
}
