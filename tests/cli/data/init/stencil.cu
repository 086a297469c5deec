#define N 512
#ifndef TILE
#define TILE 16
#endif
extern "C" __global__ void __launch_bounds__(TILE * TILE)
heat(float *__restrict__ next, const float *__restrict__ now, float k)
{
    const int col = blockIdx.x * TILE + threadIdx.x + 1;
    const int row = blockIdx.y * TILE + threadIdx.y + 1;
    if (row < N - 1 && col < N - 1) {
        float c = now[row * N + col];
        next[row * N + col] = c + k * (now[(row - 1) * N + col] + now[(row + 1) * N + col] +
                                       now[row * N + col - 1] + now[row * N + col + 1] - 4.0f * c);
    }
}
