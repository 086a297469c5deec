// A tile of TILE x TILE by TILE x ROWS work-items; no guard, so that sizes are multiples of it.
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef PAD
#define PAD 1
#endif
__kernel void transpose(__global float *out, __global const float *in, const int n)
{
    __local float tile[TILE][TILE + PAD];
    const int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TILE + lx;
    int y = get_group_id(1) * TILE + ly;
    for (int j = 0; j < TILE; j += ROWS)
        tile[ly + j][lx] = in[(y + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + lx;
    y = get_group_id(0) * TILE + ly;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[lx][ly + j];
}
