"""Kernel Tuner's OptAlg and OptAlgWrapper: a search of a script's own, as a strategy."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

from ..util import StopCriterionReached
from .common import CostFunc


class OptAlg:
    """The base of a search: called with a CostFunc and the Searchspace. `costfunc_kwargs`: how points become configurations."""

    def __init__(self) -> None:
        self.costfunc_kwargs: Dict[str, Any] = {"scaling": False, "snap": False}

    def __call__(self, func: CostFunc, searchspace: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.__call__")


class OptAlgWrapper:
    """What tune_kernel takes as `strategy`, of an OptAlg or any callable with its arguments."""

    def __init__(self, optimizer: Callable[[CostFunc, Any], Any]) -> None:
        self.optimizer = optimizer

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> List[Dict[str, Any]]:
        how = getattr(self.optimizer, "costfunc_kwargs", {"scaling": False, "snap": False})
        cost = CostFunc(searchspace, tuning_options, runner, **how)
        try:
            self.optimizer(cost, searchspace)
        except StopCriterionReached as e:
            if tuning_options.verbose:
                print(e)
        return cost.results


__all__ = ["CostFunc", "OptAlg", "OptAlgWrapper"]
