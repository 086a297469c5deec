// Each pixel of out (H rows of W) is a sum of F * F pixels of in (H + F - 1 rows of W + F - 1) by the weights w. The block reads
// the pixels it needs into shared memory; a thread makes ITEMS_X * ITEMS_Y pixels: a row that it has read serves all of them.
#define TILE_X (GROUP_X * ITEMS_X)
#define TILE_Y (GROUP_Y * ITEMS_Y)
#define LINE   (TILE_X + F - 1 + PAD)

__constant__ float w[F * F];

extern "C" __global__ void __launch_bounds__(GROUP_X *GROUP_Y) convolution(float *out, const float *in)
{
    __shared__ float tile[(TILE_Y + F - 1) * LINE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE_X, row = blockIdx.y * TILE_Y;
    for (int j = y; j < TILE_Y + F - 1; j += GROUP_Y) {
        for (int i = x; i < TILE_X + F - 1; i += GROUP_X)
            tile[j * LINE + i] = in[(size_t)(row + j) * (W + F - 1) + column + i];
    }
    __syncthreads();
    float sum[ITEMS_Y][ITEMS_X] = {{0}};
    // Row after row of the tile: it is row `r - j` of the weights for the j-th pixel.
#pragma unroll
    for (int r = 0; r < ITEMS_Y + F - 1; r++) {
#pragma unroll
        for (int f = 0; f < F; f++) {
#pragma unroll
            for (int i = 0; i < ITEMS_X; i++) {
                float pixel = tile[(y * ITEMS_Y + r) * LINE + x + i * GROUP_X + f];
#pragma unroll
                for (int j = 0; j < ITEMS_Y; j++)
                    if (r >= j && r - j < F)
                        sum[j][i] += w[(r - j) * F + f] * pixel;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < ITEMS_Y; j++)
#pragma unroll
        for (int i = 0; i < ITEMS_X; i++)
            out[(size_t)(row + y * ITEMS_Y + j) * W + column + x + i * GROUP_X] = sum[j][i];
}
