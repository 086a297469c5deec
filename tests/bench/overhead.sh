#!/bin/sh
# What hone itself costs: wall time for each of 1,000 configurations with a worker that answers at
# once and a store on disk.
#
#   tests/bench/overhead.sh [BUILD] [RUNS]     BUILD: configured with the tests
#
# Prints the time for a configuration of every run and the median. The folder for the store is
# $TMPDIR or /tmp: let it be a disk.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-test}
runs=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target hone fake_worker >/dev/null
export HONE_WORKER="$build/tests/runner/fake_worker" XDG_CACHE_HOME="$work"

for run in $(seq "$runs"); do
    rm -f "$work"/store*
    start=$(date +%s.%N)
    "$build/hone" tune "$root/tests/tune/data/thousand.json" --store "$work/store.sqlite" \
        >"$work/out" 2>&1 || {
        cat "$work/out"
        exit 1
    }
    end=$(date +%s.%N)
    grep -q '^1000 of 1000 configurations' "$work/out" || {
        cat "$work/out"
        exit 1
    }
    echo "$start $end" | awk -v run="$run" '{ printf "run %d: %.3f ms a configuration\n", run, $2 - $1 }'
done | tee "$work/all"
sort -t: -k2 -n "$work/all" | awk -F'[: ]+' '{ v[NR] = $3 }
    END { printf "median %.3f ms a configuration of %d runs (%.3f to %.3f)\n",
          v[int((NR + 1) / 2)], NR, v[1], v[NR] }'
