#!/usr/bin/env python3
"""What `hone run --counters` says of kernels whose bound is known, and its counts beside Nsight Compute's.

    counters.py HONE [chosen|shown] [--ncu] [--only NAME,...] [--values FILE]

`chosen` are the kernels on which the thresholds of src/core/model/counters.c were chosen, `shown` others with the same
bounds. With --ncu counts are compared with those of ncu (--clock-control none --cache-control none) over a run of the
same kernel: a count agrees within 2 %, or within 16 KiB (512 sectors) where it is of traffic. --values keeps all counters
as JSON. Needs an NVIDIA card whose counters may be read. Exit status 1: a bound was not named, or a count differs.
"""

import argparse
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counters")
FLOATS, INTS, WALK = {"random": [-1, 1]}, {"random": [0, 1000000]}, {"random": [0, 16777215]}
# name: bound, work-groups, work-items in each, n, elements of out and in, fill of in
M = 1 << 20
CHOSEN = {
    "dram_copy": ("memory", 65536, 256, 16 * M, 16 * M, 16 * M, None),
    "l2_read": ("L2", 2112, 256, M // 2, 2112 * 256, M // 2, None),
    "bank_conflicts": ("bank conflicts", 1056, 256, 4096, 1056 * 256, 8192, FLOATS),
    "fp32_fma": ("float pipe", 2112, 256, 2048, 2112 * 256, 4096, FLOATS),
    "tensor": ("tensor pipe", 1056, 256, 1024, 1056 * 256, 4096, FLOATS),
    "latency": ("latency", 132, 32, 2048, 132 * 32, 16 * M, WALK),
    "few_groups": ("too few work-groups", 8, 256, 16384, 8 * 256, 4096, FLOATS),
    "spills": ("spills", 528, 1024, 64, 528 * 1024, 4096, FLOATS),
    "atomics": ("atomics", 1056, 256, 64, 64, 4096, INTS),
    "divergence": ("divergence", 1056, 256, 16, 1056 * 256, 4096, FLOATS),
    "launch": ("launch", 132, 32, 132 * 32, 132 * 32, 132 * 32, FLOATS),
    "shared": ("shared memory and L1", 1056, 256, 4096, 1056 * 256, 1024, None),
}
SHOWN = {
    "triad": ("memory", 1056, 512, 24 * M, 24 * M, 48 * M, None),
    "gather": ("L2", 4224, 128, 4 * M, 4224 * 128, 4 * M, FLOATS),
    "transposed": ("bank conflicts", 1056, 256, 512, 1056 * 256, 1024, FLOATS),
    "bodies": ("float pipe", 1056, 512, 4096, 1056 * 512, 1024, FLOATS),
    "products": ("tensor pipe", 1056, 256, 2048, 1056 * 8 * 1024, 1024, FLOATS),
    "search": ("latency", 132, 64, 8 * M, 132 * 64, 8 * M, INTS),
    "one_block": ("too few work-groups", 1, 1024, 4 * M, 1024, 4 * M, FLOATS),
    "private_array": ("spills", 1056, 256, 2048, 1056 * 256, 1024, INTS),
    "histogram": ("atomics", 1056, 256, 32 * M, 256, 32 * M, INTS),
    "collatz": ("divergence", 1056, 256, 64, 1056 * 256, 1024, INTS),
    "axpy_small": ("launch", 4, 256, 1024, 1024, 1024, FLOATS),
    "convolution": ("shared memory and L1", 1056, 256, 64, 1056 * 256, 1024, FLOATS),
}
SETS = {"chosen": CHOSEN, "shown": SHOWN}

# Counters of hone and the metrics of ncu that are the same; two are added up.
METRICS = {
    "dram_read_bytes": ["dram__bytes_read.sum"],
    "dram_write_bytes": ["dram__bytes_write.sum"],
    "l2_read_bytes": ["l1tex__m_xbar2l1tex_read_bytes.sum"],
    "l2_write_bytes": ["l1tex__m_l1tex2xbar_write_bytes.sum"],
    "l2_sectors": ["lts__t_sectors.sum"],
    "l1_sectors": ["l1tex__t_sectors.sum"],
    "l1_hit_sectors": ["l1tex__t_sectors_lookup_hit.sum"],
    "shared_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"],
    "bank_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
    "local_sectors": ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"],
    "atomic_sectors": ["lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum"],
    "instructions": ["smsp__inst_executed.sum"],
    "item_instructions": ["smsp__thread_inst_executed.sum"],
    "tensor_instructions": ["sm__inst_executed_pipe_tensor.sum"],
    "warps": ["smsp__warps_launched.sum"],
}
SLACK = {"dram_read_bytes": 16384, "dram_write_bytes": 16384, "l2_read_bytes": 16384, "l2_write_bytes": 16384,
         "l2_sectors": 512, "l1_sectors": 512, "l1_hit_sectors": 512}
WITHIN = 0.02


def write_spec(folder, which, name):
    bound, groups, items, n, outs, ins, fill = SETS[which][name]
    array = {"size": str(ins)}
    if fill:
        array["fill"] = fill
    spec = {"name": name, "kernel": os.path.join(HERE, which + ".cu"), "function": name, "parameters": {"ITEMS": [items]},
            "groups": [str(groups)], "local": ["ITEMS"],
            "arguments": {"out": {"size": str(outs)}, "in": array, "n": n}}
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(spec, out)
    return path


def run_hone(hone, spec, *more):
    command = [hone, "run", spec, "--store", "none", "--language", "cuda", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        found = json.loads(lines[-1]) if lines else {}
        raise RuntimeError("%s: exit %d, %s: %s %s" % (" ".join(command), done.returncode, found.get("status"), found.get("message"),
                                                       done.stderr[-500:]))
    return json.loads(lines[-1])


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def run_ncu(hone, spec, name):
    """The counts of the last launch but one, by counter."""
    wanted = sorted({m for several in METRICS.values() for m in several})
    command = ["ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw",
               "--print-units", "base", "--kernel-name", name, "--launch-skip", "3", "--launch-count", "1", "--metrics", ",".join(wanted),
               hone, "run", spec, "--store", "none", "--language", "cuda", "--iterations", "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    lines = done.stdout.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith('"ID"')]
    if not heads:
        raise RuntimeError("ncu: %s %s" % (done.stdout[-600:], done.stderr[-300:]))
    rows = list(csv.DictReader(io.StringIO("\n".join(line for line in lines[heads[0]:] if line.startswith('"')))))
    row = [r for r in rows if r["ID"].strip()][-1]
    return {counter: sum(number(row.get(m) or "") for m in several) for counter, several in METRICS.items()}


def compare(name, ours, theirs):
    """How many counts differ."""
    differing = 0
    for counter in METRICS:
        a, b = ours.get(counter), theirs[counter]
        if a is None or math.isnan(b):
            print("    %-20s hone %s ncu %s: not known" % (counter, a, b))
            differing += 1
            continue
        away = abs(a - b)
        agrees = away <= WITHIN * max(a, b) or away <= SLACK.get(counter, 0)
        differing += not agrees
        print("    %-20s hone %16.0f ncu %16.0f %+8.3f %%%s" % (counter, a, b, 100 * (a - b) / b if b else 0.0, "" if agrees else "  DIFFERS"))
    print("  %s: %d of %d counts agree" % (name, len(METRICS) - differing, len(METRICS)), flush=True)
    return differing


def main():
    options = argparse.ArgumentParser()
    options.add_argument("hone")
    options.add_argument("which", nargs="?", choices=sorted(SETS), default="chosen")
    options.add_argument("--ncu", action="store_true")
    options.add_argument("--only")
    options.add_argument("--values")
    given = options.parse_args()
    names = given.only.split(",") if given.only else list(SETS[given.which])
    right, differing, kept = 0, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            spec = write_spec(folder, given.which, name)
            try:
                found = run_hone(given.hone, spec, "--counters", "--json")
            except (RuntimeError, subprocess.TimeoutExpired) as why:
                print("%-15s FAILED %s" % (name, why), flush=True)
                continue
            counters = kept[name] = found.get("counters") or {}
            wanted = SETS[given.which][name][0]
            is_right = counters.get("bound") == wanted
            right += is_right
            print("%-15s %-22s %s%s" % (name, counters.get("bound"), "" if is_right else "WANTED %s " % wanted,
                                        counters.get("refused") or "%d passes, time %.1f us, counted %.1f us, stall %s %.0f %%" % (
                                            counters["passes"], (found.get("time_ns") or found.get("median_ns") or 0) / 1e3, counters["counted_ns"] / 1e3,
                                            counters["stall"], counters["stall_share"] or 0)), flush=True)
            if given.ncu:
                try:
                    differing += compare(name, counters, run_ncu(given.hone, spec, name))
                except (RuntimeError, subprocess.TimeoutExpired) as why:
                    print("  %s: no ncu: %s" % (name, why), flush=True)
                    differing += 1
    if given.values:
        with open(given.values, "w", encoding="utf-8") as out:
            json.dump(kept, out, indent=1)
    print("%s: %d of %d bounds named right%s" % (given.which, right, len(names), ", %d counts differ" % differing if given.ncu else ""))
    return 0 if right == len(names) and differing == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
