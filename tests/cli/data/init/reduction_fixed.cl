// Two elements for each work-item of a group whose size is a name without a value.
__kernel void sum2(__global float *g_idata, __global float *g_odata, uint n)
{
    __local float sdata[WG];
    uint tid = get_local_id(0);
    uint i = get_group_id(0) * (WG * 2) + tid;
    float v = (i < n) ? g_idata[i] : 0.0f;
    if (i + WG < n)
        v += g_idata[i + WG];
    sdata[tid] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = WG / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        g_odata[get_group_id(0)] = sdata[0];
}
