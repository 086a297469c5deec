#!/usr/bin/env python3
"""How many kernels of other projects tune after at most two edits of the spec that `hone init` writes.

  foreign_edits.py FOLDER [NAME...]

FOLDER holds clones of public projects, as for foreign_kernels.sh. foreign_edits.json lists those kernels of its set that did not
tune as they are, and what a user changes in the spec that `hone init` leaves: each edit sets one key,
named by its path ("text": a word of the kernel's own text is replaced, as init's message says, before init reads it); "init" are options
of init. "result" is what came of it, "needs" what would have to be said where two edits are too few. Nothing of the
projects is kept here. A line for each: works (several configurations agree and change an output), single (one), fails, or more
(two edits are too few). NAME chooses entries by a part of their file's name. HONE names the program; HONE_SECONDS bounds each command.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MOST = 2
HERE = pathlib.Path(__file__).resolve().parent
HONE = os.environ.get("HONE", str(HERE.parent.parent / "build" / "hone"))
SECONDS = int(os.environ.get("HONE_SECONDS", "300"))


def run(*words):
    try:
        done = subprocess.run([HONE, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 124, "took too long"
    return done.returncode, done.stdout.decode(errors="replace")


def set_key(spec, path, value):
    *outer, last = path.split("/")
    for key in outer:
        spec = spec.setdefault(key, {})
    spec[last] = value


def first_fault(said):
    lines = [line for line in said.splitlines() if line and not re.match("Device|Spec|hone: warning", line)]
    return (lines[2] if len(lines) > 2 else lines[-1] if lines else "").strip()[:120]


def judge(entry, folder, work):
    spec_path = os.path.join(work, "spec.json")
    if os.path.exists(spec_path):
        os.unlink(spec_path)
    path = os.path.join(folder, entry["file"])
    words = ["init", path, "--output", spec_path]
    if "text" in entry:
        words[1] = os.path.join(work, os.path.basename(path))
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape")
        for old, new in entry["text"].items():
            if old not in text:
                return "init", f"{old} is not in the text"
            text = text.replace(old, new)
        pathlib.Path(words[1]).write_text(text, encoding="utf-8", errors="surrogateescape")
        words += ["--include", os.path.dirname(path)]
    words += entry.get("init", [])
    _, said = run(*words, *(["--kernel", entry["kernel"]] if "kernel" in entry else []))
    if not os.path.exists(spec_path):
        return "init", first_fault(said)
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    for path, value in entry["edits"].items():
        set_key(spec, path, value)
    with open(spec_path, "w", encoding="utf-8") as file:
        json.dump(spec, file, indent=2)
    status, said = run("check", spec_path, "--sample", "2", "--language", "opencl", "--no-store")
    if status:
        return "fails", first_fault(said)
    return "works" if re.search(r"[0-9]+ of [0-9]+ configurations are valid", said) else "single", ""


def main():
    folder = os.path.abspath(sys.argv[1])
    entries = json.loads((HERE / "foreign_edits.json").read_text())
    counts = {}
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_DATA_HOME"] = work
        for entry in entries:
            changes = {**entry["edits"], **entry.get("text", {}), **{word: "" for word in entry.get("init", [])}}
            if len(changes) > MOST:
                sys.exit(f"{entry['file']}: more than {MOST} edits")
            if len(sys.argv) > 2 and not any(name in entry["file"] for name in sys.argv[2:]):
                continue
            verdict, why = judge(entry, folder, work) if changes else ("more", entry.get("needs", ""))
            counts[verdict] = counts.get(verdict, 0) + 1
            edits = "; ".join(f"{path} = {json.dumps(value)}" for path, value in changes.items())
            print(verdict, entry["file"], entry.get("kernel", ""), f"[{edits}]", why, flush=True)
    print(counts)


main()
