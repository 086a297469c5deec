"""Observers: hone serves what it looks at by itself; the others are refused by name where they are made."""

from __future__ import annotations

from typing import Any, Dict

from ..._records import Record
from .._combinations import Unsupported


class BenchmarkObserver:
    """The base of a script's own observers, which run inside Kernel Tuner's process and which hone cannot call."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise Unsupported(f"the observer {type(self).__name__}: kernels run in worker processes here, where no observer of a script "
                          "can look. hone serves RegisterObserver and NVMLObserver")


class IterationObserver(BenchmarkObserver):
    """As BenchmarkObserver."""


class RegisterObserver:
    """Adds num_regs, the registers of a work-item, None where the driver does not say it."""

    observables = ("num_regs",)

    def add(self, row: Dict[str, Any], record: Record) -> None:
        row["num_regs"] = record.resources[0].get("registers") if record.resources else None


from . import nvml, observer, register  # noqa: E402  (they need the classes above)

__all__ = ["BenchmarkObserver", "IterationObserver", "RegisterObserver", "nvml", "observer", "register"]
