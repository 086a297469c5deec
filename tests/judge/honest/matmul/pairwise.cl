// style: sums by halves, in a stack of partial sums
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    int x = get_global_id(0), y = get_global_id(1);
    float stack[16];
    uint depth = 0;
    if (x >= N || y >= M)
        return;
    for (uint k = 0; k < K; k++) {
        float v = A[y * K + k] * B[k * N + x];
        for (uint done = k + 1; done % 2 == 0; done /= 2)
            v += stack[--depth];
        stack[depth++] = v;
    }
    float sum = 0;
    while (depth > 0)
        sum += stack[--depth];
    C[y * N + x] = sum;
}
