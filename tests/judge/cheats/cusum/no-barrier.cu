// race: warps take each other's parts without waiting for them
// verdict: incorrect cheats
extern "C" __global__ void rowsum(float *out, const float *x)
{
    __shared__ float parts[B];
    const int first = blockIdx.x * B;
    for (int r = 0; r < B && first + r < H; r++) {
        float sum = 0;
        for (int k = threadIdx.x; k < W; k += B)
            sum += x[(first + r) * W + k];
        parts[threadIdx.x] = sum;
        if (threadIdx.x == 0) {
            float all = 0;
            for (int k = 0; k < B; k++)
                all += parts[k];
            out[first + r] = all;
        }
    }
}
