// Partial sums of x, one for each work-group: GROUPS of them, which is a parameter. Every work-item adds up what lies a whole
// launch apart, UNROLL vectors at a time in sums of their own; the work-group then adds its items' sums in local memory.
#if WIDTH == 1
typedef float vector;
#define SUM(v) (v)
#elif WIDTH == 2
typedef float2 vector;
#define SUM(v) ((v).x + (v).y)
#else
typedef float4 vector;
#define SUM(v) (((v).x + (v).y) + ((v).z + (v).w))
#endif

__kernel void reduction(__global float *partial, __global const float *x)
{
    __local float sums[GROUP];
    __global const vector *in = (__global const vector *)x;
    const size_t step = (size_t)GROUP * GROUPS;
    const uint l = get_local_id(0);
    vector sum[UNROLL];
    for (int k = 0; k < UNROLL; k++)
        sum[k] = (vector)(0);
    size_t i = get_global_id(0);
    for (; i + (UNROLL - 1) * step < N / WIDTH; i += UNROLL * step) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum[k] += in[i + k * step];
    }
    for (; i < N / WIDTH; i += step)
        sum[0] += in[i];
    float all = 0;
    for (int k = 0; k < UNROLL; k++)
        all += SUM(sum[k]);
    sums[l] = all;
    for (uint reach = GROUP / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < reach)
            sums[l] += sums[l + reach];
    }
    if (l == 0)
        partial[get_group_id(0)] = sums[0];
}
