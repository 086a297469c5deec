"""The combinations of a script's parameters: which of them are valid, and what its code says of each.

Expressions stay expressions: hone evaluates them. What is code is called once for each configuration, and becomes a table that the
spec looks up by the configuration's place among all combinations.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .. import _arrays
from .._library import UsageError
from .._spec import Spec

TABLE_MOST = 200_000  # combinations that a callable is asked for
_CONSTRAINTS = {  # python-constraint's classes: where their bound is, and what they compute
    "ExactSumConstraint": ("_exactsum", " + ", "=="), "MaxSumConstraint": ("_maxsum", " + ", "<="), "MinSumConstraint": ("_minsum", " + ", ">="),
    "MaxProdConstraint": ("_maxprod", " * ", "<="), "MinProdConstraint": ("_minprod", " * ", ">=")}


class Unsupported(UsageError, NotImplementedError):
    """What of Kernel Tuner hone cannot serve, by name, and what would do instead."""


class Combinations:
    """Parameters with their values, restrictions, and derived values that tables give."""

    def __init__(self, name: Any, params: Mapping[str, Sequence[Any]]) -> None:
        if callable(name):
            raise Unsupported("kernel_name as a callable; name the kernel, or tune each by itself")
        for key, values in params.items():
            if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
                raise UsageError(f"tune_params[{key!r}] is {values!r}, and no list of values")
        self.params = {str(key): [_arrays.plain_number(v) for v in values] for key, values in params.items()}
        self.name = str(name)
        for key, values in self.params.items():
            if not values:
                raise UsageError(f"tune_params[{key!r}] has no value")
            if any(not isinstance(v, (bool, int, float, str)) for v in values):
                raise Unsupported(f"tune_params[{key!r}] has values of another kind than numbers and texts")
        self.total = math.prod(len(values) for values in self.params.values())
        self.rows: Optional[List[Tuple[int, Dict[str, Any]]]] = None  # of valid configurations, where code was asked
        self.derived: List[Dict[str, str]] = []
        self.conditions: List[str] = []
        self.problem_size: Any = None
        self.blocks: List[str] = []  # the parameters that are a group's sizes, x, y and z

    def name_kernel(self, templates: bool) -> None:
        """A parameter's name in the kernel's stands for its value. `templates`: its compiler reads f<NAME> as a template's, where macros stand
        for the values of each configuration."""
        if not templates or "<" not in self.name:
            self.name = re.sub(r"\w+", lambda part: self._named(part.group()), self.name)

    def _named(self, part: str) -> str:
        values = self.params.get(part, [part])
        if len(values) > 1:
            raise Unsupported(f"kernel_name: {part} is a parameter of {len(values)} values, and only a template in CUDA may have these in its name: have "
                              "one kernel call others by #if")
        return str(values[0]) if values else part

    def name_blocks(self, names: Optional[Sequence[str]]) -> None:
        """`names`, else block_size_x, _y and _z in whatever case."""
        if isinstance(names, str):
            raise UsageError(f"block_size_names is {names!r}, and a list of names is needed: [{names!r}]")
        self.blocks = list(names or ())
        if len(self.blocks) > 3:
            raise UsageError(f"block_size_names has {len(self.blocks)} names, and a block 3 axes at most")
        for name in ("block_size_x", "block_size_y", "block_size_z")[len(self.blocks):]:
            self.blocks.append(name if name in self.params else next((key for key in self.params if key.lower() == name), name))

    def group_size(self, p: Mapping[str, Any]) -> Any:
        return math.prod(p[name] for name in self.blocks if name in p)

    def restrict(self, restrictions: Any) -> None:
        """Texts are restrictions of the spec; code is asked for each configuration that they leave."""
        code = self.split(restrictions)
        if code:
            rows = self.combinations("restrictions")
            kept = [(i, p) for i, p in rows if all(one(p) for one in code)]
            if not kept:
                raise UsageError("restrictions exclude every configuration")
            self.rows = kept
            self.conditions.append(f"{self.table('hone_valid', {i: 1 for i, _ in kept}, 0)} == 1")

    def split(self, restrictions: Any) -> List[Callable[[Dict[str, Any]], Any]]:
        """Adds those that are texts, or can be written as one, to the conditions; gives the code of the others, which takes a configuration."""
        if restrictions is None:
            return []
        listed = list(restrictions) if isinstance(restrictions, (list, tuple)) and not _with_names(restrictions) else [restrictions]
        code: List[Callable[[Dict[str, Any]], Any]] = []
        for one in listed:
            if isinstance(one, str):
                self.conditions.append(one)
            elif _is_constraint(one) or (_with_names(one) and _is_constraint(one[0])):  # of the package python-constraint
                constraint, names = (one, list(self.params)) if _is_constraint(one) else (one[0], list(one[1]))
                text = self._constraint_text(constraint, names)
                if text is not None:
                    self.conditions.append(text)
                else:
                    code.append(lambda p, f=constraint, names=names: f(names, {}, {key: p[key] for key in names}))
            elif _with_names(one):
                names = list(one[1])
                code.append(lambda p, f=one[0], names=names: ask(f, {key: p[key] for key in names}))
            elif callable(one):
                code.append(lambda p, f=one: ask(f, p))
            else:
                raise Unsupported(f"a restriction of type {type(one).__name__}: hone takes texts and callables")
        return code

    def _constraint_text(self, constraint: Any, names: List[str]) -> Optional[str]:
        """Sums and products of whole numbers, which the space need not try one by one; None for all else."""
        member, operator, relation = _CONSTRAINTS.get(type(constraint).__name__, ("", "", ""))
        bound, factors = getattr(constraint, member, None) if member else None, getattr(constraint, "_multipliers", None)
        whole = all(isinstance(value, int) for one in [[bound], factors or [], *(self.params[name] for name in names)] for value in one)
        if not whole or not names:
            return None
        terms = [f"{factor} * {name}" for factor, name in zip(factors, names)] if factors else names
        return f"{operator.join(terms)} {relation} {bound}"

    def combinations(self, what: str) -> List[Tuple[int, Dict[str, Any]]]:
        """Place among all combinations, and configuration, of those that restrictions as texts leave."""
        if self.rows is None:
            if self.total > TABLE_MOST:
                raise Unsupported(f"{what} as code over {self.total} combinations of parameters: it is asked for each, and {TABLE_MOST} are "
                                  "the most; write it as a text")
            bare = Spec.parse(json.dumps({"parameters": self.params, "restrictions": self.conditions, "kernel": "none.cl", "global": 1}),
                              name=self.name)
            rows = [(self._place(p), p) for p in bare.space()]
            if not rows:
                raise UsageError("restrictions exclude every configuration")
            self.rows = rows
        return self.rows

    def order(self, row: Mapping[str, Any]) -> int:
        """Where a configuration stands; behind all where a cache file has other values."""
        try:
            return self._place(row)
        except (KeyError, ValueError):
            return self.total

    def _place(self, p: Mapping[str, Any]) -> int:
        place = 0
        for key, values in self.params.items():
            place = place * len(values) + values.index(p[key])
        return place

    def _place_text(self) -> str:
        text = "0"
        for key, values in self.params.items():
            index = "0"
            for i in range(len(values) - 1, 0, -1):
                index = f"({i} if {key} == {values[i]!r} else {index})"
            text = f"({text}) * {len(values)} + {index}" if text != "0" else index
        return text

    def table(self, name: str, values: Mapping[int, Any], other: Any) -> str:
        """The name of a derived value that is looked up by the configuration's place."""
        if not any(d["Name"] == "hone_place" for d in self.derived):
            self.derived.append({"Name": "hone_place", "Expression": self._place_text()})
        listed = [values.get(i, other) for i in range(self.total)]
        self.derived.append({"Name": name, "Expression": f"{listed!r}[hone_place]"})
        return name

    def by_code(self, name: str, what: str, code: Callable[[Dict[str, Any]], Any]) -> str:
        """What a callable gives, as an expression: one number where it is always the same."""
        values = {i: _arrays.plain_number(code(dict(p))) for i, p in self.combinations(what)}
        some = next(iter(values.values()))
        if all(v == some for v in values.values()):
            return repr(some)
        return self.table(name, values, some)


_SET_BY_TUNER = ("nvml_", "tegra_", "cuda_sm_percentage")  # parameters that Kernel Tuner sets on the card, and which no kernel sees


def check_names(params: Mapping[str, Any], simulated: bool) -> None:
    """Raises where a parameter's name means something else to Kernel Tuner."""
    for name in map(str, params):
        if name.startswith(_SET_BY_TUNER) and not simulated:
            raise Unsupported(f"tune_params[{name!r}]: hone sets no clocks, power limits or shares of a card; nvidia-smi does, before a tune")
        if name in ("grid_size_x", "grid_size_y", "grid_size_z", "time", "times"):
            raise UsageError(f"tune_params[{name!r}]: the name has a meaning of its own; take another one")


def _with_names(restriction: Any) -> bool:
    """Is it (callable, names of parameters), and not several restrictions?"""
    return isinstance(restriction, tuple) and len(restriction) >= 2 and callable(restriction[0]) and \
        isinstance(restriction[1], (list, tuple)) and all(isinstance(name, str) for name in restriction[1])


def _is_constraint(one: Any) -> bool:
    return callable(one) and hasattr(one, "preProcess")


def ask(code: Callable[..., Any], p: Dict[str, Any]) -> Any:
    """Kernel Tuner calls with the parameters by name, or with the dictionary where there is one argument of another name."""
    try:
        wanted = inspect.signature(code).parameters
    except (TypeError, ValueError):
        return code(dict(p))
    by_name = [n for n, a in wanted.items() if a.kind in (a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY)]
    if any(a.kind == a.VAR_KEYWORD for a in wanted.values()):
        return code(**p)
    if by_name and all(n in p for n in by_name):
        return code(**{n: p[n] for n in by_name})
    return code(dict(p))


def axes(size: Any) -> List[Any]:
    return list(size) if isinstance(size, (list, tuple)) or getattr(size, "ndim", 0) == 1 else [size]
