__kernel void reduce_sum(__global const float *input, __global float *output, __local float *scratch, int length)
{
    int gid = get_global_id(0);
    int lid = get_local_id(0);
    scratch[lid] = gid < length ? input[gid] : 0.0f;
    for (int stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < stride) scratch[lid] += scratch[lid + stride];
    }
    if (lid == 0) output[get_group_id(0)] = scratch[0];
}
