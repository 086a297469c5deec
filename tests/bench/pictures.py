#!/usr/bin/env python3
"""The pictures of README and documents, which stand in src/doc/reports.

    tests/bench/pictures.py tune.svg hone tune kernels_cl/matmul_tiled.json     # needs tmux
    tests/bench/pictures.py beside.svg
    tests/bench/pictures.py rounds.svg        # and store, tiles, processes: drawings, by the file's name

With a command: what stands in a terminal of 100 columns at its end. beside: bars of figures of src/doc/benchmarks.md and of the
README's table, so that a picture never says what a table does not.
"""
import html
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS, WIDTH, LINE = 100, 8.4, 19  # characters; pixels of one, and of a line
COLOURS = {"31": "#f08a7d", "32": "#7fd88f", "33": "#e6c86e", "34": "#86b7f0", "36": "#7fd4d4", "90": "#9aa0a6"}


def screen(command):
    """What a terminal shows once the command has ended, with its colours."""
    socket = "hone-%d" % time.monotonic_ns()

    def tmux(*words):
        return subprocess.run(["tmux", "-L", socket, *words], check=True, capture_output=True, text=True).stdout

    with tempfile.NamedTemporaryFile() as ended:
        tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", "40",
             "%s; echo over >%s; sleep 60" % (shlex.join(command), ended.name))
        while not pathlib.Path(ended.name).read_text():
            time.sleep(0.2)
        time.sleep(0.5)
        lines = tmux("capture-pane", "-p", "-e").rstrip().split("\n")
        tmux("kill-server")
    return lines


def spans(line):
    """A line with SGR codes as pieces of text, each with its colour and weight."""
    colour, bold = None, False
    for code, text in re.findall(r"(?:\x1b\[([0-9;]*)m)?([^\x1b]*)", line):
        for part in code.split(";") if code else []:
            colour = COLOURS.get(part, colour) if part not in ("0", "39") else None
            bold = part == "1" or (bold and part not in ("0", "22"))
        if text:
            yield text, colour, bold


def terminal(command, out):
    shown = " ".join(pathlib.Path(w).name if w.startswith("/") else w for w in command)
    lines = ["\x1b[90m$\x1b[0m " + shown, *screen(command)]
    height = LINE * len(lines) + 28
    svg = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">'
           % (COLUMNS * WIDTH + 28, height, html.escape("a terminal: " + shown)),
           '<rect width="100%" height="100%" rx="8" fill="#1e2227"/>',
           '<g font-family="ui-monospace,DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="14" fill="#d7dae0">']
    for i, line in enumerate(lines):
        pieces = "".join('<tspan%s%s>%s</tspan>' % (' fill="%s"' % c if c else "", ' font-weight="700"' if b else "", html.escape(t))
                         for t, c, b in spans(line))
        svg.append('<text x="14" y="%d" xml:space="preserve">%s</text>' % (LINE * i + 28, pieces))
    out.write_text("\n".join([*svg, "</g></svg>", ""]))


def row_of(text, starts):
    for line in text.splitlines():
        if line.startswith("| " + starts):
            return [cell.strip(" *") for cell in line.strip("|").split("|")]
    raise SystemExit("no row '%s'" % starts)


def figures():
    """Groups of (what, [(who, value, unit)]): the longer the bar, the more. By the tables' own rows at 4096."""
    bench = (ROOT / "src/doc/benchmarks.md").read_text()
    simt = row_of(bench.split("`matmul_simt`, fp32", 1)[1], "4096")
    tensor = row_of(bench.split("`matmul_tensor` | corrected", 1)[1], "4096")
    times = row_of((ROOT / "README.md").read_text(), "matmul, 36 configurations, CUDA")
    tuned_s, over = float(times[1].split()[0]), float(times[2].split()[0])
    number = lambda cell: float(re.match(r"[\d.]+", cell).group())
    tflops = lambda cell: number(cell) / 1000
    return [
        ("Matrix product, 4096, fp32: OpenCL tuned by hone, and cuBLAS (TFLOP/s)",
         [("hone", tflops(simt[2]), ""), ("cuBLAS", tflops(simt[4]), "")]),
        ("fp32 accuracy by tensor cores (TFLOP/s)",
         [("hone", tflops(tensor[2]), ""), ("cuBLAS fp32", tflops(simt[4]), "")]),
        ("TF32 (TFLOP/s)",
         [("hone", tflops(tensor[6]), ""), ("cuBLAS TF32", tflops(tensor[6]) / number(tensor[7]), "")]),
        ("Time of a tune: 36 configurations, CUDA, whole processes (s; less is better)",
         [("hone", tuned_s, " s"), ("Kernel Tuner", tuned_s * over, " s")]),
    ]


def bars(out):
    y, body = 22, []
    for title, rows in figures():
        most = max(value for _, value, _ in rows)
        body.append('<text class="bold" x="8" y="%d">%s</text>' % (y, html.escape(title)))
        for who, value, unit in rows:
            y += 21
            length = 440 * value / most
            body.append('<text x="112" y="%d" text-anchor="end">%s</text><rect x="120" y="%d" width="%.1f" height="14" fill="%s"/>'
                        '<text x="%.1f" y="%d">%.4g%s</text>'
                        % (y, who, y - 11, length, "#009e73" if who == "hone" else "#9aa0a6", 126 + length, y, value, unit))
        y += 32
    out.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 %d" role="img" aria-label="hone beside cuBLAS and Kernel Tuner on an '
                   'NVIDIA H200">%s\n<rect class="paper" width="100%%" height="100%%"/>\n%s\n</svg>\n'
                   % (y - 24, STYLE, "\n".join(body)))


# ---- drawings ----------------------------------------------------------------------------------

STYLE = """<style>text{font:13px system-ui,sans-serif;fill:#1b1b1b}.small{font-size:12px}.faint{fill:#5f6368}.bold{font-weight:600}
.line{stroke:#5f6368;fill:none}.box{fill:#f1f3f4;stroke:#9aa0a6}.paper{fill:#fff}
.thin{stroke:#9aa0a6;stroke-width:.5;fill:none}
.a{fill:#009e73}.b{fill:#56b4e9}.c{fill:#e69f00}.d{fill:#9aa0a6}
@media(prefers-color-scheme:dark){text{fill:#e8eaed}.faint{fill:#9aa0a6}.box{fill:#2b2f33;stroke:#5f6368}.paper{fill:#16181b}.line{stroke:#9aa0a6}}
</style>"""


class Drawing:
    def __init__(self, width, height, label):
        self.size, self.label, self.parts = (width, height), label, []

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append('<text x="%g" y="%g" class="%s" text-anchor="%s">%s</text>' % (x, y, kind, anchor, html.escape(words)))

    def rect(self, x, y, w, h, kind, radius=2):
        self.parts.append('<rect x="%g" y="%g" width="%g" height="%g" rx="%g" class="%s"/>' % (x, y, w, h, radius, kind))

    def line(self, *points, arrow=False):
        self.parts.append('<polyline points="%s" class="line"%s/>'
                          % (" ".join("%g,%g" % p for p in points), ' marker-end="url(#arrow)"' if arrow else ""))

    def box(self, x, y, w, h, title, *lines):
        self.rect(x, y, w, h, "box", 6)
        self.text(x + w / 2, y + 20, title, "bold", "middle")
        for i, words in enumerate(lines):
            self.text(x + w / 2, y + 38 + 16 * i, words, "small", "middle")

    def write(self, out):
        out.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">\n%s\n'
                       '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
                       '<path d="M0 0L8 4L0 8z" fill="#5f6368"/></marker></defs>\n<rect width="100%%" height="100%%" class="paper"/>\n%s\n</svg>\n'
                       % (*self.size, html.escape(self.label), STYLE, "\n".join(self.parts)))


def rounds():
    """Four finalists: launched in turn in each round, while the clock drifts; then what the ratios say."""
    d = Drawing(720, 250, "The rounds of a ranking: finalists are launched interleaved, and compared within each round")
    factors = {"a": 1.0, "b": 1.01, "c": 1.12, "d": 1.3}
    drift = [1.0, 1.05, 1.14, 1.2, 1.12, 1.04]
    noise = [0, 0.015, -0.01, 0.01, -0.015, 0.005]
    d.text(10, 22, "Each round launches every finalist once", "bold")
    for r, slow in enumerate(drift):
        for k, (kind, factor) in enumerate(factors.items()):
            height = 70 * slow * (factor + noise[(r + 2 * k) % 6])
            d.rect(14 + r * 68 + k * 14, 170 - height, 12, height, kind)
        d.text(40 + r * 68, 188, "round %d" % (r + 1), "small faint", "middle")
    d.line((10, 170), (418, 170))
    d.text(10, 218, "A round slows all of them alike: their ratios within", "small faint")
    d.text(10, 234, "a round are what is compared, not their times.", "small faint")
    d.text(450, 22, "Time over the leader's, 95 % intervals", "bold small")
    d.line((520, 40), (520, 172))
    d.text(520, 188, "1.0", "small faint", "middle")
    for i, (kind, name, low, high, words) in enumerate([
            ("a", "A", 1.0, 1.0, "the leader"), ("b", "B", 0.985, 1.03, "tied: 1 lies within"),
            ("c", "C", 1.09, 1.15, "slower"), ("d", "default", 1.26, 1.34, "1.3 times")]):
        y, x = 58 + 32 * i, lambda v: 520 + (v - 1) * 400
        d.text(504, y + 4, name, "small", "end")
        d.rect(x(low) - 3, y - 5, max(6, (high - low) * 400 + 6), 10, kind, 5)
        d.text(x(high) + 10 if high < 1.2 else x(low) - 10, y + 4, words, "small faint", "start" if high < 1.2 else "end")
    d.text(450, 218, "A and B are tied: the one with the fewer", "small faint")
    d.text(450, 234, "resources is chosen.", "small faint")
    return d


def store():
    d = Drawing(720, 270, "The store's key: everything that may change a result")
    parts = [("the kernel's source", "and all that it includes"), ("options, sizes, arguments", "parameters and constants"),
             ("verification", "reference, tolerance, inputs"), ("the device's model", "of a CPU: its cores in use"),
             ("driver and compiler", "with their versions"), ("how hone measures", "cold or warm, its version")]
    for i, (title, words) in enumerate(parts):
        y = 10 + 42 * i
        d.rect(10, y, 210, 36, "box", 6)
        d.text(20, y + 15, title, "small bold")
        d.text(20, y + 30, words, "small faint")
        d.line((220, y + 18), (250, y + 18), (250, 135), (282, 135), arrow=i == 2)
    d.box(284, 105, 120, 60, "the key", "SHA-256 of it all")
    d.line((404, 135), (440, 135), (440, 65), (468, 65), arrow=True)
    d.line((440, 135), (440, 205), (468, 205), arrow=True)
    d.box(470, 25, 240, 84, "in the store", "status, samples, resources, log", "answers at once: nothing is built", "or launched")
    d.box(470, 165, 240, 84, "not in the store", "built, verified, measured, kept;", "results under other keys stay,", "and answer when those come back")
    return d


def grid(d, x, y, columns, rows, cell, lit):
    """Cells as lines; `lit` are tiles, (column, row, columns, rows, kind)."""
    d.rect(x, y, columns * cell, rows * cell, "box", 0)
    for c, r, wide, high, kind in lit:
        d.rect(x + c * cell, y + r * cell, wide * cell, high * cell, kind, 0)
    for c in range(1, columns):
        d.parts.append('<path d="M%g %gv%g" class="thin"/>' % (x + c * cell, y, rows * cell))
    for r in range(1, rows):
        d.parts.append('<path d="M%g %gh%g" class="thin"/>' % (x, y + r * cell, columns * cell))


def tiles():
    d = Drawing(720, 290, "A matrix product by tiles: in local memory, and in registers")
    for x, title, words, wide in (
            (10, "A tile in local memory", ("A group loads 4 x 4 elements of A and of B,", "and uses each of them 4 times."), 1),
            (370, "And a tile in registers", ("Each work-item computes 2 x 2 elements:", "half as many loads from local memory."), 2)):
        d.text(x, 20, title, "bold")
        for i, line in enumerate(words):
            d.text(x, 256 + 17 * i, line, "small faint")
        grid(d, x + 120, 34, 12, 8, 9, [(4, 4, 4, 4, "b")])
        grid(d, x, 120, 12, 12, 9, [(4, 4, 4, 4, "c")])
        grid(d, x + 120, 120, 12, 12, 9, [(4, 4, 4, 4, "d"), (4, 4, wide, wide, "a")])
        d.text(x + 236, 80, "B", "faint")
        d.text(x + 4, 114, "A", "faint")
        d.text(x + 236, 224, "C", "faint")
        d.line((x + 110, 174), (x + 118, 174), arrow=True)
        d.line((x + 174, 108), (x + 174, 118), arrow=True)
    d.text(246, 140, "grey: a group", "small faint")
    d.text(246, 156, "green: a work-item", "small faint")
    return d


def processes():
    d = Drawing(720, 250, "The processes of a tune: the driver never lives in hone")
    d.box(10, 80, 150, 90, "hone", "chooses, compares,", "stores; has no driver")
    d.box(10, 196, 150, 44, "the store", "one SQLite file")
    d.line((85, 170), (85, 194), arrow=True)
    for i in range(3):
        d.box(260 + 10 * i, 16 + 8 * i, 180, 60, "build workers" if i == 2 else "", *(["compile ahead, one a core"] if i == 2 else []))
    d.box(270, 130, 180, 60, "bench worker", "verifies and measures")
    d.line((160, 110), (210, 110), (210, 60), (268, 60), arrow=True)
    d.line((160, 140), (210, 140), (210, 160), (268, 160), arrow=True)
    d.box(540, 130, 170, 60, "the device", "one launch at a time")
    d.line((450, 160), (538, 160), arrow=True)
    d.text(470, 50, "A worker that dies or hangs is a result", "small faint")
    d.text(470, 66, "of the configuration that did it.", "small faint")
    d.text(200, 222, "On another machine: hone \u2192 ssh, srun \u2192 hone-worker --node \u2192 workers there,", "small faint")
    d.text(200, 238, "which end with the connection. The store is written here alone.", "small faint")
    return d


DRAWINGS = {f.__name__: f for f in (rounds, store, tiles, processes)}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    output, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if command:
        terminal(command, output)
    elif output.stem in DRAWINGS:
        DRAWINGS[output.stem]().write(output)
    else:
        bars(output)


if __name__ == "__main__":
    main()
