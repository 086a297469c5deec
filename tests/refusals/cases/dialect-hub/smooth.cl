#define TUNED 1
#ifndef TUNED
#define block_size_x 8
#define filter_width 3
#endif
#define filter_width 5
#define CACHED read_only
#if CACHED == 1
#define LOAD(p, i) p[i]
#else
#define LOAD(p, i) (*(p + (i)))
#endif

__kernel void smooth(__global float *output, __global const float *input, __constant float *taps, int n)
{
    for (int t = 0; t < tile_size_x; t += step) {
        int i = get_group_id(0) * block_size_x * tile_size_x + t * block_size_x + get_local_id(0);
        float sum = 0;
        if (i >= n)
            return;
#pragma unroll loop_unroll_factor_taps
        for (int k = 0; k < filter_width; k++)
            sum += LOAD(input, i + k) * taps[k];
        output[i] = sum;
    }
}
