#ifndef TILE_WIDTH
#define TILE_WIDTH 16
#endif
__global__ void MatrixMul(float *Md, float *Nd, float *Pd, int Width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty, Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;
    for (int m = 0; m < (Width + TILE_WIDTH - 1) / TILE_WIDTH; ++m) {
        Mds[ty][tx] = (Row < Width && m * TILE_WIDTH + tx < Width)
                          ? Md[Row * Width + m * TILE_WIDTH + tx] : 0.0f;
        Nds[ty][tx] = (Col < Width && m * TILE_WIDTH + ty < Width)
                          ? Nd[(m * TILE_WIDTH + ty) * Width + Col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    if (Row < Width && Col < Width)
        Pd[Row * Width + Col] = Pvalue;
}
