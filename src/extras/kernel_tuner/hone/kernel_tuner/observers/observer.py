"""Kernel Tuner's place of the bases of observers."""

from . import BenchmarkObserver, IterationObserver, OutputObserver

__all__ = ["BenchmarkObserver", "IterationObserver", "OutputObserver"]
