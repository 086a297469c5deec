#!/usr/bin/env python3
"""Kernels that cheat, each in a file that says how: what hone makes of them, as a table.

    cheats.py HONE LANGUAGE [CHEAT...]     LANGUAGE: opencl, cuda or c

Each is tuned beside its honest self (CHEAT=0). It is caught when its status is `correctness`, when
its spec is refused, or when it gains nothing: poison makes it work. Exit status 1: one was not; 77: none could be tried.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
ENDINGS = {"opencl": "cl", "cuda": "cu", "c": "c"}
GAIN = 2  # times as fast as the honest one: more is a gain on any machine; a cheat has 5 and more


def spec_of(cheat, language, items):
    names = ["y", "x"] if cheat == "declared" else ["y", "x", "s", "n"]
    arguments = {
        "y": {"access": "write", "size": items, "type": "float", "expect": "2 * x[i]"},
        "x": {"access": "read", "size": items, "type": "float"},
        "s": {"temporary": True, "size": items, "type": "float"},
        "n": {"value": items, "type": "int32"},
    }
    spec = {
        "kernel": os.path.join(FOLDER, cheat + "." + ENDINGS[language]),
        "language": {"opencl": "OpenCL", "cuda": "CUDA", "c": "C"}[language],
        "function": "cheat",
        "constants": {"N": items},
        "parameters": {"CHEAT": [0, 1]},
        "defaults": {"CHEAT": 0},
        "arguments": {name: arguments[name] for name in names},
    }
    if language != "c":
        spec.update({"global": [items], "local": [64]})
    if language == "opencl" and "STATE_OF" in open(spec["kernel"], encoding="utf-8").read():
        spec["options"] = ["-cl-std=CL2.0"]  # for variables of the program
    return spec


def run(hone, spec, language, folder):
    path = os.path.join(folder, "spec.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(spec, out)
    command = [hone, "tune", path, "--language", language, "--fresh", "--rule", "rounds=12"]
    command += ["--store", os.path.join(folder, "results.sqlite")]
    return subprocess.run(command, env=dict(os.environ, HONE_LOCKS=folder), capture_output=True, text=True, timeout=600, check=False)


def judge(done):
    """True or False: caught or not; None: it could not be tried. And what was seen."""
    said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
    wrong = re.search(r"correctness.*CHEAT=1: (.*)", done.stdout)
    if "broke off" in done.stdout:
        return False, "the tune broke off: " + said
    if wrong:
        return True, wrong.group(1)
    if "\n2 correct" not in done.stdout:
        return ("reads" in said and done.returncode != 0) or None, said
    gain = re.search(r"Speed-up over the default: ([0-9.e+]+)", done.stdout)
    gain = float(gain.group(1)) if gain else 1.0
    return gain < GAIN, "correct, %.2f times as fast as the honest one" % gain


def main():
    hone, language = sys.argv[1:3]
    ending = "." + ENDINGS[language]
    items = {"c": 4096, "opencl": 16384, "cuda": 1 << 20}[language]
    cheats = sys.argv[3:] or sorted(f[: -len(ending)] for f in os.listdir(FOLDER) if f.endswith(ending))
    failed = tried = 0
    for cheat in cheats:
        with tempfile.TemporaryDirectory() as folder:
            caught, seen = judge(run(hone, spec_of(cheat, language, items), language, folder))
        if cheat == "declared" and caught is not None and "reads" not in seen:
            caught = False  # poison is not all: the spec is wrong
        words = {True: "caught", False: "NOT CAUGHT", None: "not tried"}
        print("%-12s %-7s %-11s %s" % (cheat, language, words[caught], seen), flush=True)
        failed += caught is False
        tried += caught is not None
    return 1 if failed else 0 if tried else 77


if __name__ == "__main__":
    sys.exit(main())
