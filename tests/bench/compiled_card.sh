#!/bin/sh
# compiled_card.sh BUILD: PTX and cubins as kernels on an NVIDIA card, one file a configuration, made by nvcc: loaded as they are, what is wrong
# found; and kernels out of Triton's own cache. Prints a line for each, and ends with how many failed. About 20 seconds.
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
timeout 40 "$hone" tune twice.json --no-store --where 'PER <= 4' --budget 9 2>&1 | grep -E '^Best|us \[|^Speed-up|correct config'
# A kernel out of Triton's own cache, one file for each block size.
cat >add_kernel.py <<'E'
import glob, json, os, shutil, subprocess, sys
import torch, triton, triton.language as tl

@triton.jit
def add_kernel(y, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1.5, mask=at < n)

n = 1 << 20
x, y = torch.rand(n, device="cuda"), torch.empty(n, device="cuda")
for block in (256, 512, 1024):
    before = set(glob.glob(os.environ["TRITON_CACHE_DIR"] + "/*/add_kernel.json"))
    add_kernel[(triton.cdiv(n, block),)](y, x, n, BLOCK=block)
    new = (set(glob.glob(os.environ["TRITON_CACHE_DIR"] + "/*/add_kernel.json")) - before).pop()
    shutil.copy(new, "triton_%d.json" % block)
    shutil.copy(new[:-5] + ".ptx", "triton_%d.ptx" % block)
subprocess.run([sys.argv[1], "init", "triton_256.json", "-D", "GRID_X=4096"], check=True)
spec = json.load(open("triton_256.spec.json"))
print(json.dumps(spec["arguments"]))
spec["kernel"] = "triton_{BLOCK}.ptx"
spec["parameters"] = {"BLOCK": [256, 512, 1024]}
spec["groups"] = ["SIZE // BLOCK"]
spec["arguments"]["arg0"].update(access="write", expect="arg1[i] + 1.5")
spec["arguments"]["arg1"]["access"] = "read"
json.dump(spec, open("triton.json", "w"))
E
TRITON_CACHE_DIR=$scratch/triton python3 add_kernel.py "$hone" 2>&1 | tail -12
expect "Triton's kernels" 'OK: 3 configurations are correct' check triton.json
echo "compiled: $failed failed"
[ $failed = 0 ]
