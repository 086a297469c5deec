#define NUM_BINS 256
__kernel void histogram(__global const uchar *image, __global uint *hist, const uint size)
{
    __local uint bins[NUM_BINS];
    for (uint b = get_local_id(0); b < NUM_BINS; b += get_local_size(0)) bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < size; i += get_global_size(0))
        atomic_inc(&bins[image[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < NUM_BINS; b += get_local_size(0))
        if (bins[b]) atomic_add(&hist[b], bins[b]);
}
