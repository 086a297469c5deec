// memory: a wild store
// verdict: runtime
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
        if (i == 0)
            *(volatile float *)8 = 3;
    }
}
