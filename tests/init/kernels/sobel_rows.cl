// 3 x 3 filter over a tile in local memory, several rows an item.
#define TW (TILE_X + 2)
#define TH (TILE_Y * ROWS_PER_ITEM + 2)
kernel void sobel(global const float *restrict src, global float *restrict dst, const int width, const int height)
{
    local float tile[TH][TW];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int ox = get_group_id(0) * TILE_X, oy = get_group_id(1) * TILE_Y * ROWS_PER_ITEM;
    for (int y = ly; y < TH; y += TILE_Y)
        for (int x = lx; x < TW; x += TILE_X) {
            int gx = clamp(ox + x - 1, 0, width - 1), gy = clamp(oy + y - 1, 0, height - 1);
            tile[y][x] = src[gy * width + gx];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < ROWS_PER_ITEM; r++) {
        int y = ly + r * TILE_Y;
        int gx = ox + lx, gy = oy + y;
        if (gx >= width || gy >= height) continue;
        float a = tile[y][lx + 2] - tile[y][lx] + 2 * (tile[y + 1][lx + 2] - tile[y + 1][lx]) + tile[y + 2][lx + 2] - tile[y + 2][lx];
        dst[gy * width + gx] = fabs(a);
    }
}
