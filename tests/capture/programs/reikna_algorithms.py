"""reikna: transposition, matrix product, reduction, FFT, random numbers; prints a checksum of each result."""
import zlib

import numpy as np
import reikna.cluda as cluda
from reikna.algorithms import Reduce, Transpose, predicate_sum
from reikna.cbrng import CBRNG
from reikna.cbrng.samplers import uniform_float
from reikna.cbrng.bijections import philox
from reikna.fft import FFT
from reikna.linalg import MatrixMul

N = 256
thread = cluda.ocl_api().Thread.create()
random = np.random.default_rng(1)


def run(name, computation, shape, dtype, *inputs):
    compiled = computation.compile(thread)
    out = thread.empty_like(np.empty(shape, dtype))
    for _ in range(3):
        compiled(out, *inputs)
    print(name, f"{zlib.crc32(np.ascontiguousarray(out.get())):08x}")


real = random.random((N, N), dtype=np.float32)
complex_ = (real + 1j * real.T).astype(np.complex64)
a, b, c = thread.to_device(real), thread.to_device(real.T.copy()), thread.to_device(complex_)
run("transpose", Transpose(real), (N, N), np.float32, a)
run("product", MatrixMul(a, b), (N, N), np.float32, a, b)
run("sum", Reduce(real, predicate_sum(np.float32), axes=(0,)), (N,), np.float32, a)
run("fft", FFT(complex_, axes=(1,)), (N, N), np.complex64, c)
