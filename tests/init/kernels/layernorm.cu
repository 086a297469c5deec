#ifndef BLOCK
#define BLOCK 256
#endif
extern "C" __global__ void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int N, int C)
{
    __shared__ float sum[BLOCK], sq[BLOCK];
    const float *x = inp + (size_t)blockIdx.x * C;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < C; i += BLOCK) { s += x[i]; q += x[i] * x[i]; }
    sum[threadIdx.x] = s; sq[threadIdx.x] = q;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) { sum[threadIdx.x] += sum[threadIdx.x + d]; sq[threadIdx.x] += sq[threadIdx.x + d]; }
        __syncthreads();
    }
    float m = sum[0] / C, r = rsqrtf(sq[0] / C - m * m + 1e-5f);
    if (threadIdx.x == 0) { mean[blockIdx.x] = m; rstd[blockIdx.x] = r; }
    for (int i = threadIdx.x; i < C; i += BLOCK) out[(size_t)blockIdx.x * C + i] = (x[i] - m) * r * weight[i] + bias[i];
}
