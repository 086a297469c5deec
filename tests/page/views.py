"""views.py HONE SCRATCH: views of report pages, a number of each held against what `hone best` and `hone tune --json` say of
the same."""
import csv
import io
import json
import os
import re
import sys
import xml.dom.minidom

from fixtures import KERNEL, SPEC, Fixtures

f = Fixtures(sys.argv[1], sys.argv[2])


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def rows(*arguments):
    return list(csv.DictReader(io.StringIO(f.run("report", *arguments))))


def picture(*arguments):
    svg = f.run("report", *arguments)
    xml.dom.minidom.parseString(svg)
    check("<desc" in svg and "nan" not in svg.replace("nanosecond", ""), "the picture of %s" % (arguments,))
    return svg


def left_out(view, *arguments):
    f.run("report", *arguments, "--csv", view, status=2)
    text = f.report("left.html", *arguments)
    check('data-view="%s"' % view not in text, "%s is there" % view)
    check(re.search(r"Left out:[^<]*\b%s \(" % view, text), "nobody says that %s is left out" % view)


def words(configuration):
    return ", ".join("%s=%s" % item for item in configuration.items())


def tune(store, *arguments):
    out = f.run("tune", "scale.json", "--store", store, "--json", *arguments)
    return [json.loads(line) for line in out.splitlines()]


def alone(lines):
    """The median that each configuration was measured to have alone."""
    return {words(line["configuration"]): line["median_ns"] for line in lines
            if line["type"] == "result" and line["median_ns"] and not line["same_as"]}


for name, text in (("scale.c", KERNEL), ("scale.json", json.dumps(SPEC))):
    with open(f.path(name), "w") as file:
        file.write(text)
for name in ("sizes.sqlite", "other.sqlite"):
    if os.path.exists(f.path(name)):
        os.remove(f.path(name))

# ---- sizes ---------------------------------------------------------------------------------------

measured = {n: tune("sizes.sqlite", "--set", "N=%d" % n) for n in (4000, 16000)}
best = {n: json.loads(f.run("best", "scale.json", "--store", "sizes.sqlite", "--set", "N=%d" % n, "--json"))
        for n in measured}
table = rows("sizes.sqlite", "--csv", "sizes")
check([row["constants"] for row in table] == ["N=4000", "N=16000"], "sizes: %s" % table)
for row, n in zip(table, measured):
    check(float(row["time"]) == best[n]["median_ns"], "the time of the best at N=%d" % n)
    check(row["configuration"] == words(best[n]["configuration"]), "the best at N=%d" % n)
    check(abs(float(row["GB/s"]) - 8 * n / best[n]["median_ns"]) < 1e-9, "the metric at N=%d" % n)
check(picture("sizes.sqlite", "--svg", "sizes").count('class="line s0"') >= 1, "no line")
page = f.report("sizes.html", "scale.json", "--all", "--store", "sizes.sqlite")
check(page.count('data-view="sizes"') == 1 and "all sets together" in page, "sizes in the page")
left_out("sizes", "scale.json", "--store", "sizes.sqlite", "--set", "N=4000")

# ---- beside each other ---------------------------------------------------------------------------

times = {n: alone(lines) for n, lines in measured.items()}
table = rows("sizes.sqlite", "--csv", "matrix")
check(len(table) == 4, "matrix: %s" % table)
for row in table:
    n = int(row["on"][2:])
    if row["status"] == "correct":
        check(float(row["time"]) == times[n][row["configuration"]], "matrix: %s" % row)
        check(abs(float(row["times as long"]) * float(row["time of the best there"]) / float(row["time"]) - 1) < 1e-12,
              "matrix: %s" % row)
    if row["best of"] == row["on"]:
        check(float(row["times as long"]) == 1, "matrix: %s" % row)
for row in rows("sizes.sqlite", "--csv", "beside"):
    for n in times:
        if re.fullmatch("[0-9.]+", row["N=%d" % n]):
            check(float(row["N=%d" % n]) == times[n][row["configuration"]], "beside: %s" % row)
picture("sizes.sqlite", "--svg", "matrix")
picture("sizes.sqlite", "--svg", "beside")
tune("other.sqlite", "--set", "N=4000", "--seed", "7")
runs = rows("scale.json", "other.sqlite", "--store", "sizes.sqlite", "--set", "N=4000", "--csv", "matrix")
check({row["on"] for row in runs} == {"sizes.sqlite", "other.sqlite"}, "runs beside each other: %s" % runs)
left_out("matrix", "other.sqlite")

print("views: all is well")
