#!/bin/sh
# Every kernel of kernels_cl and kernels_cu on one device, tuned and verified:
#
#   tests/bench/device_check.sh BUILD DEVICE SIZE [LANGUAGE ...]
#
# DEVICE is a part of the device's name (hone devices), SIZE the width of the square matrices. The
# languages are opencl and cuda (default: both; for one that the device does not have the tunes say
# so). Prints the best of each kernel with its 95 % interval, how many configurations were correct and
# the time each tune took, and at the end a table of the best medians, with CUDA's over OpenCL's. A
# fresh store and cache are used and removed. Needs sh, sed, awk.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?the build folder}
device=${2:?a part of a device\'s name}
size=${3:?the width of the matrices}
shift 3
languages=${*:-opencl cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work" XDG_DATA_HOME="$work"
kernels='naive bounded blocked shared tiled register'

sizes() {
    case $1 in
    naive | shared | tiled) echo "--set WIDTH=$size" ;;
    *) echo "--set M=$size --set N=$size --set K=$size" ;;
    esac
}

# The best's median in ms, and its configuration, of one kernel in one language.
remember_best() {
    # shellcheck disable=SC2046 # options
    "$build/hone" best "$root/kernels_cl/matmul_$2.json" --device "$device" --language "$1" $(sizes "$2") \
        --json 2>"$work/err" | tr ',{' '\n\n' | sed -n 's/^ *"median_ns": *\([0-9.]*\).*/\1/p' |
        sed -n 1p | awk -v l="$1" -v k="$2" '{ printf "%s %s %.4f\n", l, k, $1 / 1e6 }' >>"$work/best"
}

"$build/hone" devices
: >"$work/best"
for language in $languages; do
    for kernel in $kernels; do
        printf '\n== matmul_%s, %s, %s\n' "$kernel" "$size" "$language"
        # shellcheck disable=SC2046
        "$build/hone" tune "$root/kernels_cl/matmul_$kernel.json" --details --device "$device" --language "$language" \
            $(sizes "$kernel") >"$work/out" 2>&1 || true
        grep -vE '^(Every result|Everything about|Its compiler)' "$work/out" || true
        remember_best "$language" "$kernel"
    done
done

printf '\n%-10s %12s %12s %16s\n' kernel 'OpenCL, ms' 'CUDA, ms' 'CUDA / OpenCL'
for kernel in $kernels; do
    awk -v k="$kernel" '$2 == k { v[$1] = $3 }
        END { printf "%-10s %12s %12s %16s\n", k, v["opencl"] ? v["opencl"] : "-", v["cuda"] ? v["cuda"] : "-",
                     v["opencl"] && v["cuda"] ? sprintf("%.3f", v["cuda"] / v["opencl"]) : "-" }' "$work/best"
done
