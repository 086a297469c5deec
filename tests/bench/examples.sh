#!/bin/bash
# Runs what the help and the documents tell the reader to type, on a machine with an NVIDIA GPU, those that need one
# included, and as they stand: searches are not shortened.
#
#   tests/bench/examples.sh [BUILD [DOCUMENT...]]
#
# BUILD (default build) has hone; a DOCUMENT is a path such as src/doc/numba.md, or help. Without any: help and all documents
# with commands. Exits 1 where an example failed. Takes most of an hour; src/doc/numba.md alone some minutes.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- help README.md src/doc/{tutorial,kernel-tuner,numba,d2l-tvm,library,search,compare-and-sweep,ci,benchmarks}.md \
    kernels_cl/README.md kernels_cu/README.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
for document; do
    bash "$root/tests/examples/examples.sh" "$build" "$root" "$scratch/run" "$document" gpu
    case $? in
    0 | 77) ;;
    *) failed=1 ;;
    esac
done
exit $failed
