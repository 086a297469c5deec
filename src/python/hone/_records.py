"""Records: what became of one configuration, copied out of libhone, so that they outlive their tune."""

from __future__ import annotations

import functools
import json
import struct
from ctypes import POINTER, byref, c_double, c_uint64
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._library import DeviationInfo, GpuInfo, ResourcesInfo, TimesInfo, decode, lib

_RESOURCES = tuple(name for name, _ in ResourcesInfo._fields_[1:])
_TIMES = tuple(name[:-len("_ns")] for name, _ in TimesInfo._fields_[1:])
_TIMES_FROM = TimesInfo.build_ns.offset
_NUMBERS = struct.Struct(f"={len(_TIMES)}Q")

# A tune may have thousands of records, each of which takes these calls; looking one up in the library takes as long as it.
_choice, _status_of, _message, _log, _output, _verified, _reused, _pareto, _index, _times, _median, _interval, _samples, _gpu, \
    _ratio, _resources, _deviation = (getattr(lib, f"hone_record_{name}") for name in (
        "choice", "status", "message", "log", "output", "verified", "reused", "pareto", "index", "times", "median", "interval",
        "samples", "gpu", "ratio", "resources", "deviation"))
_GPU = tuple(name for name, _ in GpuInfo._fields_[1:])
_UNKNOWN = -1  # what no driver says of a resource
_DEVIATION = tuple(name for name, _ in DeviationInfo._fields_[2:])  # behind its size and name


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

    def as_dict(self) -> Dict[str, Any]:
        """Flat: parameters by their names, then status, time_ns, metrics, ratio, tied, message; for tables."""
        low, high = self.interval_ns or (None, None)
        return {**self.configuration, "status": self.status, "time_ns": self.time_ns, "low_ns": low, "high_ns": high,
                **self.metrics, "ratio": self.ratio, "tied": self.tied, "verified": self.verified,
                "reused": self.reused, "message": self.message}


def _text(given: Optional[bytes]) -> str:
    return decode(given) if given else ""  # which most are


@functools.lru_cache(None)
def _status(number: int) -> str:
    return decode(lib.hone_status_text(number))


class Reader:
    """Copies records of one spec (None: of any) out of the library. What it gives the library to fill is kept, since a tune may
    have thousands of records; so one thread at a time uses it."""

    def __init__(self, spec: Any, metrics: Sequence[str]) -> None:
        self._spec, self._metrics = spec, list(enumerate(metrics))
        self._a, self._b, self._c, self._samples = c_double(), c_double(), c_double(), POINTER(c_uint64)()
        self._resources, self._deviation, self._gpu = ResourcesInfo(), DeviationInfo(), GpuInfo()
        self._times = TimesInfo()
        self._at = byref(self._a), byref(self._b), byref(self._c)
        self._samples_at, self._resources_at, self._deviation_at, self._gpu_at, self._times_at = map(
            byref, (self._samples, self._resources, self._deviation, self._gpu, self._times))

    def read(self, handle: Any) -> Record:
        choice = _choice(handle) if self._spec is not None else None
        r = Record(self._spec.configuration(choice) if choice else json.loads(decode(lib.hone_record_json(handle))),
                   _status(_status_of(handle)), _text(_message(handle)), _text(_log(handle)), _text(_output(handle)))
        r.verified, r.reused, r.pareto, r.index = _verified(handle), _reused(handle), _pareto(handle), _index(handle)
        _times(handle, self._times_at)
        r.times_ns = dict(zip(_TIMES, _NUMBERS.unpack_from(self._times, _TIMES_FROM)))
        (a, b, c), a_value = self._at, self._a
        if _median(handle, a):
            r.time_ns = a_value.value
            if self._metrics:
                r.metrics = {name: a_value.value for i, name in self._metrics if lib.hone_record_metric(handle, i, a)}
            if _interval(handle, a, b):
                r.interval_ns = (a_value.value, self._b.value)
            count = _samples(handle, self._samples_at)
            r.samples_ns = self._samples[:count]
            if _gpu(handle, self._gpu_at):
                r.gpu = {name: getattr(self._gpu, name) for name in _GPU}
        if _ratio(handle, a, b, c):
            r.ratio, r.ratio_interval = a_value.value, (self._b.value, self._c.value)
            r.tied = lib.hone_record_tied(handle)
        room = self._resources
        while _resources(handle, len(r.resources), self._resources_at):
            r.resources.append({name: value for name in _RESOURCES if (value := getattr(room, name)) != _UNKNOWN})
        room = self._deviation
        while _deviation(handle, len(r.deviations), self._deviation_at):
            r.deviations.append({"name": decode(room.name), **{name: getattr(room, name) for name in _DEVIATION}})
        return r
