#!/usr/bin/env python3
"""The README's pictures.

    tests/bench/pictures.py tune.svg hone tune kernels_cl/matmul_tiled.json     # needs tmux
    tests/bench/pictures.py beside.svg

With a command: what stands in a terminal of 100 columns at its end. Without: bars of figures of src/doc/benchmarks.md and of the
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
        body.append('<text x="8" y="%d" font-weight="600">%s</text>' % (y, html.escape(title)))
        for who, value, unit in rows:
            y += 21
            length = 440 * value / most
            body.append('<text x="112" y="%d" text-anchor="end">%s</text><rect x="120" y="%d" width="%.1f" height="14" fill="%s"/>'
                        '<text x="%.1f" y="%d">%.4g%s</text>'
                        % (y, who, y - 11, length, "#009e73" if who == "hone" else "#9aa0a6", 126 + length, y, value, unit))
        y += 32
    out.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 %d" role="img" aria-label="hone beside cuBLAS and Kernel Tuner on an '
                   'NVIDIA H200">\n<rect width="100%%" height="100%%" fill="#fff"/>\n<g font-family="system-ui,sans-serif" font-size="13" fill="#1b1b1b">\n%s\n</g></svg>\n'
                   % (y - 24, "\n".join(body)))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    output, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    terminal(command, output) if command else bars(output)


if __name__ == "__main__":
    main()
