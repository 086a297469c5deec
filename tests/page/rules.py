"""rules.py HONE SCRATCH: report pages judged by axe-core's rules (names, roles, contrasts, keyboard), in light and in dark, narrow and
wide. Skipped where Chromium or axe-core (PyPI: axe-core-python) is not installed."""
import os
import sys

from devtools import Browser, check, find_browser
from fixtures import HOSTILE, Fixtures

try:
    import axe_core_python
except ImportError:
    print("skipped: axe-core is not installed")
    sys.exit(77)
program = find_browser()
if not program:
    print("skipped: no Chromium is installed")
    sys.exit(77)
with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js"), encoding="utf-8") as source:
    axe = source.read()
f = Fixtures(sys.argv[1], sys.argv[2])
f.tune()
f.variants()
f.report("tuned.html", "scale.json", "--store", "tuned.sqlite")
f.report("empty.html", "scale.json", "--store", "tuned.sqlite", "--set", "N=1", status=1)
f.report("devices.html", "tuned.sqlite", "devices.sqlite")
f.report("recorded.html", f.recorded("recorded.json", 60))
f.report("hostile.html", f.recorded("hostile.json", 60, HOSTILE, HOSTILE))
RUN = ("axe.run(document, {resultTypes: ['violations']%s}).then(r => r.violations.map(v => v.id + ': ' + v.help + ' ' + "
       "v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary.slice(0, 200)).join(' | ')))")
# In the dark only colours are others.
COLOURS = ", runOnly: ['color-contrast', 'link-in-text-block']"
browser = Browser(program)
try:
    for name in ("tuned", "devices", "recorded", "hostile", "empty"):
        for width, dark in ((1280, False), (1280, True), (400, False)):
            page = browser.open(width=width, dark=dark)
            page.load(f.path(name + ".html"))
            page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            page.value(axe + "; 0")
            found = page.value(RUN % (COLOURS if dark else ""))
            check(found == [], "axe-core on %s, %d pixels, %s:\n%s" % (name, width, "dark" if dark else "light", "\n".join(found)))
            page.close()
        print("%s: no violation" % name, flush=True)
finally:
    browser.close()
