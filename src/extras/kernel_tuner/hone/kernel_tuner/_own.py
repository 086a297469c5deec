"""Strategies of a script's own: an object with tune(searchspace, runner, tuning_options), or a callable (cost function, searchspace). They
run in the script's thread, and each configuration that they ask for is measured by a session whose workers stay."""

from __future__ import annotations

import importlib.util
import inspect
import pathlib
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .._library import UsageError
from . import strategies
from ._goals import Goals
from .searchspace import Searchspace

_OF_TUNER = ("custom_search_method_path", "max_fevals", "time_limit", "fraction", "constraint_aware")


def own_strategy(given: Any, options: Optional[Mapping[str, Any]]) -> Any:
    """The object whose tune() searches; None where the strategy is one of Kernel Tuner's."""
    from .strategies.wrapper import OptAlgWrapper
    path = (options or {}).get("custom_search_method_path")
    if path is not None:
        return OptAlgWrapper(_class_of(path, str(given))(**{key: value for key, value in (options or {}).items() if key not in _OF_TUNER}))
    if isinstance(given, (str, strategies._Named)) or given is None or inspect.ismodule(given):
        return None
    if inspect.isclass(given):
        given = given()
    return given if callable(getattr(given, "tune", None)) else OptAlgWrapper(given) if callable(given) else None


def _class_of(path: Any, name: str) -> Any:
    file = pathlib.Path(path)
    if not file.is_file():
        raise UsageError(f"strategy_options['custom_search_method_path']: there is no file {path}")
    try:
        module = _module_of(file, file.stem)
    except ImportError:  # it may be of the package that its folder is
        module = _module_of(file, f"{file.resolve().parent.name}.{file.stem}")
    if not hasattr(module, name):
        raise UsageError(f"strategy={name!r}: {path} has no class of this name")
    return getattr(module, name)


def _module_of(file: pathlib.Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"strategy_options['custom_search_method_path']: {file} is not a module of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Options(Dict[str, Any]):
    """A dictionary whose members are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Runner:
    """Stands for Kernel Tuner's: measures for a CostFunc, and says what share of the budget is spent."""

    def __init__(self, measure: Callable[[Dict[str, Any]], Dict[str, Any]], limits: Sequence[str], size: int,
                 seconds: Callable[[], float]) -> None:
        self._measure, self._seconds, self.rows = measure, seconds, []  # type: ignore[var-annotated]
        self.most, self.limit_s, self._limited = float(max(1, size)), float("inf"), bool(limits)
        for limit in limits:
            if limit.endswith("s"):
                self.limit_s = min(self.limit_s, float(limit[:-1]))
            else:
                self.most = min(self.most, max(1.0, size * float(limit[:-1]) / 100) if limit.endswith("%") else float(limit))

    def measure(self, configuration: Dict[str, Any]) -> Dict[str, Any]:
        self.rows.append(self._measure(configuration))
        return self.rows[-1]

    def spent(self) -> float:
        return max(len(self.rows) / self.most, self._seconds() / self.limit_s if self.rows else 0.0)

    def is_over(self) -> bool:
        """Without a limit a search ends by itself, when it has tried all, too."""
        return self._limited and self.spent() >= 1

    def run(self, parameter_space: Sequence[Sequence[Any]], tuning_options: Any) -> List[Dict[str, Any]]:
        """Kernel Tuner's own interface: rows of tuples."""
        return [self.measure(dict(zip(tuning_options.tune_params, one))) for one in parameter_space]


def clock() -> Callable[[], float]:
    """Seconds since it was made."""
    began = time.monotonic()
    return lambda: time.monotonic() - began


def search_own(own: Any, searchspace: Searchspace, runner: Runner, goals: Goals, options: Optional[Mapping[str, Any]],
               verbose: bool) -> List[Dict[str, Any]]:
    """Lets it search; the rows that it returns, else those of all that was measured."""
    given = Options(options or {})
    given.setdefault("constraint_aware", getattr(getattr(own, "optimizer", own), "constraint_aware", False))
    found = own.tune(searchspace, runner, Options(
        objective=goals.names, objective_higher_is_better=goals.higher, strategy_options=given, max_fevals=int(runner.most), verbose=verbose,
        tune_params=searchspace.tune_params, eps=min(1 / len(values) for values in searchspace.params_values)))
    rows: List[Dict[str, Any]] = found if isinstance(found, list) and all(isinstance(one, dict) for one in found) else runner.rows
    return rows
