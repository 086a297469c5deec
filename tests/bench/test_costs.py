#!/usr/bin/env python3
"""What each test costs: seconds of processor time, of all processes that it started, whatever else the machine does.

usage: tests/bench/test_costs.py BUILD [CTEST'S OPTIONS]      runs the tests of a build folder; a table, the costliest first
       tests/bench/test_costs.py -o FILE -- COMMAND...        one command, such as a compilation; a line is appended to FILE

Prefixes each test's command in BUILD's CTestTestfile.cmake with itself, and puts the files back at the end. Also without HONE_TEST_DATA
or the environment of a sanitizer: set what cmake/test.sh sets. Wall time is shown beside it: what waits, and does not compute, has
much more of it on an idle machine.
"""
import collections
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

SUBREAPER = 36  # prctl: what a test leaves behind is counted as well
RUN_TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cmake/run_tests.sh")


def measure(path, name, command):
    """Runs a command and everything below it; returns its exit status."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    begin = time.monotonic()
    child = os.posix_spawnp(command[0], command, os.environ, setsigdef=(signal.SIGTERM, signal.SIGINT, signal.SIGPIPE))
    status, user, system, count = 1, 0.0, 0.0, 0
    while True:
        try:
            pid, ended, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        user += usage.ru_utime
        system += usage.ru_stime
        count += 1
        if pid == child:
            status = os.waitstatus_to_exitcode(ended)
            if time.monotonic() - begin > 0 and not _others():
                break
    with open(path, "a", encoding="utf-8") as file:
        file.write("%.2f %.2f %.2f %s\n" % (user, system, time.monotonic() - begin, name))
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _others():
    """What the command has left: it is given a second to end, because drivers keep no process."""
    limit = time.monotonic() + 1
    while time.monotonic() < limit:
        try:
            if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return True
        except ChildProcessError:
            return False
        time.sleep(0.01)
    return False


def prefixed(text, path):
    word = '"%s" "-I" "%s" "-o" "%s"' % (sys.executable, os.path.abspath(__file__), path)
    return re.sub(r'^add_test\((\[=\[)?([^ \]]+)(\]=\])? ', lambda found: '%s %s "-n" "%s" "--" '
                  % (found.group(0).rstrip(), word, found.group(2)), text, flags=re.M)


def labels_of(build):
    """Labels by test, of the build's files of tests."""
    labels = {}
    for path in files_of(build):
        with open(path, encoding="utf-8") as file:
            for found in re.finditer(r'^set_tests_properties\((?:\[=\[)?([^ \]]+).*? LABELS "([^"]*)"', file.read(), re.M):
                labels[found.group(1)] = found.group(2).split(";")
    return labels


def files_of(build):
    for folder, folders, names in os.walk(build):
        folders[:] = [name for name in folders if name not in ("CMakeFiles", "scratch", "judges", "foreign")]
        if "CTestTestfile.cmake" in names:
            yield os.path.join(folder, "CTestTestfile.cmake")


def run_suite(build, options):
    path = os.path.abspath(os.path.join(build, "test_costs.txt"))
    if os.path.exists(path):
        os.remove(path)
    labels, kept = labels_of(build), {}
    for name in files_of(build):
        with open(name, encoding="utf-8") as file:
            kept[name] = file.read()
    try:
        for name, text in kept.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(prefixed(text, path))
        status = subprocess.call([RUN_TESTS, *options], cwd=build)
    finally:
        for name, text in kept.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
    if os.path.exists(path):
        show(path, labels)
    return status


def show(path, labels):
    rows, of_label = [], collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            user, system, wall, name = line.split(None, 3)
            name = name.strip()
            rows.append((float(user) + float(system), float(wall), name))
            for label in labels.get(name, ["(none)"]):
                of_label[label] += float(user) + float(system)
    for cost, wall, name in sorted(rows, reverse=True):
        print("%8.2f s of processor time %8.2f s  %s" % (cost, wall, name))
    print("%8.2f s of processor time, %d tests; by label: %s" % (
        sum(row[0] for row in rows), len(rows), ", ".join("%s %.0f" % item for item in of_label.most_common())))


def main(words):
    if words and words[0] == "-o":
        end = words.index("--")
        name = words[3] if words[2] == "-n" else " ".join(words[end + 1:])
        return measure(words[1], name, words[end + 1:])
    if not words or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    return run_suite(words[0], words[1:])


sys.exit(main(sys.argv[1:]))
