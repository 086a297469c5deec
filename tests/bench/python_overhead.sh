#!/bin/sh
# What the Python module costs over the program: tunes of 500 configurations with a worker that answers at once, both in turn.
#
#   tests/bench/python_overhead.sh [BUILD] [RUNS]     BUILD: configured with the tests
#
# Prints for the program as a process, and for hone.tune() in a Python that has imported the module: elapsed time, and the time that
# they and their workers computed, which says something on a busy machine, too; medians, and of the pairs' ratios the median, the
# quartiles and its standard error. The folder for the stores is $TMPDIR or /tmp: let it be a disk.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-test}
runs=${2:-21}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target hone libhone fake_worker >/dev/null
export HONE_WORKER="$build/tests/runner/fake_worker" HONE_LIBRARY="$build/libhone.so" HONE_PROGRAM="$build/hone"
export XDG_CACHE_HOME="$work" PYTHONPATH="$root/src/python:$root/src/extras/kernel_tuner" PYTHONDONTWRITEBYTECODE=1
unset HONE_DEVICE
python3 - "$root/tests/tune/data/thousand.json" "$work" "$runs" <<'END'
import ctypes, logging, os, resource, statistics, subprocess, sys, time
import hone
logging.disable(logging.WARNING)
ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: workers that the program leaves are waited for here, and so counted
spec, work, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])


def cpu():
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def program(i):
    subprocess.run([os.environ["HONE_PROGRAM"], "tune", spec, "--set", "COUNT=500", "--store", f"{work}/a{i}.sqlite"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def left():
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def module(i):
    assert len(hone.tune(spec, set={"COUNT": 500}, store=f"{work}/b{i}.sqlite", progress=False)) == 500


sides = {program: [], module: []}
program(-1), module(-1), left()
for i in range(runs):
    for side in (program, module) if i % 2 else (module, program):
        wall, computed = time.perf_counter(), cpu()
        side(i)
        elapsed = time.perf_counter() - wall
        left()
        sides[side].append((elapsed, cpu() - computed))
for k, what in enumerate(("elapsed", "computed")):
    one, other = ([times[k] for times in sides[side]] for side in (program, module))
    ratios = sorted(b / a for a, b in zip(one, other))
    low, middle, high = statistics.quantiles(ratios, n=4)
    error = 1.2533 * statistics.stdev(ratios) / len(ratios) ** 0.5
    print(f"{what}: program {statistics.median(one):.3f} s, module {statistics.median(other):.3f} s; of {runs} pairs the ratio {middle:.3f} "
          f"[{low:.3f} .. {high:.3f}], +- {error:.3f}")
END
