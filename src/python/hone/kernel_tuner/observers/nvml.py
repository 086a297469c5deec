"""Kernel Tuner's NVMLObserver, which is refused: see hone.kernel_tuner.observers."""

from . import BenchmarkObserver


class NVMLObserver(BenchmarkObserver):
    """Refused when it is made."""
