#!/bin/sh
# Where the time goes until the first launch: start-up (hone itself, its spec, a new store, the list of devices) and
# opening, of whole tunes with a new store each.
#
#   tests/bench/startup.sh [BUILD] [RUNS]
#
# On the fake CUDA driver, whose calls take nothing, so that all of it is hone's own; with SPEC (and HONE_DEVICE) in the
# environment, on a device. The least of all runs is what a quiet machine takes. The last line counts the syncs of the
# disk before the first worker that builds (strace).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
runs=${2:-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache" HONE_WORKER="$build/hone-worker"
if [ -z "${SPEC:-}" ]; then
    SPEC=$root/tests/fake_cuda/data/forty.json
    tests=$build/tests
    export LD_LIBRARY_PATH="$tests/fake_cuda/driver:$tests/fake_opencl/driver:$tests/fake_nvml/new"
    export FAKE_CUDA_KIND=card FAKE_CUDA_STATE="$work/dead" FAKE_CL_KIND=none FAKE_NVML_FAIL=all CUDA_HOME= CUDA_PATH=
fi

tune() {
    rm -f "$work"/store*
    "$@" "$build/hone" tune "$SPEC" ${HONE_DEVICE:+--device "$HONE_DEVICE"} --store "$work/store.sqlite" --json
}

for run in $(seq "$runs"); do
    tune env 2>"$work/errors" | grep '"type":"summary"' || { cat "$work/errors" >&2; exit 1; }
done | python3 -c '
import json, sys
rows = [json.loads(line)["timing"] for line in sys.stdin]
for key in "startup_ns", "listing_ns", "opening_ns", "waiting_ns", "storing_ns", "rest_ns", "wall_ns":
    times = sorted(row[key] / 1e6 for row in rows)
    print("%-12s least %7.1f ms, median %7.1f ms" % (key[:-3], times[0], times[len(times) // 2]))'
if command -v strace >/dev/null; then
    tune strace -f -o "$work/trace" -e trace=fsync,fdatasync,execve >/dev/null 2>&1
    awk '/execve\(.*hone-worker/ && ++workers == 2 { exit } /f(data)?sync\(/ { syncs++ } END { print "syncs", syncs + 0 }' \
        "$work/trace"
fi
