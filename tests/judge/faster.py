#!/usr/bin/env python3
"""What is truly faster is called so, measured twice, at each of two sizes; what is truly slower is called so; equal code under
many names is not faster; the exit status; and what is less exact than float is wrong, unless the spec says how exact it is to be.

    faster.py HONE
"""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

KERNEL = "kernel void sums(global float *y, global const float *x)\n{\n    int i = get_global_id(0);\n    float sum = 0;\n" \
         "    for (volatile int k = 0; k < %d; k++)\n        sum = fma(x[i], 0.5f, sum);\n    y[i] = %s;\n}\n"
SPEC = {
    "kernel": "own.cl", "function": "sums", "constants": {"N": 16384}, "parameters": {"B": [64]}, "global": ["N"], "local": ["B"],
    "restrictions": ["N % B == 0"],
    "arguments": {"y": {"access": "write", "size": "N", "type": "float", "expect": "3 * x[i]"},
                  "x": {"access": "read", "size": "N", "type": "float"}},
}


def judge(hone, folder, names, spec="own", more=("--set", "N=16384,32768", "--hidden", "1")):
    command = [hone, "judge", os.path.join(folder, spec + ".json"), *[os.path.join(folder, n + ".cl") for n in names], "--json", *more]
    done = subprocess.run(command, env=dict(os.environ, HONE_LOCKS=folder), capture_output=True, text=True, timeout=600, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return done, {os.path.basename(r["candidate"])[:-3]: r for r in lines if r["type"] == "verdict"}


def judge_junit(hone, folder, names):
    """Candidates that fail, of all that are told."""
    command = [hone, "judge", os.path.join(folder, "own.json"), *[os.path.join(folder, n + ".cl") for n in names],
               "--format", "junit", "--hidden", "0", "--rounds", "3"]
    done = subprocess.run(command, env=dict(os.environ, HONE_LOCKS=folder), capture_output=True, text=True, timeout=600, check=False)
    suite = xml.etree.ElementTree.fromstring(done.stdout).find("testsuite")
    cases = [(os.path.basename(c.get("name"))[:-3], [f.get("type") for f in c.findall("failure")]) for c in suite.findall("testcase")]
    return suite.get("tests"), suite.get("failures"), cases


def main():
    hone = sys.argv[1]
    if subprocess.run([hone, "devices"], capture_output=True, check=False).returncode:
        return 77
    texts = {"own": KERNEL % (200, "3 * x[i]"), "fast": KERNEL % (10, "3 * x[i]"), "slow": KERNEL % (2000, "3 * x[i]"),
             "wrong": KERNEL % (10, "sum"), "coarse": KERNEL % (200, "3 * x[i] * 1.00005f"),
             "variants": "// hone: B=32|64|128|256\n#if B == 64\n" + KERNEL % (10, "3 * x[i]") + "#elif B == 32\n" + KERNEL % (5, "sum")
             + "#else\n" + KERNEL % (400, "3 * x[i]") + "#endif\n"}
    texts["variants-again"] = texts["variants"]
    texts.update({"equal%d" % i: "/* %d */\n" % i + texts["own"] for i in range(4)})
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "own.json"), "w", encoding="utf-8") as out:
            json.dump(SPEC, out)
        arguments = dict(SPEC["arguments"], y=dict(SPEC["arguments"]["y"], verify={"precision": 1e-4}))
        with open(os.path.join(folder, "coarse.json"), "w", encoding="utf-8") as out:
            json.dump(dict(SPEC, arguments=arguments), out)
        for name, text in texts.items():
            with open(os.path.join(folder, name + ".cl"), "w", encoding="utf-8") as out:
                out.write(text)
        done, found = judge(hone, folder, [n for n in texts if n != "own"])
        coarse = judge(hone, folder, ["coarse"], "coarse", ("--hidden", "0", "--rounds", "4"))[1]["coarse"]
        none, wrong = judge(hone, folder, ["wrong"])
        junit = judge_junit(hone, folder, ["wrong", "slow"])
    fast = found["fast"]
    checks = {
        "faster": fast["verdict"] == "faster" and fast["measured_twice"] and fast["score"] > 1 and len(fast["sizes"]) == 2,
        "its interval": fast["interval"][0] == fast["score"] <= fast["speedup"] <= fast["interval"][1],
        "slower": found["slow"]["verdict"] == "slower" and not found["slow"]["measured_twice"],
        "equal": all(found[n]["verdict"] != "faster" for n in found if n.startswith("equal")),
        "variants": found["variants"]["verdict"] == "faster" and found["variants"]["values"] == "B=64"
                    and found["variants"]["variants"] == 4 and found["variants"]["measured_twice"],
        "the same variants": all(found["variants-again"][k] == found["variants"][k] for k in ("verdict", "score", "values", "variants"))
                             and found["variants-again"]["same_as"].endswith("variants.cl"),
        "wrong": found["wrong"]["verdict"] == "incorrect" and wrong["wrong"]["verdict"] == "incorrect",
        "precision": found["coarse"]["verdict"] == "incorrect" and "less exact" in found["coarse"]["evidence"]
                     and coarse["verdict"] in ("faster", "same", "slower") and coarse["score"] is None,
        "JUnit": junit == ("2", "1", [("wrong", ["incorrect"]), ("slow", [])]),
        "exit status": done.returncode == 0 and none.returncode == 1,
    }
    for name, fine in checks.items():
        print("%-14s %s" % (name, "ok" if fine else "WRONG"))
    if not all(checks.values()):
        print(done.stdout, done.stderr, none.stdout, none.stderr)
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
