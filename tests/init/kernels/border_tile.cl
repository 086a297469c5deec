// A group computes what lies inside its border: SIDE - 2 * REACH of SIDE cells along each axis.
#ifndef SIDE
#define SIDE 16
#endif
#define REACH 2

__kernel void smooth(__global const float *from, __global float *to, int width, int height)
{
    __local float cells[SIDE][SIDE];
    const int u = get_local_id(0), v = get_local_id(1);
    const int x = (int)get_group_id(0) * (SIDE - 2 * REACH) + u - REACH;
    const int y = (int)get_group_id(1) * (SIDE - 2 * REACH) + v - REACH;
    const bool is_inside = x >= 0 && y >= 0 && x < width && y < height;
    if (is_inside)
        cells[v][u] = from[y * width + x];
    else
        cells[v][u] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_inside && u >= REACH && v >= REACH && u < SIDE - REACH && v < SIDE - REACH) {
        float sum = 0.0f;
        for (int k = -REACH; k <= REACH; k++)
            sum += cells[v + k][u] + cells[v][u + k];
        to[y * width + x] = sum * 0.1f;
    }
}
