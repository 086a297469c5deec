"""Kernel Tuner's place of the bases of observers."""

from . import BenchmarkObserver, IterationObserver

__all__ = ["BenchmarkObserver", "IterationObserver"]
