#!/bin/sh
# Every kernel of kernels_cl on one device, tuned and verified, and the first kernel's faults survived:
#
#   tests/bench/device_check.sh BUILD DEVICE SIZE
#
# DEVICE is a part of the device's name (hone devices), SIZE the width of the square matrices. Prints
# the best of each kernel with its 95 % interval, how many configurations were correct, and the time
# each tune took. A fresh store and cache are used and removed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
device=$2
size=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work XDG_DATA_HOME=$work

"$build/hone" devices
for kernel in naive shared tiled bounded blocked register; do
    case $kernel in
    naive | shared | tiled) sizes="--set WIDTH=$size" ;;
    *) sizes="--set M=$size --set N=$size --set K=$size" ;;
    esac
    printf '\n== matmul_%s, %s\n' "$kernel" "$size"
    # shellcheck disable=SC2086 # options
    "$build/hone" tune "$root/kernels_cl/matmul_$kernel.json" --device "$device" $sizes 2>&1 |
        grep -vE '^(Every result|Everything about|Its compiler)' || true
done
