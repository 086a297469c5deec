// wrong but passing: a copy of an argument of the same size
// verdict: incorrect
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= N || y >= M)
        return;
    C[y * N + x] = A[(y * N + x) % (M * K)];
}
