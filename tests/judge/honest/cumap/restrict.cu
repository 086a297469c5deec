// promises that nothing overlaps, reads by the texture path
extern "C" __global__ void map(float *__restrict__ y, const float *__restrict__ x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        float v = __ldg(x + i);
        y[i] = 0.5f * v * v + 1;
    }
}
