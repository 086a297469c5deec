// precision: computed in half
// verdict: incorrect compile
#include <cuda_fp16.h>
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        y[i] = __half2float(__hadd(__hmul(__float2half(0.5f * x[i]), __float2half(x[i])), __float2half(1)));
    }
}
