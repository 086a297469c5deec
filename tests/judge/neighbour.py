#!/usr/bin/env python3
"""A candidate that changes another one in the worker that they share, after that was verified: the other is not called `cheats`, and the
evidence says what happened.

    neighbour.py HONE FOLDER     FOLDER has specs/map.json and neighbours/

Exit status 77: no PoCL on x86-64, or no sandbox here.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile


def main():
    hone, folder = sys.argv[1:3]
    listed = subprocess.run([hone, "devices", "--json"], capture_output=True, text=True, check=False)
    if platform.machine() != "x86_64" or "Portable Computing Language" not in listed.stdout:
        return 77
    candidates = [os.path.join(folder, "neighbours", name) for name in ("spoiler.cl", "rival.cl")]
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([hone, "judge", os.path.join(folder, "specs", "map.json"), *candidates, "--json", "--hidden", "0",
                               "--rounds", "4", "--timeout", "build=300s"],
                              env=dict(os.environ, HONE_LOCKS=place), capture_output=True, text=True, timeout=1500, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if lines[-1].get("sandbox") is None:
        return 77
    found = {os.path.basename(line["candidate"]): line for line in lines if line["type"] == "verdict"}
    for name, line in found.items():
        print("%-12s %-8s %s" % (name, line["verdict"], line["evidence"]))
    rival = found["rival.cl"]
    fine = rival["verdict"] in ("same", "slower", "faster") and "right alone" in rival["evidence"] and found["spoiler.cl"]["verdict"] != "faster"
    return 0 if fine and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
