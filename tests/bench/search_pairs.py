#!/usr/bin/env python3
"""How a change of the search does, on recorded spaces, kernel by kernel, with paired seeds.

  search_pairs.py HONE [HONE] FILE... [-n SEEDS] [--error E] [--strategy A [--strategy B]] [--in-flight N]
  search_pairs.py HONE FILE... --mirror|--shift [-n SEEDS] [--error E]

Two programs (before and after), or one program with two strategies, or one program alone. With --mirror one program, and the same
spaces with the sign of every number turned: lists that are written down instead of up, which no search should care about. With --shift
each list of five numbers and more has lost a quarter of its values at the end that is farther from the best: a list whose author began
or ended it elsewhere. The space is another one then, and random draws, which the score is relative to, have it easier, too. For each
file: the scores, their mean difference over the seeds with its standard error, and the lead over random draws at 5, 10, 25 and
50 % of the budget. Of each kernel (a file's name up to the first underscore) the mean over its files; at the end the mean over
kernels, each alike, and the worst. With --error each kernel's files get more seeds, SEEDS at a time, until the standard error of
its difference is below E, 64 times at most.

By evaluations; with --in-flight as many are asked for before the first is answered.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import math
import os
import subprocess
import tempfile

SHARES = (0.05, 0.1, 0.25, 0.5)
ROUNDS_MOST = 64
COSTS = ("compile_time", "verification_time", "benchmark_time", "framework_time", "strategy_time")


def kernel_of(file):
    return os.path.basename(file).split("_")[0]


def turned(value):
    return -value if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def time_of(row):
    """Of T4's row, or a cache file's; infinite where it failed."""
    if "measurements" in row:
        found = [m["value"] for m in row["measurements"] if m["name"] == "time"]
        return found[0] if found and row.get("invalidity", "correct") == "correct" else math.inf
    return row["time"] if isinstance(row.get("time"), (int, float)) else math.inf


def kept_values(rows, best):
    """name: the values that stay, of the lists that lose some."""
    kept = {}
    for name in best:
        values = sorted({row[name] for row in rows}) if all(turned(row[name]) != row[name] or row[name] == 0 for row in rows) else []
        if len(values) >= 5:
            lost, place = len(values) // 4, values.index(best[name])
            kept[name] = set(values[lost:] if 2 * place >= len(values) else values[:-lost])
    return kept


def shifted(document):
    """Without the configurations that have a value which its list has lost."""
    is_cache = "cache" in document
    rows = document["cache"] if is_cache else dict(enumerate(document["results"]))
    names = document["tune_params_keys"] if is_cache else list(document["results"][0]["configuration"])
    of = {key: {n: (row if is_cache else row["configuration"])[n] for n in names} for key, row in rows.items()}
    kept = kept_values(of.values(), of[min(rows, key=lambda key: time_of(rows[key]))])
    stay = {key: row for key, row in rows.items() if all(of[key][n] in values for n, values in kept.items())}
    if is_cache:
        document["cache"] = stay
        document["tune_params"] = {n: [v for v in values if n not in kept or v in kept[n]] for n, values in document["tune_params"].items()}
    else:
        document["results"] = list(stay.values())


def copied(file, folder, mirror, shift=False):
    """T4, or a cache file of Kernel Tuner, without what building and running cost, so that only evaluations are looked at."""
    with (gzip.open if file.endswith(".gz") else open)(file, "rt", encoding="utf-8") as f:
        document = json.load(f)
    if shift:
        shifted(document)
    for row in document.get("results", ()):
        row["times"] = {}
        if mirror:
            row["configuration"] = {k: turned(v) for k, v in row["configuration"].items()}
    if "cache" in document:
        names, rows = document["tune_params_keys"], []
        for row in document["cache"].values():
            changed = {k: turned(v) if mirror and k in names else v for k, v in row.items() if k not in COSTS}
            rows.append((",".join(str(changed[k]) for k in names), changed))
        document["cache"] = dict(rows)
        if mirror:
            document["tune_params"] = {k: [turned(v) for v in values] for k, values in document["tune_params"].items()}
    path = os.path.join(folder, os.path.basename(file))
    os.makedirs(folder, exist_ok=True)
    with (gzip.open if file.endswith(".gz") else open)(path, "wt", encoding="utf-8") as f:
        json.dump(document, f)
    return path


class Side:
    """One of the two: what hone score says of a file, seed by seed."""

    def __init__(self, hone, strategy, folder, options):
        self.command = [hone, "score", "--json", "--jobs", "1", "--in-flight", str(options.in_flight), "--repeats", str(options.n)]
        self.command += ["--strategy", strategy] if strategy else []
        self.folder = folder
        self.scores, self.leads = collections.defaultdict(list), collections.defaultdict(list)

    def more(self, name):
        command = [*self.command, os.path.join(self.folder, name), "--seed", str(len(self.scores[name]))]
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        line = next(line for line in map(json.loads, out.splitlines()) if "file" in line)
        self.scores[name] += line["scores"]
        self.leads[name].append({a["share"]: a["score"] for a in line["at"]})

    def lead(self, name, share):
        found = [at[share] for at in self.leads[name]]
        return None if None in found else mean(found)


def mean(values):
    return sum(values) / len(values)


def paired(a, b):
    """The mean of b - a, and its standard error."""
    apart = [y - x for x, y in zip(a, b)]
    square = sum((x - mean(apart)) ** 2 for x in apart)
    return mean(apart), math.sqrt(square / max(1, len(apart) - 1) / len(apart))


def of_kernel(names, sides):
    """Means over files: score before, after, difference; and its standard error."""
    each = [(*(mean(s.scores[n]) for s in sides), *paired(*(s.scores[n] for s in sides))) for n in names]
    before, after, apart = (mean([e[i] for e in each]) for i in range(3))
    return before, after, apart, math.sqrt(sum(e[3] ** 2 for e in each)) / len(each)


def leads(side, names):
    columns = ([side.lead(n, share) for n in names] for share in SHARES)
    return "/".join("  - " if None in c else f"{mean(c):5.2f}" for c in columns)


def line(title, names, sides, numbers):
    before, after, apart, error = numbers
    print(f"{title:36} {before:6.3f} -> {after:6.3f}  {apart:+.3f} +- {error:.3f}   {leads(sides[0], names)} -> {leads(sides[1], names)}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hones_and_files", nargs="+")
    parser.add_argument("-n", type=int, default=20, help="seeds")
    parser.add_argument("--error", type=float, help="standard error of a kernel's difference")
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--in-flight", type=int, default=1)
    parser.add_argument("--mirror", action="store_true")
    parser.add_argument("--shift", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time")
    options = parser.parse_args()
    given = options.hones_and_files
    hones = given[:2] if len(given) > 2 and os.access(given[1], os.X_OK) and not os.path.isdir(given[1]) else given[:1]
    files, strategies = given[len(hones):], options.strategy or [None]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        up, down = os.path.join(folder, "up"), os.path.join(folder, "down")
        sides = (Side(hones[0], strategies[0], up, options),
                 Side(hones[-1], strategies[-1], down if options.mirror or options.shift else up, options))
        kernels = collections.defaultdict(list)
        for file in files:
            kernels[kernel_of(file)].append(os.path.basename(file))
            copied(file, up, False)
            if options.mirror or options.shift:
                copied(file, down, options.mirror, options.shift)
        known, waiting = {}, dict(kernels)
        for _ in range(ROUNDS_MOST if options.error else 1):
            list(pool.map(lambda job: job[0].more(job[1]), [(s, n) for names in waiting.values() for n in names for s in sides]))
            known.update({k: of_kernel(names, sides) for k, names in waiting.items()})
            waiting = {k: names for k, names in waiting.items() if options.error and known[k][3] > options.error}
            if not waiting:
                break
        for kernel, names in kernels.items():
            for name in names:
                line("  " + name[:34], [name], sides, of_kernel([name], sides))
            line(f"{kernel}, {len(sides[0].scores[names[0]])} seeds", names, sides, known[kernel])
        before, after, apart = (mean([k[i] for k in known.values()]) for i in range(3))
        print(f"mean of {len(known)} kernels: {before:.3f} -> {after:.3f}  {apart:+.4f} +- "
              f"{math.sqrt(sum(k[3] ** 2 for k in known.values())) / len(known):.4f}")
        for title, place in (("before", 0), ("after", 1), ("difference", 2)):
            kernel = min(known, key=lambda k: known[k][place])
            print(f"  the worst {title}: {kernel} {known[kernel][place]:.3f}")


if __name__ == "__main__":
    main()
