#!/usr/bin/env python3
"""Times and memory of building spaces, hone beside Kernel Tuner. Run by space_speed.sh.

    space_speed.py HONE FOLDER RUNS

For each space, in milliseconds:

    hone        CPU time of a whole process `hone space FILE --json`: its start, reading the JSON, writing
    in it       of that reading the file and building the space, as hone says itself (wall time)
    tuner       CPU time of Kernel Tuner's Searchspace() alone, its process started and the file read before
    MiB         the most memory of either process

hone: the median of RUNS, Kernel Tuner: of three, of one where it takes longer than a second. Counts are
compared with expected.json: exit status 1 where one differs.
"""
import json
import os
import statistics
import subprocess
import sys
import time

PEAK = "VmHWM:"


def peak_mib():
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith(PEAK))
    return int(line.split()[1]) / 1024


def construct(path):
    """In a process of its own: one space of Kernel Tuner's."""
    from kernel_tuner.searchspace import Searchspace

    with open(path) as file:
        space = json.load(file)["ConfigurationSpace"]
    parameters = {p["Name"]: eval(p["Values"]) for p in space["TuningParameters"]}
    restrictions = [c["Expression"] for c in space.get("Conditions", [])]
    start = time.process_time()
    built = Searchspace(parameters, restrictions, 1 << 40)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "valid": built.size, "mib": peak_mib()}))


def tuner(path):
    def run():
        command = [sys.executable, os.path.abspath(__file__), "--construct", path]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        return json.loads(lines[-1])

    results = [run()]
    while results[0]["seconds"] < 1 and len(results) < 3:
        results.append(run())
    return {
        "ms": statistics.median(r["seconds"] for r in results) * 1e3,
        "mib": max(r["mib"] for r in results),
        "valid": results[0]["valid"],
    }


def cpu_ms(command):
    """CPU time of a process, as the kernel counts it."""
    with open(os.devnull, "w") as null:
        actions = [(os.POSIX_SPAWN_DUP2, null.fileno(), 1)]
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)}: failed")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def hone(program, path, runs):
    command = [program, "space", path, "--json"]
    times = [cpu_ms(command) for _ in range(runs)]
    stats = [json.loads(subprocess.check_output(command + ["--details"])) for _ in range(runs)]
    return {
        "ms": statistics.median(times),
        "inside": statistics.median((s["read_seconds"] + s["build_seconds"]) * 1e3 for s in stats),
        "mib": max(s["peak_memory_bytes"] for s in stats) / 2**20,
        "valid": stats[0]["valid"],
    }


def main(program, folder, runs):
    with open(os.path.join(folder, "expected.json")) as file:
        expected = json.load(file)
    head = ("space", "valid", "hone ms", "in it", "tuner ms", "times", "hone MiB", "tuner MiB")
    print(f"{head[0]:28}" + "".join(f"{title:>12}" for title in head[1:]))
    total = dict.fromkeys(("hone", "inside", "tuner", "hone_mib", "tuner_mib"), 0.0)
    wrong = []
    for name, about in expected.items():
        path = os.path.join(folder, name + ".json")
        ours, theirs = hone(program, path, runs), tuner(path)
        if not ours["valid"] == theirs["valid"] == about["valid"]:
            wrong.append(f"{name}: hone {ours['valid']}, tuner {theirs['valid']}, not {about['valid']}")
        print(
            f"{name:28}{ours['valid']:12}{ours['ms']:12.2f}{ours['inside']:12.3f}{theirs['ms']:12.2f}"
            f"{theirs['ms'] / ours['ms']:12.1f}{ours['mib']:12.1f}{theirs['mib']:12.1f}",
            flush=True,
        )
        for key, value in (
            ("hone", ours["ms"]),
            ("inside", ours["inside"]),
            ("tuner", theirs["ms"]),
            ("hone_mib", ours["mib"]),
            ("tuner_mib", theirs["mib"]),
        ):
            total[key] += value
    print(
        f"{'sum':28}{'':12}{total['hone']:12.2f}{total['inside']:12.3f}{total['tuner']:12.2f}"
        f"{total['tuner'] / total['hone']:12.1f}{total['hone_mib']:12.1f}{total['tuner_mib']:12.1f}"
    )
    print(f"memory: 1/{total['tuner_mib'] / total['hone_mib']:.0f}")
    for line in wrong:
        print("wrong count:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--construct":
        construct(sys.argv[2])
    elif len(sys.argv) == 4:
        sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    else:
        sys.exit(__doc__)
