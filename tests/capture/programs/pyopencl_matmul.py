"""pyopencl: products of matrices by a tiled kernel, as it stands in many tutorials; prints a checksum."""
import sys
import zlib

import numpy as np
import pyopencl as cl

N = int(sys.argv[1]) if len(sys.argv) > 1 else 256
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 4
TEXT = """
#ifndef TILE
#define TILE 8
#endif
__kernel void matmul(__global float *c, __global const float *a, __global const float *b, int n)
{
    __local float s[TILE][TILE], t[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        s[ly][lx] = a[y * n + k + lx];
        t[ly][lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += s[ly][i] * t[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
"""

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = np.random.default_rng(1)
flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
# Small whole numbers: a sum of them is exact in any order.
a, b = (cl.Buffer(context, flags, hostbuf=random.integers(-4, 5, (N, N)).astype(np.float32)) for _ in range(2))
c = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, 4 * N * N)
kernel = cl.Program(context, TEXT).build(options=["-DTILE=8"]).matmul
for _ in range(TIMES):
    kernel(queue, (N, N), (8, 8), c, a, b, np.int32(N))
result = np.empty((N, N), np.float32)
cl.enqueue_copy(queue, result, c)
print(f"{zlib.crc32(result):08x}")
