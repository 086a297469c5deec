#include <cuda_runtime.h>
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
#ifndef PER_THREAD
#define PER_THREAD 4
#endif
__global__ void __launch_bounds__(BLOCK_SIZE) saxpy(const float* __restrict__ x, float* __restrict__ y, float a, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK_SIZE * PER_THREAD + threadIdx.x;
    #pragma unroll
    for (int k = 0; k < PER_THREAD; ++k, i += BLOCK_SIZE)
        if (i < n) y[i] = fmaf(a, x[i], y[i]);
}
