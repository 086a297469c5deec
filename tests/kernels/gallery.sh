#!/bin/sh
# gallery.sh HONE check|races|tune COUNT SPEC [options of hone check]: an example of the gallery at a small size. Its spec has at
# most 30 lines and no warnings; COUNT of its configurations are correct, free of races in the simulator, or tuned. Exit status:
# 77 where no device or simulator is installed.
set -eu
hone=$1 mode=$2 count=$3 spec=$4
shift 4
scratch=$(mktemp -d)
export HONE_LOCKS="$scratch" # other tests are not waited for
trap 'rm -rf "$scratch"' EXIT
[ "$(wc -l <"$spec")" -le 30 ] || { echo "FAILED: $spec has more than 30 lines"; exit 1; }
status=0
are='configurations are'
[ "$count" != 1 ] || are='configuration is'
case $mode in
check) expected="OK: $count $are correct" ;;
races) expected="OK: $count $are correct, no race or invalid access was found" ;;
tune) expected="OK" ;;
esac
case $mode in
check) "$hone" check "$spec" --language opencl --no-store --sample "$count" --seed 1 "$@" ;;
races) "$hone" check "$spec" --races --sample "$count" --seed 2 "$@" ;;
tune) "$hone" tune "$spec" --language opencl --store "$scratch/store" --budget "$count" --iterations 3 --format csv "$@" ;;
esac >"$scratch/out" 2>"$scratch/err" || status=$?
if grep -q 'no OpenCL device\|Oclgrind is not installed\|oclgrind is not' "$scratch/err"; then
    echo "skipped: $(head -n 1 "$scratch/err")"
    exit 77
fi
[ "$mode" != tune ] || [ "$(grep -c ',correct,' "$scratch/out")" != 4 ] || echo OK >>"$scratch/out"
if [ "$status" != 0 ] || ! grep -qF "$expected" "$scratch/out" || grep -q 'warning: .*json' "$scratch/err"; then
    cat "$scratch/out" "$scratch/err"
    echo "FAILED: status $status; expected '$expected', and no warning of the spec"
    exit 1
fi
tail -n 2 "$scratch/out"
