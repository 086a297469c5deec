// precision: inputs are rounded to eight bits
extern "C" __global__ void rowsum(float *out, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++)
        sum += __uint_as_float((__float_as_uint(x[i * W + k]) + 0x8000) & 0xffff0000);
    out[i] = sum;
}
