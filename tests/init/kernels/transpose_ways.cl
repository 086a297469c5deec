// Two ways to transpose a square matrix: through local memory, or several columns an item. Each has names of its own.
#if USE_LOCAL == 1
kernel void transpose(global float *restrict out, global const float *restrict in, const int n)
{
    local float tile[TILE_Y][TILE_X + PAD];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TILE_X + lx, y = get_group_id(1) * TILE_Y;
    for (int j = ly; j < TILE_Y; j += GROUP_Y)
        tile[j][lx] = in[(y + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int id = ly * GROUP_X + lx;
    for (int i = id / TILE_Y; i < TILE_X; i += GROUP_X * GROUP_Y / TILE_Y)
        out[(get_group_id(0) * TILE_X + i) * n + y + id % TILE_Y] = tile[id % TILE_Y][i];
}
#else
kernel void transpose(global float *restrict out, global const float *restrict in, const int n)
{
    int x = (get_group_id(0) * TILE_X + get_local_id(0)) * COLUMNS_PER_ITEM;
    int first = get_group_id(1) * TILE_Y + get_local_id(1);
    for (int y = first; y < first + TILE_Y; y += GROUP_Y) {
        for (int k = 0; k < COLUMNS_PER_ITEM; k++)
            out[(x + k) * n + y] = in[y * n + x + k];
    }
}
#endif
