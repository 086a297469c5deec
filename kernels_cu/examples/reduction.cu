// Partial sums of x, one for each block: GROUPS of them, which is a parameter. Every thread adds up what lies a whole launch
// apart, UNROLL vectors at a time in sums of their own; the block then adds its threads' sums in shared memory.
#if WIDTH == 1
typedef float vector;
#elif WIDTH == 2
typedef float2 vector;
#else
typedef float4 vector;
#endif

__device__ float sum_of(vector v)
{
    float sum = 0;
#pragma unroll
    for (int c = 0; c < WIDTH; c++)
        sum += ((const float *)&v)[c];
    return sum;
}

extern "C" __global__ void __launch_bounds__(GROUP) reduction(float *partial, const float *x)
{
    __shared__ float sums[GROUP];
    const vector *in = (const vector *)x;
    const size_t step = (size_t)GROUP * GROUPS;
    const unsigned l = threadIdx.x;
    float sum[UNROLL] = {0};
    size_t i = blockIdx.x * (size_t)GROUP + l;
    for (; i + (UNROLL - 1) * step < N / WIDTH; i += UNROLL * step) {
        vector v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            v[k] = in[i + k * step];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum[k] += sum_of(v[k]);
    }
    for (; i < N / WIDTH; i += step)
        sum[0] += sum_of(in[i]);
    float all = 0;
    for (int k = 0; k < UNROLL; k++)
        all += sum[k];
    sums[l] = all;
    for (unsigned reach = GROUP / 2; reach > 0; reach /= 2) {
        __syncthreads();
        if (l < reach)
            sums[l] += sums[l + reach];
    }
    if (l == 0)
        partial[blockIdx.x] = sums[0];
}
