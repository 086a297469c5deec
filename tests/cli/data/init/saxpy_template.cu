template <int BLOCK, int ITEMS>
__global__ void saxpy(float *y, const float *x, const float a, const size_t n)
{
    const size_t base = static_cast<size_t>(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const size_t i = base + k * BLOCK;
        if (i < n)
            y[i] += a * x[i];
    }
}
