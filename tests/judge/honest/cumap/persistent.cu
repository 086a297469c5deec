// a loop over the grid
extern "C" __global__ void map(float *y, const float *x)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
