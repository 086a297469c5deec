// memory: the results of the first launch are kept
// verdict: cheats incorrect
__device__ float kept[N];
__device__ int known[N];
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        if (!known[i])
            kept[i] = 0.5f * x[i] * x[i] + 1;
        known[i] = 1;
        y[i] = kept[i];
    }
}
