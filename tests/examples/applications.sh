#!/bin/sh
# applications.sh BUILD SOURCE SCRATCH: deploys two kernels for a few sizes, compiles the applications of src/doc/examples
# with the headers, and multiplies matrices of these sizes and of others with them. 77: no OpenCL device.
set -eu
build=$1 source=$2 scratch=$3
examples=$source/src/doc/examples
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache" HONE_LOCKS="$scratch"

fail() {
    cat said 2>/dev/null || :
    echo "$*"
    exit 1
}

"$build/hone" devices --json 2>&1 | tee said | grep -qi '"opencl"' || {
    cat said
    exit 77
}
flags='-std=c99 -O2 -Wall -Wextra -Werror -pedantic -I.'
for deployed in matmul_vector matmul_tensor 'matmul_half BIAS=true ACTIVATION=gelu TYPE=fp16' 'matmul_fp8 BIAS=true ACTIVATION=silu' \
    'matmul_double ACTIVATION=relu'; do
    kernel=${deployed%% *} set=$(echo "$deployed" | sed 's/^[^ ]*//; s/ / --set /g')
    # shellcheck disable=SC2086 # words
    "$build/hone" deploy "$source/kernels_cl/$kernel.json" $set --set M=48,96 --set N=M --set K=M --budget 2 --language opencl \
        --format header --with source --name matmul -o matmul_deployed.h >said 2>&1 || fail "hone deploy $kernel"
    # shellcheck disable=SC2086 # a list of options
    cc $flags "$examples/matmul_opencl.c" -o matmul_opencl -lOpenCL -lm >said 2>&1 || fail "matmul_opencl.c, $kernel"
    ./matmul_opencl 48 48 48 96 96 96 50 70 90 1 1 1 >said 2>&1 || fail "matmul_opencl, $kernel"
    [ "$(grep -c 'measured here' said)" = 2 ] || fail "two sizes were measured"
    [ "$(grep -c 'nearest of 2 measured shapes' said)" = 2 ] || fail "two sizes were not measured"
    [ "$(grep -cE 'right; it is the default|times as fast as the default \[' said)" = 4 ] || fail "four products were to be right"
    cat said
done

# shellcheck disable=SC2086
cc $flags "$examples/matmul_cuda.c" -o matmul_cuda -ldl -lm >said 2>&1 || fail "matmul_cuda.c"
status=0
./matmul_cuda 64 64 64 >said 2>&1 || status=$?
[ $status = 77 ] && grep -q 'no CUDA card' said || fail "matmul_cuda without a card ended with $status"
