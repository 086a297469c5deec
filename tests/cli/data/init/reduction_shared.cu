extern __shared__ float cache[];

__global__ void dot(const float *a, const float *b, float *result, int n)
{
    int tid = threadIdx.x;
    int i = tid + blockIdx.x * blockDim.x;
    cache[tid] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half != 0; half /= 2) {
        if (tid < half)
            cache[tid] += cache[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        result[blockIdx.x] = cache[0];
}
