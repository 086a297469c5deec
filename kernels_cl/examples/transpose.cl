// out = in transposed; in has H rows of W. A work-group reads a square tile row by row into local memory, and writes it row by
// row of the transpose, so that both accesses are to neighbours. PAD moves each row of the tile to another memory bank.
__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void transpose(__global float *out, __global const float *in)
{
    __local float tile[TILE][TILE + PAD];
    const uint x = get_local_id(0), y = get_local_id(1);
    const uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        tile[y + k][x] = in[(size_t)(row + y + k) * W + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        out[(size_t)(column + y + k) * H + row + x] = tile[x][y + k];
}
