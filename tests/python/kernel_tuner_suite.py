"""Kernel Tuner's own tests over hone's interface: runs them and writes each one's outcome as a line of JSON.

    kernel_tuner_suite.py control|hone FOLDER OUT [PYTEST'S ARGUMENTS]
    kernel_tuner_suite.py compare CONTROL HONE EXCUSED

FOLDER has its `test` from the source archive. With `hone`, kernel_tuner is hone.kernel_tuner; what that does not have, whole modules included, is a
name that fails where it is used, so that each test counts for itself. `compare` holds the outcomes beside each other: what passes in the control
passes over hone, too, or a line of EXCUSED names it with the reason; a line without need is a mistake.
"""

import importlib.abc
import importlib.machinery
import json
import os
import sys
import types

import pytest

NAME = "kernel_tuner"


class Missing:
    """Stands for a name that hone does not serve."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *_, **__):
        raise NotImplementedError(f"hone serves no {self._name}")

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}")

    def __mro_entries__(self, _bases):
        return (object,)

    def __iter__(self):
        return iter(())


class Others(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules of kernel_tuner that are not there."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith(NAME + ".") else None

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        module.__path__ = []
        fill(module, module.__name__)


def fill(module, name):
    known = getattr(module, "__getattr__", None)

    def missing(one):
        if one.startswith("__"):
            raise AttributeError(one)
        try:
            if known is not None:
                return known(one)
        except AttributeError:
            pass
        return sys.modules.get(f"{name}.{one}") or Missing(f"{name}.{one}")
    module.__getattr__ = missing


def put_hone_in_place():
    from hone.kernel_tuner.__main__ import put_in_place
    put_in_place()
    for name, module in list(sys.modules.items()):
        if (name == NAME or name.startswith(NAME + ".")) and isinstance(module, types.ModuleType):
            fill(module, name)
    sys.meta_path.append(Others())


class Outcomes:
    def __init__(self, path):
        self.path, self.found = path, {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            said = report.longrepr.reprcrash.message if hasattr(report.longrepr, "reprcrash") and report.longrepr.reprcrash else ""
            self.found[report.nodeid] = [report.outcome if report.when == "call" or report.outcome == "skipped" else "failed", said[:200]]

    def pytest_collectreport(self, report):
        if report.failed:
            self.found[report.nodeid] = ["failed", "not collected: " + str(report.longrepr)[-200:]]

    def pytest_sessionfinish(self):
        with open(self.path, "w", encoding="utf-8") as out:
            for name, (outcome, said) in sorted(self.found.items()):
                print(json.dumps([name, outcome, said]), file=out)


def main(which, folder, out, *more):
    out = os.path.abspath(out)
    os.chdir(folder)
    sys.path.insert(0, os.getcwd())
    if which == "hone":
        put_hone_in_place()
    return pytest.main(["-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line", "--continue-on-collection-errors", *more], plugins=[Outcomes(out)])


def read_outcomes(path):
    with open(path, encoding="utf-8") as f:
        return {name: (outcome, said) for name, outcome, said in map(json.loads, f)}


def read_excused(path):
    """{a test, without its parameters, or a file: reason}"""
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split(": ", 1) for line in f if line.strip() and not line.startswith("#")]
    return {name: reason for name, reason in lines}


def compare(control, hone, excused):
    control, hone, excused = read_outcomes(control), read_outcomes(hone), read_excused(excused)
    wrong, files, needed = [], {}, set()
    for name, (outcome, _) in control.items():
        counts = files.setdefault(name.split("::")[0], [0, 0, 0, 0])  # control passed, hone passed, excused, skipped
        counts[3] += outcome == "skipped"
        if outcome != "passed":
            continue
        ours, said = hone.get(name, ("missing", "it was not collected"))
        by = next((one for one in (name.split("[")[0], name.split("::")[0]) if one in excused), None)
        counts[0] += 1
        counts[1] += ours == "passed"
        if ours != "passed" and by:
            counts[2] += 1
            needed.add(by)
        elif ours != "passed":
            wrong.append(f"{name}: {ours}: {said}")
    wrong += [f"{name} is excused, and passes, or is not a test that the control passes" for name, reason in excused.items()
              if name not in needed and not reason.startswith("sometimes")]
    print(f"{'file':44} {'control':>8} {'hone':>8} {'excused':>8} {'skipped':>8}")
    for file, counts in sorted(files.items()) + [("all", [sum(c) for c in zip(*files.values())])]:
        print(f"{file:44} " + " ".join(f"{one:8}" for one in counts))
    print(*wrong, sep="\n")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(compare(*sys.argv[2:]) if sys.argv[1] == "compare" else 0 if main(*sys.argv[1:]) in (0, 1) else 1)
