#!/usr/bin/env python3
"""A busy machine, simulated: launches that were interrupted. Of kernels that are 10 % faster those that are measured twice are called
so (about half, without longer rounds), and equal ones are not. And, on an idle one, a candidate whose own values hold at no hidden size
has no score above 1, however fast it is.

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


def run(folder, driver, hone, *more, **environment):
    """The verdicts of spec add.json on the simulated card, and what was said."""
    done = subprocess.run([hone, "judge", os.path.join(folder, "add.json"), *more, "--json"],
                          env=dict(os.environ, LD_LIBRARY_PATH=driver + ":" + folder, FAKE_CL_KIND="card", HONE_LOCKS=folder,
                                   CUDA_HOME="", CUDA_PATH="", **environment),
                          capture_output=True, text=True, timeout=900, check=False)
    return [v for v in map(json.loads, done.stdout.splitlines()) if v["type"] == "verdict"], done.stderr


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(text)


def is_capped(hone, driver):
    """Half the time at the spec's size, the one at which its value holds; and one that is as fast everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "add.json", json.dumps(dict(SPEC, derived={"FAKE_NS": "40000 // work"}, restrictions=["work != 2 or N == 1024"])))
        write(folder, "add.cl", ADD)
        write(folder, "only.cl", "// hone: work=2\n" + ADD)
        write(folder, "all.cl", "// hone: work=3\n" + ADD)
        verdicts, said = run(folder, driver, hone, os.path.join(folder, "only.cl"), os.path.join(folder, "all.cl"), "--hidden", "2")
    found = {os.path.basename(v["candidate"]): v for v in verdicts}
    only, everywhere = found.get("only.cl", {}), found.get("all.cl", {})
    told = [(v.get("verdict"), v.get("speedup"), v.get("score"), v.get("not_verified_at")) for v in (only, everywhere)]
    print("at no hidden size and at all:", *told)
    if told[0][0] == "same" and told[0][3] and told[0][1] > 1.5 and told[0][2] == 1 and told[1][0] == "faster" and told[1][2] > 1.5:
        return True
    print(said)
    return False


def main():
    hone, driver, count = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 12
    capped = is_capped(hone, driver)
    with tempfile.TemporaryDirectory() as folder:
        draw = random.Random(1)
        write(folder, "drift", "".join("%d\n" % (1e6 * interrupted(draw)) for _ in range(40000)))
        write(folder, "add.json", json.dumps(SPEC))
        write(folder, "add.cl", ADD)
        os.mkdir(os.path.join(folder, "all"))
        for i in range(count):
            write(folder, "all/faster%02d.cl" % i, "// hone: work=2\nconstant int number = %d;\n" % i + ADD)
            write(folder, "all/equal%02d.cl" % i, "constant int number = %d;\n" % i + ADD)
        verdicts, said = run(folder, driver, hone, os.path.join(folder, "all"), "--hidden", "0",
                             FAKE_CL_DRIFT=os.path.join(folder, "drift"))
    twice = [v for v in verdicts if v["measured_twice"] and "faster" in os.path.basename(v["candidate"])]
    named = [v for v in twice if v["verdict"] == "faster"]
    wrong = [v for v in verdicts if v["verdict"] == "faster" and v not in twice]
    print("of %d that are 10 %% faster %d were measured twice and %d called so, of as many equal ones %d" % (
        count, len(twice), len(named), len(wrong)))
    if capped and len(verdicts) == 2 * count and len(twice) >= 3 and len(named) >= 0.8 * len(twice) and len(wrong) <= 1:
        return 0
    print(said, *[(v["candidate"], v["verdict"], v["interval"]) for v in verdicts], sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
