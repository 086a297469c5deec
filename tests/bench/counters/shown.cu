// Other kernels with the same bounds, looked at only after the thresholds were chosen.
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void triad(float2 *out, const float2 *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 a = in[i], b = in[n + i];
        out[i] = make_float2(a.x * 3 + b.x, a.y * 3 + b.y);
    }
}

// Blocks read whole rows of a matrix that stays in L2, by columns of blocks.
extern "C" __global__ void gather(float *out, const float *in, int n)
{
    float s = 0;
    for (int r = 0; r < 256; r++) {
        unsigned i = (unsigned)((blockIdx.x * 37 + r) * 2657) * 128u + threadIdx.x;
        s += __ldcg(in + i % (unsigned)n);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// A tile that is transposed again and again without a column to spare.
extern "C" __global__ void transposed(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    float v = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
        for (int k = 0; k < 4; k++)
            tile[y + 8 * k][x] = v + k;
        __syncthreads();
        for (int k = 0; k < 4; k++)
            v += tile[x][y + 8 * k];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void bodies(float *out, const float *in, int n)
{
    float x[4], ax[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4; k++)
        x[k] = in[threadIdx.x + k];
    for (int j = 0; j < n; j++) {
        float q = j * 0.001f;
        for (int k = 0; k < 4; k++) {
            float d = x[k] - q, e = d * d + 0.01f;
            ax[k] += d * (1.5f - 0.5f * e * (1.2f - 0.3f * e));
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = ax[0] + ax[1] + ax[2] + ax[3];
}

// Products of tiles that come from shared memory once and stay.
extern "C" __global__ void products(half *out, const half *in, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> a[2];
    fragment<matrix_b, 16, 16, 16, half, row_major> b[2];
    fragment<accumulator, 16, 16, 16, half> c[2][2];
    for (int i = 0; i < 2; i++) {
        load_matrix_sync(a[i], in + 256 * i, 16);
        load_matrix_sync(b[i], in + 512 + 256 * i, 16);
        for (int j = 0; j < 2; j++)
            fill_fragment(c[i][j], __float2half(0.f));
    }
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                mma_sync(c[i][j], a[i], b[j], c[i][j]);
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            store_matrix_sync(out + (size_t)(warp * 4 + i * 2 + j) * 256, c[i][j], 16, mem_row_major);
}

// A binary search with few searches in flight.
extern "C" __global__ void search(int *out, const int *in, int n)
{
    int found = 0;
    for (int r = 0; r < 64; r++) {
        unsigned key = (blockIdx.x * 977u + threadIdx.x * 7919u + r * 104729u) * 2654435761u >> 8, low = 0, high = n;
        while (high - low > 1) {
            unsigned middle = (low + high) / 2;
            if ((unsigned)__ldcg(in + middle) % 3 + middle <= key + found % 2)
                low = middle;
            else
                high = middle;
        }
        found += low;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = found;
}

// One block sums what all should.
extern "C" __global__ void one_block(float *out, const float *in, int n)
{
    __shared__ float part[1024];
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += in[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if ((int)threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    out[threadIdx.x] = part[0];
}

// A private array that is indexed by data cannot stay in registers.
extern "C" __global__ void private_array(float *out, const int *in, int n)
{
    float bins[64];
    for (int k = 0; k < 64; k++)
        bins[k] = k;
    int at = in[threadIdx.x] & 63;
    for (int r = 0; r < n; r++) {
        bins[at] += r;
        at = (at * 5 + (int)bins[(at + 17) & 63] + 1) & 63;
    }
    float s = 0;
    for (int k = 0; k < 64; k++)
        s += bins[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void histogram(unsigned *out, const int *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(out + (in[i] & 255), 1u);
}

// Each lane walks its own number of steps.
extern "C" __global__ void collatz(int *out, const int *in, int n)
{
    unsigned steps = 0;
    for (int r = 0; r < n; r++) {
        int turns = (threadIdx.x & 31) == (unsigned)(r & 31) ? 512 : 8;
        unsigned v = (unsigned)in[threadIdx.x] + r;
        for (int k = 0; k < turns; k++)
            v = v & 1 ? 3 * v + 1 : v / 2;
        steps += v;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = steps;
}

extern "C" __global__ void axpy_small(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

// A convolution whose line lies in shared memory.
extern "C" __global__ void convolution(float *out, const float *in, int n)
{
    __shared__ float line[512], weights[64];
    line[threadIdx.x] = in[threadIdx.x];
    line[threadIdx.x + 256] = in[threadIdx.x + 256];
    if (threadIdx.x < 64)
        weights[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float s = 0;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 64; k++)
            s += line[threadIdx.x + ((k + r) & 127)] * weights[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
