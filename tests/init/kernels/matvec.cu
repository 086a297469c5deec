namespace detail {
template <int WARPS, int VEC>
__device__ __forceinline__ float dot(const float *a, const float *x, int n, int lane)
{
    float s = 0;
    for (int i = lane * VEC; i < n; i += 32 * VEC)
        #pragma unroll
        for (int v = 0; v < VEC; ++v) s += a[i + v] * x[i + v];
    return s;
}
}
template <int WARPS, int VEC = 4>
__global__ void gemv(const float *A, const float *x, float *y, int rows, int cols)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int row = blockIdx.x * WARPS + warp;
    if (row >= rows) return;
    float s = detail::dot<WARPS, VEC>(A + (long long)row * cols, x, cols, lane);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) y[row] = s;
}
