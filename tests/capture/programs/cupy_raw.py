"""CuPy: a tiled product as a raw kernel, of which the program chose tiles of 8, on matrices of several sizes; every sum is exact, so that
the order of adding changes nothing. Its text goes to NVRTC if CuPy's cache on disk is off (CUPY_CACHE_IN_MEMORY=1)."""
import sys
import zlib

import cupy

TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else 20
SIZES = [int(n) for n in sys.argv[2:]] or [1024, 1536, 2048]
TILE = 8
TEXT = r"""
extern "C" __global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[TILE][TILE + PAD], t[TILE][TILE];
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

matmul = cupy.RawKernel(TEXT, "matmul", options=(f"-DTILE={TILE}", "-DPAD=0"))
check = 0
for n in SIZES:
    a = (cupy.arange(n * n, dtype=cupy.float32) % 7).reshape(n, n)
    b = (cupy.arange(n * n, dtype=cupy.float32) % 5).reshape(n, n)
    c = cupy.zeros_like(a)
    for _ in range(TIMES):
        matmul((n // TILE, n // TILE), (TILE, TILE), (c, a, b, cupy.int32(n)))
    check = zlib.crc32(cupy.asnumpy(c).tobytes(), check)
print(f"{check:08x}")
