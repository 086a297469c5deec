"""What scripts take from Kernel Tuner's util: how a configuration that failed is told, and configurations as text."""

from __future__ import annotations

import math
import numbers
from typing import Any, Dict, Iterable, List, Mapping, Optional

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


FAILURES = {"compile": CompilationFailedConfig, "constraints": InvalidConfig}


def failure(status: str) -> ErrorConfig:
    return FAILURES.get(status, RuntimeFailedConfig)()


def get_config_string(params: Mapping[str, Any], keys: Optional[Iterable[str]] = None,
                      units: Optional[Mapping[str, str]] = None) -> str:
    """"a=1, b=2, time=0.5ms": of all members that are no list, or of `keys`."""
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
