#define MASK_WIDTH 5
#define TILE_WIDTH 16
__constant__ float M[MASK_WIDTH * MASK_WIDTH];
__global__ void convolution(const float *N, float *P, int height, int width, int channels)
{
    __shared__ float Ns[TILE_WIDTH + MASK_WIDTH - 1][TILE_WIDTH + MASK_WIDTH - 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    for (int c = 0; c < channels; c++) {
        for (int y = ty; y < TILE_WIDTH + MASK_WIDTH - 1; y += TILE_WIDTH)
            for (int x = tx; x < TILE_WIDTH + MASK_WIDTH - 1; x += TILE_WIDTH) {
                int gy = blockIdx.y * TILE_WIDTH + y - MASK_WIDTH / 2, gx = blockIdx.x * TILE_WIDTH + x - MASK_WIDTH / 2;
                Ns[y][x] = (gy >= 0 && gy < height && gx >= 0 && gx < width) ? N[(gy * width + gx) * channels + c] : 0.0f;
            }
        __syncthreads();
        float acc = 0;
        for (int y = 0; y < MASK_WIDTH; y++)
            for (int x = 0; x < MASK_WIDTH; x++)
                acc += Ns[ty + y][tx + x] * M[y * MASK_WIDTH + x];
        int oy = blockIdx.y * TILE_WIDTH + ty, ox = blockIdx.x * TILE_WIDTH + tx;
        if (oy < height && ox < width) P[(oy * width + ox) * channels + c] = acc;
        __syncthreads();
    }
}
