// time: never ends
// verdict: timeout
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        for (volatile int go = 1; go;)
            y[i] = x[i];
    }
}
