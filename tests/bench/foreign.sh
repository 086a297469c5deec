#!/bin/sh
# Kernels that others wrote, tuned as they are shipped and verified, on an NVIDIA GPU:
#
#   tests/bench/foreign.sh BUILD FOLDER
#
# FOLDER holds hub/convolution_milo.json (CUDA), hub/gemm_milo.json and the texts they name. The first is tuned as it
# is; for the second, which is the T1 file of another benchmark in part, a spec is written beside its parameters and
# restrictions (foreign_gemm.py). Before that every T1 file of FOLDER is checked at SAMPLE (8) configurations: what
# hone says of those that cannot run is shown. Results are held against NumPy by --reference-by (foreign_reference.py).
#
# SECONDS_EACH: 60. HONE_DEVICE: a part of the device's name ("NVIDIA"). OUT: where the reports go (.). Needs python3
# with numpy. Exit status: 1 when a tune found nothing correct.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hone=${1:?the build folder}/hone
folder=${2:?the folder with the specs of others}
device=${HONE_DEVICE:-NVIDIA}
seconds=${SECONDS_EACH:-60}
out=${OUT:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

echo "== every T1 file, as it is"
find "$folder" -name '*.json' | sort | while read -r spec; do
    grep -q '"KernelSpecification"' "$spec" || continue
    echo "-- ${spec#"$folder"/}"
    "$hone" check "$spec" --device "$device" --sample "${SAMPLE:-8}" --no-store --allow unverified 2>&1 |
        grep -v '^[0-9]*/[0-9]' || true
done

# tuned NAME SPEC
tuned() {
    echo "== $1: tuned for $seconds s, verified"
    "$hone" tune "$2" --device "$device" --language cuda --budget "$seconds"s --no-store \
        --reference-by "$here/foreign_reference.py" >"$out/foreign_$1.txt" 2>"$work/err" || {
        failed=1
        cat "$work/err"
    }
    cat "$out/foreign_$1.txt"
}

tuned convolution_milo "$folder/hub/convolution_milo.json"
python3 "$here/foreign_gemm.py" "$folder/hub/gemm_milo.json" "$folder/hub/gemm_milo" >"$work/gemm_milo.json"
tuned gemm_milo "$work/gemm_milo.json"
exit $failed
