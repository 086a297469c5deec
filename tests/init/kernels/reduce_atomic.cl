__kernel void count_positive(__global const int *data, __global int *count, int n)
{
    __local int local_count;
    if (get_local_id(0) == 0) local_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = get_global_id(0);
    if (i < n && data[i] > 50) atomic_inc(&local_count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_add(count, local_count);
}
