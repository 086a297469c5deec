// honest: each warp sums its rows one after the other, lanes by shuffles
extern "C" __global__ void rowsum(float *out, const float *x)
{
    const int lane = threadIdx.x % 32, first = blockIdx.x * blockDim.x + threadIdx.x - lane;
    for (int row = first; row < first + 32 && row < H; row++) {
        float sum = 0;
        for (int k = lane; k < W; k += 32)
            sum += x[row * W + k];
        for (int n = 16; n > 0; n /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, n);
        if (lane == 0)
            out[row] = sum;
    }
}
