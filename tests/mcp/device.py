#!/usr/bin/env python3
"""A walk through hone mcp on a device of a language: it lists, checks, tunes, judges and looks up, with the server's sandbox and the
workers' own around all of it.

    device.py HONE opencl|cuda|c [must]

Exit status 77: no device of that language, unless there must be one, or no Landlock.
"""

import json
import os
import sys
import tempfile

from calls import Checks, Client, records, write

# The comment tells a fake driver what the kernel does.
ADDS, ZEROS = "a[i] + b[i]; // fake:add", "0 * a[i] * b[i]; // fake:fill"
TEXTS = {
    "opencl": (".cl", "kernel void add(global const float *a, global const float *b, global float *c)\n{\n"
                      "    int i = get_global_id(0);\n    c[i] = %s\n}\n"),
    "cuda": (".cu", 'extern "C" __global__ void add(const float *a, const float *b, float *c)\n{\n'
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    c[i] = %s\n}\n"),
    "c": (".c", "void add(const float *a, const float *b, float *c)\n{\n    for (int i = 0; i < N; i++)\n        c[i] = %s\n}\n"),
}
SPEC = {
    "function": "add", "constants": {"N": 4096}, "parameters": {"B": [32, 64]},
    "arguments": {"a": {"access": "read", "size": "N", "type": "float"}, "b": {"access": "read", "size": "N", "type": "float"},
                  "c": {"access": "write", "size": "N", "type": "float", "expect": "a[i] + b[i]"}},
}


def walk(c, check, language, ending):
    found = c.call("check", spec="spec.json")
    check("check", not found[0] and found[2]["exit_status"] == 0, found)
    found = c.call("tune", spec="spec.json", budget="2", limit_s=60)
    check("tune", not found[0] and found[2]["exit_status"] == 0, found)
    found = c.call("best", spec="spec.json", language=language)
    check("best", found[2]["exit_status"] == 0, found)
    found = c.call("judge", spec="spec.json", candidates=["zeros" + ending, "add" + ending], hidden=1, rounds=4)
    verdicts = {os.path.basename(v["candidate"]).split(".")[0]: v["verdict"] for v in records(found[1], "verdict")}
    check("judge", verdicts.get("zeros") in ("incorrect", "cheats") and verdicts.get("add") in ("same", "faster", "slower"), found)


def main():
    hone, language, check = os.path.abspath(sys.argv[1]), sys.argv[2], Checks()
    ending, kernel = TEXTS[language]
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "root")
        os.mkdir(root)
        os.mkdir(os.path.join(folder, "scratch"))
        write(os.path.join(root, "add" + ending), kernel % ADDS)
        write(os.path.join(root, "zeros" + ending), kernel % ZEROS)
        launch = {"global": ["N"], "local": ["B"]}
        if language == "c":
            launch = {"parameters": {"O": [1, 2]}, "options": ["-O{O}"]}
        write(os.path.join(root, "spec.json"), dict(SPEC, kernel="add" + ending, language=language, **launch))
        c = Client(hone, folder, root)
        try:
            c.answer(c.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}))
        except RuntimeError as e:
            print(e)
            return 77 if "Landlock" in str(e) else 1
        c.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        devices = json.loads(c.call("devices")[1])["devices"]
        if language not in {d["language"] for d in devices}:
            print("no device runs %s" % language)
            return 1 if "must" in sys.argv else 77
        walk(c, check, language, ending)
        c.process.stdin.close()
        check("the end of the input", c.process.wait(60) == 0)
    print("%d calls, %d went wrong" % (check.count, check.failed))
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
