#!/usr/bin/env python3
"""Two builds of hone side by side, as whole processes: how long their tunes take, and what hone itself costs.

    before_after.py BEFORE AFTER [--rounds N] [--device NAME] [--size N] [--cases NAME,...]

BEFORE and AFTER are build folders with hone, hone-worker and (for `overhead`) tests/runner/fake_worker. Each case runs N times
with both, in turn, the first one first in every second round, each time with a store of its own. Printed: the median
seconds of both, and the median and the spread of the rounds' ratios (AFTER over BEFORE: below 1 is faster now).

    cuda       matmul_tiled in CUDA, 36 configurations, caches warm: one run of each before the first round
    opencl     the same in OpenCL, with caches of its own each time
    overhead   1,000 configurations by a worker that answers at once
    devices    hone devices
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def tiled(language, given):
    words = ["tune", "kernels_cl/matmul_tiled.json", "--language", language, "--set", "WIDTH=%d" % given.size]
    return words + (["--device", given.device] if given.device else [])


CASES = {
    "cuda": lambda given: (tiled("cuda", given), "warm"),
    "opencl": lambda given: (tiled("opencl", given), "cold"),
    "overhead": lambda given: (["tune", "tests/tune/data/thousand.json"], "fake"),
    "devices": lambda given: (["devices"], "warm"),
}


def source_of(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        return re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read(), re.M).group(1)


def seconds(build, words, kind, cache, work):
    store = os.path.join(work, "store.sqlite")
    if kind == "cold":
        cache = os.path.join(work, "cache")
    worker = os.path.join(build, "tests/runner/fake_worker" if kind == "fake" else "hone-worker")
    environment = dict(os.environ, HONE_WORKER=worker, XDG_CACHE_HOME=cache, XDG_DATA_HOME=work, HONE_LOCKS=work)
    if kind == "cold":
        environment.update(CUDA_CACHE_PATH=os.path.join(work, "cuda"), POCL_CACHE_DIR=os.path.join(work, "pocl"))
    if words[0] == "tune":
        words = words + ["--store", store]
    folder = source_of(build)  # each tunes the spec that came with it
    started = time.monotonic()
    done = subprocess.run([os.path.join(build, "hone")] + words, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    taken = time.monotonic() - started
    if done.returncode:
        sys.exit("%s %s: status %d\n%s" % (build, " ".join(words), done.returncode, done.stderr[-2000:]))
    return taken


def compare(builds, name, given):
    words, kind = CASES[name](given)
    times = ([], [])
    caches = [tempfile.mkdtemp() for _ in builds]
    for i in range(-1 if kind == "warm" else 0, given.rounds):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            with tempfile.TemporaryDirectory() as work:
                taken = seconds(builds[which], words, kind, caches[which], work)
            if i >= 0:
                times[which].append(taken)
    for cache in caches:
        shutil.rmtree(cache, ignore_errors=True)
    ratios = [after / before for before, after in zip(*times)]
    print("%-10s %8.3f s %8.3f s   x %.3f  (%.3f .. %.3f)" % (name, statistics.median(times[0]), statistics.median(times[1]),
                                                         statistics.median(ratios), min(ratios), max(ratios)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--cases", default=",".join(CASES))
    given = parser.parse_args()
    builds = [os.path.abspath(folder) for folder in (given.before, given.after)]
    print("%-10s %10s %10s   after over before, over %d rounds" % ("case", "before", "after", given.rounds))
    for name in given.cases.split(","):
        compare(builds, name, given)


if __name__ == "__main__":
    main()
