"""views.py HONE SCRATCH: views of report pages, a number of each held against what `hone best` and `hone tune --json` say of
the same."""
import csv
import html
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
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
    f.run("report", *arguments, "--format", "csv", "--views", view, status=2)
    text = f.report("left.html", *arguments)
    check('data-view="%s"' % view not in text, "%s is there" % view)
    check("<li>%s (" % view in text, "nobody says that %s is left out" % view)


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
for name in ("sizes.sqlite", "other.sqlite", "front.sqlite", "deploy.sqlite", "drivers.sqlite"):
    if os.path.exists(f.path(name)):
        os.remove(f.path(name))

# ---- sizes ---------------------------------------------------------------------------------------

measured = {n: tune("sizes.sqlite", "--set", "N=%d" % n) for n in (4000, 16000)}
best = {n: json.loads(f.run("best", "scale.json", "--store", "sizes.sqlite", "--set", "N=%d" % n, "--json"))
        for n in measured}
table = rows("sizes.sqlite", "--format", "csv", "--views", "sizes")
check([row["constants"] for row in table] == ["N=4000", "N=16000"], "sizes: %s" % table)
for row, n in zip(table, measured):
    check(float(row["time"]) == best[n]["median_ns"], "the time of the best at N=%d" % n)
    check(row["configuration"] == words(best[n]["configuration"]), "the best at N=%d" % n)
    check(abs(float(row["GB/s"]) - 8 * n / best[n]["median_ns"]) < 1e-9, "the metric at N=%d" % n)
check(picture("sizes.sqlite", "--format", "svg", "--views", "sizes").count('class="line s0"') >= 1, "no line")
page = f.report("sizes.html", "scale.json", "--all", "--store", "sizes.sqlite")
check(page.count('data-view="sizes"') == 1 and "all sets together" in page, "sizes in the page")
left_out("sizes", "scale.json", "--store", "sizes.sqlite", "--set", "N=4000")

# ---- beside each other ---------------------------------------------------------------------------

times = {n: alone(lines) for n, lines in measured.items()}
table = rows("sizes.sqlite", "--format", "csv", "--views", "matrix")
check(len(table) == 4, "matrix: %s" % table)
for row in table:
    n = int(row["on"][2:])
    if row["status"] == "correct":
        check(float(row["time"]) == times[n][row["configuration"]], "matrix: %s" % row)
        check(abs(float(row["times as long"]) * float(row["time of the column's best"]) / float(row["time"]) - 1) < 1e-12,
              "matrix: %s" % row)
    if row["best of"] == row["on"]:
        check(float(row["times as long"]) == 1, "matrix: %s" % row)
left_out("beside", "sizes.sqlite")  # sizes take unlike times
picture("sizes.sqlite", "--format", "svg", "--views", "matrix")
# In front a row for each set, with what hone best says, and what one configuration costs that is for all of them.
page = f.report("overview.html", "sizes.sqlite")
overview = page[page.index('class="view overview"'):page.index("</section>", page.index('class="view overview"'))]
check(overview.count('<a href="#set-') == len(times), "rows of the overview")
for n in times:
    said = json.loads(f.run("best", "scale.json", "--store", "sizes.sqlite", "--set", "N=%d" % n, "--json"))
    check('data-v="%s"' % repr(said["median_ns"]) in overview, "the overview lacks %s" % said["median_ns"])
both = set.intersection(*(set(t) for t in times.values()))
one = min(both, key=lambda c: max(t[c] / min(t.values()) for t in times.values()))
off = 100 * (max(t[one] / min(t.values()) for t in times.values()) - 1)
said = re.search("One for (?:both|all %d): ([^<]*), (?:at most ([0-9.e+]*) %% off )?the best of each" % len(times), overview)
check(said and said[1] == one and abs(float(said[2] or 0) - off) <= 0.06 * max(off, 1), "one for all: %s, not %s and %g" % (said and said.groups(), one, off))
tune("other.sqlite", "--set", "N=4000", "--seed", "7")
runs = rows("scale.json", "other.sqlite", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "csv", "--views", "matrix")
check({row["on"] for row in runs} == {"sizes.sqlite", "other.sqlite"}, "runs beside each other: %s" % runs)
left_out("matrix", "other.sqlite")

# Two drivers of one store, and its runs: the older driver's results as they were, each set with an answer of its own.
OLD = "an older driver"
first = alone(tune("drivers.sqlite", "--set", "N=4000"))
with sqlite3.connect(f.path("drivers.sqlite")) as store:
    store.execute("UPDATE session SET driver = ?, device_identity = randomblob(32)", (OLD,))
store.close()
answers = [json.loads(f.run("best", "scale.json", "--store", "drivers.sqlite", "--set", "N=4000", "--json"))["median_ns"]]
second = alone(tune("drivers.sqlite", "--set", "N=4000", "--fresh", "--seed", "7"))
answers.insert(0, json.loads(f.run("best", "scale.json", "--store", "drivers.sqlite", "--set", "N=4000", "--json"))["median_ns"])
for apart, name in (((), "driver " + OLD), (("--apart", "driver"), "driver " + OLD), (("--apart", "run"), "run 1, driver " + OLD)):
    table = rows("drivers.sqlite", "--format", "csv", "--views", "beside", *apart)
    check(len(table) >= 4 and len(table[0]) == 3 and name in table[0], "drivers: %s" % table[:1])
    for row in table:
        (own,) = set(row) - {"configuration", name}
        check(float(row[name]) == first[row["configuration"]] and float(row[own]) == second[row["configuration"]], "drivers: %s" % row)
    check({row["on"] for row in rows("drivers.sqlite", "--format", "csv", "--views", "matrix", *apart)} == {name, own}, "the matrix of drivers")
    page = f.report("drivers.html", "drivers.sqlite", *apart)
    check([float(v) for v in re.findall('data-name="median_ns" data-v="([^"]*)"', page)] == answers, "answers of drivers")
    check(page.count(OLD + "</a>") + page.count("Z</a>") // 2 in (2, 3), "the links do not say which is which")
picture("drivers.sqlite", "--format", "svg", "--views", "beside")
headings = [line for line in f.run("report", "drivers.sqlite", "--format", "markdown").splitlines() if line.startswith("### ")]
check(len(set(headings)) == 2 and any(OLD in line for line in headings), "Markdown: %s" % headings)
check(len(rows("drivers.sqlite", "--format", "csv", "--views", "parallel")) == 16, "all configurations of parallel coordinates")
left_out("beside", "drivers.sqlite", "--apart", "nothing")
check("older results do not compare" in f.report("newest.html", "drivers.sqlite", "--apart", "nothing"), "what is left out is not said")
f.run("report", "drivers.sqlite", "--apart", "drivers", status=2)
# With another text of the kernel nothing of the older driver compares.
with open(f.path("scale.c"), "a") as file:
    file.write("// another text\n")
tune("drivers.sqlite", "--set", "N=4000", "--budget", "4")
left_out("beside", "drivers.sqlite")
page = f.report("texts.html", "drivers.sqlite", "--apart", "run")
check(len(set(re.findall("kernel ([0-9a-f]{8})</a>|kernel ([0-9a-f]{8}), ", page))) == 2, "texts of the kernel are not told apart")
with open(f.path("scale.c"), "w") as file:
    file.write(KERNEL)

# Of two constants that vary, the one with more sizes is the axis; the other one tells the lines.
with open(f.path("two.json"), "w") as file:
    json.dump(dict(SPEC, Constants={"K": 1, "N": 1000}), file)
f.run("sweep", "two.json", "--set", "K=1,2", "--set", "N=1000,2000,4000", "--product", "--budget", "2", "--store", "two.sqlite")
check({row["line"] for row in rows("two.sqlite", "--format", "csv", "--views", "sizes")} == {"K=1", "K=2"}, "the axis is not N")
check(re.search('class="axis"[^>]*>N<', f.run("report", "two.sqlite", "--format", "svg", "--views", "sizes")), "the axis has another name")

# ---- several objectives --------------------------------------------------------------------------

spec = dict(SPEC, Metrics=SPEC["Metrics"] + [{"Name": "work", "Expression": "STEP * MODE"}])
with open(f.path("scale.json"), "w") as file:
    json.dump(spec, file)
GOAL = ("--objective", "min:time,max:work")
lines = tune("front.sqlite", *GOAL)
front = [json.loads(line) for line in
         f.run("best", "scale.json", "--store", "front.sqlite", "--json", *GOAL).splitlines()]
table = rows("scale.json", "--store", "front.sqlite", "--format", "csv", "--views", "pareto", *GOAL)
check([row["configuration"] for row in table] == [words(line["configuration"]) for line in front],
      "the front: %s" % table)
for row, line in zip(table, front):
    check(float(row["time"]) == line["median_ns"], "the front: %s" % row)
    check(float(row["work"]) == line["configuration"]["STEP"] * line["configuration"]["MODE"], "the front: %s" % row)
summary = next(line for line in lines if line["type"] == "summary")
check({row["configuration"] for row in table} == {words(line["configuration"]) for line in summary["pareto"]},
      "the front of the tune")
picture("scale.json", "--store", "front.sqlite", "--format", "svg", "--views", "pareto", *GOAL)
left_out("pareto", "scale.json", "--store", "front.sqlite")
f.run("report", "scale.json", "--store", "front.sqlite", "--objective", "min:time,max:nothing", "--format", "markdown", status=2)
# What was chosen and is not there costs no page that was there before.
before = f.report("kept.html", "front.sqlite")
check(f.report("kept.html", "front.sqlite", "--device", "no such device", status=1) == before, "a page of nothing was written")
f.run("export", "scale.json", "--store", "front.sqlite", "--format", "csv", "-o", "front.csv")
f.run("report", "front.csv", "--device", "any", "--format", "markdown", status=2)

# ---- again -------------------------------------------------------------------------------------------

# Commands that repeat the answer and a failure, as they stand in the page and in its tables.
page = f.report("again.html", "scale.json", "--store", "sizes.sqlite", "--set", "N=4000")
again = html.unescape(re.sub("<[^>]*>", "", re.search("measure it again: <code>(.*?)</code>", page)[1]))
check("--set N=4000" in again, again)
f.run(*shlex.split(again)[1:], "--store", "again.sqlite")
for row in rows("scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "csv", "--views", "failures"):
    f.run(*shlex.split(row["to repeat it"])[1:], "--store", "again.sqlite", status=1)
# A picture for a paper: as wide as asked for, with text of the size asked for, and nothing cut.
for form, unit in (("finalists:84mm:8pt", 84 / (8 * 25.4 / 72) * 12), ("heatmap:84mm:6pt", 84 / (6 * 25.4 / 72) * 12)):
    svg = picture("scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "svg", "--views", form)
    box = re.search('viewBox="([-0-9.e]+) ([-0-9.e]+) ([-0-9.e]+) ([-0-9.e]+)" width="84mm"', svg)
    check(box and unit <= float(box[3]) <= 1.1 * unit, "%s is %s units wide, not %g" % (form, box and box[3], unit))
for wrong in ("finalists:84", "finalists:84mm:8", "finalists:mm", "finalists:84mm:40pt", "nothing:84mm"):
    f.run("report", "scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "svg", "--views", wrong, status=2)
# A PDF is made by a tool, here one that says what it was given; without it the error names the package.
wide = ("report", "scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--views", "finalists:84mm:8pt", "-o", "wide.pdf")
path = f.environment["PATH"]
for made in ("tools", "wide.pdf"):  # of a run before
    shutil.rmtree(f.path(made)) if os.path.isdir(f.path(made)) else os.path.exists(f.path(made)) and os.remove(f.path(made))
f.environment["PATH"] = f.path("tools")
check("Debian's package librsvg2-bin" in f.run(*wide, status=1, errors=True) and not os.path.exists(f.path("wide.pdf")), "no rsvg-convert")
os.makedirs(f.path("tools"), exist_ok=True)
with open(f.path("tools/rsvg-convert"), "w") as tool:
    tool.write("#!%s\nimport os, sys\nif os.environ.get('FAILS'): sys.exit('no fonts')\n"
               "assert sys.argv[1:4] == ['-f', 'pdf', '-o'], sys.argv\n"
               "open(sys.argv[4], 'wb').write(b'%%PDF-1.5\\0' + open(sys.argv[5], 'rb').read())\n" % sys.executable)
os.chmod(f.path("tools/rsvg-convert"), 0o755)
f.run(*wide)
with open(f.path("wide.pdf"), "rb") as made:
    made = made.read()
check(made.startswith(b"%PDF-1.5\0<svg ") and b'width="84mm"' in made and b"</svg>" in made, "the tool's file is the output")
# Readers without custom properties have each colour as it is.
check(b".correct,.bar{stroke:#0072b2;stroke:var(--correct)}" in made and b".grid{stroke:#e3e3e3;stroke:var(" in made, "colours")
f.environment["FAILS"] = "1"
check("made no PDF: no fonts" in f.run(*wide, status=1, errors=True), "a tool that fails")
f.environment["PATH"] = path
# A page is mailed: no folder of this machine is in it, whatever the command line named, and no word that stands for a file.
absolute = f.report("absolute.html", f.path("scale.json"), "--store", f.path("sizes.sqlite"), "--set", "N=4000")
check(f.scratch not in absolute and os.path.expanduser("~/") not in absolute, "a folder is in the page")
check(not re.search(r"\bSPEC\b", absolute), "SPEC stands for a file")
check("<dt>This page</dt><dd>hone report scale.json --store sizes.sqlite" in absolute, "this page's command")
# Over each picture stands what it shows, computed, and how to read it behind a question mark.
for view, pattern in (("finalists", "tied|distinguishable"), ("evaluations", "The shortest time, [0-9.]+ .s, came with"), ("distribution", "Within 10 % of the best: [0-9]+ of 8"),
                      ("parameters", "The most costly value is (STEP|MODE)="), ("heatmap", "Best with (STEP|MODE)="), ("failures", "8 of 16 configurations failed, 4 of them")):
    section = page[page.index('data-view="%s"' % view):]
    said = re.search('<p class="says">([^<]*)</p>', section[:section.index("</section>")])
    check(said and re.search(pattern, html.unescape(said[1])), "%s says %s" % (view, said and said[1]))
    check('aria-label="How to read this: ' in section[:section.index("</section>")], "how to read " + view)
check(re.search("<dt>Launch</dt><dd>1 / 1", page), "the launch")
check("<dt>Seed</dt><dd>0</dd>" in page and "<dt>Its rules</dt><dd>level=0.95" in page and "<dt>Host</dt>" in page, "seed, rules, host")
times = [float(row["seconds"]) for row in rows("scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "csv", "--views", "time")]
check(times == sorted(times) and any(t % 1 for t in times), "moments are whole seconds: %s" % times)

# ---- samples, resources, sources -----------------------------------------------------------------

ranked = {words(line["configuration"]): line for line in measured[4000] if line["type"] == "ranked"}
table = rows("scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "csv", "--views", "samples")
seen = 0
for row in table:
    samples = sorted(int(v) for v in row["all (ns)"].split())
    check(len(samples) == int(row["samples"]), "samples: %s" % row)
    line = ranked.get(row["configuration"])
    if line:
        seen += 1
        check(samples == sorted(line["samples_ns"]), "samples of %s" % row["configuration"])
        check(float(row["median"]) == line["median_ns"], "the median of %s" % row["configuration"])
check(seen == len(ranked) > 0, "%d of %d finalists have their samples" % (seen, len(ranked)))
picture("scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "svg", "--views", "samples")
table = rows("scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "csv", "--views", "resources")
check({row["status"] for row in table} >= {"correct", "compile", "correctness"}, "resources: %s" % table)
check(any("wrong" in row["outputs"] for row in table if row["status"] == "correctness"), "no deviation: %s" % table)
table = rows("scale.json", "--store", "sizes.sqlite", "--set", "N=4000", "--format", "csv", "--views", "source")
check(any("-DSTEP=8" in row["options"] and "-DN=4000" in row["options"] for row in table), "options: %s" % table)
page = f.report("details.html", "scale.json", "--store", "sizes.sqlite", "--set", "N=4000")
check("#error this one is refused" in page and "r &lt; MODE" in page, "the source is not in the page")
left_out("samples", f.recorded("measured.json", 100))

# ---- what hone score and hone deploy found -------------------------------------------------------

scores = f.run("score", f.recorded("space.json", 400), "--repeats", "4", "--strategy", "random", "--strategy", "genetic",
               "--json")
with open(f.path("score.json"), "w") as file:
    file.write(scores)
table = rows("score.json", "--format", "csv", "--views", "convergence")
lines = [json.loads(line) for line in scores.splitlines()]
lines = [line for line in lines if "strategy" in line]
check(len(table) == len(lines) == 2, "scores: %s" % table)
for row, line in zip(table, lines):
    check(row["strategy"] == line["strategy"] and float(row["score"]) == line["score"], "score: %s" % row)
    check([float(row["low"]), float(row["high"])] == line["interval"], "interval: %s" % row)
    check(row["% of the budget: score"].startswith("%g: %.4g" % (100 * line["at"][0]["share"], line["at"][0]["score"])),
          "along the budget: %s" % row)
picture("score.json", "--format", "svg", "--views", "convergence")
left_out("convergence", "space.json")

f.run("deploy", "scale.json", "--set", "N=4000,16000", "--budget", "8", "--store", "deploy.sqlite", "--format", "json",
      "-o", "deployed.json")
with open(f.path("deployed.json")) as file:
    deployed = json.load(file)
table = rows("deployed.json", "--format", "csv", "--views", "deployed")
points = [point for device in deployed["devices"] for point in device["points"]]
check([row["shape"] for row in table] == ["N=%d" % point["shape"][0] for point in points], "shapes: %s" % table)
for row, point in zip(table, points):
    check(float(row["time"]) == point["median_ns"], "deployed: %s" % row)
    check(float(row["above the best"]) == point["above_best"], "deployed: %s" % row)
picture("deployed.json", "--format", "svg", "--views", "deployed")
left_out("deployed", "space.json")
page = f.report("found.html", "score.json", "deployed.json", "scale.json", "--store", "sizes.sqlite", "--all")
check(all('data-view="%s"' % view in page for view in ("convergence", "deployed", "sizes", "table")), "found.html")

# What a tune began with: a configuration of the user's, and what is known of another size.
start = ",".join("%s=%s" % item for item in best[4000]["configuration"].items())
began = f.run("tune", "scale.json", "--store", "sizes.sqlite", "--set", "N=24000", "--budget", "4", "--start-with", start, "--json")
with open(f.path("began.json"), "w") as file:
    file.write(began)
summary = json.loads(began.splitlines()[-1])
table = rows("began.json", "--format", "csv", "--views", "beginning")
check(len(table) == len(summary["start_with"]) + len(summary["sources"]) and len(summary["start_with"]) == 1, "began: %s" % table)
check(table[0]["began with"] == "start_with" and table[0]["what"] == words(best[4000]["configuration"]), "start_with: %s" % table)
for row, line in zip(table, summary["start_with"] + summary["sources"]):
    check(row["became of it"] == line.get("status", line.get("outcome")), "what became of it: %s" % row)
    check((row["time"] or None) is None or float(row["time"]) == line["median_ns"], "its time: %s" % row)
    check(row["times the best"] == ("" if line["best_ratio"] is None else "%.17g" % line["best_ratio"])
          or abs(float(row["times the best"]) - line["best_ratio"]) < 1e-6, "its worth: %s" % row)
    check(row["basis"] == (line["best_ratio_basis"] or ""), "its basis: %s" % row)
# Where it is of the ranking it is what the ranking says.
ranked = {words(line["configuration"]): line["ratio"] for line in map(json.loads, began.splitlines()) if line["type"] == "ranked"}
for line in summary["start_with"]:
    own, chosen = ranked.get(words(line["configuration"])), ranked.get(words(summary["best"]["configuration"]))
    check((line["best_ratio_basis"] == "ranked") == (own is not None and chosen is not None), "basis: %s of %s" % (line, ranked))
    check(own is None or abs(line["best_ratio"] - own / chosen) < 1e-6, "%s of %s" % (line, ranked))
left_out("beginning", "space.json")
check("what a tune began with" in f.report("began.html", "began.json", "scale.json", "--store", "sizes.sqlite", "--all"), "began.html")
with open(f.path("alone.json"), "w") as file:
    file.write(f.run("tune", "scale.json", "--no-store", "--budget", "3", "--json"))
check(rows("alone.json", "--format", "csv", "--views", "beginning")[0]["began with"].startswith("configurations asked for by the strategy"), "nothing to begin with")

# Kernels that were judged, in two runs: by their scores, a text that was judged twice by the lower one, wrong ones last.
verdict = {"type": "verdict", "at": None, "evidence": None, "same_as": None, "measured_twice": False}
judged = [dict(verdict, candidate=name, sha256=sha, verdict=what, score=low, speedup=low and 1.1 * low, interval=low and [low, 1.2 * low])
          for name, sha, what, low in [("plain", "a1", "same", 0.97), ("lucky", "b2", "faster", 1.9), ("fast", "c3", "faster", 1.3),
                                       ("zeros", "d4", "incorrect", None), ("lucky", "b2", "same", 0.9), ("flips", "e5", "faster", 1.2),
                                       ("flips", "e5", "cheats", None)]]
judged[0]["same_as"], judged[3]["evidence"] = "twin", "/home/me/zeros.cl:1:2: wrong"
lines = [{"type": "error", "line": 1, "message": "no JSON"}, *judged[:4], {"type": "summary", "spec": "/a/b/gemm.json", "hone": "0", "device": {}}, *judged[4:]]
with open(f.path("judged.jsonl"), "w") as file:
    file.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
table = rows("judged.jsonl", "--format", "csv", "--views", "leaderboard")
check([(r["rank"], r["candidate"], r["verdict"]) for r in table] == [("1", "fast", "faster"), ("2", "plain", "same"), ("3", "lucky", "same"),
      ("", "flips", "cheats"), ("", "zeros", "incorrect")], "leaderboard: %s" % table)
check(table[1]["evidence"] == "the code of twin" and table[4]["evidence"] == "zeros.cl:1:2: wrong", "evidence: %s" % table)
check(float(table[0]["score"]) == float(table[0]["low"]) == 1.3 and table[4]["score"] == "", "scores: %s" % table)
check("gemm.json: kernels that were judged" in f.report("judged.html", "judged.jsonl"), "judged.html")
left_out("leaderboard", "space.json")

# A page of some views has these, and the answer; what is no view is refused.
few = f.report("few.html", "scale.json", "--store", "sizes.sqlite", "--all", "--views", "sizes,table")
check(set(re.findall('data-view="([a-z]+)"', few)) <= {"answer", "sizes", "table"} and 'data-view="table"' in few, "few.html")
check(len(few) < len(page), "few views are not a smaller page")
numbers = [int(n) for n in re.findall('<li><a href="#set-[0-9]+">[^<]*N=([0-9]+)', few)]
check(numbers == sorted(numbers) and len(numbers) > 1, "sets in the order of their sizes: %s" % numbers)
f.run("report", "scale.json", "--store", "sizes.sqlite", "--views", "sizes,tabel", status=2)
f.run("report", "scale.json", "--store", "sizes.sqlite", "--views", "", status=2)
for view, said in (("table", "'table' has no picture"), ("tabel", "there is no view 'tabel'")):
    check(said in f.run("report", "scale.json", "--store", "sizes.sqlite", "--format", "svg", "--views", view, status=2, errors=True), "--svg " + view)

BROKEN = (began[:began.index('{"type":"summary"')], began[:-20], scores[:200], '{"strategy": 1, "scores": []}', '{"strategy": "a", "scores": [], "score": "x"}',
          '{"strategy": "a", "scores": [], "score": 1, "at": [{"share": 7}]}', scores + "]",
          json.dumps(dict(deployed, columns=[1]), separators=(",", ":")),
          json.dumps(dict(deployed, columns=[]), separators=(",", ":")),
          json.dumps(dict(deployed, devices=[]), separators=(",", ":")),
          json.dumps(dict(deployed, configurations={}), separators=(",", ":")))
for text in BROKEN:
    with open(f.path("broken.json"), "w") as file:
        file.write(text)
    f.run("report", "broken.json", status=2)

print("views: all is well")
