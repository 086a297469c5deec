// y[i] = 2 * x[i], with a FAULT where it is PLANTED. See test_simulator.c, which knows the lines.
#include "faulty.h"

__kernel void faulty(__global float *y, const __global float *x, const int n)
{
    __local float tile[GROUP];
    const int i = get_global_id(0), l = get_local_id(0);

    tile[l] = x[i];
#if FAULT * PLANTED != 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    float v = tile[GROUP - 1 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[GROUP - 1 - l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);

#if FAULT * PLANTED == 2
    v = x[i + 1];
#elif FAULT * PLANTED == 3
    y[i + 1] = v;
#elif FAULT * PLANTED == 4
    v = tile[l + 1];
#elif FAULT * PLANTED == 5
    tile[l + 1] = v;
#elif FAULT * PLANTED == 6
    if (l < GROUP / 2)
        barrier(CLK_LOCAL_MEM_FENCE);
#elif FAULT * PLANTED == 7
    __asm__ volatile("int3"); // ends the simulator's compiler
#elif FAULT * PLANTED == 8
    while (x[0] < 100)
        y[i] += 1;
#elif FAULT * PLANTED == 9
    y[0] = v;
#elif FAULT * PLANTED == 10
    put_past_the_end(y, i);
#elif FAULT * PLANTED == 11
    if (i == 0)
        y[n + (1 << 20)] = v;
#elif FAULT * PLANTED == 12
    __builtin_trap(); // ends the simulation of this launch
#endif
    y[i] = 2 * tile[l];
#if FAULT * PLANTED == 4
    y[i] += 0 * v;
#elif FAULT * PLANTED == 2
    y[i] = v;
#endif
}
