"""PyTorch: a CUDA graph of a Triton kernel and of PyTorch's own, launched several times."""
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
y = torch.zeros_like(x)
grid = (triton.cdiv(n, 1024),)


def step():
    axpy[grid](x, y, y, 0.5, n, BLOCK=1024)
    y.clamp_(max=200.0)


step()  # compiled before it is recorded
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(20):
    graph.replay()
torch.cuda.synchronize()
print("%08x" % zlib.crc32(y.cpu().numpy().tobytes()))
