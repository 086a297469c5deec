"""simulation_mode: a search whose answers are the rows of a cache file. hone replays it (`hone tune --replay`), without a device."""

from __future__ import annotations

import json
import math
import pathlib
import random
import tempfile
import time
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .. import _program
from .._library import UsageError, WorkerError
from .._spec import Spec, configuration_text
from ._cache import cache_key, of_space, read_cache
from ._combinations import Combinations, Unsupported
from ._goals import COSTS, Goals, Metrics, fail, totals
from .file_utils import plain
from .util import InvalidConfig, get_config_string

_GROUP_MOST = 1024  # work-items of a group in Kernel Tuner's simulations: more are not in the space


def simulate(question: Combinations, cache: Any, goals: Goals, metrics: Metrics, search: str, budget: List[str],
             seed: Optional[int], quiet: bool, start: Sequence[Mapping[str, Any]] = (), recorded_alone: bool = False,
             own: Optional[Callable[..., List[Dict[str, Any]]]] = None) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """Searches a cache file and gives results and environment as a tune does. `start`: what it tries first. `recorded_alone`: the space
    is what the file has, else each configuration has to be in it. `own`: searches by the rows instead, of a function that gives one."""
    began = time.perf_counter()
    if cache is None:
        raise UsageError("simulation_mode searches a cache file: name it as cache")
    document, path = read_cache(cache, question, None)
    if not path.exists():
        raise UsageError(f"simulation_mode searches a cache file, and there is no {path}")
    known = _rows(question, document, goals, metrics, recorded_alone, path)
    if not quiet:
        print(f"Simulating: {document.get('device_name', 'a device without a name')}")
    read = time.perf_counter()
    results = [known[key] for key in _replay(question, known, goals, search, budget, seed, start)] if own is None else _ask(own, question, known)
    searched = time.perf_counter()
    for row in results if not quiet else ():
        print(get_config_string(row, [*question.params, "time", *metrics.given]))
    if search == "exhaustive":
        results.sort(key=question.order)
    best = goals.best(results)
    if not quiet:
        goals.tell(best, [*question.params, "time", *metrics.given])
    spent = sum(row.get(cost, 0) for row in results for cost in COSTS)
    environment = {"device_name": document.get("device_name", ""), "simulation": True, "simulated_time": spent, "best_config": best,
                   **totals(results), "total_framework_time": 1e3 * (read - began), "total_strategy_time": 1e3 * (searched - read)}
    environment["overhead_time"] = 1e3 * (time.perf_counter() - searched)
    return results, environment


def _rows(question: Combinations, document: Mapping[str, Any], goals: Goals, metrics: Metrics, recorded_alone: bool,
          path: pathlib.Path) -> Dict[str, Dict[str, Any]]:
    """The file's rows that are in the space, with the script's metrics."""
    spec = Spec.parse(json.dumps({"parameters": question.params, "restrictions": question.conditions, "kernel": "none.cl", "global": 1,
                                  "derived": {one["Name"]: one["Expression"] for one in question.derived}}), name=question.name)
    space = spec.space()
    if not len(space):
        raise UsageError(f"restrictions exclude every configuration: {space.why()}")
    known = of_space(space, document.get("cache", {}))
    missing = [p for p in space if cache_key(p, p) not in known and question.group_size(p) <= _GROUP_MOST] if not recorded_alone else []
    if missing or not known:
        raise UsageError(f"{path} has {len(known)} of the space's configurations" +
                         (f", and {len(missing)} are missing, such as {get_config_string(missing[0])}: a simulation needs all of them" if missing
                          else ": there is nothing to search"))
    for row in known.values():
        if "__error__" in row:
            fail(row, row["__error__"], goals.names)
            continue
        metrics.add(row)
        for name in goals.names:
            if name not in row:
                raise Unsupported(f"objective={name!r}: neither {path} nor metrics have it")
    return known


def _replay(question: Combinations, known: Mapping[str, Dict[str, Any]], goals: Goals, search: str, budget: List[str],
            seed: Optional[int], start: Sequence[Mapping[str, Any]]) -> List[str]:
    """The keys of the rows that the search asks for, in its order."""
    if len(goals.names) > 1 and not search.startswith(("exhaustive", "random")):
        warnings.warn("several objectives in simulation_mode: the configurations are a random sample, whatever the strategy", stacklevel=4)
        search = "random"
    if any(limit.endswith("s") for limit in budget) and any(cost not in row for row in known.values() for cost in COSTS):
        raise UsageError(f"time_limit in simulation_mode: not every row of the cache file has {', '.join(COSTS)}")
    values = _as_times({key: goals.costs(row)[0] for key, row in known.items() if "__error__" not in row})
    if not values:  # nothing that a search could go by
        counts = [int(limit) for limit in budget if limit.isdigit()]
        return list(known)[:min(counts, default=None)]
    entries = {key: {**{name: row[name] for name in question.params}, **{cost: row.get(cost, 0) for cost in COSTS},
                     "time": values[key] if key in values else str(row["__error__"])} for key, row in known.items()}
    with tempfile.TemporaryDirectory(prefix="hone-python-") as folder:
        file = pathlib.Path(folder, "cache.json")
        file.write_text(json.dumps({"device_name": "simulated", "kernel_name": question.name, "tune_params_keys": list(question.params),
                                    "tune_params": question.params, "cache": entries}, default=plain))
        said = _program.run(["tune", "--replay", str(file), "--json", "--strategy", search,
                             "--seed", str(seed if seed is not None else random.getrandbits(31)),
                             *(word for limit in budget for word in ("--budget", limit)),
                             *(word for one in start for word in ("--start-with", configuration_text(one)))], ok=(0, 1))
    lines = [json.loads(line) for line in said.splitlines()]
    # Exit status 1 is also that of a search whose rows all failed, which is a result here as it is in Kernel Tuner.
    summary = next((line for line in lines if line["type"] == "summary"), {"error": "hone tune --replay wrote no summary"})
    if summary["error"]:
        raise WorkerError(summary["error"])
    return [cache_key(question.params, line["configuration"]) for line in lines if line["type"] == "result"]


def _ask(own: Callable[..., List[Dict[str, Any]]], question: Combinations, known: Mapping[str, Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The rows that a strategy of the script's own asks for."""
    spent = [0.0]  # ms by the file

    def measure(p: Dict[str, Any]) -> Dict[str, Any]:
        row = known.get(cache_key(question.params, p), {**p, "__error__": InvalidConfig()})
        spent[0] += sum(row.get(cost, 0) for cost in COSTS)
        return row
    return own(measure, lambda: spent[0] / 1e3)


def _as_times(costs: Dict[str, float]) -> Dict[str, float]:
    """Costs as times in ms, in the same order, since a replay searches for the shortest time. Rates become what they are rates of."""
    if not costs:
        return {}
    least, most = min(costs.values()), max(costs.values())
    if most < 0:
        costs = {key: -1 / cost for key, cost in costs.items()}
    elif least <= 0:
        costs = {key: cost - least + (most - least or 1) / 100 for key, cost in costs.items()}
    shift = math.floor(math.log10(min(costs.values())))
    return {key: cost / 10.0 ** shift for key, cost in costs.items()}


