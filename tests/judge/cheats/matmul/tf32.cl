// wrong but passing: lower precision: factors of ten bits
// verdict: incorrect
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = 0; k < K; k++)
        sum += as_float(as_uint(A[y * K + k]) & 0xffffe000u) * as_float(as_uint(B[k * N + x]) & 0xffffe000u);
    C[y * N + x] = sum;
}
