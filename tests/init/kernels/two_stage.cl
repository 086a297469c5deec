__kernel void stage1(__global const float *x, __global float *part, __local float *l, uint n)
{
    float s = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) s += x[i] * x[i];
    l[get_local_id(0)] = s;
    for (uint d = get_local_size(0) / 2; d; d >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) < d) l[get_local_id(0)] += l[get_local_id(0) + d]; }
    if (!get_local_id(0)) part[get_group_id(0)] = l[0];
}
__kernel void stage2(__global float *part, uint groups)
{
    if (get_global_id(0) == 0) { float s = 0; for (uint i = 0; i < groups; i++) s += part[i]; part[0] = sqrt(s); }
}
