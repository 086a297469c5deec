#!/bin/sh
# Tuning speed against the classic way, side by side on this machine, cold caches for both:
#
#   tests/bench/tune_speed.sh [BUILD] [PAIRS]
#
# Tunes matmul_tiled at WIDTH=256 PAIRS times with each (hone, classic, hone, ...), each run with a
# fresh, private compiler cache and a fresh store, and prints the ratio of every pair and the median,
# the configurations found, and hone's time for the classic way's best.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
pairs=${2:-3}
spec=$root/kernels_cl/matmul_tiled.json
device=${HONE_DEVICE:-pthread}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target classic hone hone-worker >/dev/null

seconds() {
    date +%s.%N
}

for pair in $(seq "$pairs"); do
    rm -rf "$work/hone" "$work/classic"
    mkdir -p "$work/hone" "$work/classic"
    start=$(seconds)
    XDG_CACHE_HOME=$work/hone "$build/hone" tune "$spec" --device "$device" --set WIDTH=256 \
        --store "$work/hone/store.sqlite" --json >"$work/hone.json" 2>"$work/hone.err" || {
        cat "$work/hone.err" >&2
        exit 1
    }
    end=$(seconds)
    POCL_CACHE_DIR=$work/classic "$build/tests/bench/classic" "$spec" "$device" WIDTH=256 \
        >"$work/classic.json"
    awk -v start="$start" -v end="$end" -v pair="$pair" '
        { match($0, /"seconds": [0-9.]+/); classic = substr($0, RSTART + 11, RLENGTH - 11)
          hone = end - start
          printf "pair %d: hone %.1f s, classic %.1f s, ratio %.3f\n", pair, hone, classic, hone / classic
          print "  classic: " $0 }' "$work/classic.json" | tee -a "$work/all"
    "$build/hone" best "$spec" --device "$device" --set WIDTH=256 --store "$work/hone/store.sqlite" |
        sed 's/^/  hone: /'
done
grep '^pair' "$work/all" | sed 's/.*ratio //' | sort -n |
    awk '{ r[NR] = $1 } END { m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
           printf "median ratio %.3f of %d pairs (%.3f to %.3f)\n", m, NR, r[1], r[NR] }'
