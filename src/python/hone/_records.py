"""Records: what became of one configuration, copied out of libhone, so that they outlive their tune."""

from __future__ import annotations

import functools
import json
import struct
import weakref
from ctypes import byref, string_at
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ._library import FactInfo, decode, lib

_OF_RECORD, _OF_LAUNCH, _OF_OUTPUT = range(3)
_TEXT, _FLAG, _COUNT, _NUMBER, _PAIR, _COUNTS = range(6)
_CODES = ("QPQ", "QQQ", "QQQ", "Qdd", "Qdd", "QPQ")  # of a struct hone_value: is it known, and what it is
_read = lib.hone_facts_read


def _getter(at: int, kind: int) -> Callable[[Sequence[Any]], Any]:
    if kind == _FLAG:
        return lambda values: bool(values[at + 1]) if values[at] else None
    if kind == _PAIR:
        return lambda values: (values[at + 1], values[at + 2]) if values[at] else None
    if kind == _COUNTS:
        return lambda values: memoryview(values[at + 1]).cast("Q").tolist() if values[at] else None
    if kind == _TEXT:
        return lambda values: values[at + 1].decode("utf-8", "replace") if values[at] else None
    return lambda values: values[at + 1] if values[at] else None


class Facts:
    """What libhone knows of a record, a launch or an output: for each name a function that finds its value among those that
    `read` gives, and what it means. One thread at a time reads."""

    def __init__(self, of: int) -> None:
        self.handle = lib.hone_facts_new(of)
        if not self.handle:
            raise MemoryError
        weakref.finalize(self, lib.hone_facts_free, self.handle)
        self.value: Dict[str, Callable[[Sequence[Any]], Any]] = {}
        self.about: Dict[str, str] = {}
        self.place: Dict[str, int] = {}
        fact, codes, self._texts, self._lists = FactInfo(), "@", [], []
        while lib.hone_facts_get(self.handle, len(self.value), byref(fact)):
            name, unit, at = decode(fact.name), decode(fact.unit), 3 * len(self.value)
            self.value[name], self.place[name] = _getter(at, fact.kind), at
            self.about[name] = "; ".join(word for word in (unit, decode(fact.meaning)) if word)
            codes += _CODES[fact.kind]
            if fact.kind == _TEXT:
                self._texts.append(at)
            elif fact.kind == _COUNTS and unit != "uint32_t":
                self._lists.append(at)
        self._values = struct.Struct(codes)

    def read(self, record: Any, index: int = 0) -> List[Any]:
        """Three for each fact: whether it is known, its value, and the upper end or length. Texts and lists are copied."""
        found = _read(self.handle, record, index)
        values: List[Any] = list(self._values.unpack(string_at(found, self._values.size)))
        for at in self._texts:
            if values[at]:
                values[at + 1] = string_at(values[at + 1])
        for at in self._lists:
            if values[at]:
                values[at + 1] = string_at(values[at + 1], 8 * values[at + 2]) if values[at + 2] else b""
        return values

    def named(self, values: Sequence[Any]) -> Dict[str, Any]:
        return {name: value(values) for name, value in self.value.items()}


# They describe what any reader of their kind reads.
_facts, _launch, _output = map(Facts, (_OF_RECORD, _OF_LAUNCH, _OF_OUTPUT))
_value = _facts.value


@dataclass
class Record:
    """What became of one configuration. A failure is a record, not an exception.

    configuration: {parameter: value}. status: "correct", "compile", "runtime", "timeout", "correctness", "constraints".
    message: why it failed. log: of the build. output: what the kernel and its worker printed (the tail).
    time_ns: the median of `samples_ns`, None unless it is correct and was measured; `interval_ns` the 95 % interval of
    the median. ratio: its time by the winner's in the ranking, None where it was not ranked, with its interval;
    tied: not distinguishable from the winner. metrics: {name: value} at the median, those that have one. verified: held against
    a reference, and right. reused: from the store, or from an identical configuration. index: in the space of its tune.
    resources: of each launch, {name: value} of what the driver says, sizes in bytes. deviations: of each output. gpu:
    {mhz_before, mhz_after, memory_mhz, milliwatts, celsius} around the timed launches, where NVML tells them.
    times_ns: {build, load, inputs, reference, verify, measure}, where its time went by the wall clock.
    pareto: with several objectives, no other record is better in all.
    """

    configuration: Dict[str, Any]
    status: str
    message: str = ""
    log: str = field(default="", repr=False)
    output: str = field(default="", repr=False)
    time_ns: Optional[float] = None
    interval_ns: Optional[Tuple[float, float]] = None
    ratio: Optional[float] = None
    ratio_interval: Optional[Tuple[float, float]] = None
    tied: bool = False
    metrics: Dict[str, float] = field(default_factory=dict)
    samples_ns: List[int] = field(default_factory=list, repr=False)
    verified: bool = False
    reused: bool = False
    pareto: bool = False
    index: Optional[int] = None
    resources: List[Dict[str, int]] = field(default_factory=list, repr=False)
    deviations: List[Dict[str, Any]] = field(default_factory=list, repr=False)
    gpu: Dict[str, int] = field(default_factory=dict, repr=False)
    times_ns: Dict[str, int] = field(default_factory=dict, repr=False)

    @property
    def correct(self) -> bool:
        return self.status == "correct"

    def __hash__(self) -> int:
        return hash((tuple(self.configuration.items()), self.status, self.time_ns))

    def __getattr__(self, name: str) -> Any:
        """What a Reader left for when it is asked for."""
        copied = self.__dict__.get("_copied")
        if copied is None or name not in _LATER:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self.__dict__[name] = _LATER[name](copied)
        return value

    def __getstate__(self) -> Dict[str, Any]:
        for name in _LATER:
            getattr(self, name)
        return {name: value for name, value in self.__dict__.items() if name != "_copied"}

    def as_dict(self) -> Dict[str, Any]:
        """Flat: parameters by their names, then status, time_ns, metrics, ratio, tied, message; for tables."""
        low, high = self.interval_ns or (None, None)
        return {**self.configuration, "status": self.status, "time_ns": self.time_ns, "low_ns": low, "high_ns": high,
                **self.metrics, "ratio": self.ratio, "tied": self.tied, "verified": self.verified,
                "reused": self.reused, "message": self.message}


# A record as a Reader copies it: the names and values of the spec's parameters, the names of its metrics, the choice, the
# values that the library had, and those of launches and outputs.
_Copied = Tuple[Sequence[Tuple[str, Sequence[Any]]], Sequence[str], bytes, List[Any], List[List[Any]], List[List[Any]]]


def _configuration(copied: _Copied) -> Dict[str, Any]:
    if not copied[2]:
        known: Dict[str, Any] = json.loads(_value["configuration"](copied[3]))
        return known
    return {name: values[i] for (name, values), i in zip(copied[0], memoryview(copied[2]).cast("I"))}


def _metrics(copied: _Copied) -> Dict[str, float]:
    at = _facts.place["metric_values"]
    known = memoryview(copied[3][at + 1]).cast("d") if copied[3][at] else ()
    return {name: value for name, value in zip(copied[1], known) if value == value}


def _gpu(copied: _Copied) -> Dict[str, int]:
    state = _group(copied, "gpu")
    watts = state.pop("watts")
    del state["note"]
    if watts is None and not any(state.values()) or _value["time_ns"](copied[3]) is None:
        return {}
    return {**{name: value or 0 for name, value in state.items()}, "milliwatts": round(1000 * (watts or 0))}


def _resources(copied: _Copied) -> List[Dict[str, int]]:
    return [{name: value for name, value in _launch.named(values).items() if value is not None} for values in copied[4]]


def _deviations(copied: _Copied) -> List[Dict[str, Any]]:
    made = []
    for values in copied[5]:
        output = {name.split(".")[-1]: value for name, value in _output.named(values).items()}
        made.append({"name": output.pop("argument"), "is_right": output.pop("ok"), **output})
    return made


def _group(copied: _Copied, group: str) -> Dict[str, Any]:
    return {name: _value[f"{group}.{name}"](copied[3]) for name in _GROUPS[group]}


# {"times_ns": ["build", ...]}
_GROUPS: Dict[str, List[str]] = {}
for _path in _value:
    if "." in _path:
        _GROUPS.setdefault(_path.split(".")[0], []).append(_path.split(".")[1])
# How each attribute is made; all that libhone knows is one, by its name in JSON.
_LATER: Dict[str, Callable[[_Copied], Any]] = {
    **{name: lambda copied, value=value: value(copied[3])  # type: ignore[misc]
       for name, value in _value.items() if "." not in name and name not in ("choice", "metric_values")},
    **{group: functools.partial(_group, group=group) for group in _GROUPS},
    "configuration": _configuration, "metrics": _metrics, "gpu": _gpu,
    "reused": lambda copied: bool(_value["reused"](copied[3]) or _value["same_as"](copied[3])),
    "samples_ns": lambda copied: _value["samples_ns"](copied[3]) if _value["time_ns"](copied[3]) is not None else [],
    "resources": _resources, "deviations": _deviations}
# Facts whose default would hide that they are missing.
_AT_ONCE = [(name, _LATER[name]) for name in Record.__dataclass_fields__ if name == "status" or hasattr(Record, name)]
Record.__doc__ = f"{Record.__doc__}\n    What else libhone knows of a record is there by its name in JSON:\n\n" + "".join(
    f"    {name}{': ' if about else ''}{about}\n" for name, about in _facts.about.items()
    if name.split(".")[0] in _LATER and name.split(".")[0] not in Record.__dataclass_fields__)


class Reader:
    """Copies records of one spec (None: of any) out of the library: in one call all that most have, and no more of it is made
    into objects than somebody looks at, since a tune may have thousands. What the library fills is kept; so one thread at a
    time uses it."""

    def __init__(self, spec: Any, metrics: Sequence[str]) -> None:
        self._parameters = list(zip(spec._names, spec._values)) if spec is not None else []
        self._metrics = list(metrics)
        self._facts, self._launch, self._output = map(Facts, (_OF_RECORD, _OF_LAUNCH, _OF_OUTPUT))

    def read(self, handle: Any) -> Record:
        values, at = self._facts.read(handle), _facts.place["choice"]
        known = self._parameters if values[at] else ()
        copied = (known, self._metrics, string_at(values[at + 1], 4 * len(known)) if known else b"", values,
                  [self._launch.read(handle, i) for i in range(_value["launches"](values))],
                  [self._output.read(handle, i) for i in range(_value["compared_outputs"](values))])
        r = Record.__new__(Record)
        r.__dict__.update({name: make(copied) for name, make in _AT_ONCE}, _copied=copied)
        return r
