#include <cuda_fp16.h>
__global__ void hadd2(const __half2 *a, const __half2 *b, __half2 *c, int n2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) c[i] = __hadd2(a[i], b[i]);
}
