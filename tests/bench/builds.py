#!/usr/bin/env python3
"""A search that is bound by its compiler: what it does in a time, and what it would do without waiting for builds.

    builds.py BUILD SPEC [--seconds 30] [--runs 3] [--repeats 3] [--device NAME] [--language cuda] [-- OPTION ...]

Each run tunes SPEC for so long with new caches, then makes the same search (same seed) again with all its programs compiled:
until most of what it asks for is there it is repeated, and the last of these repetitions counts. Printed of both: distinct configurations (not the same code as
another's) that were verified, a second of the search; the best found, timed again with its like in turn at the end; the share of
the time in which the bench waits for builds, and in which each builder builds. Where builders build all of the time the compiler is the limit: then the
configurations a second are the builders over the compiler's seconds a configuration.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile



def tune(given, seed, cache, extra):
    words = [os.path.join(given.build, "hone"), "tune", given.spec, "--seed", str(seed), "--budget", "%gs" % given.seconds, "--no-store",
             "--json", "--language", given.language] + (["--device", given.device] if given.device else []) + given.options + extra
    environment = dict(os.environ, XDG_CACHE_HOME=cache, CUDA_CACHE_PATH=os.path.join(cache, "cuda"), XDG_DATA_HOME=cache,
                       HONE_WORKER=os.path.join(given.build, "hone-worker"))
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("%s: status %d\n%s" % (" ".join(words), done.returncode, done.stderr[-2000:]))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    summary = next(r for r in rows if r["type"] == "summary")
    results = [r for r in rows if r["type"] == "result"]
    distinct = [r for r in results if r["status"] == "correct" and not r.get("same_as") and not r.get("same_code_as")]
    time = summary["timing"]
    search = (time["wall_ns"] - time["ranking_ns"] - time["startup_ns"] - time["opening_ns"]) / 1e9
    builds = [r["times_ns"]["build"] / 1e9 for r in results if r.get("times_ns")]
    return {"pace": len(distinct) / search, "done": len(results), "distinct": len(distinct), "search": search,
            "best": summary["best"]["median_ns"] if summary.get("best") else float("nan"),
            "waiting": time["waiting_ns"] / 1e9 / search, "builders": time["builders"],
            "busy": time["builds_ns"] / 1e9 / search / max(time["builders"], 1), "kernel": time["kernel_ns"] / 1e9 / search,
            "build": statistics.mean(builds) if builds else 0}


def show(name, runs):
    def of(key, scale=1):
        values = [scale * run[key] for run in runs]
        return "%.3g (%.3g .. %.3g)" % (statistics.median(values), min(values), max(values))
    print("%s: distinct verified a second %s; %s done, %s of them distinct; best %s us; waiting for builds %s of the search, %s builders at work %s of it, "
          "kernels %s; a build %s s" % (name, of("pace"), of("done"), of("distinct"), of("best", 1e-3), of("waiting"), of("builders"), of("busy"),
                                        of("kernel"), of("build")), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("spec")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3, help="of a search until its programs are there")
    parser.add_argument("--device")
    parser.add_argument("--language", default="cuda")
    parser.add_argument("options", nargs="*", default=[])
    given = parser.parse_args()
    cold, warm = [], []
    for seed in range(1, given.runs + 1):
        cache = tempfile.mkdtemp()
        cold.append(tune(given, seed, cache, []))
        # So many as the first did, however fast: beyond these nothing is compiled.
        for _ in range(given.repeats):
            again = tune(given, seed, cache, ["--budget", "%d" % cold[-1]["done"]])
        warm.append(again)
        shutil.rmtree(cache, ignore_errors=True)
        show("seed %d, as it is" % seed, cold[-1:])
        show("seed %d, compiled before" % seed, warm[-1:])
    show("as it is", cold)
    show("compiled before", warm)
    ratios = [a["pace"] / b["pace"] for a, b in zip(cold, warm)]
    print("configurations a second over those without waiting for builds: %.3f (%.3f .. %.3f), best over best: %.4f" % (
        statistics.median(ratios), min(ratios), max(ratios), statistics.median(a["best"] / b["best"] for a, b in zip(cold, warm))))


if __name__ == "__main__":
    main()
