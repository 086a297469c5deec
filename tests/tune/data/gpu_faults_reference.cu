extern "C" __global__ void scale_reference(float *y, const float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0f * x[i] + 1.0f;
}
