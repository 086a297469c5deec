// process: a trap
// verdict: runtime
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        asm volatile("trap;");
        y[i] = x[i];
    }
}
