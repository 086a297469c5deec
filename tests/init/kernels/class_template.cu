// A struct with functions of its own before the kernel, and classes as types of a template.
template <class Number> struct Room {
    enum { BYTES = 4 };
    __device__ Room() {}
    __device__ operator Number *() { return first(); }
    __device__ operator const Number *() const { return first(); }
    __device__ static Number *first()
    {
        extern __shared__ float all[];
        return (Number *)all;
    }
    int unused;
};

template <class Number, unsigned threads>
__global__ void total(const Number *values, Number *sums, unsigned count)
{
    Number *mine = Room<Number>();
    const unsigned at = threadIdx.x;
    Number sum = 0;
    for (unsigned i = blockIdx.x * threads * 2 + at; i < count; i += threads * 2 * gridDim.x) {
        sum += values[i];
        if (i + threads < count)
            sum += values[i + threads];
    }
    mine[at] = sum;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (at < half)
            mine[at] += mine[at + half];
        __syncthreads();
    }
    if (at == 0)
        sums[blockIdx.x] = mine[0];
}
