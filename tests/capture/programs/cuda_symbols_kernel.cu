// The kernels of cuda_symbols.cu alone, for `hone capture --source`.
#ifndef ITEMS
#define ITEMS 4
#endif
#define TAPS 17

namespace filter
{
__constant__ float taps[TAPS];
}
struct setting {
    float gain;
    int shift;
};
__constant__ setting damping;

// Each thread has ITEMS neighbours, which are read apart.
__global__ void convolve(const float *x, float *y, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    for (int k = 0; k < ITEMS; k++) {
        int i = first + k;
        if (i >= n)
            return;
        float sum = 0;
        for (int t = 0; t < TAPS; t++)
            sum += filter::taps[t] * x[(i + t) % n];
        y[i] = sum;
    }
}

// In place: both are one array.
__global__ void damp(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * damping.gain + (float)(i >> damping.shift);
}
