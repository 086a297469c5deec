#!/bin/sh
# What the Python module costs over the program: tunes of 500 configurations with a worker that answers at once, both in turn.
#
#   tests/bench/python_overhead.sh [BUILD] [RUNS]     BUILD: configured with the tests
#
# Prints the median of each in seconds: the program as a process, hone.tune() in a Python that has imported the module, and that process's
# own computing time. Needs a quiet machine. The folder for the stores is $TMPDIR or /tmp: let it be a disk.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-test}
runs=${2:-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target hone libhone fake_worker >/dev/null
export HONE_WORKER="$build/tests/runner/fake_worker" HONE_LIBRARY="$build/libhone.so" HONE_PROGRAM="$build/hone"
export XDG_CACHE_HOME="$work" PYTHONPATH="$root/src/python" PYTHONDONTWRITEBYTECODE=1
unset HONE_DEVICE
python3 - "$root/tests/tune/data/thousand.json" "$work" "$runs" <<'END'
import logging, os, statistics, subprocess, sys, time
import hone
logging.disable(logging.WARNING)
spec, work, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
program, module, own = [], [], []
for i in range(runs):
    start = time.perf_counter()
    subprocess.run([os.environ["HONE_PROGRAM"], "tune", spec, "--set", "COUNT=500", "--store", f"{work}/a{i}.sqlite"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    program.append(time.perf_counter() - start)
    start, computed = time.perf_counter(), time.process_time()
    assert len(hone.tune(spec, set={"COUNT": 500}, store=f"{work}/b{i}.sqlite", progress=False)) == 500
    module.append(time.perf_counter() - start)
    own.append(time.process_time() - computed)
print(f"program {statistics.median(program):.3f} s ({min(program):.3f} at least), module {statistics.median(module):.3f} s "
      f"({min(module):.3f} at least), of which its process computed {statistics.median(own):.3f} s")
END
