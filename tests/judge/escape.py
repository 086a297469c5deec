#!/usr/bin/env python3
"""Candidates that try to leave their sandbox: on PoCL they are native code, which makes system calls by itself.

    escape.py HONE FOLDER     FOLDER has specs/map.json

Each must be contained: what it tried has not happened, the judge has come to its end with a verdict, and nothing that it
started is left. Exit status 77: no PoCL on x86-64, or no sandbox here.
"""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

CALL = """static long call(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
static long call6(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("movq $0x22, %%r10; movq $-1, %%r8; xorq %%r9, %%r9; syscall"
                     : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r8", "r9", "r10", "r11", "memory");
    return r;
}
constant char path[] = "@PATH@";
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            y[i] = 0.5f * x[i] * x[i] + 1;
    }
    if (get_global_id(0) == 0) {
        long r = 0;
        @DO@
        y[0] = 1000 + r;
    }
}
"""
# name: what it does, the result that it must get (None: it does not come back), the verdicts that are right
TRIES = {
    "read": ("r = call(2, (long)path, 0, 0);", -13, "incorrect"),
    "write": ("r = call(2, (long)path, 0101, 0600);", -13, "incorrect"),
    "make-folder": ("r = call(83, (long)path, 0700, 0);", -13, "incorrect"),
    "remove": ("r = call(87, (long)path, 0, 0);", -13, "incorrect"),
    "passwd": ("r = call(2, (long)path, 0, 0);", -13, "incorrect"),
    "list": ("r = call(2, (long)path, 0200000, 0);", -13, "incorrect"),
    "connect": ("r = call(41, 2, 1, 0);", -1, "incorrect"),
    "local-socket": ("r = call(41, 1, 1, 0);", -1, "incorrect"),
    "signal-tuner": ("r = call(62, call(110, 0, 0, 0), 15, 0);", -1, "incorrect"),
    "signal-all": ("r = call(62, -1, 0, 0);", None, "incorrect runtime"),
    "trace-tuner": ("r = call(101, 16, call(110, 0, 0, 0), 0);", -1, "incorrect"),
    "slow-all": ("r = call(141, 2, 12345678, 19);", -1, "incorrect"),  # a user that is not there, in case it succeeds
    "limit-tuner": ("r = call(302, call(110, 0, 0, 0), 0, 0);", -1, "incorrect"),
    "raise-own": ("r = call(141, 0, 0, -5);", -13, "incorrect"),
    "realtime": ("long one = 1;\n        r = call(144, 0, 1, (long)&one);", -1, "incorrect"),
    "namespace": ("r = call(272, 0x10000000, 0, 0);", -1, "incorrect"),
    "clone-namespace": ("r = call(56, 0x10000000 | 17, 0, 0);\n        if (r == 0)\n            call(231, 0, 0, 0);", -1, "incorrect"),
    "clone-sibling": ("r = call(56, 0x8000 | 17, 0, 0);\n        if (r == 0)\n            call(231, 0, 0, 0);", -1, "incorrect"),
    "clone3": ("long a[8] = {0};\n        r = call(435, (long)a, 64, 0);\n        if (r == 0)\n            call(231, 0, 0, 0);", -38, "incorrect"),
    "no-reaper": ("r = call(157, 36, 0, 0);", -1, "incorrect"),
    "mounts": ("r = call(430, (long)path, 0, 0);", -1, "incorrect"),
    "io-uring": ("r = call(425, 8, 0, 0);", -1, "incorrect"),
    "keys": ("r = call(250, 0, -3, 0);", -1, "incorrect"),
    "processes": ("for (int p = 0; p < 200; p++)\n            if (call(57, 0, 0, 0) == 0)\n"
                  "                for (;;)\n                    call(34, 0, 0, 0);\n        call(34, 0, 0, 0);", None, "runtime timeout"),
    "memory": ("for (long p = call6(9, 0, 12l << 30, 3), at = 0; at < 12l << 30; at += 4096)\n"
               "            *(volatile char *)(p + at) = 1;", None, "runtime timeout"),
    "leave": ("if (call(57, 0, 0, 0) == 0)\n            for (call(112, 0, 0, 0);;)\n                call(34, 0, 0, 0);\n"
              "        call(231, 0, 0, 0);", None, "runtime"),
    "exit": ("call(231, 0, 0, 0);", None, "runtime"),
    "stop": ("call(62, call(39, 0, 0, 0), 19, 0);", None, "runtime timeout incorrect"),
}
TEXTS = {
    "endless-compile": ("#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
                        "kernel void map(global float *y, global const float *x)\n{\n    B(B(B(y[0] += x[0];)))\n}\n", "timeout compile runtime invalid"),
    "long-compile": ("kernel void map(global float *y, global const float *x)\n{\n    float v = x[0];\n"
                     + "".join("    __attribute__((opencl_unroll_hint(64))) for (int %s = 0; %s < 64; %s++)\n" % (c, c, c) for c in "abcd")
                     + "        v = v * x[a * 64 + b] + x[c * 64 + d];\n    y[0] = v;\n}\n", "timeout compile runtime incorrect"),
    "log": ("kernel void map(global float *y, global const float *x)\n{\n    for (int i = 0; i < 1 << 24; i++)\n"
            "        printf(\"%064d\\n\", i);\n    y[0] = x[0];\n}\n", "timeout runtime incorrect"),
    "terminal": ("#error \x1b[2J\x1b]0;owned\x07\nkernel void map(global float *y, global const float *x)\n{\n}\n", "compile"),
}



def judge(hone, spec, path, folder, form, build):
    """`build`: the limit in seconds, which counts for the baseline, too: on a busy machine its build takes many."""
    command = [hone, "judge", spec, path, "--hidden", "0", "--rounds", "4", "--timeout", "build=%ds,launch=%ds" % (build, build if build > 8 else 3), *form]
    environment = dict(os.environ, HONE_LOCKS=folder, TMPDIR=os.path.join(folder, "scratch"))
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)


def last_verdict(done):
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return next((line for line in lines if line["type"] == "verdict"), {"verdict": "none", "evidence": done.stderr}), lines[-1] if lines else {}


def left_over(mark):
    """Processes of the test's judges, by their scratch folder."""
    time.sleep(0.5)
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if mark.encode() in f.read() and int(pid) != os.getpid():
                    found.append(pid)
        except OSError:
            pass
    return found


def run(hone, folder, tries, place):
    failed = 0
    spec = os.path.join(folder, "specs", "map.json")
    secret = os.path.join(place, "secret")
    os.mkdir(os.path.join(place, "scratch"))
    with open(secret, "w", encoding="utf-8") as out:
        out.write("secret")
    paths = {"read": secret, "remove": secret, "passwd": "/etc/passwd", "list": place}
    for name in tries:
        text, wanted, value = (*TEXTS[name], None) if name in TEXTS else (CALL, TRIES[name][2], TRIES[name][1])
        made = paths.get(name, os.path.join(place, "made"))
        text = text.replace("@PATH@", made).replace("@DO@", TRIES.get(name, [""])[0])
        candidate = os.path.join(place, name + ".cl")
        with open(candidate, "w", encoding="utf-8") as out:
            out.write(text)
        build = 8 if name in TEXTS else 60
        done = judge(hone, spec, candidate, place, ["--json"], build)
        verdict, summary = last_verdict(done)
        if summary.get("sandbox") is None:
            return 77
        faults = []
        if verdict["verdict"] not in wanted.split():
            faults.append("%s, not %s (%s)" % (verdict["verdict"], wanted, summary.get("error")))
        if value is not None and not re.search(r"got %d\b" % (1000 + value), verdict["evidence"] or ""):
            faults.append("not refused")
        if not os.path.exists(secret) or os.path.exists(os.path.join(place, "made")):
            faults.append("it changed a file outside")
        if len(done.stdout) + len(done.stderr) > 1 << 20:
            faults.append("%d bytes of output" % (len(done.stdout) + len(done.stderr)))
        if name == "terminal":
            shown = judge(hone, spec, candidate, place, [], build)
            faults += ["escape sequences are printed"] if "\x1b" in shown.stdout + shown.stderr else []
        left = left_over(os.path.join(place, "scratch"))
        faults += ["left: " + " ".join(left)] if left else []
        print("%-16s %-10s %s" % (name, verdict["verdict"], "; ".join(faults) or (verdict["evidence"] or "").splitlines()[0][:120]), flush=True)
        failed += bool(faults)
    return 1 if failed else 0


def main():
    hone, folder = sys.argv[1:3]
    listed = subprocess.run([hone, "devices", "--json"], capture_output=True, text=True, check=False)
    if platform.machine() != "x86_64" or "Portable Computing Language" not in listed.stdout:
        return 77
    with tempfile.TemporaryDirectory() as place:
        return run(hone, folder, sys.argv[3:] or [*TRIES, *TEXTS], place)


if __name__ == "__main__":
    sys.exit(main())
