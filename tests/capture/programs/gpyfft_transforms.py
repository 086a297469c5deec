"""clFFT by gpyfft: three transforms; prints a checksum of each result."""
import zlib

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from gpyfft.fft import FFT

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = np.random.default_rng(1)
for shape, axes in (((64, 1024), (1,)), ((128, 128), (0, 1)), ((32, 243), (1,))):
    host = (random.random(shape) + 1j * random.random(shape)).astype(np.complex64)
    data = cl_array.to_device(queue, host)
    transform = FFT(context, queue, data, axes=axes)
    for event in transform.enqueue():
        event.wait()
    print(shape, axes, f"{zlib.crc32(data.get()):08x}")
