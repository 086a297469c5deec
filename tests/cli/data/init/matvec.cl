// A group for each row, its columns among the work-items.
#ifndef GROUP
#define GROUP 64
#endif
#if !defined(USE_FAST)
#define USE_FAST 0
#endif
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void matvec(__global const float *A, __global const float *x, __global float *y, int m, int n)
{
    __local float part[GROUP];
    const int row = get_group_id(0);
    const int l = get_local_id(0);
    float s = 0.0f;
    for (int c = l; c < n; c += GROUP)
#if USE_FAST == 1
        s = mad(A[row * n + c], x[c], s);
#else
        s += A[row * n + c] * x[c];
#endif
    part[l] = s;
    for (int o = GROUP / 2; o > 0; o /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < o)
            part[l] += part[l + o];
    }
    if (l == 0)
        y[row] = part[0];
}
