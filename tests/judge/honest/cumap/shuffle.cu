// honest: inputs are read by the neighbours in a warp
extern "C" __global__ void map(float *y, const float *x)
{
    const int lane = threadIdx.x % 32, start = (blockIdx.x * blockDim.x + threadIdx.x - lane) * T;
    for (int k = 0; k < T; k++) {
        const int i = start + 32 * k + (lane + 1) % 32;
        float v = i < N ? x[i] : 0;
        v = __shfl_sync(0xffffffff, v, (lane + 31) % 32);
        if (start + 32 * k + lane < N)
            y[start + 32 * k + lane] = 0.5f * v * v + 1;
    }
}
