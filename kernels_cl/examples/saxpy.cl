// y = a * x + y. Each work-group takes a run of GROUP * ITEMS vectors; neighbouring work-items take neighbouring ones.
#if WIDTH == 1
typedef float vector;
#elif WIDTH == 2
typedef float2 vector;
#else
typedef float4 vector;
#endif

__kernel void saxpy(__global float *y, __global const float *x, float a)
{
    __global vector *out = (__global vector *)y;
    __global const vector *in = (__global const vector *)x;
    size_t i = get_group_id(0) * (size_t)(GROUP * ITEMS) + get_local_id(0);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        out[i + k * GROUP] = a * in[i + k * GROUP] + out[i + k * GROUP];
}
