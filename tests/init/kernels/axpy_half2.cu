#include <cuda_fp16.h>
#ifndef WARPS_M
#define WARPS_M 2
#endif
#ifndef VEC
#define VEC 8
#endif
// half2 axpy with vector loads
__global__ void haxpy(int n, const __half2 *__restrict__ x, __half2 *__restrict__ y, float a)
{
    static_assert(VEC % 2 == 0, "pairs");
    constexpr int PAIRS = VEC / 2;
    const __half2 aa = __float2half2_rn(a);
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * PAIRS;
#pragma unroll
    for (int k = 0; k < PAIRS; k++)
        if (base + k < n / 2) y[base + k] = __hfma2(aa, x[base + k], y[base + k]);
}
