#!/bin/sh
# hone, Kernel Tuner (PyPI) and CLBlast's tuner (Debian's clblast-utils) on y = a * x + y: 96 configurations of the same
# parameters, OpenCL on the first device, 10 launches of each or, by hone, what its rules say.
#
#   tests/bench/tuners.sh [BUILD [N [RUNS]]]
#
# BUILD (build) has hone; N elements (4194304); RUNS in turn (1). hone and Kernel Tuner tune axpy.cl here, CLBlast its own
# kernel. PYTHON: an interpreter that has kernel_tuner and pyopencl (python3). What is not installed is left out. Times are
# those of whole processes, with caches of PoCL that are empty and no stored results. Then the faults: a kernel that leaves out
# an element, and one that writes outside of its buffer, among right ones; what becomes of the tune?
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
hone=$(cd "${1:-$root/build}" && pwd)/hone
n=${2:-4194304}
runs=${3:-1}
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

timed() { # NAME COMMAND...: its output in NAME.out, its wall time and exit status in $seconds and $status
    name=$1
    shift
    rm -rf "$work/cache"
    mkdir -p "$work/cache"
    status=0
    start=$(date +%s.%N)
    POCL_CACHE_DIR=$work/cache XDG_CACHE_HOME=$work/cache timeout 560 "$@" >"$name.out" 2>"$name.err" || status=$?
    seconds=$(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f", $1 - $2 }')
}
hone_tune() {
    timed "$1" "$hone" tune "$root/tests/bench/axpy.json" --set n="$n" --no-store --language opencl --format csv --details $2
}
kernel_tuner() {
    timed "$@"
    [ "$status" != 77 ] || { echo "$1: not installed"; return 0; }
}

uptime
for run in $(seq "$runs"); do
    hone_tune hone ""
    echo "hone: $seconds s (exit $status), $(grep -c ',correct,' hone.out || :) of 96 verified and correct"
    timed clblast clblast_tuner_xaxpy -precision 32 -n "$n" -platform 0 -device 0
    [ "$status" = 127 ] && echo "CLBlast's tuner: not installed" ||
        echo "CLBlast: $seconds s (exit $status), $(grep -c 'results match' clblast.out || :) of 96 verified; $(
            sed -n 's/.*\(Best parameters:.*\)/\1/p; s/.*\(Found best result.*\)/\1/p' clblast.out | tr '\n' ' ')"
    kernel_tuner unverified "$python" "$root/tests/bench/kernel_tuner_axpy.py" "$n"
    echo "Kernel Tuner: $seconds s (exit $status): $(tail -n 1 unverified.out)"
    kernel_tuner verified "$python" "$root/tests/bench/kernel_tuner_axpy.py" "$n" --answer
    echo "Kernel Tuner, with an answer: $seconds s (exit $status): $(tail -n 1 verified.out)"
done
echo "with a wrong and a crashing configuration (98):"
hone_tune faults "--set FAULTS=1"
echo "hone: $seconds s (exit $status), $(grep -c ',correct,' faults.out || :) correct, $(
    grep -c ',correctness,' faults.out || :) wrong, $(grep -c ',runtime,' faults.out || :) crashed"
for fault in 1 2; do
    kernel_tuner fault "$python" "$root/tests/bench/kernel_tuner_axpy.py" "$n" --answer --faults 0,$fault
    echo "Kernel Tuner, FAULT=$fault: $seconds s (exit $status): $(tail -n 1 fault.out) $(tail -n 1 fault.err)"
done
