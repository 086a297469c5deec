"""pyopencl: arrays, reductions, scans, sorting, a kernel of its own; prints a checksum of each result."""
import zlib

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.algorithm import RadixSort
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel

N = 1 << 16
TILED = """
#ifndef TILE
#define TILE 16
#endif
__kernel void transpose(__global float *out, __global const float *in, int n)
{
    __local float tile[TILE][TILE + 1];
    int x = get_group_id(0) * TILE + get_local_id(0), y = get_group_id(1) * TILE + get_local_id(1);
    if (x < n && y < n)
        tile[get_local_id(1)][get_local_id(0)] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    if (x < n && y < n)
        out[y * n + x] = tile[get_local_id(0)][get_local_id(1)];
}
"""


def tell(name, array):
    print(name, f"{zlib.crc32(np.ascontiguousarray(array)):08x}")


context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = np.random.default_rng(1)
x = cl_array.to_device(queue, random.random(N, dtype=np.float32))
y = cl_array.to_device(queue, random.random(N, dtype=np.float32))
keys = cl_array.to_device(queue, random.integers(0, 1 << 16, N, dtype=np.int32))

tell("axpy", (3 * x + y * y).get())
axpby = ElementwiseKernel(context, "float a, float *x, float b, float *y, float *z", "z[i] = a * x[i] + b * y[i]", "axpby")
z = cl_array.empty_like(x)
axpby(np.float32(2), x, np.float32(3), y, z)
tell("elementwise", z.get())
dot = ReductionKernel(context, np.float32, neutral="0", reduce_expr="a + b", map_expr="x[i] * y[i]",
                      arguments="__global float *x, __global float *y")
tell("dot", dot(x, y).get())
scan = InclusiveScanKernel(context, np.int32, "a + b", neutral="0")
scan(keys)
tell("scan", keys.get())
keys = cl_array.to_device(queue, random.integers(0, 1 << 16, N, dtype=np.int32))
sort = RadixSort(context, "int *keys", key_expr="keys[i]", sort_arg_names=["keys"])
tell("sort", sort(keys, key_bits=16)[0][0].get())
n = 256
for tile in (8, 16):
    program = cl.Program(context, TILED).build(options=[f"-DTILE={tile}"])
    for _ in range(4):
        program.transpose(queue, (n, n), (tile, tile), z.data, x.data, np.int32(n))
    tell(f"transpose {tile}", z.get())
