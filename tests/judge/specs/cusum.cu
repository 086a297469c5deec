extern "C" __global__ void rowsum(float *out, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++)
        sum += x[i * W + k];
    out[i] = sum;
}
