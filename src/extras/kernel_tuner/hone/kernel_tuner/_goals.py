"""What a script computes of each configuration, what it looks for, and which rows are best by that."""

from __future__ import annotations

import ast
import math
import numbers
import sys
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .._library import UsageError
from .util import ErrorConfig, failure, get_best_config, get_config_string, is_higher_better

COSTS = ("compile_time", "verification_time", "benchmark_time")  # ms that a configuration took

_MATHS = {**{name: getattr(math, name) for name in dir(math) if not name.startswith("_")},
          "abs": abs, "max": max, "min": min, "round": round, "sum": sum, "len": len, "int": int, "float": float, "str": str, "pow": pow}


def _modules() -> Dict[str, Any]:
    """Those by whose names metrics and restrictions of Kernel Tuner's compute."""
    return {"math": math, **({"np": sys.modules["numpy"]} if "numpy" in sys.modules else {})}


class Metrics:
    """A script's metrics: texts over parameters and results, or callables over the dictionary, each may use those before it."""

    def __init__(self, given: Optional[Mapping[str, Any]]) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise UsageError(f"metrics is of type {type(given).__name__}, and a dictionary is needed: {{name: text or callable}}")
        self.given = dict(given or {})
        for key, one in self.given.items():
            if not isinstance(one, str) and not callable(one):
                raise UsageError(f"metrics[{key!r}] is neither a text nor a callable")
            try:
                ast.parse(one.strip() if isinstance(one, str) else "0", mode="eval")
            except SyntaxError as e:
                raise UsageError(f"metrics[{key!r}]: {one!r} is not an expression: {e.msg}") from None

    def check(self, names: Iterable[str]) -> None:
        """Raises UsageError where a text has a name that is neither one of these, nor a metric before it, nor a function."""
        known = {*names, *_MATHS, *_modules(), "times", "time", "timestamp", *COSTS, "strategy_time", "framework_time"}
        for key, one in self.given.items():
            nodes = list(ast.walk(ast.parse(one.strip(), mode="eval"))) if isinstance(one, str) else []
            used = {node.id: type(node.ctx) for node in nodes if isinstance(node, ast.Name)}
            own = {name for name, use in used.items() if use is ast.Store} | {node.arg for node in nodes if isinstance(node, ast.arg)}
            unknown = sorted(set(used) - own - known)
            if unknown:
                raise UsageError(f"metrics[{key!r}]: nobody knows {', '.join(unknown)}: a text computes with parameters, the time, what observers add, "
                                 "metrics before it, and functions of math and np; a callable with whatever it likes")
            known.add(key)

    def add(self, row: Dict[str, Any]) -> None:
        for key, one in self.given.items():
            row[key] = one(row) if callable(one) else eval(one.strip(), {"__builtins__": {}, **_MATHS, **_modules()}, dict(row))


def fail(row: Dict[str, Any], status: Union[str, ErrorConfig], goals: Sequence[str]) -> None:
    """A row without a time: as Kernel Tuner says it today, and in the place of the time, as it did before."""
    error = status if isinstance(status, ErrorConfig) else failure(status)
    row.update({"__error__": error, "time": error, **{goal: error for goal in goals}})


class Goals:
    """One objective, or several of which none is above another."""

    def __init__(self, objective: Any, higher: Any, several: Optional[Mapping[str, bool]]) -> None:
        if several:
            if not isinstance(several, Mapping):
                raise UsageError("objectives is a dictionary: {name: whether more of it is better}")
            objective, higher = list(several), list(several.values())
        self.names: List[str] = list(objective) if isinstance(objective, (list, tuple)) else [objective or "time"]
        said = list(higher) if isinstance(higher, (list, tuple)) else [higher] * len(self.names)
        if len(said) != len(self.names):
            raise UsageError(f"objective has {len(self.names)} names, and objective_higher_is_better {len(said)} answers")
        self.higher = [is_higher_better(name, one) for name, one in zip(self.names, said)]

    def best(self, rows: List[Dict[str, Any]]) -> Any:
        """The best row ({} without one); of several objectives the rows that no other one beats in all, marked as "optimal"."""
        if len(self.names) == 1:
            return get_best_config(rows, self.names[0], self.higher[0])
        return self.front(rows)

    def front(self, rows: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """The rows that no other one beats in all, marked as "optimal"."""
        sound = [(self.costs(row), row) for row in rows if all(isinstance(row.get(name), numbers.Real) for name in self.names)]
        front = [row for costs, row in sound
                 if not any(other != costs and all(a <= b for a, b in zip(other, costs)) for other, _ in sound)]
        for row in front:
            row["optimal"] = True
        return front

    def tell(self, best: Any, keys: Sequence[str]) -> None:
        """Prints the best of all."""
        print("best performing configuration:" if best else "no configuration worked")
        for one in best if isinstance(best, list) else [best] if best else []:
            print(get_config_string(one, keys))
        sys.stdout.flush()

    def costs(self, row: Mapping[str, Any]) -> List[float]:
        """Less is better."""
        return [-row[name] if higher else row[name] for name, higher in zip(self.names, self.higher)]


def totals(rows: Sequence[Mapping[str, Any]]) -> Dict[str, float]:
    """What all rows took, in ms, by Kernel Tuner's names."""
    return {f"total_{cost}": sum(row.get(cost, 0) for row in rows) for cost in (*COSTS, "strategy_time", "framework_time")}
