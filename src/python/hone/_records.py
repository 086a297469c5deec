"""Records: what became of one configuration, copied out of libhone, so that they outlive their tune."""

from __future__ import annotations

import ctypes
import functools
import json
from ctypes import POINTER, byref, c_double, c_uint64
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._library import DeviationInfo, GpuInfo, ResourcesInfo, TimesInfo, decode, lib

_RESOURCES = tuple(name for name, _ in ResourcesInfo._fields_[1:])
_TIMES = tuple((name, name[:-len("_ns")]) for name, _ in TimesInfo._fields_[1:])
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
        self._samples_at, self._resources_at, self._deviation_at = map(byref, (self._samples, self._resources, self._deviation))

    def read(self, handle: Any) -> Record:
        choice = lib.hone_record_choice(handle) if self._spec is not None else None
        r = Record(self._spec.configuration(choice) if choice else json.loads(decode(lib.hone_record_json(handle))),
                   _status(lib.hone_record_status(handle)), decode(lib.hone_record_message(handle)),
                   decode(lib.hone_record_log(handle)), decode(lib.hone_record_output(handle)),
                   verified=lib.hone_record_verified(handle), reused=lib.hone_record_reused(handle),
                   pareto=lib.hone_record_pareto(handle), index=lib.hone_record_index(handle))
        lib.hone_record_times(handle, byref(self._times))
        r.times_ns = {name: getattr(self._times, member) for member, name in _TIMES}
        (a, b, c), a_value = self._at, self._a
        if lib.hone_record_median(handle, a):
            r.time_ns = a_value.value
            if self._metrics:
                r.metrics = {name: a_value.value for i, name in self._metrics if lib.hone_record_metric(handle, i, a)}
            if lib.hone_record_interval(handle, a, b):
                r.interval_ns = (a_value.value, self._b.value)
            count = lib.hone_record_samples(handle, self._samples_at)
            r.samples_ns = self._samples[:count]
            if lib.hone_record_gpu(handle, byref(self._gpu)):
                r.gpu = {name: getattr(self._gpu, name) for name in _GPU}
        if lib.hone_record_ratio(handle, a, b, c):
            r.ratio, r.ratio_interval = a_value.value, (self._b.value, self._c.value)
            r.tied = lib.hone_record_tied(handle)
        room = self._resources
        while lib.hone_record_resources(handle, len(r.resources), self._resources_at):
            r.resources.append({name: value for name in _RESOURCES if (value := getattr(room, name)) != _UNKNOWN})
        room = self._deviation
        while lib.hone_record_deviation(handle, len(r.deviations), self._deviation_at):
            r.deviations.append({"name": decode(room.name), **{name: getattr(room, name) for name in _DEVIATION}})
        return r
