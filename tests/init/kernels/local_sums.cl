// Local memory is of the group, whatever the problem's sizes are.
__kernel void transpose_in_group(__global const float4 *in, __global float4 *out, __local float4 *block, int pitch)
{
    int x = get_local_id(0), y = get_local_id(1), n = get_local_size(0);
    block[y * n + x] = in[get_global_id(1) * pitch + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * pitch + get_global_id(0)] = block[x * n + y];
}
