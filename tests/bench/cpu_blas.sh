#!/bin/sh
# matmul_vector against OpenBLAS on this machine's CPU, launched in turn:
#
#   tests/bench/cpu_blas.sh [BUILD] [ROUNDS] [SIZE...]
#
# For each size (1056 1024 2048) a part of matmul_vector's space that suits AVX-512 is tuned (WHERE in the
# environment: another one); then `hone compare --against openblas` launches its best configuration and
# cblas_sgemm() in turn, ROUNDS times (24), with each of OpenBLAS's core types in CORETYPES: the best of them is
# what matmul_vector is to be held against. Needs OpenBLAS (Debian: libopenblas0).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
rounds=${2:-24}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
[ $# -gt 0 ] || set -- 1056 1024 2048
where=${WHERE:-vector_width == 16 and unroll_k == 1 and group_x == 1 and group_y in (1, 8) and columns_first == 1
    and ((rows in (8, 12) and vectors == 2) or (rows == 8 and vectors == 3)) and pack_a <= pack_b}
cores=${CORETYPES:-SkylakeX Cooperlake Zen}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

hone() { # COMMAND SIZE [options]: without progress
    command=$1 size=$2
    shift 2
    "$build/hone" "$command" "$root/kernels_cl/matmul_vector.json" --set M="$size" --set N="$size" --set K="$size" \
        --device "${HONE_DEVICE:-pthread}" --where "$(echo $where)" --store "$work/store.sqlite" "$@" 2>"$work/err" || {
        cat "$work/err" >&2
        exit 1
    }
}

for size in "$@"; do
    hone tune "$size" >"$work/tuned"
    for core in $cores; do
        printf '%s, OPENBLAS_CORETYPE=%s\n' "$size" "$core"
        OPENBLAS_CORETYPE=$core hone compare "$size" --against openblas --rounds "$rounds" >"$work/compared"
        sed -n '/^place/,$p' "$work/compared"
    done
done
