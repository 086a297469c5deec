// precision: the input is cut to ten bits
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        float v = __uint_as_float(__float_as_uint(x[i]) & 0xffffe000u);
        y[i] = 0.5f * v * v + 1;
    }
}
