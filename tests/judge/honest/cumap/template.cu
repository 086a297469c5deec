// honest: a template over a lambda, unrolled by the compiler
template <int COUNT, class F> __device__ void each(int first, F f)
{
    if constexpr (COUNT > 0) {
        f(first);
        each<COUNT - 1>(first + 1, f);
    }
}
extern "C" __global__ void map(float *y, const float *x)
{
    each<T>((blockIdx.x * blockDim.x + threadIdx.x) * T, [=](int i) {
        if (i < N)
            y[i] = fmaf(0.5f * x[i], x[i], 1.0f);
    });
}
