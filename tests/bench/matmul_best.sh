#!/bin/sh
# The kernels worth tuning beside the vendor's library, on an NVIDIA GPU:
#
#   tests/bench/matmul_best.sh BUILD [PART ...]
#
# Parts, all by default:
#
#   simt       hone sweep of matmul_simt at 256 .. 16384 with cuBLAS SGEMM
#   tensor     the same of matmul_tensor: corrected with SGEMM, and in TF32 with cuBLAS's TF32
#   exact      the errors of corrected matmul_tensor, packed and mapped, and of SGEMM at 256 .. 8192
#   check      CHECKS configurations of both kernels, both languages, split over odd sizes, verified
#   sanitizer  a few configurations in CUDA under compute-sanitizer's memcheck and racecheck, where it is
#
# The sweeps tune each size for SECONDS_EACH (20) in the part of the space that holds the best on an H200, then launch
# the best and the library in turn, and write OUT/matmul_*.csv, .svg, .png. HONE_DEVICE: a part of the device's name
# ("NVIDIA"); LANGUAGE: opencl (default) or cuda; CHECKS: 500; OUT: where files go (.). Results are kept in the store
# as always, and what is known is not measured again: set XDG_DATA_HOME for a fresh one. Needs sh, sed, tr.
# shellcheck disable=SC2046,SC2086 # options
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?the build folder}
shift
[ $# -gt 0 ] && parts=$* || parts='simt tensor exact check sanitizer'
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

# swept SPEC SIZES ROUTINE [options]
swept() {
    spec=$1 sizes=$2 routine=$3
    shift 3
    "$hone" sweep "$spec" --fresh=ranking --device "$device" --language "$language" --set M="$sizes" --set N=M --set K=M \
        --against "$routine" --timeout launch=5s --budget "$seconds"s "$@" 2>"$work/err" || cat "$work/err" >&2
}

# The part of the space that holds the best of small sizes is another than that of large ones.
part_simt() {
    echo "simt: matmul_simt ($language) and cuBLAS SGEMM"
    swept "$simt" 256..16384 cublas --output "$out/matmul_simt" --where "resident == 0 and step_k >= 16 and
        stages * SLOT * 4 <= 113 * 1024 and (load_by > 0 and not pack_b and ITEMS >= 64 and item_m * item_n <= 64 if M <= 1024
        else load_by == 2 and pack_a and not a_along_k and item_m * item_n >= 64 and unroll_k >= 16 and ITEMS >= 128 and
        ITEMS <= 512 and stages <= 4)"
}

part_tensor() {
    echo "tensor: matmul_tensor ($language), corrected, and cuBLAS SGEMM"
    swept "$tensor" 256..8192 cublas --set CORRECTED=1 --output "$out/matmul_tensor_corrected" \
        --where "instruction == 'wgmma' and run == 4 and group_m > 1 and (mapped or tile_m * tile_n >= 16384)"
    echo "tensor: matmul_tensor ($language), TF32, and cuBLAS TF32"
    swept "$tensor" 256..16384 cublas-tf32 --output "$out/matmul_tensor_tf32" --where "mapped and stages > 2"
}

part_exact() {
    echo "exact: relative errors in norm"
    for n in 256 1024 4096 8192; do
        for mapped in 0 1; do
            "$hone" compare "$tensor" --against cublas --device "$device" --language "$language" \
                --set M="$n" --set N="$n" --set K="$n" --set CORRECTED=1 --config \
                "instruction=wgmma,tile_m=128,tile_n=128,warp_m=64,warp_n=64,stages=3,run=4,group_m=8,mapped=$mapped" \
                --json 2>"$work/err" | tr ',{' '\n' | sed -n 's/^ *"error": *//p' | tr '\n' ' ' |
                sed "s/^/  $n, mapped=$mapped: /; s/\$/\n/"
        done
    done
}

# sizes M N K
sizes() {
    echo "--set M=$1 --set N=$2 --set K=$3"
}

# checked [options]: what hone check says at its end, or why it could not begin.
checked() {
    "$hone" check "$@" --device "$device" --sample "$each" --timeout launch=5s >"$work/out" 2>"$work/err" || true
    if [ -s "$work/out" ]; then tail -n 1 "$work/out"; else head -n 1 "$work/err"; fi
}

part_check() {
    for spec in "$simt" "$tensor"; do
        modes='' each=$((checks / 6))
        [ "$spec" = "$simt" ] || modes='CORRECTED=0 CORRECTED=1' each=$((checks / 12))
        for l in opencl cuda; do
            for mode in ${modes:-only}; do
                set -- "$spec" --language "$l" ${modes:+--set $mode}
                say="check: $(basename "$spec" .json) $l ${modes:+$mode }"
                for sizes in '1 1 1' '127 65 33' '127 68 36' '1000 1000 1000' '1 70 64' '50 1 40'; do
                    echo "$say$sizes: $(checked "$@" $(sizes $sizes) --seed 1)"
                done
                echo "${say}127 68 100, alpha and beta: $(checked "$@" $(sizes 127 68 100) --set ALPHA=0.5 --set BETA=0.25 --seed 2)"
            done
        done
    done
}

part_sanitizer() {
    command -v compute-sanitizer >"$work/out" || {
        echo "sanitizer: compute-sanitizer is not there"
        return 0
    }
    sanitized "$simt"
    sanitized "$tensor" --where 'not mapped'
    sanitized "$tensor" --where mapped
    sanitized "$tensor" --where mapped --set CORRECTED=1
}

# sanitized SPEC [options]
sanitized() {
    what=$(echo "$@" | cut -s -d ' ' -f 2-)
    # hone asks cuFuncGetParamInfo until there is no further parameter: that refusal is no fault.
    for tool in 'memcheck --report-api-errors no' racecheck; do
        compute-sanitizer --tool $tool --target-processes all "$hone" check "$@" --language cuda --device "$device" \
            --set M=127 --set N=68 --set K=96 --sample 12 --seed 3 --jobs 1 --no-store --timeout 120s \
            >"$work/out" 2>&1 || true
        echo "sanitizer: ${tool%% *} $(basename "$1" .json) $what: $(grep 'configurations are correct\|^FAILED' "$work/out" |
            tail -n 1); $(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$work/out" | sort | uniq -c | tr -s ' =\n' ' ')"
        # what was found: calls that were refused, and kernels
        sed -n 's/^========= *\(Program hit.*\|Invalid.*\|Error: .*\|Warning: .*\|Potential.*\)/    \1/p' "$work/out" |
            sort | uniq -c | head -n 8
    done
}

"$hone" devices | sed -n "1p; /$device/p" | cut -c 1-120
for part in $parts; do
    "part_$part"
done
