#!/usr/bin/env python3
"""report_speed.py BUILD [COUNT...]: what `hone report` takes for recorded spaces of so many results (1,000, 10,000 and 100,000):
processor time and wall time of writing, the least of five runs; the size of the page; and, where Chromium is installed, how long
it takes there until the first picture stands and until the script has read all, and what it takes to draw all
views anew once a filter is taken back."""
import os
import resource
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "page"))
sys.dont_write_bytecode = True
from devtools import Browser, find_browser  # noqa: E402
from fixtures import Fixtures  # noqa: E402

FIRST = ("new Promise(r => { const w = () => { const e = performance.getEntriesByName('first-contentful-paint')[0]; "
         "e ? r(e.startTime) : setTimeout(w, 20); }; w(); })")
build, counts = sys.argv[1], [int(c) for c in sys.argv[2:]] or [1000, 10000, 100000]
folder = tempfile.mkdtemp(prefix="hone-report-speed-")
program = find_browser()
browser = Browser(program) if program else None
print("results    bytes      write: processor  wall   browser: first picture  read   drawn anew")
try:
    f = Fixtures(os.path.join(build, "hone"), folder)
    for count in counts:
        name = f.recorded("recorded.json", count)
        least = wall = float("inf")
        for _ in range(5):
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            f.run("report", name, "-o", "report.html")
            wall = min(wall, time.monotonic() - began)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        line = "%7d %9d %17.2f s %5.2f s" % (count, os.path.getsize(f.path("report.html")), least, wall)
        if browser:
            page = browser.open()
            seconds = page.load(f.path("report.html"))
            first = page.value(FIRST) / 1000
            page.value("(() => { const i = document.querySelector('.tools input'); i.value = 'parameter_0 = 3'; "
                       "i.dispatchEvent(new Event('input')); })()")
            page.value("new Promise(r => setTimeout(r, 1000))")
            redrawn = page.value("(() => { const began = performance.now(); document.querySelector('.tools button').click(); "
                                 "return performance.now() - began; })()") / 1000
            line += " %20.2f s %5.2f s %12.2f s" % (first, seconds, redrawn)
            page.close()
        print(line, flush=True)
finally:
    if browser:
        browser.close()
    shutil.rmtree(folder, ignore_errors=True)
