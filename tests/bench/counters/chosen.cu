// Kernels with a known bound, on which the thresholds of src/core/model/counters.c were chosen.
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void dram_copy(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

extern "C" __global__ void l2_read(float4 *out, const float4 *in, int n)
{   // n float4 fit the L2 cache; the L1 cache is passed by
    float4 s = {0, 0, 0, 0};
    for (int r = 0; r < 64; r++) {
        int i = (blockIdx.x * 1024 + r * 7919 * 256 + threadIdx.x) % n;
        float4 v = __ldcg(in + i);
        s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void bank_conflicts(float *out, const float *in, int n)
{
    __shared__ float t[32 * 256];
    float s = 0;
    for (int i = threadIdx.x; i < 32 * 256; i += blockDim.x) t[i] = in[i];
    __syncthreads();
    for (int r = 0; r < n; r++) s += t[(threadIdx.x * 32 + r) & 8191];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void fp32_fma(float *out, const float *in, int n)
{
    float a[8], x = in[threadIdx.x], y = in[threadIdx.x + 1];
    for (int k = 0; k < 8; k++) a[k] = in[k];
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 8; k++) a[k] = a[k] * x + y;
    float s = 0;
    for (int k = 0; k < 8; k++) s += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void tensor(float *out, const float *in, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c[4];
    fill_fragment(a, __float2half(in[0]));
    fill_fragment(b, __float2half(in[1]));
    for (int k = 0; k < 4; k++) fill_fragment(c[k], in[k]);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 4; k++) mma_sync(c[k], a, b, c[k]);
    float s = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < c[k].num_elements; i++) s += c[k].x[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void latency(int *out, const int *in, int n)
{
    int at = (blockIdx.x * 4099 + threadIdx.x) % 16777216;
    for (int r = 0; r < n; r++) at = __ldcg(in + at);
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

extern "C" __global__ void few_groups(float *out, const float *in, int n)
{
    float a[8], x = in[threadIdx.x], y = in[threadIdx.x + 1];
    for (int k = 0; k < 8; k++) a[k] = in[k];
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 8; k++) a[k] = a[k] * x + y;
    float s = 0;
    for (int k = 0; k < 8; k++) s += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void __launch_bounds__(1024, 2) spills(float *out, const float *in, int n)
{
    float a[96];
#pragma unroll
    for (int k = 0; k < 96; k++) a[k] = in[threadIdx.x + k];
    for (int r = 0; r < n; r++) {
        float x = in[r];
#pragma unroll
        for (int k = 0; k < 96; k++) a[k] = a[k] * x + a[(k + 37) % 96];
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 96; k++) s += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void atomics(int *out, const int *in, int n)
{
    for (int r = 0; r < n; r++) atomicAdd(out + ((in[threadIdx.x] + r + threadIdx.x) & 31) , r + threadIdx.x);
}

extern "C" __global__ void divergence(float *out, const float *in, int n)
{
    float x = in[threadIdx.x], y = in[threadIdx.x + 1];
    int lane = threadIdx.x & 31;
    for (int r = 0; r < n; r++) {
        switch (lane) {
#define ARM(k)                                                                                     \
    case k:                                                                                        \
        for (int i = 0; i < 16; i++)                                                               \
            x = x * y + (float)(k * 3 + 1) * in[k];                                                \
        break;
            ARM(0) ARM(1) ARM(2) ARM(3) ARM(4) ARM(5) ARM(6) ARM(7) ARM(8) ARM(9) ARM(10) ARM(11) ARM(12) ARM(13) ARM(14) ARM(15)
        ARM(16) ARM(17) ARM(18) ARM(19) ARM(20) ARM(21) ARM(22) ARM(23) ARM(24) ARM(25) ARM(26) ARM(27) ARM(28) ARM(29) ARM(30) ARM(31)
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

extern "C" __global__ void launch(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

extern "C" __global__ void shared(float4 *out, const float4 *in, int n)
{
    __shared__ float4 t[1024];
    float4 s = {0, 0, 0, 0};
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i] = in[i];
    __syncthreads();
    for (int r = 0; r < n; r++) {
        float4 v = t[(threadIdx.x + r * 33) & 1023];
        s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
