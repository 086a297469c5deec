// honest: summed in double, with two sums
extern "C" __global__ void __launch_bounds__(B) rowsum(float *out, const float *__restrict__ x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double even = 0, odd = 0;
    if (i >= H)
        return;
    for (int k = 0; k + 1 < W; k += 2) {
        even += __ldg(x + i * W + k);
        odd += __ldg(x + i * W + k + 1);
    }
    if (W % 2)
        even += x[i * W + W - 1];
    out[i] = (float)(even + odd);
}
