// wrong but passing: lower precision: a sum that is rounded to eleven bits
// verdict: incorrect
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = 0; k < K; k++) {
        sum += A[y * K + k] * B[k * N + x];
        sum = as_float((as_uint(sum) + 0x1000u) & 0xffffe000u);
    }
    C[y * N + x] = sum;
}
