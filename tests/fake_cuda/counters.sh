#!/bin/sh
# counters.sh HONE DRIVER SCRATCH: counters of a card that is a fake, with a CUPTI that is one: of one configuration, of the finalists
# of a tune, and of both sides of a comparison; what the store and JSON have of them, and why there are none.
set -eu
hone=$1 driver=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/hone" HONE_LOCKS="$scratch"
fail() {
    echo "FAILED: $*"
    cat out err
    exit 1
}
run() { # status, command...
    wanted=$1 status=0
    shift
    "$hone" "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "$* ended with $status, not $wanted"
}
says() {
    grep -qF -- "$1" out err || fail "nothing says '$1'"
}
silent() {
    ! grep -qF -- "$1" out err || fail "something says '$1'"
}
cat >copy.cu <<'END_OF_KERNEL'
extern "C" __global__ void copy(const float *x, float *y) { /* fake:copy */ int per = PER; (void)per; }
END_OF_KERNEL
cat >copy.json <<'END_OF_SPEC'
{"kernel": "copy.cu", "constants": {"n": 256}, "parameters": {"PER": [1, 2, 3], "GROUP": [64]}, "derived": {"FAKE_NS": "100000 * PER"},
 "global": ["n"], "local": ["GROUP"], "arguments": {"x": {"size": "n"}, "y": {"size": "n", "expect": "x[i]"}}}
END_OF_SPEC
# What is not named is the launches of a pass: one, in each of three passes.
run 0 run copy.json --counters --store none
says 'Counters, of one launch, by CUPTI 130001'
says 'instructions of warps'
run 0 run copy.json --store none
silent Counters
memory='gpu__time=20000,dram__throughput=91,dram__bytes_read=1048576,sm__cycles_elapsed=100,sm__cycles_active=99,mem_local=0'
export FAKE_CUPTI_VALUES="$memory"
run 0 run copy.json --counters --json --store none
says '"source":"CUPTI 130001"'
says '"passes":3'
says '"dram_read_bytes":1048576'
says '"atomic_sectors":2'
says '"bound":"memory"'
run 0 run copy.json --counters --store none
says 'Bound: memory: 91 % of its peak'
says 'read from memory              1 MiB'
# A card that lacks a metric has the others.
FAKE_CUPTI_LACKS=gmma run 0 run copy.json --counters --store none
says 'Bound: memory'
FAKE_CUPTI_LACKS=dram__ run 0 run copy.json --counters --json --store none
says '"dram_read_bytes":null'
# Finalists are counted after the ranking, and the store has it.
run 0 tune copy.json --counters --store kept.sqlite
run 0 best copy.json --json --store kept.sqlite
says '"bound":"memory"'
run 0 tune copy.json --counters --store kept.sqlite
says '(3 known already)'
# Two sides.
run 0 compare copy.json --left set=n=256 --right set=n=512 --why --sample 1 --store none
says 'Counters, of one launch'
says 'is bound by memory: 91 % of its peak.'
# Why there are none.
FAKE_CUDA_FAIL=cuptiRangeProfilerEnable:35 run 0 run copy.json --counters --store none
says 'Counters: none: the driver lets administrators alone read counters (ERR_NVGPUCTRPERM)'
says '/etc/modprobe.d/nvidia-counters.conf'
says 'NVreg_RestrictProfilingToAdminUsers=0'
FAKE_CUDA_FAIL=cuptiRangeProfilerStart:4 run 0 run copy.json --counters --store none
says 'Counters: none: cuptiRangeProfilerStart: CUPTI_ERROR_INVALID_OPERATION (4)'
run 2 run copy.json --counters --cold --store none
says 'what is counted finds its data where the launch before left it'
mkdir without
cp "$driver"/libcuda.so* "$driver"/libnvrtc.so* without
LD_LIBRARY_PATH="$scratch/without:$(echo "$LD_LIBRARY_PATH" | sed "s#$driver##")" run 0 run copy.json --counters --store none
# Without it a real one may be found here, for which the fake card is none.
grep -q 'Counters: none: CUPTI, which reads\|Counters: none: cuptiProfilerInitialize' out || fail 'CUPTI is not missed'
