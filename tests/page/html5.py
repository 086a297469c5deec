"""html5.py HONE SCRATCH: report pages judged by html5lib's strict parser, which forgives nothing. Skipped where html5lib is not
installed."""
import sys

from fixtures import HOSTILE, Fixtures

try:
    import html5lib
except ImportError:
    print("skipped: html5lib is not installed")
    sys.exit(77)
f = Fixtures(sys.argv[1], sys.argv[2])
f.tune()
f.variants()
recorded, hostile = f.recorded("recorded.json", 1000), f.recorded("hostile.json", 200, HOSTILE, HOSTILE)
for name, arguments, status in (
        ("tuned", ("scale.json", "--store", "tuned.sqlite"), 0), ("empty", ("scale.json", "--store", "tuned.sqlite", "--set", "N=1"), 1),
        ("devices", ("tuned.sqlite", "devices.sqlite"), 0), ("languages", ("tuned.sqlite", "languages.sqlite"), 0),
        ("recorded", (recorded,), 0), ("hostile", (hostile,), 0), ("all", ("tuned.sqlite", recorded, hostile), 0)):
    text = f.report(name + ".html", *arguments, status=status)
    try:
        html5lib.HTMLParser(strict=True).parse(text)
    except Exception as e:
        raise AssertionError("html5lib on %s: %r" % (name, e))
    print("%s: %d bytes without an error" % (name, len(text.encode())))
