"""Kernel Tuner's CostFunc: what a search of a script's own calls to have a configuration measured."""

from __future__ import annotations

import random
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._goals import COSTS
from ..searchspace import Searchspace
from ..util import InvalidConfig, StopCriterionReached

IN_VAIN_MOST = 10_000  # evaluations, one after the other, that bring nothing new: no search goes on from there


def nearest(value: Any, values: Sequence[Any]) -> Any:
    """The one of a parameter's values that is meant by any number; a text, or a value of the list, is that."""
    if value in values:
        return values[list(values).index(value)]
    numbers = [one for one in values if isinstance(one, (int, float))]
    return min(numbers, key=lambda one: abs(one - value)) if numbers and not isinstance(value, str) else values[0]


class CostFunc:
    """Measures the configuration that is nearest to a point, and gives what is to be least: the objective, negative where more of it is
    better; a list where there are several. A configuration that fails, or is not in the space, costs `invalid_value`.

    scaling: a point has for each parameter a number from 0 to the count of its values, times `eps`; else values themselves. snap: to the
    nearest values. Ends the search by StopCriterionReached where the budget is spent, of which budget_spent_fraction is gone. results:
    the row of each evaluation; that of one that was made before cost nothing.
    """

    def __init__(self, searchspace: Searchspace, tuning_options: Any, runner: Any, *, scaling: bool = False, snap: bool = True,
                 return_invalid: bool = False, invalid_value: float = sys.float_info.max) -> None:
        self.searchspace, self.tuning_options, self.runner = searchspace, tuning_options, runner
        self.objective, self.objective_higher_is_better = tuning_options.objective, tuning_options.objective_higher_is_better
        self.constraint_aware = bool(tuning_options.strategy_options.get("constraint_aware"))
        self.scaling, self.snap, self.return_invalid, self.invalid_return_value = scaling, snap, return_invalid, invalid_value
        self.eps = min(1 / len(values) for values in searchspace.params_values)
        self.unique_results: Dict[str, Dict[str, Any]] = {}
        self.results: List[Dict[str, Any]] = []
        self._in_vain = 0

    @property
    def budget_spent_fraction(self) -> float:
        return float(self.runner.spent())

    def __call__(self, x: Sequence[Any], check_restrictions: bool = True) -> Any:
        if self.runner.is_over() or self._in_vain > IN_VAIN_MOST:
            raise StopCriterionReached("the budget is spent" if self._in_vain <= IN_VAIN_MOST else "nothing new is tried any more")
        self._in_vain += 1
        config = self._configuration(x)
        key = ",".join(map(str, config))
        if not self.searchspace.is_param_config_valid(config):
            return self._cost({"__error__": InvalidConfig()})
        known = self.unique_results.get(key)
        if known is None:
            self._in_vain = 0
            self.unique_results[key] = self.runner.measure(dict(zip(self.searchspace.param_names, config)))
        self.results.append(self.unique_results[key] if known is None else {**known, **{cost: 0 for cost in COSTS if cost in known}})
        return self._cost(self.results[-1])

    eval = __call__

    def eval_all(self, xs: Sequence[Sequence[Any]], check_restrictions: bool = True) -> List[Any]:
        return [self(x, check_restrictions) for x in xs]

    def _cost(self, row: Dict[str, Any]) -> Any:
        if "__error__" in row:
            costs = [row["__error__"] if self.return_invalid else self.invalid_return_value for _ in self.objective]
        else:
            costs = [-row[name] if higher else row[name] for name, higher in zip(self.objective, self.objective_higher_is_better)]
        return costs if len(costs) > 1 else costs[0]

    def _configuration(self, x: Sequence[Any]) -> Tuple[Any, ...]:
        """The one that is meant by a point; of those that restrictions leave the nearest, where the search wants that."""
        values = self.searchspace.params_values
        if self.snap and self.scaling:
            config = tuple(one[min(len(one) - 1, max(0, int(at / self.eps)))] for at, one in zip(x, values))
        else:
            config = tuple(nearest(at, one) if self.snap else at.item() if hasattr(at, "item") else at for at, one in zip(x, values))
        if not self.constraint_aware or self.searchspace.is_param_config_valid(config):
            return config
        return self.searchspace.nearest(config)

    # ---- where a search begins -------------------------------------------------------------------------

    def get_bounds(self) -> List[Tuple[Any, Any]]:
        """The least and the most of each parameter; of texts the first and the last."""
        return [(values[0], values[-1]) if any(isinstance(one, str) for one in values) else (min(values), max(values))
                for values in self.searchspace.params_values]

    def get_bounds_x0_eps(self) -> Tuple[List[Tuple[Any, Any]], List[Any], float]:
        start: Optional[Sequence[Any]] = self.tuning_options.strategy_options.get("x0")
        start = list(start if start is not None else random.choice(self.searchspace.list))
        if not self.scaling:
            return self.get_bounds(), start, 1
        bounds = [(0, self.eps * len(values)) for values in self.searchspace.params_values]
        return bounds, [self.eps * (i + 0.5) for i in self.searchspace.get_param_indices(start)], self.eps

    def get_start_pos(self) -> List[Any]:
        return self.get_bounds_x0_eps()[1]

    def get_results(self) -> List[Dict[str, Any]]:
        return self.results

    def get_num_unique_results(self) -> int:
        return len(self.unique_results)
