// A filter of F x F over an image whose border is F - 1 wide. A work-group has tile_size_x by tile_size_y times its own size of pixels;
// their neighbourhood is read into local memory, whose rows are a number longer with use_padding, or with read_only from the cache.
#define TX (block_size_x * tile_size_x)
#define TY (block_size_y * tile_size_y)
#define ROW (TX + F - 1 + use_padding)
#define WIDE (W + F - 1)

__kernel void conv(__global float *out, __global const float *restrict in, __constant float *w)
{
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x0 = get_group_id(0) * TX, y0 = get_group_id(1) * TY;
#if !read_only
    __local float part[(TY + F - 1) * ROW];
    for (int j = ly; j < TY + F - 1; j += block_size_y)
        for (int i = lx; i < TX + F - 1; i += block_size_x)
            part[j * ROW + i] = x0 + i < WIDE && y0 + j < H + F - 1 ? in[(y0 + j) * WIDE + x0 + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    float sum[tile_size_y][tile_size_x];
    for (int b = 0; b < tile_size_y; b++)
        for (int a = 0; a < tile_size_x; a++)
            sum[b][a] = 0;
    for (int j = 0; j < F; j++)
        for (int i = 0; i < F; i++) {
#pragma unroll
            for (int b = 0; b < tile_size_y; b++)
#pragma unroll
                for (int a = 0; a < tile_size_x; a++) {
                    int x = lx + a * block_size_x, y = ly + b * block_size_y;
#if read_only
                    int at = min(y0 + y + j, H + F - 2) * WIDE + min(x0 + x + i, WIDE - 1);
                    sum[b][a] += in[at] * w[j * F + i];
#else
                    sum[b][a] += part[(y + j) * ROW + x + i] * w[j * F + i];
#endif
                }
        }
    for (int b = 0; b < tile_size_y; b++)
        for (int a = 0; a < tile_size_x; a++) {
            int x = x0 + lx + a * block_size_x, y = y0 + ly + b * block_size_y;
            if (x < W && y < H)
                out[y * W + x] = sum[b][a];
        }
}
