// memory: a store behind the output
// verdict: runtime
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
        if (i == 0)
            y[N + 1] = 3;
    }
}
