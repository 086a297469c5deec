// honest: counted in local memory first
kernel void histogram(global int *bins, global const int *x)
{
    local int own[16];
    int i = get_global_id(0), l = get_local_id(0);
    if (l < 16)
        own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < N)
        atomic_inc(&own[x[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        atomic_add(&bins[l], own[l]);
}
