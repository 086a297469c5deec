#!/usr/bin/env python3
"""hone judge --serve: lines in, verdicts out, whatever the lines are; the same text twice is one candidate; and workers stay from batch to batch.

    serve.py HONE FOLDER     FOLDER has specs/map.json
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

KERNEL = "kernel void map(global float *y, global const float *x)\n{\n    for (int k = 0; k < T; k++) {\n" \
         "        int i = get_global_id(0) * T + k;\n        if (i < N)\n            y[i] = %s;\n    }\n}\n"
RIGHT = KERNEL % "0.5f * x[i] * x[i] + 1"


def workers(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
        return set(f.read().split())


def stays_warm(hone, folder):
    """Candidates one after the other are batches of their own, and the worker of the first serves the last; one that is killed is replaced, and
    what it had is judged."""
    with tempfile.TemporaryDirectory() as locks:
        process = subprocess.Popen([hone, "judge", os.path.join(folder, "specs", "map.json"), "--serve", "--hidden", "0", "--rounds", "4"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ, HONE_LOCKS=locks, TMPDIR=locks))
        seen, verdicts = [], []
        for i, what in enumerate(["0", "1", "2", "3"]):
            process.stdin.write(json.dumps({"candidate": what, "text": KERNEL % what}) + "\n")
            process.stdin.flush()
            if i == 3:
                for pid in workers(process.pid):
                    os.kill(int(pid), signal.SIGKILL)
            verdicts.append(json.loads(process.stdout.readline()))
            seen.append(workers(process.pid))
        files = [os.path.join(at, n) for at, _, names in os.walk(locks) for n in names]
        process.stdin.close()
        ended = process.wait(60) == 0
    return {"no reference in a file": any("/judge/candidates/pocl/" in f for f in files)
            and not any("/candidates/references/" in f for f in files),
            "workers stay": bool(seen[0] & seen[1] & seen[2]),
            "killed ones lose nothing": ended and [v["candidate"] for v in verdicts] == list("0123")
            and all(v["verdict"] == "incorrect" for v in verdicts) and not seen[2] & seen[3]}


def main():
    hone, folder = sys.argv[1:3]
    if subprocess.run([hone, "devices"], capture_output=True, check=False).returncode:
        return 77
    requests = [
        {"candidate": "right", "text": RIGHT},
        {"candidate": "again", "text": RIGHT},
        {"candidate": "zeros", "text": KERNEL % "0"},
        {"candidate": "values", "text": "// hone: T=2\n" + RIGHT},
        {"candidate": os.path.join(folder, "nowhere.cl")},
        {"name": "nothing"},
        {"candidate": os.path.dirname(os.path.abspath(__file__))},
    ]
    lines = [json.dumps(r) for r in requests] + ["", "{", '{"candidate": 3}', json.dumps({"candidate": "long", "text": " " * (9 << 20)}), json.dumps({"candidate": "last", "text": KERNEL % "1"})]
    with tempfile.TemporaryDirectory() as locks:
        done = subprocess.run([hone, "judge", os.path.join(folder, "specs", "map.json"), "--serve", "--hidden", "0", "--rounds", "4"],
                              input="\n".join(lines), env=dict(os.environ, HONE_LOCKS=locks), capture_output=True, text=True,
                              timeout=600, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    verdicts = {r["candidate"]: r for r in found if r["type"] == "verdict"}
    errors = sorted(r["line"] for r in found if r["type"] == "error")
    right = {"faster", "same", "slower"}
    checks = {
        "ends well": done.returncode == 0,
        "a right one": verdicts["right"]["verdict"] in right,
        "the same text": verdicts["again"]["same_as"] == "right" and verdicts["again"]["verdict"] == verdicts["right"]["verdict"],
        "a wrong one": verdicts["zeros"]["verdict"] == "incorrect" and verdicts["zeros"]["score"] is None,
        "values of its own": verdicts["values"]["verdict"] in right and verdicts["values"]["same_as"] is None,
        "no file": verdicts[os.path.join(folder, "nowhere.cl")]["verdict"] == "invalid",
        "one without a line end": verdicts["last"]["verdict"] == "incorrect",
        "lines that are none": errors == [6, 7, 8, 9, 10],
    }
    checks.update(stays_warm(hone, folder))
    for name, fine in checks.items():
        print("%-24s %s" % (name, "ok" if fine else "WRONG"))
    if not all(checks.values()):
        print(done.stdout, done.stderr)
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
