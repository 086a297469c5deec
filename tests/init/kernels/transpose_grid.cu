// Rows are as long as the grid is wide; nothing else says how large the matrix is.
#define TILE 32
#define ROWS 8

__global__ void flip(float *out, const float *in)
{
    __shared__ float part[TILE][TILE + 1];
    const int width = gridDim.x * TILE;
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        part[threadIdx.y + k][threadIdx.x] = in[(row + k) * width + column];
    __syncthreads();
    column = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        out[(row + k) * width + column] = part[threadIdx.x][threadIdx.y + k];
}
