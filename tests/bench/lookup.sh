#!/bin/sh
# How long a lookup in a deployed table takes: matmul_tensor's restrictions, random shapes and configurations.
#
#   tests/bench/lookup.sh [BUILD] [DEVICES] [SHAPES]    shapes of each device; 10 and 1000 unless given
#
# Prints the median and the least of 21 rounds of 20,000 lookups, each of another shape: by the nearest point, and by waves of
# work-groups.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target lookup_table libhone-known >/dev/null
for way in "" waves; do
    "$build/tests/bench/lookup_table" "$root/kernels_cl/matmul_tensor.json" "${2:-10}" "${3:-1000}" "$work" $way
    "${CC:-cc}" -std=c99 -O2 -Wall -Wextra -Werror -I"$work" -I"$root/include" "$root/tests/bench/lookup.c" -o "$work/lookup" \
        -L"$build" -lhone-known -Wl,-rpath,"$build"
    echo "${way:-nearest}:"
    "$work/lookup" "$work/table.hone"
done
