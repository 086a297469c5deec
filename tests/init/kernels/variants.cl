#ifndef USE_LOCAL
#define USE_LOCAL 0
#endif
#ifndef WGS
#define WGS 64
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
__kernel void smooth(__global const float *x, __global float *y, int n)
{
#if USE_LOCAL
    __local float t[WGS + 2];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = i < n ? x[i] : 0;
    if (l == 0) t[0] = i > 0 ? x[i - 1] : 0;
    if (l == WGS - 1) t[WGS + 1] = i + 1 < n ? x[i + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) y[i] = (t[l] + t[l + 1] + t[l + 2]) / 3;
#else
    int i = get_global_id(0);
    if (i < n) y[i] = ((i > 0 ? x[i - 1] : 0) + x[i] + (i + 1 < n ? x[i + 1] : 0)) / 3;
#endif
}
