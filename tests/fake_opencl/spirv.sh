#!/bin/sh
# spirv.sh HONE SOURCE SCRATCH: SPIR-V as kernels, its specialization constants as parameters, with an OpenCL driver that is a fake: the module is given
# to it as it is, constants by name or by number, and what cannot be done is told.
set -eu
hone=$1 source=$2 scratch=$3
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache" HONE_LOCKS="$scratch" FAKE_CL_IL=SPIR-V_1.2
fail() {
    echo "FAILED: $*"
    cat out err
    exit 1
}
run() { # status, command...
    wanted=$1 status=0
    shift
    "$hone" "$@" --no-store >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "$* ended with $status, not $wanted"
}
says() {
    grep -qF "$1" out err || fail "nothing says '$1'"
}
text='__kernel void scale(__global float *x, __global float *y) { /* fake:copy */ }'
python3 "$source/tests/fake_opencl/spirv.py" scale.spv --text "$text"
python3 "$source/tests/fake_opencl/spirv.py" nameless.spv --nameless --text "$text"
cat >scale.json <<'END_OF_SPEC'
{"kernel": "scale.spv", "function": "scale", "constants": {"n": 256}, "parameters": {"PLUS": [20000, 30000], "FACTOR": [1.5]},
 "global": ["n"], "local": [64],
 "arguments": {"x": {"size": "n", "type": "float", "access": "read"},
               "y": {"size": "n", "type": "float", "access": "write", "expect": "x[i]"}}}
END_OF_SPEC
run 0 tune scale.json --iterations 3
says 'Best: PLUS=20000'
says '20.00 us'
run 0 run scale.json --config PLUS=30000
says '30.00 us'
sed 's/scale.spv/nameless.spv/; s/PLUS/SPEC_9/; s/FACTOR/SPEC_7/' scale.json >nameless.json
run 0 run nameless.json --config SPEC_9=30000
says '30.00 us'
sed 's/"PLUS": \[20000, 30000\]/"PLUS": ["many"]/' scale.json >wrong.json
run 2 check wrong.json
says "'PLUS=many' is not a value of its specialization constant 9"
for call in clCreateProgramWithIL clSetProgramSpecializationConstant; do
    FAKE_CL_FAIL=$call:-30 run 1 check scale.json --sample 1
    says "$call: CL_INVALID_VALUE"
done
FAKE_CL_IL='' run 1 check scale.json --sample 1
says "scale.spv is SPIR-V, which this device does not take: its CL_DEVICE_IL_VERSION is ''"
# Damaged: any word may be anything.
for at in 5 21 40 60 90 120; do
    cp scale.spv damaged.spv
    printf '\377\377\377\377' | dd of=damaged.spv bs=4 seek=$at conv=notrunc 2>/dev/null
    sed 's/scale.spv/damaged.spv/' scale.json >damaged.json
    "$hone" check damaged.json --sample 1 --no-store >out 2>err || [ $? -lt 3 ] || fail "word $at"
    ! grep -q 'killed\|SIG' out err || fail "word $at ended a worker"
done
echo OK
