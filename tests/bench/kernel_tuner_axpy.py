#!/usr/bin/env python3
"""axpy.cl tuned by Kernel Tuner through pyopencl: the configurations and data of axpy.json, for tests/bench/tuners.sh.

    kernel_tuner_axpy.py N [--answer] [--faults 0,1,2]

--answer: results are compared with NumPy's. --faults: values of FAULT beside 0, for one configuration each.
Prints one JSON object: seconds (of tune_kernel() alone), configurations, failed, best, best_ms. Exit status 77: not installed.
"""
import json
import os
import sys
import time

try:
    import kernel_tuner
    import numpy
    import pyopencl  # noqa: F401
except ImportError as missing:
    print("skipped: %s" % missing, file=sys.stderr)
    sys.exit(77)

n = int(sys.argv[1])
faults = [int(f) for f in sys.argv[sys.argv.index("--faults") + 1].split(",")] if "--faults" in sys.argv else [0]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "axpy.cl")
random = numpy.random.default_rng(1)
x, y = (random.random(n, dtype=numpy.float32) for _ in range(2))
a = numpy.float32(2)
parameters = {"WGS": [64, 128, 256, 512, 1024, 2048], "WPT": [1, 2, 4, 8], "VW": [1, 2, 4, 8], "FAULT": faults}
start = time.time()
results, _ = kernel_tuner.tune_kernel(
    "axpy", source, n, [y, x, a], parameters, lang="OpenCL", block_size_names=["WGS"],
    grid_div_x=["WGS", "WPT", "VW"], restrictions=["FAULT == 0 or (WGS == 64 and WPT == 1 and VW == 1)"],
    answer=[a * x + y, None, None] if "--answer" in sys.argv else None, iterations=10, quiet=True, log=None)
right = [r for r in results if isinstance(r["time"], (int, float))]
best = min(right, key=lambda r: r["time"])
print(json.dumps({
    "seconds": time.time() - start, "configurations": len(results), "failed": len(results) - len(right),
    "best": ", ".join("%s=%s" % (k, best[k]) for k in ("WGS", "WPT", "VW", "FAULT")), "best_ms": best["time"]}))
