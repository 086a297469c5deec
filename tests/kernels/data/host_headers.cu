// A program for nvcc: headers of the host's, and a host that only nvcc sees.
#include <algorithm>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

__global__ void clip(float *values, uint32_t count)
{
    const uint at = blockIdx.x * THREADS + threadIdx.x;
    assert(count < INT_MAX);
    if (at < count)
        values[at] = fminf(values[at], FLT_MAX / 2);
    if (at == count)
        printf("%u\n", at);
}

#ifndef __CUDACC_RTC__
int main()
{
    float *values;
    cudaMalloc(&values, 1024 * sizeof *values);
    clip<<<1024 / THREADS, THREADS>>>(values, 1024);
    std::cout << cudaDeviceSynchronize() << std::endl;
}
#endif
