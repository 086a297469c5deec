// What triton_rows.py says in Triton. The last two are the compiler's own: memory that this kernel has no use for.
#ifndef UNROLL
#define UNROLL 1
#endif

extern "C" __global__ void sum_rows(const float *x, float *out, int columns, int rows,
                                    const void *scratch, const void *profile)
{
    __shared__ float parts[32];
    const float *row = x + (size_t)blockIdx.x * columns;
    float total = 0.0f;
    for (int i = threadIdx.x; i < columns; i += UNROLL * blockDim.x) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int at = i + u * blockDim.x;
            total += at < columns ? row[at] : 0.0f;
        }
    }
    for (int d = 16; d > 0; d /= 2)
        total += __shfl_down_sync(0xffffffffu, total, d);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0.0f;
        for (int w = 0; w < (blockDim.x + 31) / 32; w++)
            total += parts[w];
        out[blockIdx.x] = total;
    }
}
