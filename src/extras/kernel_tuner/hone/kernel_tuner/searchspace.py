"""Kernel Tuner's Searchspace over hone's space: configurations as tuples, in the order of the values, their samples and their neighbors.

Questions about distance are asked of one NumPy array that has a row for each configuration: the places of its values in the parameters' lists.
"""

from __future__ import annotations

import json
import warnings
from random import choice, sample
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._library import UsageError
from .._spec import Spec
from ._combinations import Combinations

Tuples = List[Tuple[Any, ...]]
NEIGHBORS = ("strictly-adjacent", "adjacent", "Hamming", "Hamming-adjacent", "closest-param-indices")


class Searchspace:
    """The valid configurations of parameters under restrictions.

    `max_threads`: of a block, None: no limit. Neighbors differ by `neighbor_method`: "Hamming" in one parameter; "strictly-adjacent" by
    one place of the values at most in each; "adjacent" by no more than to the nearest values that any configuration has; "Hamming-adjacent"
    in one parameter, to the nearest on either side; "closest-param-indices": those whose places are the fewest steps away, all together.
    `from_cache`: a document of read_cache(), whose configurations are the space; the other arguments are None then. The options that choose
    Kernel Tuner's solver (framework, solver_method), or when it works, have no effect here.
    """

    def __init__(self, tune_params: Optional[Mapping[str, Sequence[Any]]], restrictions: Any, max_threads: Optional[int],
                 block_size_names: Optional[Sequence[str]] = None, defer_construction: bool = False, build_neighbors_index: bool = False,
                 neighbor_method: Optional[str] = None, from_cache: Optional[Mapping[str, Any]] = None, **_: Any) -> None:
        import numpy  # scripts of Kernel Tuner have it; hone itself does not need it
        self._numpy = numpy
        if from_cache is None and tune_params is None:
            raise UsageError("tune_params is None, and there is no from_cache")
        params: Mapping[str, Sequence[Any]] = tune_params if tune_params is not None else (from_cache or {})["tune_params"]
        asked = Combinations("kernel", params)
        self.tune_params, self.restrictions, self.max_threads = dict(params), restrictions, max_threads
        self.param_names, self.params_values = list(asked.params), tuple(tuple(values) for values in asked.params.values())
        self.neighbor_method = neighbor_method or "Hamming"
        _check_method(self.neighbor_method)
        if from_cache is not None:
            rows = [self.get_param_indices([row[name] for name in self.param_names]) for row in from_cache["cache"].values()]
        else:
            rows = _valid_places(asked, restrictions, max_threads, block_size_names)
        self._places = numpy.array(rows, dtype=numpy.int32).reshape(len(rows), self.num_params)
        self.list: Tuples = [self.get_param_config_from_param_indices(row) for row in rows]
        self.size, self.indices = len(rows), numpy.arange(len(rows))
        self._index = {one: i for i, one in enumerate(self.list)}
        self._near: Dict[Tuple[str, Tuple[Any, ...]], List[int]] = {}  # neighbors that were asked for

    @property
    def num_params(self) -> int:
        return len(self.param_names)

    def __len__(self) -> int:
        return self.size

    # ---- configurations and their places -----------------------------------------------------------------

    def is_param_config_valid(self, param_config: Sequence[Any]) -> bool:
        return tuple(param_config) in self._index

    def get_param_config_index(self, param_config: Sequence[Any]) -> Optional[int]:
        return self._index.get(tuple(param_config))

    def get_param_configs_at_indices(self, indices: Sequence[int]) -> Tuples:
        return [self.list[i] for i in indices]

    def get_param_indices(self, param_config: Sequence[Any]) -> Tuple[int, ...]:
        """Where each value stands among its parameter's."""
        try:
            return tuple(values.index(value) for values, value in zip(self.params_values, param_config))
        except ValueError:
            name, value, values = next(one for one in zip(self.param_names, param_config, self.params_values) if one[1] not in one[2])
            raise UsageError(f"{name} has no value {value!r}: it has {', '.join(map(repr, values))}") from None

    def get_param_config_from_param_indices(self, param_indices: Sequence[int]) -> Tuple[Any, ...]:
        return tuple(values[i] for values, i in zip(self.params_values, param_indices))

    def get_list_dict(self) -> Dict[Tuple[Any, ...], int]:
        return dict(self._index)

    def sorted_list(self, sort_last_param_first: bool = False) -> Tuples:
        """In the order of the values, the first parameter's first, or the last one's."""
        columns = self._places if sort_last_param_first else self._places[:, ::-1]
        return self.get_param_configs_at_indices(self._numpy.lexsort(columns.T))

    def get_true_tunable_params(self) -> Dict[str, Sequence[Any]]:
        """The parameters that have more than one value among valid configurations."""
        differ = (self._places != self._places[:1]).any(axis=0)
        return {name: self.tune_params[name] for name, differs in zip(self.param_names, differ) if differs}

    # ---- as arrays -----------------------------------------------------------------------------------------

    def get_list_param_indices_numpy(self) -> Any:
        """get_param_indices() of each configuration, a row each."""
        return self._places.copy()

    def get_param_indices_lower_bounds(self) -> Any:
        return self._places.min(axis=0)

    def get_param_indices_upper_bounds(self) -> Any:
        return self._places.max(axis=0)

    def get_list_numpy(self) -> Any:
        """The configurations as records, each parameter of its own type."""
        kinds = [(name, self._numpy.array(values).dtype) for name, values in zip(self.param_names, self.params_values)]
        return self._numpy.array(self.list, dtype=kinds)

    @property
    def tune_param_is_numeric(self) -> Dict[str, bool]:
        return {name: all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
                for name, values in zip(self.param_names, self.params_values)}

    @property
    def tune_param_is_numeric_mask(self) -> Any:
        return self._numpy.array(list(self.tune_param_is_numeric.values()), dtype=bool)

    def get_list_numpy_numeric(self) -> Any:
        """A row of numbers for each configuration: of a parameter whose values are not numbers their places."""
        columns = [[values[i] for i in places] if numeric else places
                   for places, values, numeric in zip(self._places.T, self.params_values, self.tune_param_is_numeric_mask)]
        return self._numpy.array(columns).T

    def get_param_config_from_numeric(self, param_config: Sequence[Any]) -> Tuple[Any, ...]:
        """A row of get_list_numpy_numeric() as a configuration."""
        return tuple(values[values.index(one)] if numeric else values[int(one)]
                     for one, values, numeric in zip(param_config, self.params_values, self.tune_param_is_numeric_mask))

    # ---- samples --------------------------------------------------------------------------------------------

    def get_random_sample_indices(self, num_samples: int) -> Any:
        """Distinct ones, in an array."""
        if num_samples > self.size:
            raise UsageError(f"The number of samples requested ({num_samples}) is greater than the searchspace size ({self.size})")
        return self._numpy.array(sample(range(self.size), num_samples), dtype=int)

    def get_random_sample(self, num_samples: int) -> Tuples:
        """Distinct ones; all, with a warning, if there are fewer."""
        return self.get_param_configs_at_indices(self.get_random_sample_indices(self._at_most(num_samples, self.size)))

    def get_LHS_sample_indices(self, num_samples: int) -> List[int]:
        """Distinct ones that are spread over each parameter's values: the nearest valid ones to the points of a Latin hypercube."""
        count = self._at_most(num_samples, round(self.size / 2))
        strata = self._numpy.array([sample(range(count), count) for _ in self.param_names]).T.reshape(count, self.num_params)
        low, high = self.get_param_indices_lower_bounds(), self.get_param_indices_upper_bounds()
        points = low + (strata + 0.5) / max(1, count) * (high - low + 1) - 0.5
        found = {self._index_near(point) for point in points}
        others = [i for i in sample(range(self.size), min(self.size, 2 * count)) if i not in found]
        return [*found, *others[:count - len(found)]]

    def _index_near(self, places: Sequence[float]) -> int:
        """The configuration that is the fewest steps away from places, all parameters together."""
        return int(abs(self._places - self._numpy.asarray(places)).sum(axis=1).argmin())

    def nearest(self, param_config: Sequence[Any]) -> Tuple[Any, ...]:
        """The valid configuration that is the fewest places away from any one."""
        return self.list[self._index_near(self.get_param_indices(param_config))]

    def get_LHS_sample(self, num_samples: int) -> Tuples:
        return self.get_param_configs_at_indices(self.get_LHS_sample_indices(num_samples))

    def get_distributed_random_sample_indices(self, num_samples: int, sampling_factor: int = 10) -> List[int]:
        """As get_LHS_sample_indices()."""
        return self.get_LHS_sample_indices(num_samples)

    def get_distributed_random_sample(self, num_samples: int, sampling_factor: int = 10) -> Tuples:
        return self.get_LHS_sample(num_samples)

    def _at_most(self, asked: int, other: int) -> int:
        if asked <= self.size:
            return asked
        warnings.warn(f"{asked} samples of a space of {self.size}: it is {other} instead", stacklevel=3)
        return other

    # ---- neighbors --------------------------------------------------------------------------------------------

    def get_neighbors_indices_no_cache(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> List[int]:
        method = neighbor_method or self.neighbor_method
        _check_method(method)
        steps = self._places - self._numpy.array(self.get_param_indices(param_config), dtype=self._places.dtype)
        away = abs(steps)
        near = away.any(axis=1)  # it is not its own neighbor
        if method.startswith("Hamming"):
            near &= (steps != 0).sum(axis=1) == 1
        if method == "strictly-adjacent":
            near &= away.max(axis=1) == 1
        elif method.endswith("adjacent"):
            near &= self._within_nearest(steps, near)
        elif method == "closest-param-indices" and near.any():
            total = away.sum(axis=1)
            near &= total == total[near].min()
        return [int(i) for i in near.nonzero()[0]]

    def _within_nearest(self, steps: Any, near: Any) -> Any:
        """Which rows go in no parameter past the nearest value, up and down, that a row of `near` has?"""
        far = self._numpy.iinfo(steps.dtype)
        among = steps[near]
        up = among.min(axis=0, initial=far.max, where=among > 0)
        down = among.max(axis=0, initial=far.min, where=among < 0)
        return ((down <= steps) & (steps <= up)).all(axis=1)

    def get_neighbors_indices(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> List[int]:
        key = (neighbor_method or self.neighbor_method, tuple(param_config))
        if key not in self._near:
            self._near[key] = self.get_neighbors_indices_no_cache(*key[::-1])
        return list(self._near[key])

    def are_neighbors_indices_cached(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None) -> bool:
        return (neighbor_method or self.neighbor_method, tuple(param_config)) in self._near

    def get_neighbors(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> Tuples:
        """The neighbors of any configuration, valid or not, that are in the space; it is not its own neighbor."""
        return self.get_param_configs_at_indices(self.get_neighbors_indices(param_config, neighbor_method))

    def get_neighbors_no_cache(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None) -> Tuples:
        return self.get_param_configs_at_indices(self.get_neighbors_indices_no_cache(param_config, neighbor_method))

    def get_random_neighbor(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> Optional[Tuple[Any, ...]]:
        found = self.get_neighbors(param_config, neighbor_method)
        return choice(found) if found else None

    def get_param_neighbors(self, param_config: Sequence[Any], index: int, neighbor_method: Optional[str] = None, randomize: bool = False) -> List[Any]:
        """The other values that the parameter at `index` has among the neighbors."""
        found = list(dict.fromkeys(one[index] for one in self.get_neighbors(param_config, neighbor_method) if one[index] != param_config[index]))
        return sample(found, len(found)) if randomize else found

    def order_param_configs(self, param_configs: Tuples, order: Sequence[int], randomize_in_params: bool = True) -> Tuples:
        """One of them first, then those that differ from it in the first parameter of `order`, in the second, and so on."""
        if len(order) != self.num_params:
            raise UsageError(f"The length of the order ({len(order)}) must be equal to the number of parameters ({self.num_params})")
        missing = [i for i in range(self.num_params) if i not in order]
        if missing:
            raise UsageError(f"order needs to be a list of the parameter indices, but index {missing[0]} is missing")
        base = choice(param_configs)
        ordered = [base]
        for i in order:
            part = [one for one in param_configs if one[i] != base[i] and one not in ordered]
            ordered += sample(part, len(part)) if randomize_in_params else part
        return ordered


def _check_method(method: str) -> None:
    if method not in NEIGHBORS:
        raise UsageError(f"neighbor_method is {method!r}: hone has {', '.join(NEIGHBORS)}")


def _valid_places(asked: Combinations, restrictions: Any, max_threads: Optional[int], block_size_names: Optional[Sequence[str]]) -> List[Tuple[int, ...]]:
    """The places of the values of each valid configuration, in order. Code is asked about each one that texts leave."""
    asked.name_blocks(block_size_names)
    code = asked.split(restrictions)
    sizes = [name for name in asked.blocks if name in asked.params]
    limit = [f"{' * '.join(sizes)} <= {max_threads}"] if sizes and max_threads is not None else []
    space = Spec.parse(json.dumps({"parameters": asked.params, "restrictions": asked.conditions + limit, "kernel": "none.cl", "global": 1}),
                       name="kernel").space()
    values = list(asked.params.items())
    return sorted(row for row in space.choices()
                  if not code or all(one({name: listed[i] for (name, listed), i in zip(values, row)}) for one in code))
