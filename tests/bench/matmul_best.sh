#!/bin/sh
# The kernels worth tuning beside the vendor's library, on an NVIDIA GPU:
#
#   tests/bench/matmul_best.sh BUILD [PART ...]
#
# Parts, all by default:
#
#   simt       matmul_simt against cuBLAS SGEMM at 1024 .. 16384, tuned at each size; geometric mean
#   tensor     matmul_tensor against cuBLAS at 4096 and 8192: in TF32 against its TF32, corrected against
#              its SGEMM, with the errors of both
#   exact      the errors of corrected matmul_tensor and of SGEMM at 256 .. 8192
#   check      CHECKS configurations of both kernels, both languages, split over odd sizes, verified
#   sanitizer  a few configurations in CUDA under compute-sanitizer's memcheck and racecheck, where it is
#   sweep      hone sweep of both kernels with cuBLAS and the device's peak: OUT.csv, .svg, .png
#
# HONE_DEVICE: a part of the device's name ("NVIDIA"); LANGUAGE: opencl (default) or cuda; SECONDS_EACH: of each
# tune (20); CHECKS: 500; OUT: where files go (.). Results are kept in the
# store as always: set XDG_DATA_HOME for a fresh one. Tuning comes first, then the best and the library are
# launched in turn. Needs sh, sed, awk, tr.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?the build folder}
shift
[ $# -gt 0 ] && parts=$* || parts='simt tensor exact check sanitizer sweep'
hone=$build/hone
device=${HONE_DEVICE:-NVIDIA}
language=${LANGUAGE:-opencl}
seconds=${SECONDS_EACH:-20}
checks=${CHECKS:-500}
out=${OUT:-.}
simt=$root/kernels_cl/matmul_simt.json
tensor=$root/kernels_cl/matmul_tensor.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "--set M=n --set N=n --set K=n"
square() {
    echo "--set M=$1 --set N=$1 --set K=$1"
}

# against SPEC N ROUTINE [options]: tunes, then one line of the comparison.
against() {
    spec=$1 n=$2 routine=$3
    shift 3
    # shellcheck disable=SC2046 # options
    "$hone" tune "$spec" --device "$device" --language "$language" $(square "$n") --budget "$seconds"s \
        --timeout launch=5s "$@" >"$work/tune" 2>&1 || cat "$work/tune" >&2
    # shellcheck disable=SC2046
    "$hone" compare "$spec" --against "$routine" --device "$device" --language "$language" $(square "$n") \
        "$@" >"$work/compare" 2>"$work/err" || cat "$work/compare" "$work/err" >&2
    sed -n 's/  */ /g; /GFLOP/p' "$work/compare" | sed "s/^/  $n: /"
    sed -n '/ as fast as \| faster than \| told apart/p' "$work/compare"
}

part_simt() {
    echo "simt: matmul_simt ($language) and cuBLAS SGEMM"
    for n in 1024 2048 4096 8192 16384; do
        against "$simt" "$n" cublas
        sed -n 's/.*is \([0-9.]*\) (.*) times faster than \(.*\)\.$/\1 \2/p' "$work/compare" |
            awk '{ print $2 ~ /matmul/ ? 1 / $1 : $1 }' >>"$work/simt"
    done
    awk '{ s += log($1) } END { if (NR) printf "geometric mean of the %d ratios told apart: %.3f\n", NR, exp(s / NR) }' "$work/simt"
}

part_tensor() {
    for n in 4096 8192; do
        echo "tensor: matmul_tensor ($language), TF32, and cuBLAS TF32"
        against "$tensor" "$n" cublas-tf32 --set CORRECTED=0
        echo "tensor: matmul_tensor ($language), corrected, and cuBLAS SGEMM"
        against "$tensor" "$n" cublas --set CORRECTED=1
    done
}

part_exact() {
    echo "exact: relative errors in norm"
    for n in 256 1024 4096 8192; do
        # shellcheck disable=SC2046
        "$hone" compare "$tensor" --against cublas --device "$device" --language "$language" $(square "$n") \
            --set CORRECTED=1 --config \
            instruction=wgmma,tile_m=128,tile_n=128,warp_m=64,warp_n=64,stages=3,run=4,group_m=8,pack_group=128 \
            --json 2>"$work/err" | tr ',{' '\n\n' | sed -n 's/^ *"error": *//p' | tr '\n' ' ' |
            sed "s/^/  $n: /; s/\$/\n/"
    done
}

# checked [options]: what hone check says at its end, or why it could not begin.
checked() {
    "$hone" check "$@" --device "$device" --sample "$each" --timeout launch=5s >"$work/out" 2>"$work/err" || true
    if [ -s "$work/out" ]; then tail -n 1 "$work/out"; else head -n 1 "$work/err"; fi
}

part_check() {
    each=$((checks / 5))
    for spec in "$simt" "$tensor"; do
        name=$(basename "$spec" .json) corrected=
        [ "$spec" = "$simt" ] || corrected='--set CORRECTED=1'
        for l in opencl cuda; do
            for sizes in '1 1 1' '127 65 33' '1000 1000 1000' '1 70 64' '50 1 40'; do
                # shellcheck disable=SC2086
                set -- $sizes
                echo "check: $name $l $sizes: $(checked "$spec" --language "$l" --set M="$1" --set N="$2" --set K="$3" --seed 1)"
            done
            # shellcheck disable=SC2086
            echo "check: $name $l alpha, beta $corrected: $(checked "$spec" --language "$l" --set M=127 --set N=65 --set K=100 \
                --set ALPHA=0.5 --set BETA=0.25 $corrected --seed 2)"
        done
    done
}

part_sanitizer() {
    command -v compute-sanitizer >"$work/out" || {
        echo "sanitizer: compute-sanitizer is not there"
        return 0
    }
    # hone asks cuFuncGetParamInfo until there is no further parameter: that refusal is no fault.
    for tool in memcheck racecheck; do
        [ $tool = memcheck ] && quiet='--report-api-errors no' || quiet=
        for spec in "$simt" "$tensor"; do
            # shellcheck disable=SC2086 # options
            compute-sanitizer --tool $tool $quiet --target-processes all "$hone" check "$spec" --language cuda \
                --device "$device" --set M=127 --set N=65 --set K=96 --sample 12 --seed 3 --jobs 1 --no-store \
                --timeout 120s >"$work/out" 2>&1 || true
            echo "sanitizer: $tool $(basename "$spec" .json): $(grep 'configurations are correct\|^FAILED' "$work/out" |
                tail -n 1); $(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$work/out" | sort | uniq -c | tr -s ' =\n' ' ')"
            # what was found: calls that were refused, and kernels
            sed -n 's/^========= *\(Program hit.*\|Invalid.*\|Error: .*\|Warning: .*\|Potential.*\)/    \1/p' "$work/out" | sort | uniq -c | head -n 8
        done
    done
}

part_sweep() {
    for spec in "$simt" "$tensor"; do
        name=$(basename "$spec" .json)
        "$hone" sweep "$spec" --device "$device" --language "$language" --set 'N=[2**i for i in range(8, 15)]' \
            --set M=N --set K=N --against cublas --timeout launch=5s --budget "$seconds"s --output "$out/$name" || true
    done
}

"$hone" devices | sed -n "1p; /$device/p" | cut -c 1-120
for part in $parts; do
    "part_$part"
done
