#!/usr/bin/env python3
"""What knowing one recording is worth to searches of another, with paired seeds.

  transfer_pairs.py HONE [HONE] FILE... [-n SEEDS] [--in-flight N]

All ordered pairs of files of one kernel (a file's name up to the first underscore): each target is searched without and
with the source (`hone score --also`), by the same seeds. Of each pair: the two scores, the gain with its standard
error (below 0 the source costs something), and the evaluations until 95 % of the way from the median to the optimum as a
part of those without the source, the geometric mean over the seeds; a search that does not come so far in the budget
counts as one that takes all of it. *limit* is what knowing beforehand which of two is sooner would give: the search without a
source, or the default and then the source's configurations in its own order. At the end the same of each kernel and over all
pairs. With two programs the second one is set beside the first: the searches with a source, program by program.
"""
import argparse
import collections
import functools
import gzip
import json
import math
import os
import subprocess


def score(hone, target, source, options):
    command = [hone, "score", target, "--json", "--repeats", str(options.n), "--jobs", str(options.jobs)]
    command += ["--in-flight", str(options.in_flight)]
    command += ["--also", source] if source else []
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)


def paired(a, b):
    """The mean of b - a, and its standard error."""
    apart = [y - x for x, y in zip(a["scores"], b["scores"])]
    mean = sum(apart) / len(apart)
    square = sum((x - mean) ** 2 for x in apart)
    return mean, math.sqrt(square / max(1, len(apart) - 1) / len(apart))


def evaluations(a):
    """The logarithm of the geometric mean."""
    return sum(math.log(x or a["budget"]) for x in a["to_95_percent"]) / len(a["to_95_percent"])


@functools.lru_cache(maxsize=None)
def times(file):
    """Of each correct configuration of a T4 file."""
    with (gzip.open if file.endswith(".gz") else open)(file, "rt", encoding="utf-8") as f:
        results = json.load(f)["results"]
    return {tuple(sorted((name, str(value)) for name, value in r["configuration"].items())):
            next(m["value"] for m in r["measurements"] if m["name"] == "time")
            for r in results if r.get("invalidity", "correct") == "correct"}


def walk(target, source):
    """The logarithm of how many evaluations the default and the source's own order take to 95 % of the way."""
    here, there = times(target), times(source)
    ranked = sorted(here.values())
    enough = ranked[len(ranked) // 2] - 0.95 * (ranked[len(ranked) // 2] - ranked[0])
    order = sorted((c for c in there if c in here), key=there.get)
    return next((math.log(i + 2) for i, c in enumerate(order) if here[c] <= enough), math.inf)


def summary(of, pairs):
    logs, limits = zip(*pairs)
    mean = lambda values: math.exp(sum(values) / len(values))
    return f"{of}: evaluations x {mean(logs):.2f}, limit x {mean(limits):.2f}"


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
    kinds = [[] for _ in hones]  # of each program: of each kernel its mean
    pairs = [[] for _ in hones]
    for kernel, group in kernels.items():
        found = [[] for _ in hones]
        for target in group:
            alone = [score(h, target, None, options) for h in hones]
            for source in group:
                if source == target:
                    continue
                for i, hone in enumerate(hones):
                    known = score(hone, target, source, options)
                    mean, error = paired(alone[i], known)
                    before = evaluations(alone[i])
                    log, limit = evaluations(known) - before, min(0, walk(target, source) - before)
                    found[i].append((log, limit))
                    print(f"{os.path.basename(target)[:28]:28} <- {os.path.basename(source)[:28]:28} budget {known['budget']:5}"
                          f"  {alone[i]['score']:6.3f} -> {known['score']:6.3f}  {mean:+.3f} +- {error:.3f}"
                          f"  evaluations x {math.exp(log):.2f}, limit x {math.exp(limit):.2f}", flush=True)
        for i, each in enumerate(found):
            if each:
                print(f"  {summary(kernel, each)} over {len(each)} pairs", flush=True)
                kinds[i].append([sum(logs) / len(each) for logs in zip(*each)])
                pairs[i] += each
    for each, kernel_means in zip(pairs, kinds):
        if each:
            print(f"{summary('all kernels alike', kernel_means)}; {summary('all pairs alike', each)}")


if __name__ == "__main__":
    main()
