#!/usr/bin/env python3
"""Processor time and memory that `hone init` takes to read kernels, by file.

  init_cost.py FOLDER [COUNT]

FOLDER holds clones of public projects, as for foreign_kernels.sh. COUNT files (600) are taken evenly from all that end in .cl or .cu, by
path; of a file with several kernels the first is read. What is written is not tried (--no-check), so this is the reading alone: the text
with its headers, files beside it, and the studies of the kernel. Prints files above LIMIT seconds of user and system time, then the
largest figures. HONE names the program.
"""
import os
import pathlib
import re
import sys
import tempfile

LIMIT = 2.0
KILL = 60
HERE = pathlib.Path(__file__).resolve().parent
HONE = os.environ.get("HONE", str(HERE.parent.parent / "build" / "hone"))


def read(path, kernel, work):
    """(seconds, MiB, what it said)"""
    said = os.path.join(work, "said")
    words = [HONE, "init", path, "--no-check", "--output", os.path.join(work, "spec.json")]
    words += ["--kernel", kernel] if kernel else []
    child = os.fork()
    if child == 0:
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.execvp("timeout", ["timeout", str(KILL), *words])
    _, _, used = os.wait4(child, 0)
    spec = os.path.join(work, "spec.json")
    if os.path.exists(spec):
        os.unlink(spec)
    text = pathlib.Path(said).read_text(errors="replace")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text


def main():
    folder = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    files = sorted(os.path.join(at, name) for at, _, names in os.walk(folder, followlinks=True) for name in names
                   if name.endswith((".cl", ".cu")))
    files = [files[i * len(files) // count] for i in range(count)] if len(files) > count else files
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for path in files:
            seconds, memory, text = read(path, None, work)
            several = re.search(r"name one with --kernel: (\w+)", text)
            if several:
                seconds, memory, text = read(path, several.group(1), work)
            rows.append((seconds, memory, os.path.relpath(path, folder), "kernel " in text and "work-items" in text))
            if seconds > LIMIT:
                print(f"{seconds:.2f} s  {memory:.0f} MiB  {rows[-1][2]}", flush=True)
    times = sorted(r[0] for r in rows)
    print(f"{len(rows)} files, {sum(r[3] for r in rows)} with a spec: median {times[len(times) // 2]:.3f} s, largest {times[-1]:.2f} s, "
          f"above {LIMIT} s: {sum(t > LIMIT for t in times)}; memory at most {max(r[1] for r in rows):.0f} MiB "
          f"({max(rows, key=lambda r: r[1])[2]})")


main()
