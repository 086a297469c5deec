#!/bin/sh
# How often `hone bench` calls an alarm for a kernel that has not changed, and how often it tells one that has become slower.
#
#   tests/bench/bench_drift.sh [BUILD] [BENCHES] [LOAD] [MOMENTS] [SLOWER]
#
# BENCHES (60) benches of the kernel of spin.json as it is and as many of it with SLOWER (5) per cent more to do, against a
# baseline of MOMENTS (3) sessions whose code is launched beside, on the first CPU in OpenCL while LOAD (0) processes run beside. GAP seconds (20) lie between
# the sessions of the baseline, PASSES (6) is the option. Prints how many of each verdict there were.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build} benches=${2:-60} load=${3:-0} moments=${4:-3} slower=${5:-5}
work=$(mktemp -d)
busy=''
end() {
    for pid in $busy; do kill "$pid" 2>/dev/null || :; done
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' HUP INT TERM
export XDG_CACHE_HOME="$work"
for which in same slow; do
    mkdir "$work/$which"
    cp "$root/tests/bench/spin.json" "$work/$which"
done
cp "$root/tests/bench/spin.cl" "$work/same"
sed "s/\* STRETCH \/ 100/* STRETCH * (100 + $slower) \/ 10000/" "$root/tests/bench/spin.cl" >"$work/slow/spin.cl"
cmp -s "$work/same/spin.cl" "$work/slow/spin.cl" && { echo "spin.cl has no STRETCH to make it slower by" >&2; exit 1; }
echo '[{"constants": {"ROUNDS": 400}, "configuration": {"VARIANT": 0}}]' >"$work/list.json"
i=0
while [ "$i" -lt "$load" ]; do
    sh -c 'while :; do :; done' &
    busy="$busy $!"
    i=$((i + 1))
done
bench() { # same or slow, then options
    spec="$work/$1/spin.json"
    shift
    "$build/hone" bench "$spec" --language opencl --no-store --repeats "${PASSES:-6}" "$@"
}
i=0
while [ "$i" -lt "$moments" ]; do
    [ "$i" -eq 0 ] || sleep "${GAP:-20}"
    bench same --from "$work/list.json" --output "$work/base.json" >/dev/null
    i=$((i + 1))
done
for which in same slow; do
    i=0
    while [ "$i" -lt "$benches" ]; do
        bench "$which" --baseline "$work/base.json" --json >"$work/out" || [ $? -eq 1 ]
        sed 's/.*"verdict":"\([a-z]*\)".*/\1/' "$work/out" >>"$work/$which.verdicts"
        sed 's/.*"ratio":\([0-9.e-]*\),"ratio_interval":\(\[[^]]*\]\).*/\1 \2/' "$work/out" >>"$work/$which.ratios"
        i=$((i + 1))
    done
    echo "$which, load $load, $moments moments: $(sort "$work/$which.verdicts" | uniq -c | tr -s '\n ' ' ')"
    [ -z "${VERBOSE:-}" ] || cat "$work/$which.ratios"
done
