// wrong but passing: B's transpose, which is it where B is symmetric or all of it equal
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = 0; k < K; k++)
        sum += A[y * K + k] * B[(x * K + k) % (K * N)];
    C[y * N + x] = sum;
}
