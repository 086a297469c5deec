#!/usr/bin/env python3
"""What knowing one recording is worth to searches of another, with paired seeds.

  transfer_pairs.py HONE [HONE] FILE... [-n SEEDS] [--in-flight N]

All ordered pairs of files of one kernel (a file's name up to the first underscore): each target is searched without and
with the source (`hone score --transfer`), by the same seeds. Of each pair: the two scores, the gain with its standard
error (below 0 the source costs something), and the evaluations until 95 % of the way from the median to the optimum as a
part of those without the source, the geometric mean over the seeds; a search that does not come so far in the budget
counts as one that takes all of it. At the end the same of each kernel and over all pairs. With two programs the second
one is set beside the first: the searches with a source, program by program.
"""
import argparse
import collections
import json
import math
import os
import subprocess


def score(hone, target, source, options):
    command = [hone, "score", target, "--json", "--repeats", str(options.n), "--jobs", str(options.jobs)]
    command += ["--in-flight", str(options.in_flight)]
    command += ["--transfer", source] if source else []
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)


def paired(a, b):
    """The mean of b - a, and its standard error."""
    apart = [y - x for x, y in zip(a["scores"], b["scores"])]
    mean = sum(apart) / len(apart)
    square = sum((x - mean) ** 2 for x in apart)
    return mean, math.sqrt(square / max(1, len(apart) - 1) / len(apart))


def ratio(a, b):
    """Evaluations of b by those of a, the logarithm of the geometric mean."""
    most = a["budget"]
    logs = [math.log((y or most) / (x or most)) for x, y in zip(a["to_95_percent"], b["to_95_percent"])]
    return sum(logs) / len(logs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hones_and_files", nargs="+")
    parser.add_argument("-n", type=int, default=20, help="seeds")
    parser.add_argument("--in-flight", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time")
    options = parser.parse_args()
    given = options.hones_and_files
    hones = given[:2] if len(given) > 2 and os.access(given[1], os.X_OK) and not os.path.isdir(given[1]) else given[:1]
    files = given[len(hones):]
    kernels = collections.defaultdict(list)
    for f in files:
        kernels[os.path.basename(f).split("_")[0]].append(f)
    all_logs = [[] for _ in hones]
    for kernel, group in kernels.items():
        logs = [[] for _ in hones]
        for target in group:
            alone = [score(h, target, None, options) for h in hones]
            for source in group:
                if source == target:
                    continue
                for i, hone in enumerate(hones):
                    known = score(hone, target, source, options)
                    mean, error = paired(alone[i], known)
                    log = ratio(alone[i], known)
                    logs[i].append(log)
                    print(f"{os.path.basename(target)[:28]:28} <- {os.path.basename(source)[:28]:28} budget {known['budget']:5}"
                          f"  {alone[i]['score']:6.3f} -> {known['score']:6.3f}  {mean:+.3f} +- {error:.3f}"
                          f"  evaluations x {math.exp(log):.2f}", flush=True)
        for i, each in enumerate(logs):
            if each:
                print(f"  {kernel}: evaluations x {math.exp(sum(each) / len(each)):.2f} over {len(each)} pairs", flush=True)
                all_logs[i].append(sum(each) / len(each))
    for each in all_logs:
        if each:
            print(f"all kernels alike: evaluations x {math.exp(sum(each) / len(each)):.2f}")


if __name__ == "__main__":
    main()
