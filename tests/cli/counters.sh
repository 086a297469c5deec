#!/bin/sh
# counters.sh HONE SCRATCH: an OpenCL kernel's instructions, counted in the simulator Oclgrind: operations and bytes of a product
# are those that its formula has, whatever device it runs on; what cannot be counted is said.
set -eu
hone=$1 scratch=$2
command -v oclgrind >/dev/null || { echo "no oclgrind here (apt install oclgrind): skipped"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch/nothing"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 # the simulator's library comes first
export ASAN_OPTIONS LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" HONE_LOCKS="$scratch"
fail() {
    echo "FAILED: $*"
    cat out err
    exit 1
}
run() { # status, command...
    wanted=$1 status=0
    shift
    "$hone" "$@" --store none >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "$* ended with $status, not $wanted"
}
says() {
    grep -qF -- "$1" out err || fail "nothing says '$1'"
}
cat >product.cl <<'END_OF_KERNEL'
kernel void product(global float *c, global const float *a, global const float *b)
{
    local float row[N];
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (get_local_id(0) == 0)
        for (int k = 0; k < N; k++)
            row[k] = a[y * N + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < N; k++)
        sum = fma(row[k], b[k * N + x], sum);
    c[y * N + x] = sum;
}
END_OF_KERNEL
cat >product.json <<'END_OF_SPEC'
{"kernel": "product.cl", "constants": {"N": 16}, "parameters": {"GROUP": [16]}, "global": ["N", "N"], "local": ["GROUP", "1"],
 "arguments": {"c": {"size": "N * N", "expect": "sum(a[i // N * N + k] * b[k * N + i % N] for k in range(N))"},
               "a": {"size": "N * N"}, "b": {"size": "N * N"}}}
END_OF_SPEC
# 16^3 multiply-adds; B is read for each, A once; each is read from local memory, and each row is written there once.
run 0 run product.json --with counters --json
says '"source":"Oclgrind"'
says '"operations":8192.0'
says '"requested_read_bytes":17408.0'
says '"requested_write_bytes":1024.0'
says '"requested_local_bytes":17408.0'
says '"dram_read_bytes":null'
says '"bound":null'
run 0 run product.json --counters
says 'by Oclgrind, which moves nothing: bytes are those that instructions ask for:'
says 'floating-point operations     8192'
# Rates follow from the counts and the measured time: 8192 operations, 18432 bytes.
says 'Rates, as counted: '
says ' GB/s requested, 0.444 FLOP for each byte'
# The times are those of the device, and finalists of a tune are not simulated.
run 0 tune product.json --with counters --json
says 'this device has no counters'
# What cannot be had.
mkdir path
for tool in cc cat grep; do ln -s "$(command -v $tool)" path/$tool; done
PATH="$scratch/path" run 0 run product.json --with counters
says 'the simulator oclgrind is not in PATH; install it'
says 'Counters: none: this device has no counters'
run 2 run product.json --with counters --cold
says 'what is counted finds its data where the launch before left it'
run 2 run product.json --with energy
says "'energy' is none of: counters"
