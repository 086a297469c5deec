// The text of a kernel that the program of the tests loads compiled (capture_cuda.c).
#include <cuda_runtime.h>
#include <stdint.h>
#include <cstdint>

#define UNUSED 3

__global__ void other(float *x)
{
    x[0] = UNUSED;
}

extern "C" __global__ void count(float *x)
{
    // fake:count
    x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}
