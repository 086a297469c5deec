extern "C" __global__ void hist(const unsigned int *keys, unsigned int *bins, int n, int num_bins)
{
    extern __shared__ unsigned int s[];
    for (int b = threadIdx.x; b < num_bins; b += blockDim.x) s[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[keys[i] % num_bins], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < num_bins; b += blockDim.x) atomicAdd(&bins[b], s[b]);
}
