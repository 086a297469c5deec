#!/usr/bin/env python3
"""Figures of hone judge: how often equal kernels are called faster, how often a faster one is, how long a hundred take, and what a
stream of many leaves behind.

    judge.py equal HONE FAKE_DRIVER [COUNT]    equal kernels on the fake driver, whose launches take what launches of a kernel took on
                                               this machine's device just before; FAKE_DRIVER is the folder of its libOpenCL.so.1
    judge.py equal-here HONE [COUNT]           the same on a device of this machine
    judge.py power HONE [COUNT] [PER CENT]     kernels that do so much less
    judge.py speed HONE [COUNT] [LANGUAGE]     candidates for a matrix product of 256, in opencl or cuda
    judge.py serve HONE FAKE_DRIVER [COUNT]    a stream over --serve on the fake driver: resident memory of hone and its workers,
                                               and every now and then a worker is killed; none may be lost

Each says the load, the wall time and the processor time of all processes.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOOP = "kernel void sums(global float *y, global const float *x)\n{\n    int i = get_global_id(0);\n    float sum = 0;\n" \
       "    for (volatile int k = 0; k < %d; k++)\n        sum = fma(x[i], 0.5f, sum);\n    y[i] = 3 * x[i] + 0 * sum + %d - %d;\n}\n"
STEPS = 400
SPEC = {
    "kernel": "own.cl", "function": "sums", "constants": {"N": 16384}, "parameters": {"B": [64]}, "global": ["N"], "local": ["B"],
    "arguments": {"y": {"access": "write", "size": "N", "type": "float", "expect": "3 * x[i]"},
                  "x": {"access": "read", "size": "N", "type": "float"}},
}
ADD = "kernel void add(__global const float *a, __global const float *b, __global float *c)\n{\n" \
      "    c[get_global_id(0)] = %s a[get_global_id(0)] + b[get_global_id(0)] + 0 * (%d + block + work + fault);\n}\n"
ADD_SPEC = {
    "General": {"BenchmarkName": "add", "FormatVersion": 1}, "Constants": {"N": 1024},
    "ConfigurationSpace": {
        "TuningParameters": [{"Name": n, "Type": "int", "Values": "[%d]" % v} for n, v in (("block", 32), ("work", 1), ("fault", 0))],
        "Derived": [{"Name": "FAKE_NS", "Expression": "20000"}]},
    "KernelSpecification": {
        "Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl", "GlobalSize": {"X": "N"}, "LocalSize": {"X": "block"},
        "Arguments": [{"Name": n, "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "N", "FillType": "Random",
                       "Range": [k, k + 1], "RandomSeed": k + 1} for k, n in enumerate("ab")]
        + [{"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "N", "Expect": "a[i] + b[i]"}]},
}


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text if isinstance(text, str) else json.dumps(text))


class Clock:
    def __init__(self):
        self.load, self.wall, self.used = os.getloadavg()[0], time.monotonic(), self.processor()

    @staticmethod
    def processor():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def __str__(self):
        return "%.1f s, %.1f s of processor time, load %.1f to %.1f" % (
            time.monotonic() - self.wall, self.processor() - self.used, self.load, os.getloadavg()[0])


def fake(driver, folder, **more):
    return dict(os.environ, LD_LIBRARY_PATH="%s:%s" % (driver, folder), FAKE_CL_KIND="card", CUDA_HOME="", CUDA_PATH="",
                HONE_LOCKS=folder, **more)


def judge(hone, folder, spec, candidates, environment, *options):
    done = subprocess.run([hone, "judge", spec, *candidates, "--json", *options], env=environment, capture_output=True, text=True,
                          check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or lines[-1]["type"] != "summary" or lines[-1]["error"]:
        sys.exit(done.stderr + done.stdout[-1000:])
    return [line for line in lines if line["type"] == "verdict"]


def counts(verdicts):
    names = [v["verdict"] for v in verdicts]
    return ", ".join("%d %s" % (names.count(n), n) for n in sorted(set(names), key=names.count, reverse=True))


def here(folder):
    return dict(os.environ, HONE_LOCKS=folder)


def record_drift(hone, folder):
    """What launches of one kernel took here, one after the other, over their median; in millionths."""
    write(os.path.join(folder, "own.cl"), LOOP % (STEPS, 0, 0))
    write(os.path.join(folder, "own.json"), SPEC)
    done = subprocess.run([hone, "run", os.path.join(folder, "own.json"), "--no-store", "--iterations", "4000", "--json"],
                          env=here(folder), capture_output=True, text=True, check=False)
    samples = json.loads(done.stdout)["samples_ns"] if done.returncode == 0 else sys.exit(done.stderr)
    middle = sorted(samples)[len(samples) // 2]
    write(os.path.join(folder, "drift"), "".join("%d\n" % (1e6 * s / middle) for s in samples))
    ends = [sorted(samples)[int(q * len(samples))] / middle for q in (0.05, 0.95)]
    print("%d launches recorded: 5 %% take %.3f of the median or less, 5 %% take %.3f or more" % (len(samples), *ends))


def equal(hone, driver, count="1000"):
    with tempfile.TemporaryDirectory() as folder:
        record_drift(hone, folder)
        write(os.path.join(folder, "add.json"), ADD_SPEC)
        write(os.path.join(folder, "add.cl"), ADD % ("// fake:add\n", 0))
        os.mkdir(os.path.join(folder, "all"))
        for i in range(int(count)):
            write(os.path.join(folder, "all", "%05d.cl" % i), ADD % ("// fake:add\n", i + 1))
        clock = Clock()
        verdicts = judge(hone, folder, os.path.join(folder, "add.json"), [os.path.join(folder, "all")],
                         fake(driver, folder, FAKE_CL_DRIFT=os.path.join(folder, "drift")))
        print("equal kernels, fake driver: %s; %d seemed faster at first; %s" % (
            counts(verdicts), sum(v["measured_twice"] for v in verdicts), clock))


def loops(hone, count, steps, what):
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "own.cl"), LOOP % (STEPS, 0, 0))
        write(os.path.join(folder, "own.json"), SPEC)
        os.mkdir(os.path.join(folder, "all"))
        for i in range(count):
            write(os.path.join(folder, "all", "%05d.cl" % i), LOOP % (steps, i + 1, i + 1))
        clock = Clock()
        verdicts = judge(hone, folder, os.path.join(folder, "own.json"), [os.path.join(folder, "all")], here(folder), "--hidden", "0")
        seen = sorted(v["speedup"] for v in verdicts if v["speedup"])
        print("%s: %s; median speed-up %.3f; %d measured twice; %s" % (
            what, counts(verdicts), seen[len(seen) // 2], sum(v["measured_twice"] for v in verdicts), clock))


def equal_here(hone, count="200"):
    loops(hone, int(count), STEPS, "equal kernels, here")


def power(hone, count="40", share="10"):
    loops(hone, int(count), round(STEPS / (1 + float(share) / 100)), "%s %% faster" % share)


def speed(hone, count="100", language="opencl"):
    spec = os.path.join(ROOT, "kernels_cl", "matmul_tiled.json")
    folder, ending, number = {"opencl": ("kernels_cl", ".cl", "\nconstant int number = %d;\n"),
                              "cuda": ("kernels_cu", ".cu", "\n__constant__ int number = %d;\n")}[language]
    with open(os.path.join(ROOT, folder, "matmul_tiled" + ending), encoding="utf-8") as text:
        kernel = text.read()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(int(count)):
            write(os.path.join(folder, "%03d%s" % (i, ending)), kernel + number % i)
        clock = Clock()
        verdicts = judge(hone, folder, spec, [folder], here(folder), "--language", language)
        print("%d candidates of a matrix product: %s; %d measured twice; %s" % (
            len(verdicts), counts(verdicts), sum(v["measured_twice"] for v in verdicts), clock))


# ---- a stream ----------------------------------------------------------------------------------


def resident(pid):
    try:
        with open("/proc/%d/statm" % pid, encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    except (OSError, IndexError):
        return 0


def below(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def feed(process, count):
    for i in range(count):
        text = ADD % ("// fake:add\n" if i % 8 else "// fake:fill\n", i + 1)
        process.stdin.write(json.dumps({"candidate": str(i), "text": text}) + "\n")
    process.stdin.close()


def serve(hone, driver, count="10000"):
    count = int(count)
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "add.json"), ADD_SPEC)
        write(os.path.join(folder, "add.cl"), ADD % ("// fake:add\n", 0))
        clock, draw, killed, workers = Clock(), random.Random(1), 0, set()
        environment = fake(driver, folder, FAKE_CL_NOISE="30000", TMPDIR=folder)
        process = subprocess.Popen([hone, "judge", os.path.join(folder, "add.json"), "--serve", "--hidden", "0", "--rounds", "6"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        threading.Thread(target=feed, args=(process, count), daemon=True).start()
        seen, verdicts, table = set(), [], []
        for line in process.stdout:
            record = json.loads(line)
            if record["type"] != "verdict":
                continue
            seen.add(record["candidate"])
            verdicts.append(record)
            children = below(process.pid)
            workers.update(children)
            if len(verdicts) % max(1, count // 10) == 0:
                used = sum(os.path.getsize(os.path.join(at, n)) for at, _, names in os.walk(folder) for n in names
                           if os.path.exists(os.path.join(at, n))) / 2**20
                table.append((len(verdicts), resident(process.pid), sum(map(resident, children)), used))
                print("%6d judged: hone %.1f MiB, its %d workers %.1f MiB, files %.1f MiB" % (
                    len(verdicts), table[-1][1], len(children), table[-1][2], used), flush=True)
            if len(verdicts) % max(1, count // 50) == 0 and children:
                try:
                    os.kill(draw.choice(children), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:  # it ended meanwhile
                    pass
        process.wait()
        wrong = [v for v in verdicts if v["verdict"] not in
                 (("same", "faster", "slower") if int(v["candidate"]) % 8 else ("incorrect", "cheats"))]
        print("%d of %d came back, %d workers killed, %d were there in all, %d verdicts wrong (%s): %s; %s" % (
            len(seen), count, killed, len(workers), len(wrong), counts(wrong), counts(verdicts), clock))


COMMANDS = {"equal": equal, "equal-here": equal_here, "power": power, "speed": speed, "serve": serve}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](os.path.abspath(sys.argv[2]), *sys.argv[3:])
