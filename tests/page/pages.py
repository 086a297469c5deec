"""pages.py HONE SCRATCH: report pages, read as files: numbers equal those of `hone best` and `hone tune --json`, nothing is
asked of a network, texts of others stay texts, elements are those that are kept, sizes stay within bounds. Without a browser."""
import base64
import hashlib
import html.parser
import json
import os
import re
import sys
import time

from fixtures import HOSTILE, Fixtures
from outline import compare

f = Fixtures(sys.argv[1], sys.argv[2])
SANITIZED = "HONE_SANITIZED" in os.environ


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Page(html.parser.HTMLParser):
    """Elements with their attributes; the text of scripts, styles, and of all else."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.styles, self.views, self.texts, self.cells = [], [], [], [], [], []
        self.stack = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag in ("script", "style", "td", "dd"):
            self.stack.append((tag, attributes, []))
        if "data-view" in attributes:
            self.views.append(attributes["data-view"])

    def handle_endtag(self, tag):
        if self.stack and self.stack[-1][0] == tag:
            _, attributes, data = self.stack.pop()
            {"script": self.scripts, "style": self.styles}.get(tag, self.cells).append((attributes, "".join(data)))

    def handle_data(self, data):
        self.texts.append(data)
        if self.stack:
            self.stack[-1][2].append(data)

    def islands(self):
        return [json.loads(text) for attributes, text in self.scripts if attributes.get("class") == "data"]

    def fact(self, name):
        return [a for a, _ in self.cells if a.get("data-name") == name]


def column(text):
    return [float(v) if v else None for v in text.split(",")]


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def check_closed(text, page):
    """One script that runs, allowed by its digest alone; nothing that a browser would fetch."""
    own = [t for a, t in page.scripts if a.get("type") != "application/json"]
    check(len(own) == 1 and len(page.styles) == 1, "not one script and one style")
    policy = [a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    check(len(policy) == 1 and digest(own[0]) in policy[0] and digest(page.styles[0][1]) in policy[0], "the policy")
    check("default-src 'none'" in policy[0] and "unsafe" not in policy[0], policy[0])
    for tag, attributes in page.elements:
        check(tag not in ("link", "img", "iframe", "object", "embed", "base", "video", "audio", "form"), tag)
        for name, value in attributes.items():
            check(not name.startswith("on") and name != "style", "%s of %s" % (name, tag))
            check(name not in ("src", "srcset", "action", "xlink:href"), "%s of %s" % (name, tag))
            check(name != "href" or value.startswith("#"), "%s" % value)
    check(not re.search(r"@import|url\(", page.styles[0][1]), "the style fetches")
    for word in ("fetch(", "XMLHttpRequest", "innerHTML", "eval(", "import(", "WebSocket", "sendBeacon"):
        check(word not in own[0], "the script has " + word)
    check("<" not in "".join(t for a, t in page.scripts if a.get("type")), "an island has a <")
    ids = [a["id"] for _, a in page.elements if "id" in a]
    check(len(ids) == len(set(ids)), "two elements have one id")


# ---- a tune with all that can go wrong -----------------------------------------------------------

lines = f.tune()
best = json.loads(f.run("best", "scale.json", "--store", "tuned.sqlite", "--json"))
summary = next(line for line in lines if line["type"] == "summary")
text = f.report("tuned.html", "scale.json", "--store", "tuned.sqlite")
page = Page(text)
check_closed(text, page)
check(float(page.fact("median_ns")[0]["data-v"]) == best["median_ns"], "the median")
if best["interval_ns"]:
    interval = page.fact("interval_ns")[0]
    check([float(interval["data-low"]), float(interval["data-high"])] == best["interval_ns"], "the interval")
check(abs(float(page.fact("speedup_over_default")[0]["data-v"]) - summary["speedup_over_default"]) < 1e-12,
      "the speed-up: %s and %s" % (page.fact("speedup_over_default"), summary["speedup_over_default"]))
check(int(float(page.fact("tied_count")[0]["data-v"])) == summary["ranking"]["tied"], "ties")
data = page.islands()[0]
names = [p["name"] for p in data["parameters"]]
rows = {}
for i in range(data["count"]):
    choice = {p["name"]: p["values"][int(c.split(",")[i])] for p, c in zip(data["parameters"], data["choice"])}
    rows[tuple(sorted(choice.items()))] = i
times, statuses = column(data["time"]), column(data["status"])
newest = {}
for line in lines:
    if line["type"] in ("result", "ranked"):
        newest[tuple(sorted(line["configuration"].items()))] = line
seen = set()
for key, line in newest.items():
    if line["same_as"]:
        continue
    check(key in rows, "%s is not in the page" % (key,))
    status = data["statuses"][int(statuses[rows[key]] or 0)]
    check(status == line["status"], "%s: %s" % (key, status))
    check(times[rows[key]] == line["median_ns"], "%s: %s, not %s" % (key, times[rows[key]], line["median_ns"]))
    seen.add(status)
check({"correct", "compile", "correctness"} <= seen, "statuses: %s" % seen)
check({"evaluations", "finalists", "rounds", "distribution", "importance", "failures", "table"} & set(page.views) >=
      {"evaluations", "finalists", "rounds", "distribution", "failures", "table"}, "views: %s" % page.views)

# The finalists' intervals, as they were decided.
csv = f.run("report", "scale.json", "--store", "tuned.sqlite", "--format", "csv", "--views", "finalists").splitlines()
head = re.findall(r'[^,]+', csv[0])
ranked = [line for line in lines if line["type"] == "ranked"]
check(len(csv) - 1 == len(ranked), "%d finalists, %d ranked" % (len(csv) - 1, len(ranked)))
for line in ranked:
    words = ", ".join("%s=%s" % (k, v) for k, v in line["configuration"].items())
    row = next(r for r in csv if '"%s"' % words in r).replace('"%s"' % words, "-").split(",")
    check(float(row[head.index("median")]) == line["median_ns"], "median of %s" % words)
    check(float(row[head.index("ratio")]) == line["ratio"], "ratio of %s" % words)
    low, high = row[head.index("ratio low")], row[head.index("ratio high")]
    check(([float(low), float(high)] if low else None) == line["ratio_interval"], "interval of %s" % words)
    check((row[head.index("tied")] == "tied") == line["tied"], "tie of %s" % words)

# Of the store alone the same; a picture, a table, a summary; a part of the space.
store = Page(f.report("store.html", "tuned.sqlite"))
check(store.fact("median_ns") == page.fact("median_ns"), "the store says something else than the spec")
svg = f.run("report", "tuned.sqlite", "--format", "svg", "--views", "evaluations")
check(svg.startswith("<svg xmlns=") and svg.rstrip().endswith("</svg>") and "<style>" in svg and "prefers-color-scheme:dark" in svg
      and "svg{background:#fff}" in svg, "the picture")
import xml.dom.minidom
xml.dom.minidom.parseString(svg)
check("| place | configuration |" in f.run("report", "tuned.sqlite", "--format", "markdown"), "Markdown")
part = Page(f.report("part.html", "tuned.sqlite", "--where", "STEP == 8")).islands()[0]
check(part["count"] == 4, "STEP == 8 leaves %d" % part["count"])
f.run("report", "tuned.sqlite", "--format", "svg", "--views", "nothing", status=2)
f.run("report", "tuned.sqlite", "--format", "svg", "--views", "time", "--format", "markdown", status=2)
f.run("report", "nothing.json", status=2)

# ---- texts of others -----------------------------------------------------------------------------

name = f.recorded("hostile.json", 200, HOSTILE, HOSTILE)
text = f.report("hostile.html", name)
page = Page(text)
check_closed(text, page)
check("\u202e" not in text and "\u0007" not in text, "control characters reach the page")
check("<img" not in text and text.count("<script") == 2, "a text became markup")
xml.dom.minidom.parseString(f.run("report", name, "--format", "svg", "--views", "parallel"))
check(not re.search(r"(?<!\\)<img", f.run("report", name, "--format", "markdown")), "a text became markup in Markdown")

compare(text, "hostile")
compare(f.report("recorded.html", f.recorded("recorded.json", 1000)), "recorded")
compare(f.report("empty.html", "scale.json", "--store", "tuned.sqlite", "--set", "N=1", status=1), "empty")

# ---- what recordings may be -----------------------------------------------------------------------


def recorded(name, rows):
    with open(f.path(name), "w") as file:
        json.dump({"schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"}, "results": [
            {"configuration": choice, "objectives": ["time"], "times": {"compilation_time": 0, "runtimes": [time] if time else []},
             "invalidity": "correct" if time else "compile", "measurements": [{"name": "time", "value": time}] if time else []}
            for choice, time in rows]}, file)
    return f.report(name.replace(".json", ".html"), name)


def ticks(text, view):
    section = text[text.index('data-view="%s"' % view):]
    return re.findall(r'<text class="tick"[^>]*>([^<]*)<', section[:section.index('<div class="narrow">')])


# One configuration: said as one, no picture of parameters without values, counts at whole numbers.
one = recorded("one.json", [({"a": 3}, 1.0)])
check("1 configuration, 1 correct." in one and "parameters (no parameter has several values)" in one, "one configuration")
check(all("." not in tick for tick in ticks(one, "distribution")), "half a configuration: %s" % ticks(one, "distribution"))
# Failures whose message is their status; times of 300 decades; more parameters than the picture has axes.
failed = recorded("failed.json", [({"a": i}, None) for i in range(5)])
check(">compile</text>" in failed and "compile: compile" not in failed and "no configuration has a time" in failed, "failures alone")
wide = recorded("wide.json", [({"a": i}, 10.0 ** (i * 20 - 280)) for i in range(1, 29)])
check(3 <= len(ticks(wide, "evaluations")) <= 20, "ticks of many decades: %s" % ticks(wide, "evaluations"))
many = recorded("forty.json", [({"p%d" % k: (i >> k % 5) & 1 for k in range(40)}, 1 + i * 0.1) for i in range(32)])
check("The first 24 of 40 parameters." in many, "axes are left out without a word")

# ---- several devices and languages ---------------------------------------------------------------

f.variants()
for name, word in (("devices", "Another device"), ("languages", "OpenCL")):
    text = f.report(name + ".html", "tuned.sqlite", name + ".sqlite")
    page = Page(text)
    check_closed(text, page)
    check(len(page.islands()) == 2 and len(page.fact("median_ns")) == 2, "%s: not two sets" % name)
    check([island["count"] for island in page.islands()] == [16, 16], name)
    check(sum(t == "nav" for t, _ in page.elements) == 1 and any(word in t for t in page.texts), "%s: not told apart" % name)

# ---- sizes ---------------------------------------------------------------------------------------

for count, most_bytes, most_seconds in ((1000, 1e6, 5), (10000, 2e6, 5), (100000, 12e6, 60)):
    name = f.recorded("many.json", count)
    began = time.monotonic()
    text = f.report("many.html", name)
    took = time.monotonic() - began
    print("%d results: %d bytes, %.2f s" % (count, len(text.encode()), took))
    check(len(text.encode()) <= most_bytes, "%d results take %d bytes" % (count, len(text.encode())))
    check(SANITIZED or took < most_seconds, "%d results take %.1f s" % (count, took))
    check(Page(text).islands()[0]["count"] == count, "not all results")

print("pages: all is well")
