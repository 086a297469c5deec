// A sum as a template over its group, a switch and a type; its shared memory comes with the launch.
template <typename T, int BLOCK, bool WHOLE>
__global__ void sum(const T *__restrict__ in, T *out, unsigned n)
{
    extern __shared__ float part[];
    static_assert(BLOCK >= 32 && BLOCK <= 1024, "a group");
    static_assert((BLOCK & (BLOCK - 1)) == 0, "a power of two");
    float mine = 0;
    for (unsigned i = blockIdx.x * BLOCK * 2 + threadIdx.x; i < n; i += BLOCK * 2 * gridDim.x)
        mine += WHOLE || i + BLOCK < n ? in[i] + in[i + BLOCK] : in[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
