#!/bin/sh
# A sweep of a spec beside the vendor's library, as a report to look at.
#
#   tests/bench/sweep_report.sh [BUILD [OUT]]
#
# BUILD (default build) has hone; OUT is the report (default: sweep-report.html in BUILD). In the environment:
# SPEC (default kernels_cl/matmul_register.json), SIZES of M, N and K (256..8192), AGAINST (cublas), BUDGET of each size (40
# configurations), LANGUAGE, DEVICE, STORE (a file in the build folder: what is known is not measured again). Where the
# report would be 500 KB or more, views of single sizes are left out one by one, which is said; VIEWS (names, separated by
# commas) says instead what stands in it, and then that much fails. On PoCL, beside OpenBLAS:
#
#   SIZES=64,128,256,512 AGAINST=openblas LANGUAGE=opencl tests/bench/sweep_report.sh build report.html
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build}
out=${2:-$build/sweep-report.html}
spec=${SPEC:-kernels_cl/matmul_register.json}
store=${STORE:-sweep-report.sqlite}
out=$(realpath "$out")
PATH=$(realpath "$build"):$PATH # the report says the command as it was typed
case $store in /*) ;; *) store=$(realpath "$build")/$store ;; esac
folder=$(dirname "$store")
spec=$(realpath --relative-to="$folder" "$spec")
cd "$folder"
hone sweep "$spec" ${LANGUAGE:+--language "$LANGUAGE"} ${DEVICE:+--device "$DEVICE"} --set "M=${SIZES:-256..8192}" --set N=M --set K=M \
    --budget "${BUDGET:-40}" --against "${AGAINST:-cublas}" --store "$(basename "$store")"
write_report() { # VIEWS: a report with these, and its size in $bytes; is it small enough?
    hone report "$spec" --all --store "$(basename "$store")" --views "$1" -o "$(realpath --relative-to="$folder" "$out")" || exit 1
    bytes=$(wc -c <"$out")
    [ "$bytes" -lt 500000 ]
}
if [ -n "${VIEWS:-}" ]; then
    write_report "$VIEWS" || {
        echo "500 KB or more: name fewer VIEWS, or fewer SIZES"
        exit 1
    }
else
    views=sizes,beside,matrix,table,failures,evaluations,heatmap,parallel,parameters
    while ! write_report "$views"; do
        [ "$views" != sizes ] || exit 1
        echo "500 KB or more: without ${views##*,}"
        views=${views%,*}
    done
fi
echo "$out: $bytes bytes"
