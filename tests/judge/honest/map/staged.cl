// honest: through local memory
kernel void map(global float *restrict y, global const float *restrict x)
{
    local float tile[B];
    for (int first = get_group_id(0) * B; first < N; first += get_num_groups(0) * B) {
        int i = first + get_local_id(0);
        if (i < N)
            tile[get_local_id(0)] = x[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < N)
            y[i] = 0.5f * tile[get_local_id(0)] * tile[get_local_id(0)] + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
