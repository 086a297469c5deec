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

# "low,high" of the only result in a file of JSON lines; its median twice where it was stopped early.
interval() {
    sed -n '/"type": *"result"/{
        s/.*"interval_ns": *\[\([^]]*\)\].*/\1/p
        t
        s/.*"median_ns": *\([0-9.]*\).*/\1,\1/p
    }' "$1"
}

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
    classic_best=$(sed 's/.*"best": "\([^"]*\)".*/\1/; s/, /,/g' "$work/classic.json")
    awk -v start="$start" -v end="$end" -v pair="$pair" '
        { match($0, /"seconds": [0-9.]+/); classic = substr($0, RSTART + 11, RLENGTH - 11)
          hone = end - start
          printf "pair %d: hone %.1f s, classic %.1f s, ratio %.3f\n", pair, hone, classic,
                 hone / classic }' "$work/classic.json" | tee -a "$work/all"
    # The two winners as hone measured them: the same best, if their intervals meet.
    "$build/hone" best "$spec" --device "$device" --set WIDTH=256 \
        --store "$work/hone/store.sqlite" >"$work/best"
    "$build/hone" tune "$spec" --device "$device" --set WIDTH=256 --config "$classic_best" \
        --store "$work/hone/store.sqlite" --json >"$work/theirs" 2>/dev/null
    best=$(sed -n 's/^Configuration: //p' "$work/best" | tr -d ' ')
    "$build/hone" tune "$spec" --device "$device" --set WIDTH=256 --config "$best" \
        --store "$work/hone/store.sqlite" --json >"$work/ours" 2>/dev/null
    ours=$(interval "$work/ours")
    theirs=$(interval "$work/theirs")
    echo "$ours,$theirs" | awk -F, -v ours="$best" -v theirs="$classic_best" '
        { meet = $1 <= $4 && $3 <= $2 ? "the same within their intervals" : "not the same"
          printf "  best by hone %s [%.3f .. %.3f ms]\n  best by classic %s, by hone [%.3f .. %.3f ms]: %s\n",
                 ours, $1 / 1e6, $2 / 1e6, theirs, $3 / 1e6, $4 / 1e6, meet }'
done
grep '^pair' "$work/all" | sed 's/.*ratio //' | sort -n |
    awk '{ r[NR] = $1 } END { m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
           printf "median ratio %.3f of %d pairs (%.3f to %.3f)\n", m, NR, r[1], r[NR] }'
