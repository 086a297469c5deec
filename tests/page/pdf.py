"""pdf.py HONE SCRATCH: a view as PDF, by rsvg-convert itself: as wide as asked for, fonts embedded, in its colours. 77: it is not installed."""
import re
import shutil
import sys
import zlib

from devtools import check
from fixtures import Fixtures

if not shutil.which("rsvg-convert"):
    print("skipped: rsvg-convert is not installed (Debian: librsvg2-bin)")
    sys.exit(77)
f = Fixtures(sys.argv[1], sys.argv[2])
f.recorded("recorded.json", 400)
f.run("report", "recorded.json", "--views", "evaluations:84mm:8pt", "-o", "evaluations.pdf")
with open(f.path("evaluations.pdf"), "rb") as made:
    pdf = made.read()
parts = [pdf]
for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.S):
    try:
        parts.append(zlib.decompress(stream))
    except zlib.error:
        pass
whole = b"\n".join(parts)
box = re.search(rb"/MediaBox *\[ *0 0 ([0-9.]+) ", whole)
check(box and abs(float(box[1]) - 84 / 25.4 * 72) < 1, "its width: %s points" % (box and box[1]))
check(b"/FontFile" in whole, "fonts are embedded")
check(re.search(rb"0(\.0*)? 0?\.447\d* 0?\.698\d* (RG|SCN)", whole), "the colour of correct configurations")
