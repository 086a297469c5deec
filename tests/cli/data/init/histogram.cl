#ifndef NUM_BINS
#define NUM_BINS 256
#endif
__kernel void histogram(__global const uint *data, __global uint *bins, int n)
{
    __local uint local_bins[NUM_BINS];
    for (int i = get_local_id(0); i < NUM_BINS; i += get_local_size(0))
        local_bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&local_bins[data[i] % NUM_BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < NUM_BINS; i += get_local_size(0))
        atomic_add(&bins[i], local_bins[i]);
}
