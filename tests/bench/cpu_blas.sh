#!/bin/sh
# matmul_vector against OpenBLAS on this machine's CPU, launched in turn:
#
#   tests/bench/cpu_blas.sh [BUILD] [ROUNDS] [SIZE...]
#
# For each size (1056 1024 2048) a part of matmul_vector's space that suits AVX-512 is tuned (WHERE in the
# environment: another one); then ROUNDS times (5) its best configuration and cblas_sgemm() are launched in turn,
# 15 times each, OpenBLAS with each of its core types in CORETYPES. Prints the median of each round's medians
# and, of the rounds, the ratios to OpenBLAS's best core type: above 1 matmul_vector is faster. Needs OpenBLAS
# (Debian: libopenblas-dev) and cc.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
rounds=${2:-5}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
[ $# -gt 0 ] || set -- 1056 1024 2048
where=${WHERE:-vector_width == 16 and unroll_k == 1 and group_x == 1 and group_y in (1, 8) and columns_first == 1
    and ((rows in (8, 12) and vectors == 2) or (rows == 8 and vectors == 3)) and pack_a <= pack_b}
cores=${CORETYPES:-SkylakeX Cooperlake Zen}
device=${HONE_DEVICE:-pthread}
spec=$root/kernels_cl/matmul_vector.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 "$root/tests/bench/cpu_blas.c" -o "$work/blas" -lopenblas

median() { # of numbers on standard input
    sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

hone() { # COMMAND SIZE [options]
    command=$1 size=$2
    shift 2
    "$build/hone" "$command" "$spec" --set M="$size" --set N="$size" --set K="$size" --device "$device" "$@"
}

for size in "$@"; do
    hone tune "$size" --store "$work/store.sqlite" --where "$(echo $where)" >"$work/tuned" 2>"$work/err" || {
        cat "$work/err" >&2
        exit 1
    }
    config=$(hone best "$size" --store "$work/store.sqlite" --options | tr ' ' '\n' |
        sed -n 's/^-D\([a-z_]*=.*\)/\1/p' | paste -sd, -)
    for round in $(seq "$rounds"); do
        hone run "$size" --config "$config" --iterations 15 --no-store --json |
            sed -n 's/.*"median_ns": *\([0-9.]*\).*/\1/p' | head -1 >>"$work/hone.$size"
        for core in $cores; do
            OPENBLAS_CORETYPE=$core "$work/blas" "$size" 15 | median >>"$work/$core.$size"
        done
    done
    printf '%s: matmul_vector %s\n' "$size" "$config"
    printf '  %-12s %8.1f GFLOP/s\n' hone \
        "$(median <"$work/hone.$size" | awk -v n="$size" '{ print 2 * n ^ 3 / $1 }')"
    best=''
    for core in $cores; do
        ns=$(median <"$work/$core.$size")
        printf '  %-12s %8.1f GFLOP/s\n' "$core" "$(echo "$ns" | awk -v n="$size" '{ print 2 * n ^ 3 / $1 }')"
        [ -z "$best" ] || [ "$(echo "$ns $least" | awk '{ print $1 < $2 }')" = 1 ] || continue
        best=$core least=$ns
    done
    paste "$work/$best.$size" "$work/hone.$size" | awk '{ print $1 / $2 }' | sort -g >"$work/ratios"
    printf '  over OpenBLAS (%s): %.2f (%.2f .. %.2f, %d rounds)\n' "$best" "$(median <"$work/ratios")" \
        "$(head -1 "$work/ratios")" "$(tail -1 "$work/ratios")" "$rounds"
done
