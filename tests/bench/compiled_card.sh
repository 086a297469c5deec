#!/bin/sh
# compiled_card.sh BUILD: PTX and cubins as kernels on an NVIDIA card, one file a configuration, made by nvcc: loaded as they are in CUDA, PTX by
# NVIDIA's OpenCL too, what is wrong found. Prints a line for each, and ends with how many failed. About 20 seconds.
set -u
build=$(cd "${1:-build}" && pwd)
hone=$build/hone
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C HONE_LOCKS="$scratch" XDG_CACHE_HOME="$scratch/cache"
failed=0
expect() { # name, text, hone's words...
    name=$1 text=$2
    shift 2
    if timeout 40 "$hone" "$@" --no-store >"$scratch/out" 2>&1; grep -qF "$text" "$scratch/out"; then
        echo "ok     $name: $text"
    else
        echo "FAILED $name: no '$text' in"
        head -c 1500 "$scratch/out"
        failed=$((failed + 1))
    fi
}
cd "$scratch" || exit 1
cat >twice.cu <<'E'
extern "C" __global__ void twice(float *y, const float *x, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * PER;
    for (int k = 0; k < PER; k++)
        if (i + k < n)
            y[i + k] = FACTOR * x[i + k];
}
E
mkdir cache
for per in 1 2 4; do
    for form in ptx cubin; do
        nvcc -$form -arch=sm_90 -DPER=$per -DFACTOR=2 twice.cu -o cache/twice_$per.$form || exit 1
    done
done
nvcc -ptx -arch=sm_90 -DPER=8 -DFACTOR=3 twice.cu -o cache/twice_8.ptx
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry twice(\n' >cache/twice_16.ptx
cat >twice.json <<'E'
{"kernel": "cache/twice_{PER}.ptx", "constants": {"n": 1048576}, "parameters": {"PER": [1, 2, 4, 8, 16], "GROUP": [64, 128, 256]},
 "global": ["n // PER"], "local": ["GROUP"],
 "arguments": {"y": {"size": "n", "type": "float", "access": "write", "expect": "2 * x[i]"},
               "x": {"size": "n", "type": "float", "access": "read"}, "n": {"type": "int", "value": "n"}},
 "metrics": {"GB/s": "8 * n / time_ns"}}
E
sed 's/ptx/cubin/; s/^{/{"function": "twice", /' twice.json >cubin.json
expect 'PTX' 'OK: 9 configurations are correct' check twice.json --where 'PER <= 4'
expect 'cubins' 'OK: 9 configurations are correct' check cubin.json --where 'PER <= 4'
expect 'PTX that is wrong' 'components wrong' check twice.json --where 'PER == 8 and GROUP == 64'
expect 'PTX that does not assemble' 'is taken as it is, and the driver does not load it' check twice.json --where 'PER == 16 and GROUP == 64'
sed 's/"kernel": \("[^"]*"\)/"function": "twice", "kernel": {"OpenCL": \1}/' twice.json >opencl.json
expect "PTX, NVIDIA's OpenCL" 'configurations are correct' check opencl.json --device NVIDIA --where 'PER <= 4'
timeout 40 "$hone" tune twice.json --no-store --where 'PER <= 4' --budget 9 2>&1 | grep -E '^Best|us \[|^Speed-up|correct config'
echo "compiled: $failed failed"
[ $failed = 0 ]
