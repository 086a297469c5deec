#!/usr/bin/env python3
"""Cheats and honest kernels, each a file that says its class and idea, before the judge: no cheat is accepted, no honest
kernel is refused.

    judge.py HONE FOLDER [EACH [SPEC...]]     FOLDER has specs/, cheats/SPEC/ and honest/SPEC/; EACH: every so many, for a sample

Without a CUDA device those in CUDA are compiled by NVRTC alone: all build but those whose verdict may be `compile` or `invalid`.

A cheat is accepted if its verdict is `faster`, `same` or `slower`, unless its line `// verdict:` names that, because what it
hopes to skip is made anew before each launch; `faster` never is one of these for a cheat. Exit status 1: one was; 77: no device.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

RIGHT = {"faster", "same", "slower"}


def files_of(folder, kind, spec, each):
    path = os.path.join(folder, kind, spec)
    names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    return [os.path.join(path, n) for n in names[::each]]


def wanted(path):
    with open(path, encoding="utf-8") as text:
        named = re.search(r"^// verdict: (.*)$", text.read(), re.M)
    return set(named.group(1).split()) if named else {"incorrect"}


def judge(hone, spec, candidates, locks):
    command = [hone, "judge", spec, *candidates, "--json", "--rounds", "4", "--timeout", "build=60s,launch=3s"]
    done = subprocess.run(command, env=dict(os.environ, HONE_LOCKS=locks), capture_output=True, text=True, timeout=1500, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or lines[-1]["type"] != "summary" or lines[-1]["error"]:
        sys.stderr.write(done.stderr)
        return None
    return {line["candidate"]: line for line in lines if line["type"] == "verdict"}


def languages(hone):
    done = subprocess.run([hone, "devices", "--json"], capture_output=True, text=True, check=False)
    return {device["language"] for device in json.loads(done.stdout)["devices"]} if done.returncode == 0 else set()


def compile_all(hone, spec, candidates):
    """The candidates that NVRTC does not build; None: it is not here."""
    failed = []
    with open(spec, encoding="utf-8") as text:
        own = json.load(text)
    with tempfile.TemporaryDirectory() as folder:
        for path in candidates:
            with open(os.path.join(folder, "spec.json"), "w", encoding="utf-8") as out:
                json.dump(dict(own, kernel=os.path.abspath(path)), out)
            done = subprocess.run([hone, "check", os.path.join(folder, "spec.json"), "--build-only", "--arch", "sm_90", "--sample", "1"],
                                  env=dict(os.environ, HONE_LOCKS=folder), capture_output=True, text=True, check=False)
            if "libnvrtc" in done.stderr + done.stdout:
                return None
            if done.returncode:
                failed.append(path)
    return failed


def try_cuda(hone, spec, candidates, folder):
    """How many are not as they should be."""
    failed = compile_all(hone, spec, candidates)
    if failed is None:
        print("skipped: %s: there is neither a CUDA device nor NVRTC" % os.path.relpath(spec, folder))
        return 0
    wrong = [p for p in failed if not wanted(p) & {"compile", "invalid"} or "/honest/" in p]
    print("%s: no CUDA device: %d of %d build" % (os.path.relpath(spec, folder), len(candidates) - len(failed), len(candidates)))
    for path in wrong:
        print("%-10s %s" % ("NO BUILD", os.path.relpath(path, folder)))
    return len(wrong)


def main():
    hone, folder = sys.argv[1:3]
    each = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    accepted = refused = tried = 0
    there = languages(hone)
    if not there:
        return 77
    for name in sorted(os.listdir(os.path.join(folder, "specs"))):
        if not name.endswith(".json"):
            continue
        spec = name[:-5]
        if sys.argv[4:] and spec not in sys.argv[4:]:
            continue
        with open(os.path.join(folder, "specs", name), encoding="utf-8") as text:
            language = json.load(text).get("language", "opencl")
        cheats, honest = files_of(folder, "cheats", spec, each), files_of(folder, "honest", spec, each)
        if language not in there:
            refused += try_cuda(hone, os.path.join(folder, "specs", name), cheats + honest, folder) if language == "cuda" else 0
            continue
        with tempfile.TemporaryDirectory() as locks:
            verdicts = judge(hone, os.path.join(folder, "specs", name), cheats + honest, locks)
        if verdicts is None:
            return 1
        for path in cheats + honest:
            found = verdicts.get(path, {"verdict": "none", "evidence": ""})
            is_cheat = path in cheats
            fine = found["verdict"] in (wanted(path) if is_cheat else RIGHT)
            tried += 1
            accepted += is_cheat and not fine
            refused += not is_cheat and not fine
            print("%-10s %-45s %-10s %s" % ("" if fine else "ACCEPTED" if is_cheat else "REFUSED", os.path.relpath(path, folder),
                                            found["verdict"], found["evidence"] or ""), flush=True)
    print("%d tried, %d cheats not caught as they should be, %d honest kernels refused" % (tried, accepted, refused))
    return 1 if accepted + refused else 0


if __name__ == "__main__":
    sys.exit(main())
