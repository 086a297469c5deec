"""CuPy: an elementwise expression, a reduction, and a tiled product as a raw kernel with tiles of 8; their texts go to NVRTC, if CuPy's
cache on disk is off (CUPY_CACHE_IN_MEMORY=1)."""
import sys
import zlib

import cupy

N = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 20
TEXT = r"""
#ifndef TILE
#define TILE 8
#endif
extern "C" __global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    int lx = threadIdx.x, ly = threadIdx.y;
    int x = blockIdx.x * TILE + lx, y = blockIdx.y * TILE + ly;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        s[ly][lx] = a[y * n + k + lx];
        t[ly][lx] = b[(k + ly) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += s[ly][i] * t[i][lx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
"""

x = cupy.arange(N * N, dtype=cupy.float32) % 101
y = x * 2 + cupy.sqrt(x)
total = y.sum()
c = cupy.zeros_like(x)
matmul = cupy.RawKernel(TEXT, "matmul")
for _ in range(TIMES):
    matmul((N // 8, N // 8), (8, 8), (c, x, y, cupy.int32(N)))
print("%08x" % zlib.crc32(cupy.asnumpy(c).tobytes() + cupy.asnumpy(total).tobytes()))
