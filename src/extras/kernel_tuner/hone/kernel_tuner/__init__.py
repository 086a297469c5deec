"""Kernel Tuner's interface, served by hone: ``import hone.kernel_tuner as kernel_tuner``, or, without an edit,
``python -m hone.kernel_tuner script.py``.

``tune_kernel``, ``run_kernel`` and ``store_results`` take Kernel Tuner's arguments and give the same kind of result: a list of
dictionaries with times in ms, and an environment. What hone cannot serve is refused by name (``Unsupported``) before anything
runs. What is better here stays: drivers live in worker processes, an answer is checked before a kernel is timed, and a
configuration that crashes is a result.
"""

from . import accuracy, file_utils, integration, kernelbuilder, observers, searchspace, strategies, util
from ._combinations import Unsupported
from ._interface import run_kernel, tune_cache, tune_kernel, tune_kernel_T1
from .integration import create_device_targets, store_results
from ._own import Options

strategy_map = {name: getattr(strategies, name) for name in strategies.NAMES}
__version__ = "1.5.0"  # of Kernel Tuner, whose interface this is
__all__ = ["Unsupported", "accuracy", "create_device_targets", "file_utils", "integration", "kernelbuilder", "observers", "run_kernel",
           "searchspace", "store_results", "strategies", "strategy_map", "tune_cache", "tune_kernel", "tune_kernel_T1", "util"]
