// A tile with its halo in local memory.
#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#define IN(r, c) in[(r) * width + (c)]

__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1))) void
jacobi(__global const float *in, __global float *out, int width, int height)
{
    __local float tile[BLOCK_Y + 2][BLOCK_X + 2];
    int gx = get_group_id(0) * BLOCK_X, gy = get_group_id(1) * BLOCK_Y;
    int lx = get_local_id(0), ly = get_local_id(1);
    for (int r = ly; r < BLOCK_Y + 2; r += BLOCK_Y)
        for (int c = lx; c < BLOCK_X + 2; c += BLOCK_X) {
            int y = clamp(gy + r - 1, 0, height - 1);
            int x = clamp(gx + c - 1, 0, width - 1);
            tile[r][c] = IN(y, x);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = gx + lx, y = gy + ly;
    if (x < width && y < height)
        out[y * width + x] = 0.25f * (tile[ly][lx + 1] + tile[ly + 2][lx + 1] +
                                      tile[ly + 1][lx] + tile[ly + 1][lx + 2]);
}
