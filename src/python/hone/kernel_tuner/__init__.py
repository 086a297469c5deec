"""Kernel Tuner's interface, served by hone: ``import hone.kernel_tuner as kernel_tuner``, or, without an edit,
``python -m hone.kernel_tuner script.py``.

``tune_kernel``, ``run_kernel`` and ``store_results`` take Kernel Tuner's arguments and give the same kind of result: a list of
dictionaries with times in ms, and an environment. What hone cannot serve is refused by name (``Unsupported``) before anything
runs. What is better here stays: drivers live in worker processes, an answer is checked before a kernel is timed, and a
configuration that crashes is a result.
"""

from . import file_utils, integration, observers, strategies, util
from ._combinations import Unsupported
from ._interface import run_kernel, tune_kernel
from .integration import store_results

__all__ = ["Unsupported", "file_utils", "integration", "observers", "run_kernel", "store_results", "strategies", "tune_kernel", "util"]
