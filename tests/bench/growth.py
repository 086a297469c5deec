#!/usr/bin/env python3
"""How hone's own time and memory grow: a table for benchmarks.md.

    growth.py BUILD [--parts NAME,...] [--most SIZE] [--runs N]

BUILD has hone, tests/runner/fake_worker and, for `nodes`, the fake OpenCL driver: a worker or a driver that answers at
once, so that all of it is hone's own. Each size runs N times (1); told are CPU seconds of hone with its children and the
largest memory of one process (16 MiB is the least that is seen: this script is as large), the least of the runs. The exponent is the slope of the times' logarithms over the upper half of the sizes
(1: in proportion), and the wall the first size that takes more than 60 s or 4 GiB by it.

    space          building a space of 10^2 to 10^7 points with a restriction over its parameters (`hone space`)
    configurations tunes of 10^2 to 10^5 configurations, a store of their own
    search         tunes of 300 in such spaces
    parameters     tunes of 300 in spaces of 2 to 32 parameters
    finalists      tunes of 100 whose ranking has 4 to 64 finalists that are all equal
    store          `hone best` beside 10^2 to 10^6 results of other specs
    nodes          tunes of 400 on 1 to 64 cards of a simulated host, each a member of its own

--most leaves out sizes above it (10^6 by default: 10^7 configurations and 10^6 results take minutes and gigabytes).
"""

import argparse
import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WALL_SECONDS, WALL_KIB = 60, 4 << 20


def used(words, environment):
    """CPU seconds and KiB of the largest process of a command and its children."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(words, env=environment, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if child.returncode:
            sys.exit("%s: status %d\n%s" % (" ".join(words), child.returncode, out.read()[-2000:].decode()))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def spec(folder, values, nanoseconds=None, restricted=False):
    """A spec of so many parameters with so many values each, by the fake worker's kernel; times follow from ID."""
    with open(os.path.join(ROOT, "tests/tune/data/thousand.json"), encoding="utf-8") as file:
        made = json.load(file)
    rows = made["ConfigurationSpace"]["TuningParameters"]
    for i, n in enumerate(values):
        name = "ID" if i == 0 else "P%d" % i
        row = {"Name": name, "Type": "int", "Values": "list(range(%d))" % n, "Default": 0}
        rows[i:i + 1] = [row]
    if restricted:
        made["ConfigurationSpace"]["Conditions"] = [{"Parameters": ["ID", "P1"], "Expression": "ID * P1 % 11 <= ID % 13"}]
    if nanoseconds:
        made["ConfigurationSpace"]["Derived"][0]["Expression"] = nanoseconds
    path = os.path.join(folder, "spec.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(made, file)
    with open(os.path.join(ROOT, "tests/tune/data/many.cl"), encoding="utf-8") as kernel:
        with open(os.path.join(folder, "many.cl"), "w", encoding="utf-8") as file:
            file.write(kernel.read())
    return path


class Bench:
    def __init__(self, build, folder):
        self.hone = os.path.join(build, "hone")
        self.build, self.folder = build, folder
        self.environment = dict(os.environ, HONE_WORKER=os.path.join(build, "tests/runner/fake_worker"), XDG_CACHE_HOME=folder,
                                XDG_DATA_HOME=folder, HONE_LOCKS=folder)

    def store(self):
        return os.path.join(tempfile.mkdtemp(dir=self.folder), "store.sqlite")

    def tune(self, path, *more):
        return used([self.hone, "tune", path, "--store", self.store()] + list(more), self.environment)

    def space(self, size):
        return used([self.hone, "space", spec(self.folder, split(size), restricted=True)], self.environment)

    def configurations(self, size):
        return self.tune(spec(self.folder, [size]))

    def search(self, size):
        return self.tune(spec(self.folder, split(size), restricted=True), "--budget", "300")

    def parameters(self, size):
        return self.tune(spec(self.folder, [2 + i % 3 for i in range(size)]), "--budget", "300")

    def finalists(self, size):
        return self.tune(spec(self.folder, [100], "100000 + 0 * ID"), "--rule", "contenders=%d" % size)

    def nodes(self, size):
        driver = dict(self.environment, HONE_WORKER=os.path.join(self.build, "hone-worker"), FAKE_CL_KIND="card", FAKE_CL_DEVICES=str(size),
                      LD_LIBRARY_PATH=os.path.join(self.build, "tests/fake_opencl/driver"))
        with open(os.path.join(ROOT, "tests/fake_opencl/data/forty.json"), encoding="utf-8") as file:
            text = file.read().replace("range(40)", "range(400)").replace("% 40", "% 400")
        for name in ("forty.cl", "ones.f32"):
            os.path.exists(os.path.join(self.folder, name)) or os.symlink(os.path.join(ROOT, "tests/fake_opencl/data", name),
                                                                          os.path.join(self.folder, name))
        path = os.path.join(self.folder, "nodes.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return used([self.hone, "tune", path, "--unranked", "--on", "local", "--store", self.store()], driver)

    def results(self, size):
        path, store = spec(self.folder, [min(size, 100)]), self.store()
        used([self.hone, "tune", path, "--store", store], self.environment)
        multiply(store, size)
        return used([self.hone, "best", path, "--store", store], self.environment)


def multiply(path, size):
    """Copies of all rows under other names, until there are so many results."""
    db = sqlite3.connect(path)
    columns = {t: [r[1] for r in db.execute("PRAGMA table_info(%s)" % t)] for t in ("job", "session", "result")}
    rows = {t: [dict(zip(c, r)) for r in db.execute("SELECT %s FROM %s" % (", ".join(c), t))] for t, c in columns.items()}
    sequence, have, copy = max(r["sequence"] for r in rows["result"]), len(rows["result"]), 0
    while have < size:
        copy += 1
        mark = copy.to_bytes(3, "big")
        for table, names in columns.items():
            made = []
            for row in rows[table]:
                row = dict(row)
                if "spec_name" in row:
                    row["spec_name"] = "%s-%d" % (row["spec_name"], copy)
                for key in {"job": ["key"], "session": ["id"], "result": ["job", "session"]}[table]:
                    row[key] = row[key][:-3] + mark
                if table == "result":
                    sequence += 1
                    row["sequence"], row["id"] = sequence, os.urandom(16)
                made.append([row[n] for n in names])
            db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(names))), made)
        have += len(rows["result"])
    db.commit()
    db.close()


def split(size):
    """Two to four parameters whose product is the size, a power of ten."""
    power = round(math.log10(size))
    return [10 ** (power - power // 2), 10 ** (power // 2)]


TENS = [10 ** i for i in range(2, 8)]
PARTS = {
    "space": ("points of a space", TENS, Bench.space),
    "configurations": ("configurations tuned", TENS[:4], Bench.configurations),
    "search": ("points, 300 tuned", TENS, Bench.search),
    "parameters": ("parameters", [2, 4, 8, 16, 32], Bench.parameters),
    "finalists": ("finalists", [4, 8, 16, 32, 64], Bench.finalists),
    "store": ("results in the store", TENS[:5], Bench.results),
    "nodes": ("cards", [1, 2, 4, 8, 16, 32, 64], Bench.nodes),
}


def exponent(sizes, values):
    half = len(sizes) // 2 if len(sizes) > 3 else 0
    x = [math.log(s) for s in sizes[half:]]
    y = [math.log(max(v, 1e-9)) for v in values[half:]]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    below = sum((a - mean_x) ** 2 for a in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / below if below else 0


def wall(sizes, seconds, kib):
    """The first size beyond the limits, as the exponents go on."""
    walls = []
    for values, limit, unit in ((seconds, WALL_SECONDS, "60 s"), (kib, WALL_KIB, "4 GiB")):
        slope = exponent(sizes, values)
        if values[-1] >= limit:
            walls.append((sizes[-1], unit))
        elif slope > 0.05:
            walls.append((sizes[-1] * (limit / values[-1]) ** (1 / slope), unit))
    size, unit = min(walls, default=(math.inf, ""))
    return "%s at %.0e" % (unit, size) if size < 1e15 else "none"


def table_row(bench, name, given):
    noun, sizes, measure = PARTS[name]
    sizes = [s for s in sizes if s <= given.most]
    seconds, kib = [], []
    for size in sizes:
        runs = [measure(bench, size) for _ in range(given.runs)]
        seconds.append(min(r[0] for r in runs))
        kib.append(min(r[1] for r in runs))
        print("  %s: %d: %.3f s, %.1f MiB" % (name, size, seconds[-1], kib[-1] / 1024), file=sys.stderr, flush=True)
    print("| %s | %s | %s | %s | %.2f, %.2f | %s |" % (
        noun, ", ".join("%g" % s for s in sizes), ", ".join("%.2f" % s for s in seconds),
        ", ".join("%.0f" % (k / 1024) for k in kib), exponent(sizes, seconds), exponent(sizes, kib), wall(sizes, seconds, kib)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--most", type=float, default=1e6)
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    print("%s, load %.1f, %d cores" % (time.strftime("%Y-%m-%d"), os.getloadavg()[0], os.cpu_count()), file=sys.stderr)
    print("| size | sizes | CPU s | MiB | exponent of time, memory | wall |\n|---|---|---|---|---|---|")
    for name in given.parts.split(","):
        with tempfile.TemporaryDirectory() as folder:
            table_row(Bench(os.path.abspath(given.build), folder), name, given)


if __name__ == "__main__":
    main()
