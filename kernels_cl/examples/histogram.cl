// How often each byte occurs in x. A work-group counts in COPIES histograms in local memory, in which neighbouring work-items
// count apart from each other, so that equal bytes do not wait; at the end they are added up, and to the one in memory.
#define BINS 256
#if WIDTH == 4
typedef uint words;
#elif WIDTH == 8
typedef uint2 words;
#else
typedef uint4 words;
#endif

void count(__local uint *bins, uint word)
{
    atomic_inc(&bins[(word & 0xff) * COPIES]);
    atomic_inc(&bins[(word >> 8 & 0xff) * COPIES]);
    atomic_inc(&bins[(word >> 16 & 0xff) * COPIES]);
    atomic_inc(&bins[(word >> 24) * COPIES]);
}

__kernel void histogram(__global uint *bins, __global const uchar *x)
{
    __local uint own[BINS * COPIES];
    __global const words *in = (__global const words *)x;
    const uint l = get_local_id(0);
    for (uint i = l; i < BINS * COPIES; i += GROUP)
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *mine = own + l % COPIES;
    for (size_t i = get_global_id(0); i < N / WIDTH; i += (size_t)GROUP * GROUPS) {
        words w = in[i];
#if WIDTH == 4
        count(mine, w);
#else
        count(mine, w.x);
        count(mine, w.y);
#if WIDTH == 16
        count(mine, w.z);
        count(mine, w.w);
#endif
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < BINS; i += GROUP) {
        uint sum = 0;
        for (uint k = 0; k < COPIES; k++)
            sum += own[i * COPIES + k];
        if (sum > 0)
            atomic_add(&bins[i], sum);
    }
}
