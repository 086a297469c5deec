// the sum in PTX
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        float v = 0.5f * x[i];
        asm("fma.rn.f32 %0, %0, %1, 0f3F800000;" : "+f"(v) : "f"(x[i]));
        y[i] = v;
    }
}
