// A number and an array that the host sets in constant memory, and a struct, which nobody can say.
struct window {
    int from, to;
};
__constant__ int limit;
__constant__ float weights[5];
__constant__ struct window shown;

__global__ void weigh(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i >= limit || i < shown.from)
        return;
    out[i] = weights[i % 5] * in[i];
}
