"""Runs a command N times in one environment and N times in another, alternately, each first in half of the pairs, and says by how much the
second takes longer: CPU time (of all its processes) and wall time, the median of the pairs' ratios with a 95 % interval by order
statistics, which a few disturbed runs do not move.

    pairs.py N NAME=VALUE... -- COMMAND [ARGUMENTS]"""
import math
import os
import statistics
import sys
import time


def run(command, more):
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        os.environ.update(more)
        os.execvp(command[0], command)
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(f"{command[0]} ended with status {status} {'with' if more else 'without'} the environment")
    return used.ru_utime + used.ru_stime, time.perf_counter() - started


def interval(ratios):
    ratios = sorted(ratios)
    n = len(ratios)
    half = int(math.ceil(n / 2 - 1.96 * math.sqrt(n) / 2)) - 1
    low, high = (ratios[max(half, 0)], ratios[min(n - 1 - half, n - 1)])
    return statistics.median(ratios), low, high


at = sys.argv.index("--")
turns, command = int(sys.argv[1]), sys.argv[at + 1:]
more = dict(word.split("=", 1) for word in sys.argv[2:at])
run(command, {}), run(command, more)  # caches
pairs = []
for turn in range(turns):
    first = run(command, more if turn % 2 else {})
    second = run(command, {} if turn % 2 else more)
    pairs.append((second, first) if turn % 2 else (first, second))
for what, index in (("CPU", 0), ("wall", 1)):
    median, low, high = interval([with_[index] / without[index] for without, with_ in pairs])
    own = statistics.median(without[index] for without, _ in pairs)
    verdict = "at most 1 %" if high < 1.01 else "MORE" if low > 1.01 else "not shown"
    print(f"  {what:4} {1e3 * own:9.1f} ms, with the table {100 * (median - 1):+6.2f} % [{100 * (low - 1):+.2f} .. {100 * (high - 1):+.2f}]"
          f" in {turns} pairs: {verdict}", flush=True)
