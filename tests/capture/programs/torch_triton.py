"""PyTorch with a Triton kernel: cubins alone, memory of a caching allocator."""
import sys
import zlib

import torch
import triton
import triton.language as tl


@triton.jit
def axpy(x, y, out, a, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, a * tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


n = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 18
x = torch.arange(n, device="cuda", dtype=torch.float32) % 101
y = torch.relu(x - 50) * 2
out = torch.empty_like(x)
for _ in range(10):
    axpy[(triton.cdiv(n, 1024),)](x, y, out, 3.0, n, BLOCK=1024)
print("%08x" % zlib.crc32(out.cpu().numpy().tobytes()))
