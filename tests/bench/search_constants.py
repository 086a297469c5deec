#!/usr/bin/env python3
"""What the default strategy scores on a kernel that none of its constants was chosen on.

  search_constants.py SOURCE FILE... [-n SEEDS] [--jobs N] [--nice N]

SOURCE is a copy of hone's source with a configured folder build (`git archive HEAD`, `cmake -B build`): its files are edited,
built and put back. Recorded spaces are files whose name begins with the kernel's, up to the first underscore; filter is a
convolution. For each kernel the constants of CONSTANTS begin as they were before anybody compared them with anything; then, one
after the other, each takes the value whose mean score on all *other* kernels, each kernel alike, is the best. With what that
gives the kernel left out is scored. At the end the means over files, by the budget, and what the same files give with the constants as they are.

Only evaluations are looked at: the copies that are searched have no costs.
"""
import argparse
import collections
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile

# file, name, what it was before, what else there is
CONSTANTS = (
    ("gp_fit.c", "JUMP_USUAL", "0.3", "0.1"),
    ("gp_fit.c", "LENGTH_USUAL", "1.0", "0.7"),
    ("surrogate.c", "TRIES_MOST", "5", "20"),
    ("surrogate.c", "FIT_SWEEPS", "2", "1"),
    ("surrogate.c", "GROWTH", "1.15", "1.05"),
    ("surrogate.c", "NEAR_BEST", "3", "8"),
)
SHARES = (0.05, 0.1, 0.25, 0.5, 1)
BUDGET = 100  # configurations; below it a space is a small one


def kernel_of(file):
    name = os.path.basename(file).split("_")[0]
    return {"filter": "convolution"}.get(name, name)  # the same kernel, by another hand


def strip_costs(file, folder):
    with gzip.open(file, "rt", encoding="utf-8") as f:
        document = json.load(f)
    for row in document["results"]:
        row["times"] = {}
    path = os.path.join(folder, os.path.basename(file))
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as f:
        json.dump(document, f)
    return path


class Scores:
    """Of each choice of constants (a value for each): what hone score says of each file, once."""

    def __init__(self, options, files):
        self.options, self.files, self.known = options, files, {}

    def build(self, values):
        """None: the constants as they are."""
        before = {}
        for (name, constant, *_), value in zip(CONSTANTS, values or ()):
            path = os.path.join(self.options.source, "src", "search", name)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            before.setdefault(path, text)
            text, count = re.subn(rf"(?m)^(#define {constant}\s+)\S+", rf"\g<1>{value}", text)
            if count != 1:
                sys.exit(f"{path}: no one line defines {constant}")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        try:
            subprocess.run(["ninja", "-C", os.path.join(self.options.source, "build"), "hone"], check=True,
                           stdout=subprocess.DEVNULL)
        finally:
            for path, text in before.items():
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)

    def of(self, values):
        if values not in self.known:
            self.build(values)
            command = ["nice", "-n", str(self.options.nice), os.path.join(self.options.source, "build", "hone"), "score",
                       *self.files, "--json", "--jobs", str(self.options.jobs), "--in-flight", "1", "--strategy", "surrogate",
                       "--repeats", str(self.options.n)]
            out = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
            lines = {line["file"]: line for line in map(json.loads, out.splitlines()) if "file" in line}
            self.known[values] = lines
            print("constants", *(values or ["as they are"]), "  ",
                  *(f"{kernel_of(f)} {line['score']:.3f}" for f, line in lines.items()), flush=True)
        return self.known[values]


def kernels_mean(lines, left_out):
    kernels = collections.defaultdict(list)
    for file, line in lines.items():
        kernels[kernel_of(file)].append(line["score"])
    means = [sum(v) / len(v) for k, v in kernels.items() if k != left_out]
    return sum(means) / len(means)


def choose(scores, left_out):
    values = tuple(c[2] for c in CONSTANTS)
    for i, (_, _, *grid) in enumerate(CONSTANTS):
        tried = [values[:i] + (value,) + values[i + 1:] for value in grid]
        values = max(tried, key=lambda v: kernels_mean(scores.of(v), left_out))
    return values


def error_of(line):
    mean = sum(line["scores"]) / len(line["scores"])
    square = sum((x - mean) ** 2 for x in line["scores"])
    return math.sqrt(square / max(1, len(line["scores"]) - 1) / len(line["scores"]))


def along(line):
    at = {a["share"]: a["score"] for a in line["at"]}
    return [at[s] for s in SHARES]


def table(title, lines):
    print(f"\n{title}\n{'':42} budget  score            at 5 %    10 %    25 %    50 %   100 %")
    for file, line in lines.items():
        print(f"  {os.path.basename(file)[:40]:40} {line['budget']:6}  {line['score']:.3f} +- {error_of(line):.3f}  ",
              *("      -" if x is None else f"{x:7.3f}" for x in along(line)))
    for name, group in ((f"budget {BUDGET} and more", [x for x in lines.values() if x["budget"] >= BUDGET]),
                        (f"budget below {BUDGET}", [x for x in lines.values() if x["budget"] < BUDGET])):
        if not group:
            continue
        mean = sum(x["score"] for x in group) / len(group)
        error = math.sqrt(sum(error_of(x) ** 2 for x in group)) / len(group)
        columns = [[x for x in column if x is not None] for column in zip(*map(along, group))]
        print(f"  {name:40} {len(group):6}  {mean:.3f} +- {error:.3f}  ",
              *(f"{sum(c) / len(c):7.3f}" if c else "      -" for c in columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("files", nargs="+")
    parser.add_argument("-n", type=int, default=20, help="seeds")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time")
    parser.add_argument("--nice", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = [strip_costs(f, folder) for f in options.files]
        scores, held_out = Scores(options, files), {}
        for kernel in sorted(set(map(kernel_of, files))):
            values = choose(scores, kernel)
            print("without", kernel, "the others choose", *values, flush=True)
            held_out.update({f: line for f, line in scores.of(values).items() if kernel_of(f) == kernel})
        table("each kernel with the constants that the others chose", held_out)
        table("with the constants as they are", scores.of(None))


if __name__ == "__main__":
    main()
