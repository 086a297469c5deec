#define BLOCK 128
#define ITEMS 4

__attribute__((reqd_work_group_size(BLOCK, 1, 1)))
__kernel void saxpy(__global const float *x, __global float *y, const float a, const int n)
{
    int base = get_group_id(0) * BLOCK * ITEMS + get_local_id(0);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        int i = base + j * BLOCK;
        if (i < n) y[i] += a * x[i];
    }
}
