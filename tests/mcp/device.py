#!/usr/bin/env python3
"""A walk through hone mcp on a device of a language: it lists, checks, tunes, judges and looks up, with the server's sandbox and the
workers' own around all of it.

    device.py HONE opencl|cuda|c

Exit status 77: no device of that language, or no Landlock.
"""

import json
import os
import sys
import tempfile

from calls import KERNEL, SPEC, Checks, Client, records, write

TEXTS = {
    "opencl": (".cl", KERNEL),
    "cuda": (".cu", 'extern "C" __global__ void twice(float *y, const float *x)\n{\n'
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    y[i] = %s;\n}\n"),
    "c": (".c", "void twice(float *y, const float *x)\n{\n    for (int i = 0; i < N; i++)\n        y[i] = %s;\n}\n"),
}


def walk(c, check, language, ending):
    found = c.call("check", spec="spec.json")
    check("check", not found[0] and found[2]["exit_status"] == 0, found)
    found = c.call("tune", spec="spec.json", budget="2", limit_s=60)
    check("tune", not found[0] and found[2]["exit_status"] == 0, found)
    found = c.call("best", spec="spec.json", language=language)
    check("best", found[2]["exit_status"] == 0, found)
    found = c.call("judge", spec="spec.json", candidates=["zeros" + ending, "twice" + ending], hidden=1, rounds=4)
    verdicts = {os.path.basename(v["candidate"]).split(".")[0]: v["verdict"] for v in records(found[1], "verdict")}
    check("judge", verdicts.get("zeros") == "incorrect" and verdicts.get("twice") in ("same", "faster", "slower"), found)


def main():
    hone, language, check = os.path.abspath(sys.argv[1]), sys.argv[2], Checks()
    ending, kernel = TEXTS[language]
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "root")
        os.mkdir(root)
        os.mkdir(os.path.join(folder, "scratch"))
        write(os.path.join(root, "twice" + ending), kernel % "2 * x[i]")
        write(os.path.join(root, "zeros" + ending), kernel % "0")
        launch = {} if language == "c" else {"global": ["N"], "local": ["B"]}
        spec = {k: v for k, v in SPEC.items() if k not in ("global", "local")}
        if language == "c":
            spec["parameters"] = {"O": [1, 2]}
            spec["options"] = ["-O{O}"]
        write(os.path.join(root, "spec.json"), dict(spec, kernel="twice" + ending, language=language, **launch))
        c = Client(hone, folder, root)
        try:
            c.answer(c.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}))
        except RuntimeError as e:
            print(e)
            return 77 if "Landlock" in str(e) else 1
        c.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        devices = json.loads(c.call("devices")[1])["devices"]
        if language not in {d["language"] for d in devices}:
            return 77
        walk(c, check, language, ending)
        c.process.stdin.close()
        check("the end of the input", c.process.wait(60) == 0)
    print("%d calls, %d went wrong" % (check.count, check.failed))
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
