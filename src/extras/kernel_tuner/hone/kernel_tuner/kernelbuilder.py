"""Kernel Tuner's PythonKernel: a kernel as a function of Python."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from .. import _arrays
from ._interface import device_of, run_kernel
from .integration import TuneResults


class PythonKernel:
    """A kernel that is called like a function: with all its arguments, and gives back the arrays that are outputs. Each call builds and
    runs it in a worker, so that it is for tests and notebooks rather than for the inside of a loop.

    inputs, outputs: for each argument, whether a call's value is taken (else that of `arguments`), and whether it is given back.
    results_file: a file of store_results, which has the parameters. An argument that is an array of CuPy is also written to.
    """

    def __init__(self, kernel_name: str, kernel_string: Any, problem_size: Any, arguments: Sequence[Any],
                 params: Optional[Mapping[str, Any]] = None, inputs: Optional[Sequence[bool]] = None,
                 outputs: Optional[Sequence[bool]] = None, device: int = 0, platform: int = 0,
                 block_size_names: Optional[Sequence[str]] = None, grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None,
                 verbose: bool = True, lang: Optional[str] = None, results_file: Any = None) -> None:
        self.params: Dict[str, Any] = dict(params or {})
        if results_file:
            name = device_of(kernel_string, lang, device, platform).name
            self.params.update(TuneResults(results_file).get_best_config(name, problem_size))
        self.arguments = list(arguments)
        self.inputs = list(inputs) if inputs else [True] * len(self.arguments)
        self.outputs = list(outputs) if outputs else [True] * len(self.arguments)
        self._kernel = (kernel_name, kernel_string, problem_size)
        self._options = dict(device=device, platform=platform, block_size_names=block_size_names, grid_div_x=grid_div_x,
                             grid_div_y=grid_div_y, grid_div_z=grid_div_z, lang=lang)

    def run_kernel(self, args: Sequence[Any]) -> List[Any]:
        given = [one if taken else kept for one, kept, taken in zip(args, self.arguments, self.inputs)]
        left = run_kernel(*self._kernel, given, self.params, **self._options)
        for one, value in zip(args, left):
            if _arrays.is_on_device(one):
                one.set(value)
        return [value for value, wanted in zip(left, self.outputs) if wanted and _arrays.is_array(value)]

    def __call__(self, *args: Any) -> List[Any]:
        return self.run_kernel(args)


__all__ = ["PythonKernel"]
