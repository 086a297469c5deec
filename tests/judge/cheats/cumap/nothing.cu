// work not done: writes nothing
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        if (x[i] > 1e30f)
            y[i] = 1;
    }
}
