#ifndef STRIP
#define STRIP 256
#endif
// A step of a path's costs: each group reads `halo` more on both sides than it writes.
__kernel void least_of_three(__global const int *cost, __global const int *before, __global int *after, int columns,
                             int halo, __local int *line)
{
    int me = get_local_id(0);
    int x = get_group_id(0) * (STRIP - 2 * halo) + me - halo;
    if (x >= 0 && x < columns)
        line[me] = before[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me >= 1 && me < STRIP - 1 && x >= 0 && x < columns) {
        int left = x > 0 ? line[me - 1] : line[me], right = x + 1 < columns ? line[me + 1] : line[me];
        after[x] = cost[x] + min(line[me], min(left, right));
    }
}
