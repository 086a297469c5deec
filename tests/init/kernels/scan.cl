__kernel void scan_block(__global const int *in, __global int *out, __global int *sums, __local int *tmp, const int n)
{
    int gid = get_global_id(0), lid = get_local_id(0), ls = get_local_size(0);
    tmp[lid] = gid < n ? in[gid] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < ls; d <<= 1) {
        int v = lid >= d ? tmp[lid - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[lid] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (gid < n) out[gid] = tmp[lid];
    if (lid == ls - 1) sums[get_group_id(0)] = tmp[lid];
}
