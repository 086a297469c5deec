#!/usr/bin/env python3
"""matmul_tiled tuned by Kernel Tuner, for comparison with hone: the same kernel text, parameters,
restrictions and data as kernels_cl/matmul_tiled.json, every result verified, seven iterations, no cache.

    kernel_tuner_matmul.py cuda|opencl [--width N] [--device NAME] [--all]

Without --all the list is that of the configurations within 1,024 work-items and 48 KiB, which every
NVIDIA GPU can run: one that cannot be launched ends a run of Kernel Tuner's. CUDA goes through CuPy,
OpenCL through pyopencl. It runs under hone, too (python -m hone.kernel_tuner). Prints one JSON object on the
last line:

    seconds         wall time of tune_kernel() alone
    preparation     wall time of inputs and the reference in float64, made before
    kernels         wall time that Kernel Tuner gives for launches, compiling, verifying: each in seconds
    configurations, correct, best ("a=1, b=2"), best_ns, list (each configuration with its time)

Exit status 77: Kernel Tuner, or what it needs for the language, is not installed.
"""
import argparse
import json
import os
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SKIPPED = 77

PARAMETERS = {
    "block_size_x": [16, 32, 64],
    "block_size_y": [1, 2, 4, 8, 16, 32],
    "tile_size_x": [1, 2, 4, 8],
    "tile_size_y": [1, 2, 4, 8],
}
RESTRICTIONS = [
    "block_size_x == block_size_y * tile_size_y",
    "{width} % (block_size_x * tile_size_x) == 0",
    "{width} % (block_size_y * tile_size_y) == 0",
]
WITHIN_LIMITS = [
    "block_size_x * block_size_y <= 1024",
    "4 * block_size_x * (block_size_y * tile_size_y + block_size_x * tile_size_x) <= 49152",
]


def skip(reason):
    print("skipped: " + reason, file=sys.stderr)
    sys.exit(SKIPPED)


def find_opencl(part):
    """Platform and device number of the first device whose name contains part."""
    import pyopencl

    for p, platform in enumerate(pyopencl.get_platforms()):
        for d, device in enumerate(platform.get_devices()):
            if part.lower() in device.name.lower():
                return {"platform": p, "device": d}
    skip("no OpenCL device '%s'" % part)


def modules():
    try:
        import numpy
        import kernel_tuner
    except ImportError as missing:
        skip(str(missing))
    return numpy, kernel_tuner


def time_of(result):
    """Milliseconds, or None where it is the mark of a failure."""
    value = result["time"]
    return float(value) if isinstance(value, (int, float)) else None


def total(results, key):
    return sum(r.get(key, 0.0) for r in results) / 1e3


def main():
    options = argparse.ArgumentParser()
    options.add_argument("language", choices=["cuda", "opencl"])
    options.add_argument("--width", type=int, default=4096)
    options.add_argument("--device", default="")
    options.add_argument("--all", action="store_true")
    o = options.parse_args()
    numpy, kernel_tuner = modules()

    n = o.width
    start = time.perf_counter()
    random = numpy.random.default_rng(1)
    a = (random.random((n, n), dtype=numpy.float32) - numpy.float32(0.5)).astype(numpy.float32)
    b = (random.random((n, n), dtype=numpy.float32) - numpy.float32(0.5)).astype(numpy.float32)
    c = numpy.zeros((n, n), dtype=numpy.float32)
    answer = [(a.astype(numpy.float64) @ b.astype(numpy.float64)).astype(numpy.float32), None, None]
    prepared = time.perf_counter()

    folder, ending = ("kernels_cu", "cu") if o.language == "cuda" else ("kernels_cl", "cl")
    restrictions = RESTRICTIONS + ([] if o.all else WITHIN_LIMITS)
    where = {"device": 0} if o.language == "cuda" else find_opencl(o.device)
    results, _ = kernel_tuner.tune_kernel(
        "matmul_tiled",
        os.path.join(ROOT, folder, "matmul_tiled." + ending),
        (n, n),
        [c, a, b],
        PARAMETERS,
        grid_div_x=["block_size_x", "tile_size_x"],
        grid_div_y=["block_size_y", "tile_size_y"],
        restrictions=[r.format(width=n) for r in restrictions],
        answer=answer,
        atol=1e-3,
        lang="CUPY" if o.language == "cuda" else "OpenCL",
        compiler_options=["-DWIDTH=%d" % n],
        cache=None,
        quiet=True,
        **where,
    )
    seconds = time.perf_counter() - prepared

    right = [r for r in results if time_of(r) is not None]
    best = min(right, key=time_of) if right else None
    name = lambda r: ", ".join("%s=%d" % (p, r[p]) for p in PARAMETERS)
    print(
        json.dumps(
            {
                "seconds": round(seconds, 3),
                "preparation": round(prepared - start, 3),
                "kernels": round(total(results, "benchmark_time"), 3),
                "compiling": round(total(results, "compile_time"), 3),
                "verifying": round(total(results, "verification_time"), 3),
                "configurations": len(results),
                "correct": len(right),
                "best": name(best) if best else "",
                "best_ns": round(time_of(best) * 1e6) if best else 0,
                "list": {name(r): time_of(r) for r in results},
            }
        )
    )


if __name__ == "__main__":
    main()
