template <typename T>
__global__ void layernorm(const T *x, const T *gamma, const T *beta, T *y, int rows, int hidden,
                          float eps)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const T *mine = x + row * hidden;
    float mean = 0, var = 0;
    for (int i = 0; i < hidden; i++)
        mean += mine[i];
    mean /= hidden;
    for (int i = 0; i < hidden; i++) {
        float d = mine[i] - mean;
        var += d * d;
    }
    float scale = rsqrtf(var / hidden + eps);
    for (int i = 0; i < hidden; i++)
        y[row * hidden + i] = (mine[i] - mean) * scale * gamma[i] + beta[i];
}
