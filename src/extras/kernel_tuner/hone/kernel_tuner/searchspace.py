"""Kernel Tuner's Searchspace over hone's space: configurations as tuples, in the order of the values, and their neighbors."""

from __future__ import annotations

import json
import random
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .._library import UsageError
from .._spec import Spec
from ._combinations import Combinations

Tuples = List[Tuple[Any, ...]]
NEIGHBORS = ("strictly-adjacent", "adjacent", "Hamming", "Hamming-adjacent")


class Searchspace:
    """The valid configurations of parameters under restrictions.

    `max_threads`: of a block, None: no limit. Neighbors differ by `neighbor_method`: "Hamming" in one parameter; "strictly-adjacent" by
    one place of the values at most in each; "adjacent" by no more than to the nearest values that any configuration has; "Hamming-adjacent"
    in one parameter, to the nearest on either side. What chooses Kernel Tuner's solver (framework, solver_method) says nothing here.
    """

    def __init__(self, tune_params: Mapping[str, Sequence[Any]], restrictions: Any, max_threads: Optional[int],
                 block_size_names: Optional[Sequence[str]] = None, neighbor_method: Optional[str] = None, **_: Any) -> None:
        asked = Combinations("kernel", tune_params)
        asked.name_blocks(block_size_names)
        asked.restrict(restrictions)
        sizes = [name for name in asked.blocks if name in asked.params]
        limit = [f"{' * '.join(sizes)} <= {max_threads}"] if sizes and max_threads is not None else []
        space = Spec.parse(json.dumps({"parameters": asked.params, "restrictions": asked.conditions + limit, "kernel": "none.cl", "global": 1,
                                       "derived": {one["Name"]: one["Expression"] for one in asked.derived}}), name="kernel").space()
        self.tune_params, self.param_names = dict(tune_params), list(asked.params)
        self.params_values = tuple(tuple(values) for values in asked.params.values())
        self.list: Tuples = sorted((tuple(p[name] for name in self.param_names) for p in space), key=self.get_param_indices)
        self.neighbor_method = neighbor_method or "Hamming"
        self._place = {one: i for i, one in enumerate(self.list)}
        self._indices = [self.get_param_indices(one) for one in self.list]

    @property
    def size(self) -> int:
        return len(self.list)

    @property
    def num_params(self) -> int:
        return len(self.param_names)

    def __len__(self) -> int:
        return len(self.list)

    def is_param_config_valid(self, param_config: Sequence[Any]) -> bool:
        return tuple(param_config) in self._place

    def get_param_config_index(self, param_config: Sequence[Any]) -> Optional[int]:
        return self._place.get(tuple(param_config))

    def get_param_configs_at_indices(self, indices: Sequence[int]) -> Tuples:
        return [self.list[i] for i in indices]

    def get_param_indices(self, param_config: Sequence[Any]) -> Tuple[int, ...]:
        """Where each value stands among its parameter's."""
        return tuple(values.index(value) for values, value in zip(self.params_values, param_config))

    def get_list_dict(self) -> Dict[Tuple[Any, ...], int]:
        return dict(self._place)

    def get_random_sample(self, num_samples: int) -> Tuples:
        """Distinct ones; all where fewer are there."""
        return random.sample(self.list, min(num_samples, len(self.list)))

    def get_random_sample_indices(self, num_samples: int) -> List[int]:
        return [self._place[one] for one in self.get_random_sample(num_samples)]

    def get_neighbors_indices(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> List[int]:
        return self._near(self.get_param_indices(param_config), neighbor_method or self.neighbor_method)

    def get_neighbors(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> Tuples:
        """Of any configuration, valid or not, those that are in the space; it is not its own neighbor."""
        return self.get_param_configs_at_indices(self.get_neighbors_indices(param_config, neighbor_method))

    def get_random_neighbor(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> Optional[Tuple[Any, ...]]:
        found = self.get_neighbors(param_config, neighbor_method)
        return random.choice(found) if found else None

    def _near(self, at: Tuple[int, ...], method: str) -> List[int]:
        if method not in NEIGHBORS:
            raise UsageError(f"neighbor_method is {method!r}: hone has {', '.join(NEIGHBORS)}")
        steps = [(i, [b - a for a, b in zip(at, to)]) for i, to in enumerate(self._indices) if to != at]
        one = [(i, step) for i, step in steps if sum(map(bool, step)) == 1]
        if method == "Hamming":
            return [i for i, _ in one]
        if method == "strictly-adjacent":
            return [i for i, step in steps if max(map(abs, step)) == 1]
        among = one if method == "Hamming-adjacent" else steps
        bounds: List[Callable[[int], bool]] = []
        for k in range(len(at)):
            up = min((step[k] for _, step in among if step[k] > 0), default=0)
            down = max((step[k] for _, step in among if step[k] < 0), default=0)
            bounds.append(lambda step, up=up, down=down: down <= step <= up)
        return [i for i, step in among if all(fits(d) for fits, d in zip(bounds, step))]
