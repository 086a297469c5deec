// A group's size that the text defines itself, and one that it takes from -D where that is given.
#ifndef OWN_NUMBERS
#define OWN_NUMBERS
#define GROUP 128
#endif
#ifdef GIVEN_LANES
#define LANES GIVEN_LANES
#elif defined(GIVEN_ELSEWHERE)
#define LANES GIVEN_ELSEWHERE
#else
#define LANES 64
#endif

__kernel void scale_by_group(__global const float *in, __global float *out, int n)
{
    int i = get_group_id(0) * GROUP + get_local_id(0);
    if (i < n)
        out[i] = 2 * in[i];
}

__kernel void scale_by_lanes(__global const float *in, __global float *out, int n)
{
    int i = get_group_id(0) * LANES + get_local_id(0);
    if (i < n)
        out[i] = 3 * in[i];
}
