#!/usr/bin/env python3
"""How much of what many questions in flight cost is only that their answers come late.

  search_delay.py HONE FILE... [-n SEEDS] [--seed FIRST] [--in-flight N]

Of each recorded space the score (as `hone score` says it, by evaluations) with one question in flight; with N (16); and *delayed*: N - 1
questions at random, which find what such draws find in the mean, then the search with one in flight, each of whose answers is thus
N - 1 questions late. No proposal can use answers that are not there yet, so that what is lost beyond *delayed* is all that a better one
could win, but for what it makes of the first N - 1 questions. At the end the means of each kernel (a file's name up to the first
underscore) and of all kernels. Objective is the time.
"""
import argparse
import collections
import json
import os
import subprocess

MISSED = 1e-18  # chances below this change no sum


def lines(*command):
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def answers(hone, file, *options):
    """Times in the order of the questions; None: it failed."""
    found = [r for r in lines(hone, "tune", "--replay", file, "--json", *options) if r["type"] == "result"]
    return [r["median_ns"] if r["status"] == "correct" else None for r in found]


def gap_after(best, count, draws):
    """The expected best of so many draws, less the optimum. best: ascending."""
    gap, missed = 0.0, 1.0
    for i in range(1, len(best)):
        if count - i + 1 <= draws or missed < MISSED:
            break
        missed *= (count - i + 1 - draws) / (count - i + 1)
        gap += (best[i] - best[i - 1]) * missed
    return gap


def score(bests, optimum, gaps):
    """bests, gaps: after each question from the first on."""
    known = [(b, g) for b, g in zip(bests, gaps) if g > 0]
    return 1 - sum((b - optimum) / g for b, g in known) / len(known)


def bests_of(times, worst):
    best, out = worst, []
    for t in times:
        best = best if t is None else min(best, t)
        out.append(best)
    return out


def of_file(hone, file, o):
    """Scores: one in flight, delayed, many; and the budget."""
    many = next(line for line in lines(hone, "score", file, "--json", "--jobs", "1", "--repeats", str(o.n), "--seed", str(o.seed),
                                       "--in-flight", str(o.in_flight), "--strategy", "surrogate") if "file" in line)
    everything = answers(hone, file, "--strategy", "exhaustive", "--budget", "100%")
    values, budget, late = sorted(t for t in everything if t is not None), many["budget"], o.in_flight - 1
    gaps = [gap_after(values, len(everything), k) for k in range(1, budget + 1)]
    at_random = [values[0] + gaps[min(k, late - 1)] for k in range(budget)]
    one = delayed = 0
    for seed in range(o.seed, o.seed + o.n):
        bests = bests_of(answers(hone, file, "--strategy", "surrogate", "--budget", str(budget), "--seed", str(seed)), values[-1])
        bests += bests[-1:] * (budget - len(bests))
        one += score(bests, values[0], gaps) / o.n
        late_ones = [values[-1]] * late + bests[: budget - late]
        delayed += score([min(a, b) for a, b in zip(at_random, late_ones)], values[0], gaps) / o.n
    return one, delayed, many["score"], budget


def show(title, row):
    print(f"{title:40} {row[3]:6.0f}  {row[0]:6.3f}  {row[1]:7.3f}  {row[2]:6.3f}   {row[0] - row[2]:6.3f}  {row[0] - row[1]:6.3f}", flush=True)


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hone")
    parser.add_argument("files", nargs="+")
    parser.add_argument("-n", type=int, default=8, help="seeds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--in-flight", type=int, default=16)
    options = parser.parse_args()
    kernels = collections.defaultdict(list)
    print(f"{'':40} budget     one  delayed  {options.in_flight:6}     loss  of it by delay")
    for file in options.files:
        row = of_file(options.hone, file, options)
        kernels[os.path.basename(file).split("_")[0]].append(row)
        show("  " + os.path.basename(file)[:36], row)
    for kernel, rows in kernels.items():
        show(kernel, mean(rows))
    show(f"mean of {len(kernels)} kernels", mean([mean(rows) for rows in kernels.values()]))


if __name__ == "__main__":
    main()
