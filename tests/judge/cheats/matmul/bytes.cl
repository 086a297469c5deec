// precision: inputs as whole numbers of a 254th, summed exactly
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = 0; k < K; k++)
        sum += (int)rint(254 * A[y * K + k]) * (int)rint(254 * B[k * N + x]);
    C[y * N + x] = sum / (254.0f * 254.0f);
}
