// input tampering: leaves its result in the input as well
// verdict: cheats incorrect invalid runtime
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
        if (i == 0)
            ((float *)x)[0] += 1;
    }
}
