// Items by two, in groups that the text bounds.
#ifndef PER_ITEM
#define PER_ITEM 4
#endif
__global__ void __launch_bounds__(GROUP) axpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    static_assert(PER_ITEM % 2 == 0, "pairs");
    static_assert(GROUP % 32 == 0, "warps");
    const int first = (blockIdx.x * GROUP + threadIdx.x) * PER_ITEM;
#pragma unroll
    for (int k = 0; k < PER_ITEM; k++)
        if (first + k < n)
            y[first + k] += a * x[first + k];
}
