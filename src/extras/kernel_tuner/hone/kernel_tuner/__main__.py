"""python -m hone.kernel_tuner [--scale 1/16] [--budget 60s] [--on DEVICE] SCRIPT [ARGUMENTS]

Runs a script, or a notebook (.ipynb), of Kernel Tuner with hone in its place, unedited.

--scale 1/16: every whole number of the script that is a size (2048 or more, written as one number) is multiplied by this, and so is
each of them where it stands in a kernel. --budget 60s: all tunes together take so long; --budget 20: each tries so many
configurations. --on: a part of a device's name. Exit status: 2 where hone cannot serve what the script asks for, 1 where it failed.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
import time
import types
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

import hone.kernel_tuner as served
from hone import HoneError
from hone.kernel_tuner._ahead import find_languages
from hone.kernel_tuner._interface import LANGUAGES, settings

if TYPE_CHECKING:
    from fractions import Fraction

SIZE_LEAST = 2048


class _Scale(ast.NodeTransformer):
    """Multiplies sizes, and notes what became of each."""

    def __init__(self, scale: Union[int, Fraction]) -> None:
        self.scale, self.numbers = scale, {}  # type: Union[int, Fraction], Dict[int, int]

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = node.value
        if isinstance(value, int) and not isinstance(value, bool) and value >= SIZE_LEAST:
            self.numbers[value] = max(1, round(value * self.scale))
            return ast.copy_location(ast.Constant(self.numbers[value]), node)
        return node


def put_in_place() -> List[str]:
    """Whoever imports kernel_tuner from here on gets hone's. Returns the names of its modules."""
    modules = {"": served, ".util": served.util, ".file_utils": served.file_utils, ".strategies": served.strategies,
               ".observers": served.observers, ".observers.nvml": served.observers.nvml,
               ".observers.observer": served.observers.observer, ".observers.register": served.observers.register,
               ".interface": served, ".integration": served.integration, ".kernelbuilder": served.kernelbuilder, ".accuracy": served.accuracy,
               ".searchspace": served.searchspace, ".strategies.common": served.strategies.common,
               ".strategies.wrapper": served.strategies.wrapper}
    for name in served.strategies.NAMES:
        modules[f".strategies.{name}"] = getattr(served.strategies, name)
    for name, module in modules.items():
        sys.modules["kernel_tuner" + name] = module
    return ["kernel_tuner" + name for name in modules if name.count(".") < 2]


def _main_module(script: str) -> types.ModuleType:
    """An empty __main__ in the place of this one, where processes and pickles look for the script's functions."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=script, __builtins__=__builtins__)
    module.kept = sys.modules["__main__"]  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    return module


def _read_budget(text: str) -> None:
    if re.fullmatch(r"\d+", text):
        settings.count = int(text)
        return
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(s|min|m|h)", text)
    if not found:
        raise SystemExit(f"--budget {text}: a time, such as 60s, or a number of configurations")
    settings.end = time.monotonic() + float(found.group(1)) * {"s": 1, "min": 60, "m": 60, "h": 3600}[found.group(2)]


def _read_scale(text: str) -> Union[int, Fraction]:
    if text == "1":
        return 1
    from fractions import Fraction  # most scripts run as they are
    try:
        scale = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise SystemExit(f"--scale {text}: a number, such as 1/16 or 0.5") from None
    if scale <= 0:
        raise SystemExit(f"--scale {text}: more than 0")
    return scale


def _read_script(path: str) -> str:
    if path.endswith(".ipynb"):
        from ._notebook import read_notebook
        return read_notebook(path)
    with open(path, encoding="utf-8") as f:
        return f.read()


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m hone.kernel_tuner", description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--budget")
    parser.add_argument("--on")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    settings.on = given.on
    if given.budget:
        _read_budget(given.budget)
    try:
        tree = ast.parse(_read_script(given.script), given.script)
    except (OSError, SyntaxError, ValueError) as e:
        raise SystemExit(f"{given.script}: {e}") from None
    scale = _Scale(_read_scale(given.scale))
    settings.ahead.start(find_languages(tree, LANGUAGES, given.arguments))
    if scale.scale != 1:
        tree = ast.fix_missing_locations(scale.visit(tree))
        settings.numbers = scale.numbers
    put_in_place()
    sys.argv = [given.script, *given.arguments]
    sys.path[:1] = [os.path.dirname(os.path.abspath(given.script)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "in_place")]
    try:
        exec(compile(tree, given.script, "exec", dont_inherit=True), _main_module(given.script).__dict__)
    except HoneError as e:
        print(f"{given.script}: {e}", file=sys.stderr)
        return 2 if isinstance(e, served.Unsupported) else 1
    except ImportError as e:
        if not (e.name or "").startswith(("kernel_tuner", "hone.kernel_tuner")):
            raise
        print(f"{given.script}: {e}: hone serves no more of Kernel Tuner than " + ", ".join(put_in_place()), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
