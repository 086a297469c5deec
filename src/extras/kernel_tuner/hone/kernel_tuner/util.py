"""What scripts take from Kernel Tuner's util: how a configuration that failed is told, and configurations as text."""

from __future__ import annotations

import json
import math
import numbers
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from .._library import UsageError


class ErrorConfig(str):
    """Stands in the place of the time of a configuration that failed. It is a text, so that JSON can hold it; beside numbers
    it is larger than all, so that min() finds the fastest, and what is added to it stays a failure."""

    def __new__(cls, *_: Any) -> "ErrorConfig":
        return super().__new__(cls, cls.__name__)

    def _than(self, other: Any) -> bool:
        return isinstance(other, (int, float))

    def __lt__(self, other: Any) -> bool:
        return False if self._than(other) else str.__lt__(self, other)

    def __le__(self, other: Any) -> bool:
        return False if self._than(other) else str.__le__(self, other)

    def __gt__(self, other: Any) -> bool:
        return True if self._than(other) else str.__gt__(self, other)

    def __ge__(self, other: Any) -> bool:
        return True if self._than(other) else str.__ge__(self, other)

    def __add__(self, other: Any) -> "ErrorConfig":  # type: ignore[override]
        return self

    __radd__ = __add__


class InvalidConfig(ErrorConfig):
    """It asks for more than the device offers."""


class CompilationFailedConfig(ErrorConfig):
    """It does not compile."""


class RuntimeFailedConfig(ErrorConfig):
    """It crashed, took too long, or gave a wrong result."""


class StopCriterionReached(Exception):
    """The budget is spent: it ends a search of a script's own."""


FAILURES = {"compile": CompilationFailedConfig, "constraints": InvalidConfig}


def failure(status: str) -> ErrorConfig:
    return FAILURES.get(status, RuntimeFailedConfig)()


def delete_temp_file(filename: Any) -> None:
    """Removes a file that may be gone already."""
    pathlib.Path(filename).unlink(missing_ok=True)


def get_config_string(params: Mapping[str, Any], keys: Optional[Iterable[str]] = None,
                      units: Optional[Mapping[str, str]] = None) -> str:
    """"a=1, b=2, time=0.5ms": of all members that are not a list, or of `keys`."""
    units = {"time": "ms", **(units or {})}
    out: List[str] = []
    for key, value in params.items():
        if keys is not None and key not in keys or isinstance(value, (list, tuple, dict)):
            continue
        shown = f"{value:.3f}" if isinstance(value, float) else str(value)
        out.append(f"{key}={shown}{units.get(key, '') if isinstance(value, (int, float)) else ''}")
    return ", ".join(out)


def get_best_config(results: List[Dict[str, Any]], objective: str = "time",
                    objective_higher_is_better: bool = False) -> Dict[str, Any]:
    """The best of those that did not fail; {} where all did."""
    sound = [r for r in results if isinstance(r.get(objective), numbers.Real) and math.isfinite(r[objective])]
    if not sound:
        return {}
    return (max if objective_higher_is_better else min)(sound, key=lambda r: r[objective])


def get_instance_string(params: Mapping[str, Any]) -> str:
    """The values, joined by _."""
    return "_".join(str(value) for value in params.values())


_HIGHER = ("fitness", "GFLOP/s", "TFLOP/s", "GB/s", "TB/s", "GFLOPS/W", "TFLOPS/W", "GFLOP/J", "TFLOP/J")
_LOWER = ("time", "energy", "cost", "loss")


def is_higher_better(objective: str, said: Optional[bool]) -> bool:
    if said is None and objective not in (*_HIGHER, *_LOWER):
        raise UsageError(f"objective={objective!r}: nobody knows whether more of it is better; say so with objective_higher_is_better")
    return bool(said) if said is not None else objective in _HIGHER


class NpEncoder(json.JSONEncoder):
    """JSON of NumPy's numbers and arrays."""

    def default(self, o: Any) -> Any:
        return o.tolist() if hasattr(o, "tolist") else super().default(o)


def read_cache(cachefile: Any, open_cache: bool = True) -> Dict[str, Any]:
    """A cache file's document, open or closed; the file stays as it is, whatever `open_cache` says."""
    from ._cache import cache_path, load_cache
    return load_cache(cache_path(cachefile))


def get_pareto_results(results: List[Dict[str, Any]], objectives: Sequence[str], objective_higher_is_better: Sequence[bool],
                       mark_optima: bool = True) -> List[Dict[str, Any]]:
    """The results that no other one beats in all objectives; marked with "optimal" unless told not to."""
    from ._goals import Goals
    goals = Goals(None, None, dict(zip(objectives, objective_higher_is_better)))
    if mark_optima:
        return goals.front(results)
    copies = [dict(row) for row in results]
    chosen = {id(row) for row in goals.front(copies)}
    return [row for row, copy in zip(results, copies) if id(copy) in chosen]


def process_metrics(params: Dict[str, Any], metrics: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """Adds the metrics to a configuration with its results, and gives it back."""
    from ._goals import Metrics
    Metrics(metrics).add(params)
    return params


def check_restrictions(restrictions: Any, params: Mapping[str, Any], verbose: bool = False) -> bool:
    """Does a configuration fulfil all restrictions, texts and callables?"""
    from ._combinations import Combinations
    try:
        asked = Combinations("kernel", {name: [value] for name, value in params.items()})
        asked.restrict(restrictions)
        asked.combinations("restrictions")  # raises where texts leave none, as code did above
    except UsageError as e:
        if "exclude every" not in str(e):
            raise
        if verbose:
            print(f"skipping config {get_instance_string(params)}, reason: {e}")
        return False
    return True


def get_thread_block_dimensions(params: Mapping[str, Any], block_size_names: Optional[Sequence[str]] = None) -> Tuple[int, ...]:
    """The block of a launch: 256, 1 and 1 where nothing is tuned."""
    names = list(block_size_names or ()) + ["block_size_x", "block_size_y", "block_size_z"][len(block_size_names or ()):]
    return tuple(int(params.get(name, other)) for name, other in zip(names, (256, 1, 1)))


def get_problem_size(problem_size: Any, params: Mapping[str, Any]) -> List[int]:
    """Its three axes in a configuration; texts are expressions over parameters."""
    from ._combinations import axes
    from ._goals import Metrics
    sizes = []
    for axis in axes(problem_size(params) if callable(problem_size) else problem_size):
        row = dict(params)
        if isinstance(axis, str):
            Metrics({"size": axis}).add(row)
        elif not hasattr(axis, "__index__"):
            raise TypeError(f"problem_size has {axis!r}, and an axis is a whole number, or a text that computes one")
        sizes.append(int(row["size"] if isinstance(axis, str) else axis))
    return sizes + [1] * (3 - len(sizes))


def get_grid_dimensions(current_problem_size: Sequence[int], params: Mapping[str, Any], grid_div: Sequence[Any],
                        block_size_names: Sequence[str]) -> Tuple[int, ...]:
    """Blocks along each axis: the size by the product of its divisors, rounded up; by the block's size where there is no divisor."""
    def divisor(given: Any, name: Optional[str]) -> int:
        if given is None:
            return int(params.get(name, 1)) if name else 1
        if isinstance(given, (list, tuple)):
            return math.prod(divisor(one, None) for one in given)
        return get_problem_size(given, params)[0]
    return tuple(math.ceil(size / divisor(given, name)) for size, given, name in zip(current_problem_size, grid_div, block_size_names))
