// The kernel of cuda_runtime.cu, in a file of its own: hone capture --source takes it.
#include <cuda_runtime.h>

#ifndef PER_THREAD
#define PER_THREAD 1
#endif

struct range {
    int from, to;
    const float *weights;
};

__global__ void smooth(float *out, const float *in, int n)
{
    for (int k = 0; k < PER_THREAD; k++) {
        int i = (blockIdx.x * PER_THREAD + k) * blockDim.x + threadIdx.x;
        if (i < n) {
            float sum = 0.0f;
            for (int d = -4; d <= 4; d++) {
                int j = i + d < 0 ? 0 : i + d >= n ? n - 1 : i + d;
                sum += in[j];
            }
            out[i] = sum / 9.0f;
        }
    }
}

__constant__ float factors[2];

__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factors[i % 2];
}

__global__ void weigh(float *x, range r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= r.from && i < r.to)
        x[i] *= r.weights[i];
}
