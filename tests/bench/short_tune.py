#!/usr/bin/env python3
"""How near the best of a short tune comes to that of a long one, seed by seed.

  short_tune.py HONE SPEC [--short S] [--long S] [--seeds N,...] [-- HONE'S OPTIONS...]
  short_tune.py HONE FILE_T4.json[.gz] [--short S] [--long S] [--seeds N,...] [--builders N]

Of a spec: a tune of so many seconds (60), then one with its store that searches for the rest of the long one (300 in all), begins
with what the short one found and ranks it beside its own best by interleaved rounds. Each seed has a store and caches
of its own, so that it builds what it asks. Of a recording nothing is launched: the search has twice as many questions in flight as
there are builders and four, builds go on beside each other and beside the launches, one after the other, and each takes what
was recorded; the longer of the two says how late it is.

For each seed: the configurations tried, and the time of the short tune's best as a multiple of the long one's, or that they are the same
one. At the end in how many seeds they are within 1 %.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile

CACHES = ("HONE_WORKER_CACHE", "CUDA_CACHE_PATH", "POCL_CACHE_DIR")  # else in XDG_CACHE_HOME


def tune(hone, *arguments, environment=None):
    command = [hone, "tune", *arguments, "--json"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    if not ended.stdout:
        sys.exit(f"{' '.join(command)}: exit status {ended.returncode}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def summary(lines):
    return next(line for line in lines if line["type"] == "summary")


def named(configuration):
    return ",".join(f"{name}={value}" for name, value in configuration.items())


def live(options, seed):
    with tempfile.TemporaryDirectory() as folder:
        own = {name: value for name, value in os.environ.items() if name not in CACHES} | {"XDG_CACHE_HOME": folder}
        common = [options.file, "--seed", str(seed), "--store", os.path.join(folder, "store.sqlite"), *options.rest]
        short = summary(tune(options.hone, *common, "--budget", f"{options.short}s", environment=own))
        best = named(short["best"]["configuration"])
        more = ["--budget", f"{options.long - options.short}s", "--start-with", best]
        long = summary(tune(options.hone, *common, *more, environment=own))
        started = long["start_with"][0]
        basis = "the same one" if named(long["best"]["configuration"]) == best else started["best_ratio_basis"]
        return short["done"], long["done"], started["best_ratio"], basis


def costs(file):
    """Of each configuration the seconds of its build and of its launches."""
    with (gzip.open if file.endswith(".gz") else open)(file, "rt", encoding="utf-8") as f:
        results = json.load(f)["results"]
    found = {}
    for result in results:
        times = result["times"]
        build = times.get("compilation_time", times.get("compilation", 0)) or 0
        found[named(dict(sorted(result["configuration"].items())))] = build / 1000, sum(times.get("runtimes", [])) / 1000
    return found


def recorded(options, seed):
    cost, built, launched = costs(options.file), 0, 0
    tried, best = {options.short: 0, options.long: 0}, {options.short: float("inf"), options.long: float("inf")}
    budget = f"{options.long * (options.builders + 1)}s"  # builds one after the other, and launches
    in_flight = str(2 * options.builders + 4)  # as src/core/runner/live.c has it
    for line in tune(options.hone, "--replay", options.file, "--jobs", in_flight, "--budget", budget, "--seed", str(seed)):
        if line["type"] != "result":
            continue
        build, launches = cost[named(dict(sorted(line["configuration"].items())))]
        built += build / options.builders
        launched += launches
        for limit in tried:
            if max(built, launched) <= limit:
                tried[limit] += 1
                best[limit] = min(best[limit], line["median_ns"] or float("inf"))
    return tried[options.short], tried[options.long], best[options.short] / best[options.long], "recorded"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hone")
    parser.add_argument("file")
    parser.add_argument("--short", type=int, default=60)
    parser.add_argument("--long", type=int, default=300)
    parser.add_argument("--seeds", default="0,1,2,3,4,5")
    parser.add_argument("--builders", type=int, default=15)
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    options.rest = sys.argv[at + 1:]
    run = recorded if "_T4.json" in options.file else live
    seeds, near = options.seeds.split(","), 0
    for seed in seeds:
        short, long, ratio, basis = run(options, seed)
        near += ratio is not None and ratio <= 1.01
        print(f"seed {seed}: {short} and {long} configurations, {ratio:.4f} ({basis})" if ratio is not None
              else f"seed {seed}: {short} and {long} configurations, not known", flush=True)
    print(f"within 1 %: {near} of {len(seeds)} seeds")


if __name__ == "__main__":
    main()
