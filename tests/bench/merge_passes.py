#!/usr/bin/env python3
"""One T4 file of several recordings of one space, on standard output.

  merge_passes.py PASS_T4.json...

A configuration's time is the median of its medians in the passes, which stand in the place of launches; one that fails in a pass
counts as it came out in that one. Its costs are those of the first pass, whose order and header the file has: later passes find
programs in the driver's cache. On standard error how far passes are apart: the standard deviation of a pass's time about the
median, after what all times of that pass have in common, in percent; and that of the median, if passes differ by chance.
"""
import json
import math
import statistics
import sys


def key(row):
    return json.dumps(row["configuration"], sort_keys=True)


def time_of(row):
    return next(m["value"] for m in row["measurements"] if m["name"] == "time")


def merge(rows):
    """The first that fails, or the first with the medians of all."""
    for row in rows:
        if row["invalidity"] != "correct":
            return row
    merged = rows[0]
    times = [time_of(row) for row in rows]
    merged["times"]["runtimes"] = times
    values = {"time": statistics.median(times), "time_mean": statistics.fmean(times), "time_minimum": min(times)}
    for measurement in merged["measurements"]:
        measurement["value"] = values.get(measurement["name"], measurement["value"])
    return merged


def main():
    documents = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            documents.append(json.load(f))
    if not documents:
        sys.exit(__doc__)
    passes = [{key(row): row for row in document["results"]} for document in documents]
    missing = sum(any(row not in other for other in passes) for row in passes[0])
    if missing:
        print(f"{missing} configurations are not in every pass, and left out", file=sys.stderr)
    results, apart = [], [[] for _ in passes]
    for name in passes[0]:
        rows = [other.get(name) for other in passes]
        if None in rows:
            continue
        logs = [math.log(time_of(row)) for row in rows] if all(row["invalidity"] == "correct" for row in rows) else []
        for log, found in zip(logs, apart):
            found.append(log - statistics.median(logs))
        results.append(merge(rows))
    documents[0]["results"] = results
    if len(passes) > 1 and len(apart[0]) > 1:
        squares = [(log - statistics.fmean(found)) ** 2 for found in apart for log in found]
        deviation = 100 * math.sqrt(sum(squares) / len(squares))
        print(f"    {len(passes)} passes: a pass is {deviation:.2f} % about the median, the median some "
              f"{deviation * 1.25 / math.sqrt(len(passes)):.2f} %", file=sys.stderr)
    json.dump(documents[0], sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
