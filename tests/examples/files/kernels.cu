// Two kernels: sums of a work-group's elements, and the elements scaled.
#ifndef GROUP
#define GROUP 128
#endif

extern "C" __global__ __launch_bounds__(GROUP) void reduce(float *sums, const float *x, int n)
{
    __shared__ float part[GROUP];
    int i = blockIdx.x * GROUP + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = GROUP / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

extern "C" __global__ void scale(float *x, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}
