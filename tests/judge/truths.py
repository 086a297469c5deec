#!/usr/bin/env python3
"""What is called the same code is the same; a candidate whose own values exclude the hidden sizes is not called verified there; and an output
that is exact is not excused by one that is not; and whoever changes the cores of others while it is timed is not faster.

    truths.py HONE [same|sizes|precision|scalars|cores...]
"""

import json
import os
import platform
import subprocess
import sys
import tempfile

RIGHT = ("faster", "same", "slower")
HEAD = "kernel void map(global float *y, global const float *x)\n"
MAP = {
    "kernel": "own.cl", "function": "map", "constants": {"N": 4096}, "parameters": {"B": [64], "T": [1]}, "restrictions": ["N % T == 0"],
    "global": ["N // T"], "local": ["B"],
    "arguments": {"y": {"access": "write", "size": "N", "type": "float", "expect": "x[i] + 1"},
                  "x": {"access": "read", "size": "N", "type": "float", "fill": {"random": [1, 2]}}},
}
TWO = {
    "kernel": "own.cl", "function": "two", "constants": {"N": 65536}, "parameters": {"B": [64]}, "global": ["N"], "local": ["B"],
    "arguments": {"lo": {"expect": "(1.5 * x[i] + 512) - 512", "size": "N", "output": True},
                  "hi": {"expect": "x[i] * x[i] + x[i]", "size": "N", "output": True},
                  "x": {"size": "N", "access": "read", "fill": {"random": [-1, 1]}}},
}


def judge(hone, spec, texts, *more):
    """The verdicts of texts by path, of which own.cl is the baseline, and the summary."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in dict(texts, **{"spec.json": json.dumps(spec)}).items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        candidates = [os.path.join(folder, n) for n in texts if n.endswith(".cl") and n != "own.cl"]
        command = [hone, "judge", os.path.join(folder, "spec.json"), *candidates, "--json", *more]
        done = subprocess.run(command, env=dict(os.environ, HONE_LOCKS=folder), capture_output=True, text=True, timeout=1500, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        sys.stderr.write(done.stderr)
        for line in lines[:-1]:
            print(os.path.relpath(line["candidate"], folder), line["verdict"], line["same_as"], line["evidence"], line.get("not_verified_at"))
        return {os.path.relpath(line["candidate"], folder): line for line in lines[:-1]}, lines[-1]


def same(hone):
    body = HEAD + "{\n    int i = get_global_id(0);\n%s    y[i] = %s;\n}\n"
    right, line = body % ("", "x[i] + 1"), body % ("", "x[i] + (__LINE__ == 5)")
    includes = '#include "impl.h"\n' + body % ("", "BODY")
    hidden = '#inc\\\nlude "impl.h"\n' + body % ("", "BODY")
    texts = {"own.cl": right, "equal.cl": right, "other/equal.cl": right, "line.cl": line, "line-behind.cl": "\n" + line,
             "comment.cl": body % ("// a comment\n", "x[i] + 1"), "a/impl.h": "#define BODY x[i] + 1\n", "b/impl.h": "#define BODY 0\n"}
    for name in "ab":
        texts.update({name + "/k.cl": includes, name + "/hidden.cl": hidden})
    found = judge(hone, MAP, texts, "--hidden", "0", "--rounds", "3")[0]
    return {"the same text": found["equal.cl"]["verdict"] in RIGHT and found["other/equal.cl"]["same_as"].endswith("equal.cl"),
            "another line": found["line.cl"]["verdict"] in RIGHT and found["line-behind.cl"]["verdict"] == "incorrect"
                            or found["line.cl"]["verdict"] == "incorrect" and found["line-behind.cl"]["verdict"] in RIGHT,
            "another comment": found["comment.cl"]["same_as"] is None and found["comment.cl"]["verdict"] in RIGHT,
            "another include": all(found["a/%s.cl" % n]["verdict"] in RIGHT and found["b/%s.cl" % n]["verdict"] == "incorrect"
                                   for n in ("k", "hidden"))}


def sizes(hone):
    """Values that hold at the timed size alone; and some that hold at few others, at one of which it is verified then."""
    own = HEAD + "{\n    for (int k = 0; k < T; k++) {\n        int i = get_global_id(0) * T + k;\n        y[i] = %s;\n    }\n}\n"
    spec = dict(MAP, restrictions=["N % (B * T) == 0"])
    fast = own % "x[i] + 1"
    texts = {"own.cl": own % "x[i] + 1 + 0 * sin(sin(sin(sin(sin(sin(x[i]))))))", "only.cl": "// hone: T=64\n" + own % "N == 4096 ? x[i] + 1 : 0",
             "honest.cl": "// hone: T=8\n" + fast, "cheat.cl": "// hone: T=16\n" + own % "N == 4096 ? x[i] + 1 : 0", "plain.cl": fast}
    found, summary = judge(hone, spec, texts, "--hidden", "2", "--rounds", "3")
    labels = [c["at"] for c in summary["checks"]]
    named = (found["only.cl"]["not_verified_at"] or "").split(", ")
    return {"at no hidden size": found["only.cl"]["verdict"] in ("same", "slower") and len(named) >= 2 and set(named) < set(labels),
            "one is drawn for it": found["cheat.cl"]["verdict"] == "incorrect" and found["honest.cl"]["verdict"] in RIGHT,
            "the others": found["plain.cl"]["verdict"] in RIGHT and found["plain.cl"]["not_verified_at"] is None}


def precision(hone):
    two = "kernel void two(global float *lo, global float *hi, global const float *x)\n{\n    int i = get_global_id(0);\n" \
          "    volatile float t = 1.5f * x[i] + 512.0f;\n    lo[i] = t - 512.0f;\n    float v = x[i] * x[i] + x[i];\n    hi[i] = %s;\n}\n"
    texts = {"own.cl": two % "v", "right.cl": "\n" + two % "v", "cut.cl": two % "as_float(as_uint(v) & 0xfffffc00u)"}
    found = judge(hone, TWO, texts, "--hidden", "0", "--rounds", "3")[0]
    return {"beside an inexact one": found["cut.cl"]["verdict"] == "incorrect" and "hi is less exact" in found["cut.cl"]["evidence"],
            "the inexact one": found["right.cl"]["verdict"] in RIGHT}


def scalars(hone):
    """Arguments that are numbers in float: one that has the spec's written in it, and one that takes what it is given."""
    own = "kernel void map(global float *y, global const float *x, float a, int n)\n{\n    int i = get_global_id(0);\n" \
          "    if (i < n)\n        y[i] = %s * x[i] + 1;\n}\n"
    arguments = dict(MAP["arguments"], y=dict(MAP["arguments"]["y"], expect="a * x[i] + 1"), a=2.0, n="N")
    texts = {"own.cl": own % "a", "given.cl": "\n" + own % "a", "written.cl": own % "2"}
    found, summary = judge(hone, dict(MAP, arguments=arguments), texts, "--hidden", "1", "--rounds", "3")
    used = [c for c in summary["checks"] if "other scalars" in c["at"]]
    return {"other scalars": len(used) == 1 and used[0]["used"] and found["given.cl"]["verdict"] in RIGHT
                             and found["written.cl"]["verdict"] == "incorrect" and "other scalars" in found["written.cl"]["at"]}


def cores(hone):
    """One that is faster, and changes which cores others may use while it runs; native code of x86-64."""
    listed = subprocess.run([hone, "devices", "--json"], capture_output=True, text=True, check=False).stdout
    if platform.machine() != "x86_64" or "Portable Computing Language" not in listed or len(os.sched_getaffinity(0)) < 2:
        return {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "neighbours", "pins.cl"), encoding="utf-8") as text:
        pins = text.read()
    own = "kernel void map(global float *y, global const float *x)\n{\n    int i = get_global_id(0);\n    float sum = 0;\n" \
          "    for (volatile int k = 0; k < 200; k++)\n        sum = fma(x[i], 0.5f, sum);\n    y[i] = x[i] + 1;\n}\n"
    spec = dict(MAP, constants={"N": 16384})
    found = judge(hone, spec, {"own.cl": own, "pins.cl": pins}, "--hidden", "0")[0]["pins.cl"]
    return {"the cores of others": found["verdict"] == "cheats" and "which cores" in found["evidence"]}


def main():
    hone, names = sys.argv[1], sys.argv[2:]
    if subprocess.run([hone, "devices"], capture_output=True, check=False).returncode:
        return 77
    checks = {}
    for part in (same, sizes, precision, scalars, cores):
        if not names or part.__name__ in names:
            checks.update(part(hone))
    for name, fine in checks.items():
        print("%-24s %s" % (name, "ok" if fine else "WRONG"))
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
