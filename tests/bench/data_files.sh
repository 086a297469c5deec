#!/bin/sh
# What large data files cost a tune for each configuration: four inputs of 4 KiB beside four of MIB
# (512), of which the kernel reads 4 KiB each, on a CPU device.
#
#   tests/bench/data_files.sh [BUILD] [MIB]     BUILD: with hone and hone-worker
#
# Prints, for both: the tuner's own CPU time and largest resident memory, both also less what a tune
# of a single configuration takes, divided by the other configurations. The files are sparse. The
# tuner hashes each file once, before the first configuration; the worker holds them.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-test}
mib=${2:-512}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"

cat >"$work/add.cl" <<'KERNEL'
__kernel void add(__global const float *a, __global const float *b, __global const float *c,
                  __global const float *d, __global float *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i] + b[i] + c[i] + d[i] + 0 * VARIANT;
}
KERNEL

make_spec() { # name bytes variants
    arguments=
    for x in a b c d; do
        truncate -s "$2" "$work/$1.$x"
        arguments="$arguments{\"Name\": \"$x\", \"Type\": \"float\", \"MemoryType\": \"Vector\",
            \"AccessType\": \"ReadOnly\", \"FillType\": \"BinaryRaw\", \"DataSource\": \"$1.$x\",
            \"Size\": $(($2 / 4))},"
    done
    cat >"$work/$1.$3.json" <<SPEC
{"ConfigurationSpace": {"TuningParameters": [
    {"Name": "VARIANT", "Type": "int", "Values": "list(range($3))"}]},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl",
    "GlobalSize": {"X": "1024"}, "LocalSize": {"X": "64"},
    "Arguments": [$arguments {"Name": "out", "Type": "float", "MemoryType": "Vector",
        "AccessType": "WriteOnly", "Size": 1024, "Output": 1}]}}
SPEC
}

measure() { # name variants: CPU seconds and resident KiB of hone alone, its workers apart
    python3 - "$build/hone" tune "$work/$1.$2.json" --no-store --iterations 1 <<'PYTHON'
import os, re, subprocess, sys, threading, time
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
ticks, most = 0, 0
reader = threading.Thread(target=process.stderr.read)
reader.start()
while process.poll() is None:
    try:
        fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
        ticks = max(ticks, int(fields[11]) + int(fields[12]))
        status = open(f"/proc/{process.pid}/status").read()
        most = max(most, int(re.search(r"VmHWM:\s+(\d+)", status).group(1)))
    except (OSError, AttributeError, IndexError):
        pass
    time.sleep(0.005)
reader.join()
if process.returncode != 0:
    sys.exit(f"hone ended with status {process.returncode}")
print(ticks / os.sysconf("SC_CLK_TCK"), most)
PYTHON
}

variants=9
for size in small large; do
    bytes=4096
    [ $size = small ] || bytes=$((mib << 20))
    make_spec $size $bytes 1
    make_spec $size $bytes $variants
    measure $size $variants >/dev/null # the compiler's cache
    measure $size 1 >"$work/one"
    measure $size $variants >"$work/many"
    echo "$size $bytes $variants $(cat "$work/one") $(cat "$work/many")" | awk '{
        printf "4 x %.0f KiB: %.2f s and %.1f MiB for 1 configuration, %.2f s and %.1f MiB for %d: ",
               $2 / 1024, $4, $5 / 1024, $6, $7 / 1024, $3
        printf "%.1f ms each\n", 1000 * ($6 - $4) / ($3 - 1) }'
done
