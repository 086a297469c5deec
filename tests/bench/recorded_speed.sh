#!/bin/sh
# What it takes to read a recorded space of 100 MB: makes a T4 file of that size, and the same as a Kernel Tuner
# cache file, in a scratch folder, imports each into a fresh store and exports it again, and prints wall time, CPU
# time and peak memory of each. Also packed by gzip.
#
#   recorded_speed.sh HONE [MEGABYTES]
set -eu
hone=$1 megabytes=${2:-100}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset HONE_ALSO HONE_DEVICE

cat >spec.json <<'END'
{"General": {"BenchmarkName": "recorded"}, "ConfigurationSpace": {"TuningParameters": [
  {"Name": "a", "Type": "int", "Values": "list(range(1000))"}, {"Name": "b", "Type": "int", "Values": "list(range(1000))"}]},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "k", "KernelFile": "k.cl", "ProblemSize": [1]}}
END
python3 - "$megabytes" <<'END'
import json, random, sys
random.seed(1)
most = int(sys.argv[1]) * 1000000

def rows():
    for n in range(1000000):
        times = [1 + random.random() for _ in range(32)]
        yield n // 1000, n % 1000, times, sum(times) / 32

def write(path, head, row, tail):
    size, between = len(head), ""
    with open(path, "w") as f:
        f.write(head)
        for r in rows():
            text = between + row(*r)
            size += f.write(text)
            between = ","
            if size > most:
                break
        f.write(tail)

write("t4.json", '{"metadata": {"timeunit": "miliseconds", "device": "made up"}, "results": [',
      lambda a, b, t, m: "\n" + json.dumps({
          "timestamp": "2026-01-01", "configuration": {"a": a, "b": b}, "times": {
              "compilation": 1.5, "framework": 1.5, "search_algorithm": 0, "validation": 1.5, "runtimes": t},
          "invalidity": "correct", "correctness": 1, "objectives": ["time"],
          "measurements": [{"name": "time", "value": m, "unit": ""}]}, indent=2), "]}")
values = list(range(1000))
write("cache.json", json.dumps({"device_name": "made up", "kernel_name": "k", "tune_params_keys": ["a", "b"],
                                "tune_params": {"a": values, "b": values}, "objective": "time"})[:-1] + ', "cache": {',
      lambda a, b, t, m: f'\n"{a},{b}": ' + json.dumps({
          "a": a, "b": b, "time": m, "times": t, "compile_time": 1.5, "verification_time": 1.5, "benchmark_time": 9.5,
          "strategy_time": 0, "framework_time": 1.5}), "")
END
gzip -1 -k t4.json

measured() { # name, command: to stdout goes what it took
    python3 - "$@" <<'END'
import os, resource, subprocess, sys, time
began = time.monotonic()
done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
wall = time.monotonic() - began
if done.returncode:
    sys.exit(done.stdout.decode())
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]:32} {wall:6.2f} s wall {u.ru_utime + u.ru_stime:6.2f} s CPU {u.ru_maxrss / 1024:7.1f} MiB peak")
END
}

ls -l t4.json cache.json t4.json.gz | awk '{ printf "%-32s %6.1f MB\n", $NF, $5 / 1e6 }'
echo '{"results": [{"configuration": {"a": 1, "b": 1}, "times": {"runtimes": [1]}}]}' >one.json
measured 'import of one result' "$hone" import --spec spec.json --store one.sqlite one.json
for file in t4.json t4.json.gz cache.json; do
    measured "import of $file" "$hone" import --spec spec.json --store "$file.sqlite" "$file"
done
measured 'the same again: nothing new' "$hone" import --spec spec.json --store t4.json.sqlite t4.json
for format in t4 cache csv; do
    measured "export as $format" "$hone" export spec.json --store t4.json.sqlite --format $format --output out
done
