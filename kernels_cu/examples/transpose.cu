// out = in transposed; in has H rows of W. A block reads a square tile row by row into shared memory, and writes it row by row of
// the transpose, so that both accesses are to neighbours. PAD moves each row of the tile to another memory bank.
extern "C" __global__ void __launch_bounds__(TILE *ROWS) transpose(float *out, const float *in)
{
    __shared__ float tile[TILE][TILE + PAD];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned column = blockIdx.x * TILE, row = blockIdx.y * TILE;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        tile[y + k][x] = in[(size_t)(row + y + k) * W + column + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        out[(size_t)(column + y + k) * H + row + x] = tile[x][y + k];
}
