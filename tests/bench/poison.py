#!/usr/bin/env python3
"""What it costs to poison outputs before each timed launch: two builds of hone side by side, and the cheats.

    poison.py BEFORE AFTER [--rounds N] [--device NAME] [--cases card|cpu] [--cheats cuda,opencl]

BEFORE and AFTER are folders with hone and hone-worker. Each round runs every case with both, in turn, the first one
first in every second round. Printed for each case and each kernel in it: the median of the rounds' medians with both,
their change, and its spread (the least and the most of the rounds' ratios). `run` is one configuration alone;
`compare` launches it and the vendor's library in turn, for short kernels. After that the kernels of tests/cheats are
tuned with AFTER. NVIDIA's OpenCL may lack variables of a program: cheats that need them are then not tried there.
Exit status 1: a cheat was not caught, or a case failed. Nothing is judged by the 2 % that it may cost: read it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TILED = "block_size_x=32,block_size_y=8,tile_size_x=4,tile_size_y=4"
SMALL = "block_size_x=16,block_size_y=16,tile_size_x=1,tile_size_y=1"


def sizes(*names):
    return lambda n: [word for name in names for word in ("-s", "%s=%d" % (name, n))]


WIDTH, MNK = sizes("WIDTH"), sizes("M", "N", "K")
# name, spec, language, size, configuration (None: the default one), library or None
CASES = {
    "card": [
        ("matmul_tiled 4096", "matmul_tiled", "cuda", WIDTH(4096), TILED, None),
        ("matmul_tiled 4096", "matmul_tiled", "opencl", WIDTH(4096), TILED, None),
        ("matmul_simt 256", "matmul_simt", "cuda", MNK(256), None, "cublas"),
        ("matmul_simt 512", "matmul_simt", "cuda", MNK(512), None, "cublas"),
        ("matmul_tiled 256", "matmul_tiled", "opencl", WIDTH(256), SMALL, None),
        ("matmul_tiled 512", "matmul_tiled", "opencl", WIDTH(512), SMALL, None),
    ],
    "cpu": [
        ("matmul_tiled 256", "matmul_tiled", "opencl", WIDTH(256), SMALL, None),
        ("matmul_tiled 512", "matmul_tiled", "opencl", WIDTH(512), SMALL, None),
    ],
}


def call(build, arguments, folder):
    environment = dict(os.environ, HONE_WORKER=os.path.join(build, "hone-worker"))
    done = subprocess.run([os.path.join(build, "hone")] + arguments, capture_output=True, text=True, cwd=folder,
                          env=environment, timeout=900, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        raise RuntimeError("%s: %s" % (" ".join(arguments), done.stderr.strip()[-300:]))
    return json.loads(lines[-1])


def default_of(spec):
    with open(spec, encoding="utf-8") as text:
        return ",".join("%s=%s" % item for item in json.load(text)["defaults"].items())


def measure(build, case, device, folder):
    """Medians by the kernel's name, ns."""
    _, name, language, size, config, library = case
    spec = os.path.join(ROOT, "kernels_cl", name + ".json")
    words = [spec, "-l", language, "--format", "json"] + size + (["-d", device] if device else [])
    config = config or default_of(spec)
    if config:
        words += ["-c", config]
    if not library:
        return {name: call(build, ["run"] + words + ["-i", "25"], folder)["median_ns"]}
    words += ["--against", library, "--rounds", "25", "--store", os.path.join(folder, "store.sqlite")]
    sides = call(build, ["compare"] + words, folder)["rows"][0]["sides"]
    return dict(zip((name, library), (side["median_ns"] for side in sides)))


def compare(builds, case, rounds, device):
    times = [{}, {}]
    for i in range(rounds):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            with tempfile.TemporaryDirectory() as folder:
                for name, ns in measure(builds[which], case, device, folder).items():
                    times[which].setdefault(name, []).append(ns)
    for name, before in times[0].items():
        after = times[1][name]
        ratios = [b / a for a, b in zip(before, after)]
        print("%-18s %-7s %-12s %12.2f us %12.2f us  %+6.2f %%  (%+.2f .. %+.2f)" % (
            case[0], case[2], name, statistics.median(before) / 1e3, statistics.median(after) / 1e3,
            100 * (statistics.median(ratios) - 1), 100 * (min(ratios) - 1), 100 * (max(ratios) - 1)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--device")
    parser.add_argument("--cases", choices=CASES, default="card")
    parser.add_argument("--cheats", default="cuda,opencl", help='"" for none')
    given = parser.parse_args()
    builds = [os.path.abspath(given.before), os.path.abspath(given.after)]
    failed = False
    print("%-18s %-7s %-12s %15s %15s  change of the medians, over the rounds" % (
        "case", "in", "kernel", "before", "after"))
    for case in CASES[given.cases]:
        try:
            compare(builds, case, given.rounds, given.device)
        except (RuntimeError, KeyError, IndexError, subprocess.TimeoutExpired) as problem:
            failed = True
            print("%-18s %-7s failed: %s" % (case[0], case[2], problem), flush=True)
    for language in filter(None, given.cheats.split(",")):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "cheats", "cheats.py"),
                               os.path.join(builds[1], "hone"), language], check=False)
        failed = failed or done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
