"""Arguments that a parameter chooses (Tunable, TunablePrecision): the space falls into parts with the same arguments, each of which is a tune
of its own."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ._combinations import Combinations, Unsupported
from ._goals import Goals, totals
from .accuracy import Tunable
from .util import get_config_string

Tuned = Tuple[List[Dict[str, Any]], Dict[str, Any]]


def has_tunables(*given: Any) -> bool:
    return any(isinstance(one, Tunable) or isinstance(one, (list, tuple)) and has_tunables(*one) for one in given)


def select(given: Any, params: Mapping[str, Any]) -> Any:
    """Arguments, or an answer, of one configuration."""
    if isinstance(given, Tunable):
        return given(dict(params))
    return [select(one, params) for one in given] if isinstance(given, (list, tuple)) else given


def tune_selected(tune: Callable[..., Tuned], given: Dict[str, Any]) -> Tuned:
    """tune_kernel's results, of a tune for each choice of arguments."""
    if given["strategy"] not in (None, "brute_force"):
        raise Unsupported(f"Tunable with strategy={given['strategy']!r}: each choice of arguments is a tune of its own here; leave strategy out")
    asked = Combinations(given["kernel_name"], given["tune_params"])
    asked.restrict(given["restrictions"])
    parts: Dict[Tuple[int, ...], Tuple[Any, Any, List[Dict[str, Any]]]] = {}
    for _, p in asked.combinations("Tunable"):
        arguments, answer = select(given["arguments"], p), select(given["answer"], p)
        key = tuple(map(id, [*arguments, *(answer or ())]))  # objects of the Tunables, which stay
        parts.setdefault(key, (arguments, answer, []))[2].append(p)
    results: List[Dict[str, Any]] = []
    environment: Dict[str, Any] = {}
    for arguments, answer, configurations in parts.values():
        rows, environment = tune(**{**given, "arguments": arguments, "answer": answer, "restrictions": [_among(configurations)], "quiet": True})
        for row in rows if not given["quiet"] else ():
            print(get_config_string(row, [*asked.params, "time", *(given["metrics"] or ())]))
        results += rows
    goals = Goals(given["objective"], given["objective_higher_is_better"], given["objectives"])
    results.sort(key=asked.order)
    environment.update(totals(results), best_config=goals.best(results))
    if not given["quiet"]:
        goals.tell(environment["best_config"], [*asked.params, "time", *(given["metrics"] or ())])
    return results, environment


def _among(configurations: Sequence[Mapping[str, Any]]) -> Callable[..., bool]:
    known = {tuple(p.values()) for p in configurations}
    return lambda **p: tuple(p.values()) in known
