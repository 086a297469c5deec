#!/usr/bin/env python3
"""A busy machine, simulated: launches that were interrupted. Of kernels that are 10 % faster those that are measured twice are called
so (about half, without longer rounds), and equal ones are not.

    busy.py HONE FAKE_DRIVER [COUNT]    FAKE_DRIVER is the folder of its libOpenCL.so.1; COUNT candidates of each kind
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile

ADD = "kernel void add(__global const float *a, __global const float *b, __global float *c)\n{\n" \
      "    // fake:add\n    c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];\n}\n"
SPEC = {
    "kernel": "add.cl", "function": "add", "constants": {"N": 1024},
    "parameters": {"block": [32], "work": [1]}, "derived": {"FAKE_NS": "20000 - 1818 * (work - 1)"},
    "global": ["N"], "local": ["block"],
    "arguments": {"a": {"size": "N", "fill": {"random": [0, 1]}}, "b": {"size": "N", "fill": {"random": [1, 2]}},
                  "c": {"size": "N", "output": True, "expect": "a[i] + b[i]"}},
}


def interrupted(draw):
    """A launch's time over that of an idle machine: one in seven is interrupted, for about as long as it takes."""
    return math.exp(draw.gauss(0, 0.03)) * (1 + (draw.random() < 0.15) * draw.expovariate(1))


def main():
    hone, driver, count = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 12
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        draw = random.Random(1)
        write("drift", "".join("%d\n" % (1e6 * interrupted(draw)) for _ in range(40000)))
        write("add.json", json.dumps(SPEC))
        write("add.cl", ADD)
        os.mkdir(os.path.join(folder, "all"))
        for i in range(count):
            write("all/faster%02d.cl" % i, "// hone: work=2\nconstant int number = %d;\n" % i + ADD)
            write("all/equal%02d.cl" % i, "constant int number = %d;\n" % i + ADD)
        done = subprocess.run([hone, "judge", os.path.join(folder, "add.json"), os.path.join(folder, "all"), "--hidden", "0", "--json"],
                              env=dict(os.environ, LD_LIBRARY_PATH=driver + ":" + folder, FAKE_CL_KIND="card",
                                       FAKE_CL_DRIFT=os.path.join(folder, "drift"), HONE_LOCKS=folder,
                                       CUDA_HOME="", CUDA_PATH=""),
                              capture_output=True, text=True, timeout=900, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    verdicts = [v for v in lines if v["type"] == "verdict"]
    twice = [v for v in verdicts if v["measured_twice"] and "faster" in os.path.basename(v["candidate"])]
    named = [v for v in twice if v["verdict"] == "faster"]
    wrong = [v for v in verdicts if v["verdict"] == "faster" and v not in twice]
    print("of %d that are 10 %% faster %d were measured twice and %d called so, of as many equal ones %d" % (
        count, len(twice), len(named), len(wrong)))
    if len(verdicts) == 2 * count and len(twice) >= 3 and len(named) >= 0.8 * len(twice) and len(wrong) <= 1:
        return 0
    print(done.stderr, *[(v["candidate"], v["verdict"], v["interval"]) for v in verdicts], sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
