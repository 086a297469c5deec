#!/usr/bin/env python3
"""How a change of the search does, on recorded spaces, with paired seeds.

  search_pairs.py HONE [HONE] FILE... [-n SEEDS] [--strategy A [--strategy B]] [--in-flight N]

Two programs (before and after), or one program with two strategies, or one program alone. For each file: the scores, their
mean difference over the seeds with its standard error, and the lead over random draws at 5, 10, 25 and 50 % of the budget.
At the end the mean over files and, leaving one kernel out each time, the least of such means: a constant is only worth
taking where it does not hang on one kernel. A file's kernel is its name up to the first underscore.
"""
import argparse
import collections
import json
import math
import os
import subprocess

SHARES = (0.05, 0.1, 0.25, 0.5)


def scores(hone, files, strategy, options):
    """Of each file: what hone score says, and the same in time and with many in flight as its parts."""
    command = [hone, "score", *files, "--json", "--repeats", str(options.n)]
    command += ["--strategy", strategy] if strategy else []
    command += ["--in-flight", str(options.in_flight)] if options.in_flight else []
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return {line["file"]: line for line in map(json.loads, out.splitlines())}


def lead(part):
    at = {a["share"]: a["score"] for a in part["at"]}
    return "/".join("  - " if at[s] is None else f"{at[s]:5.2f}" for s in SHARES)


def paired(a, b):
    """The mean of b - a, and its standard error."""
    apart = [y - x for x, y in zip(a["scores"], b["scores"])]
    mean = sum(apart) / len(apart)
    square = sum((x - mean) ** 2 for x in apart)
    return mean, math.sqrt(square / max(1, len(apart) - 1) / len(apart))


def compare(title, pairs):
    """pairs: {file: (part before, part after)}"""
    kernels = collections.defaultdict(list)
    errors = 0
    print(f"\n{title}")
    for file, (a, b) in pairs.items():
        name = os.path.basename(file)
        mean, error = paired(a, b)
        kernels[name.split("_")[0]].append(mean)
        errors += error * error
        print(f"  {name[:34]:34} {a['score']:6.3f} -> {b['score']:6.3f}  {mean:+.3f} +- {error:.3f}   {lead(a)} -> {lead(b)}")
    print(f"  mean of {len(pairs)} files: {sum(map(sum, kernels.values())) / len(pairs):+.4f} +- {math.sqrt(errors) / len(pairs):.4f}")
    for kernel in kernels if len(kernels) > 1 else ():
        rest = [x for k, values in kernels.items() if k != kernel for x in values]
        print(f"    without {kernel}: {sum(rest) / len(rest):+.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hones_and_files", nargs="+")
    parser.add_argument("-n", type=int, default=20, help="seeds")
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--in-flight", type=int, help="else 1, and 16")
    options = parser.parse_args()
    given = options.hones_and_files
    hones = given[:2] if len(given) > 2 and os.access(given[1], os.X_OK) else given[:1]
    files = given[len(hones):]
    strategies = options.strategy or [None]
    runs = [scores(h, files, s, options) for h in hones for s in strategies]
    before, after = runs[0], runs[-1]
    if hones[0] == hones[-1] and len(strategies) == 1:
        print("one program and one strategy: what it scores, and no difference")
    compare("by evaluations", {f: (before[f], after[f]) for f in before})
    for part, title in (("time", "in time"), ("many", "with 16 in flight")):
        both = {f: (before[f][part], after[f][part]) for f in before if before[f].get(part) and after[f].get(part)}
        if both:
            compare(title, both)


if __name__ == "__main__":
    main()
