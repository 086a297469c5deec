#!/bin/sh
# Builds the CUDA kernel of a spec by NVRTC, without a GPU and without NVIDIA's driver.
#
#   nvrtc.sh HONE "OK: 23 configurations build" SPEC [options of hone check]
#
# The last line must be the text. Nothing is taken from a cache. Exit status: 77 where NVRTC is not
# installed (README.md says how it is).
set -u
hone=$1 expected=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

XDG_CACHE_HOME=$scratch "$hone" check "$@" --language cuda --build-only \
    >"$scratch/stdout" 2>"$scratch/stderr"
status=$?
if grep -q 'NVRTC\|libnvrtc' "$scratch/stderr" && grep -q 'Broken off' "$scratch/stdout"; then
    echo "skipped: $(grep 'NVRTC\|libnvrtc' "$scratch/stderr")"
    exit 77
fi
last=$(tail -n 1 "$scratch/stdout")
case $last in
    "$expected"*) exit 0 ;;
esac
cat "$scratch/stdout" "$scratch/stderr"
echo "exit status $status; the last line is not '$expected'" >&2
exit 1
