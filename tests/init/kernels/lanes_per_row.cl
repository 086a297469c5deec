#ifndef LANES
#define LANES 32
#endif
// So many lanes share a row of a sparse matrix: a group has as many rows as LANES go into it.
__kernel void rows_by_lanes(__global const float *value, __global const int *column, __global const int *begin,
                            __global const float *x, __global float *y, int rows)
{
    __local float part[1024];
    int me = get_local_id(0), lane = me % LANES;
    int row = get_group_id(0) * (get_local_size(0) / LANES) + me / LANES;
    float sum = 0;
    if (row < rows) {
        for (int k = begin[row] + lane; k < begin[row + 1]; k += LANES)
            sum += value[k] * x[column[k]];
    }
    part[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = LANES / 2; half_of > 0; half_of /= 2) {
        if (lane < half_of)
            part[me] += part[me + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows)
        y[row] = part[me];
}
