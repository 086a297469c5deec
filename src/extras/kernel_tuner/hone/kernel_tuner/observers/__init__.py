"""Observers: those that hone looks for by itself, and a script's own that look at what a kernel left."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ..._records import Record
from .._combinations import Unsupported

_DURING = ("before_start", "after_start", "during")  # while a kernel runs, which it does in another process


class _Memory:
    """What stands for Kernel Tuner's device in an observer: the arguments as a launch left them."""

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.allocations: List[Any] = list(arguments)

    def memcpy_dtoh(self, dest: Any, src: Any) -> None:
        dest[...] = src.reshape(dest.shape) if hasattr(src, "reshape") else src

    def __getattr__(self, name: str) -> Any:
        raise Unsupported(f"dev.{name} of an observer: kernels run in worker processes here; there are allocations and memcpy_dtoh")


class BenchmarkObserver:
    """The base of a script's own observers. Of each configuration are called, once its first launch has run: register_configuration(params),
    after_finish(), process_output(answer, outputs) and get_results(), which gives what is added to the row. An observer that looks at a
    kernel while it runs is refused."""

    observables: Sequence[str] = ()
    dev: Any = None

    def register_device(self, dev: Any) -> None:
        self.dev = dev

    def register_configuration(self, params: Dict[str, Any]) -> None:
        pass

    def before_start(self) -> None:
        pass

    after_start = during = after_finish = before_start

    def get_results(self) -> Dict[str, Any]:
        raise NotImplementedError(f"{type(self).__name__}.get_results")

    def check(self) -> None:
        """Raises Unsupported where it has a look at a running kernel."""
        for name in _DURING:
            if getattr(type(self), name) is not getattr(BenchmarkObserver, name):
                raise Unsupported(f"the observer {type(self).__name__}: {name}() runs beside the kernel, and kernels run in worker processes here; hone serves "
                                  "observers that look at a result, RegisterObserver and NVMLObserver")

    def look(self, params: Dict[str, Any], answer: Any, outputs: Sequence[Any]) -> Dict[str, Any]:
        self.register_device(_Memory(outputs))
        self.register_configuration(params)
        self.after_finish()
        if hasattr(self, "process_output"):
            self.process_output(answer, outputs)
        return self.get_results()


class IterationObserver(BenchmarkObserver):
    """As BenchmarkObserver."""


class OutputObserver(BenchmarkObserver):
    """A script's own look at what a kernel left: process_output(answer, outputs), a value for each argument."""


class RegisterObserver:
    """Adds num_regs, the registers of a work-item, None where the driver does not say it."""

    observables = ("num_regs",)

    def add(self, row: Dict[str, Any], record: Record) -> None:
        row["num_regs"] = record.resources[0].get("registers") if record.resources else None


from . import nvml, observer, register  # noqa: E402  (they need the classes above)

__all__ = ["BenchmarkObserver", "IterationObserver", "OutputObserver", "RegisterObserver", "nvml", "observer", "register"]
