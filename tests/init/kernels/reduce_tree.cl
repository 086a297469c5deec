#ifndef WG
#define WG 256
#endif
__kernel void reduce(__global const float *in, __global float *partial, const uint n)
{
    __local float sh[WG];
    uint lid = get_local_id(0);
    uint i = get_group_id(0) * WG * 2 + lid;
    float v = i < n ? in[i] : 0.0f;
    if (i + WG < n) v += in[i + WG];
    sh[lid] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = WG / 2; s > 0; s >>= 1) {
        if (lid < s) sh[lid] += sh[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) partial[get_group_id(0)] = sh[0];
}
