// wrong but passing: inputs of mean 0: products are small
// verdict: incorrect
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    C[y * N + x] = sum;
}
