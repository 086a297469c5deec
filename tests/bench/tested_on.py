#!/usr/bin/env python3
"""What hone was tested on, as a table of Markdown, from files of `hone selftest`:

    tests/bench/tested_on.py selftest-*.json
"""
import json
import sys

rows = {}
for path in sys.argv[1:]:
    about = run = None
    with open(path) as lines:
        for line in lines:
            record = json.loads(line)
            if record["type"] == "selftest":
                about = record
            elif record["type"] == "run":
                run = record
            elif record["type"] == "summary":
                device = run["device"]
                key = (device["name"], device["language"], device["platform"], device["driver"])
                row = rows.setdefault(key, {"right": 0, "all": 0, "about": about, "wrong": []})
                row["all"] += 1
                row["right"] += record["ok"]
                row["wrong"] += [] if record["ok"] else [run["spec_name"]]
if not rows:
    raise SystemExit(__doc__)
print("| device | in | driver | kernels that are right | hone | when |\n|---|---|---|---|---|---|")
for (name, language, platform, driver), row in sorted(rows.items()):
    print("| %s | %s, %s | %s | %d of %d%s | %s | %s |" % (
        name, language, platform, driver, row["right"], row["all"], ": not " + ", ".join(row["wrong"]) if row["wrong"] else "",
        row["about"]["hone"], row["about"]["date"][:10]))
