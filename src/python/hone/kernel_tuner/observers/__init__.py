"""Observers: hone serves registers; the others are refused by name where they are made."""

from __future__ import annotations

from typing import Any

from .._interface import Unsupported


class BenchmarkObserver:
    """The base of a script's own observers, which run inside Kernel Tuner's process and which hone cannot call."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise Unsupported(f"the observer {type(self).__name__}: kernels run in worker processes here, where no observer of a script "
                          "can look. hone serves RegisterObserver; energy is a metric of a spec (`joule`)")


class IterationObserver(BenchmarkObserver):
    """As BenchmarkObserver."""


class RegisterObserver:
    """Adds num_regs, the registers of a work-item, where the driver says it."""


from . import nvml, observer, register  # noqa: E402  (they need the classes above)

__all__ = ["BenchmarkObserver", "IterationObserver", "RegisterObserver", "nvml", "observer", "register"]
