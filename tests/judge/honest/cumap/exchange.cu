// honest: each result is written by an atomic exchange
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i < N)
            atomicExch(y + i, 0.5f * x[i] * x[i] + 1);
    }
}
