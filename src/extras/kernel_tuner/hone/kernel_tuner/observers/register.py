"""Kernel Tuner's place of RegisterObserver."""

from . import RegisterObserver

__all__ = ["RegisterObserver"]
