"""Records: what became of one configuration, copied out of libhone, so that they outlive their tune."""

from __future__ import annotations

import functools
import json
import struct
from ctypes import byref, c_bool, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p, sizeof, string_at
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ._library import RECORD_GPU, RECORD_TIMES, DeviationInfo, RecordValues, ResourcesInfo, decode, lib

_RESOURCES = tuple(name for name, _ in ResourcesInfo._fields_[1:])
_UNKNOWN = -1  # what no driver says of a resource
_DEVIATION = tuple(name for name, _ in DeviationInfo._fields_[2:])  # behind its size and name

# Members of a ctypes struct are looked up one by one; all at once by this, laid out by the same rules.
_CODES = {c_size_t: "N", c_int: "i", c_bool: "?", c_uint64: "Q", c_void_p: "P", c_double: "d", c_uint32: "I"}
_VALUES = struct.Struct("@" + "".join(_CODES[kind] for _, kind in RecordValues._fields_))
assert _VALUES.size <= sizeof(RecordValues)  # which ends in padding
_AT = {name: i for i, (name, _) in enumerate(RecordValues._fields_)}
_FROM_TIMES, _FROM_GPU = _AT[f"{RECORD_TIMES[0]}_ns"], _AT[RECORD_GPU[0]]
_values = lib.hone_record_values


@dataclass
class Record:
    """What became of one configuration. A failure is a record, not an exception.

    configuration: {parameter: value}. status: "correct", "compile", "runtime", "timeout", "correctness", "constraints".
    message: why it failed. log: of the build. output: what the kernel and its worker printed (the tail).
    time_ns: the median of `samples_ns`, None unless it is correct and was measured; `interval_ns` the 95 % interval of
    the median. ratio: its time by the winner's in the ranking, None where it was not ranked, with its interval;
    tied: not told apart from the winner. metrics: {name: value} at the median, those that have one. verified: held against
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

    def __getattr__(self, name: str) -> Any:
        """What a Reader left for when it is asked for."""
        copied, make = self.__dict__.get("_copied"), _LATER.get(name)
        if copied is None or make is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self.__dict__[name] = make(copied)
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


# What a Reader copies of a record: the names and values of the spec's parameters, the names of its metrics, the choice,
# samples and metrics as the library has them, and numbers in the order of RecordValues.
_Copied = Tuple[Sequence[Tuple[str, Sequence[Any]]], Sequence[str], bytes, bytes, bytes, Tuple[Any, ...]]


def _configuration(copied: _Copied) -> Dict[str, Any]:
    choice = memoryview(copied[2]).cast("I")
    return {name: values[i] for (name, values), i in zip(copied[0], choice)}


def _metrics(copied: _Copied) -> Dict[str, float]:
    return {name: value for name, value in zip(copied[1], memoryview(copied[4]).cast("d")) if value == value}


def _gpu(copied: _Copied) -> Dict[str, int]:
    numbers = copied[5]
    return dict(zip(RECORD_GPU, numbers[_FROM_GPU:])) if numbers[_AT["has_gpu"]] and numbers[_AT["is_timed"]] else {}


_LATER: Dict[str, Callable[[_Copied], Any]] = {
    "configuration": _configuration, "metrics": _metrics, "gpu": _gpu,
    "samples_ns": lambda copied: memoryview(copied[3]).cast("Q").tolist(),
    "times_ns": lambda copied: dict(zip(RECORD_TIMES, copied[5][_FROM_TIMES:])),
    "resources": lambda _: [], "deviations": lambda _: []}  # where there are none


def _text(at: Optional[int]) -> str:
    return decode(string_at(at)) if at else ""  # which most are


@functools.lru_cache(None)
def _status(number: int) -> str:
    return decode(lib.hone_status_text(number))


class Reader:
    """Copies records of one spec (None: of any) out of the library: in one call all that most have, and no more of it is made
    into objects than somebody looks at, since a tune may have thousands. What it gives the library to fill is kept; so one
    thread at a time uses it."""

    def __init__(self, spec: Any, metrics: Sequence[str]) -> None:
        self._parameters = list(zip(spec._names, spec._values)) if spec is not None else []
        self._metrics = list(metrics)
        self._values, self._resources, self._deviation = RecordValues(), ResourcesInfo(), DeviationInfo()
        self._values_at, self._resources_at, self._deviation_at = map(byref, (self._values, self._resources, self._deviation))

    def read(self, handle: Any) -> Record:
        _values(handle, self._values_at)
        numbers = _VALUES.unpack_from(self._values)
        (_, status, verified, reused, pareto, timed, has_interval, ranked, tied, _, index, choice, message, log, output, median,
         low, high, ratio, ratio_low, ratio_high, samples, sample_count, metrics, metric_count) = numbers[:_FROM_TIMES]
        known = self._parameters if choice else ()
        r = Record.__new__(Record)
        r.__dict__.update(
            _copied=(known, self._metrics, string_at(choice, 4 * len(known)) if known else b"",
                     string_at(samples, 8 * sample_count) if timed and sample_count else b"",
                     string_at(metrics, 8 * metric_count) if metric_count else b"", numbers),
            status=_status(status), message=_text(message), log=_text(log), output=_text(output), verified=verified,
            reused=reused, pareto=pareto, index=index, time_ns=median if timed else None,
            interval_ns=(low, high) if has_interval else None, ratio=ratio if ranked else None,
            ratio_interval=(ratio_low, ratio_high) if ranked else None, tied=tied)
        if not known:
            r.configuration = json.loads(decode(lib.hone_record_json(handle)))
        if numbers[-2] or numbers[-1]:
            self._read_lists(handle, r)
        return r

    def _read_lists(self, handle: Any, r: Record) -> None:
        room, r.resources, r.deviations = self._resources, [], []
        while lib.hone_record_resources(handle, len(r.resources), self._resources_at):
            r.resources.append({name: value for name in _RESOURCES if (value := getattr(room, name)) != _UNKNOWN})
        compared = self._deviation
        while lib.hone_record_deviation(handle, len(r.deviations), self._deviation_at):
            r.deviations.append({"name": decode(compared.name), **{name: getattr(compared, name) for name in _DEVIATION}})
