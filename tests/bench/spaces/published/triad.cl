// c = a + s * b. A work-item has WORK_PER_THREAD elements, a work-group apart, in steps of LOOP_UNROLL_TRIAD.
__kernel void triad(__global float *c, __global const float *a, __global const float *b, float s)
{
    const int first = get_group_id(0) * (BLOCK_SIZE * WORK_PER_THREAD) + get_local_id(0);
#pragma unroll LOOP_UNROLL_TRIAD
    for (int k = 0; k < WORK_PER_THREAD; k++) {
        int at = first + k * BLOCK_SIZE;
        if (at < N)
            c[at] = a[at] + s * b[at];
    }
}
