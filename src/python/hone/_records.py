"""Records: what became of one configuration, copied out of libhone, so that they outlive their tune."""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, byref, c_double, c_uint64
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from ._library import DeviationInfo, ResourcesInfo, decode, lib

_RESOURCES = tuple(name for name, _ in ResourcesInfo._fields_[1:])
_DEVIATION = tuple(name for name, _ in DeviationInfo._fields_[1:])


@dataclass
class Record:
    """What became of one configuration. A failure is a record, not an exception.

    configuration: {parameter: value}. status: "correct", "compile", "runtime", "timeout", "correctness", "constraints".
    message: why it failed. log: of the build. output: what the kernel and its worker printed (the tail).
    time_ns: the median of `samples_ns`, None unless it is correct and was measured; `interval_ns` the 95 % interval of
    the median. ratio: its time by the winner's in the ranking, None where it was not ranked, with its interval;
    tied: not told apart from the winner. metrics: {name: value} at the median, those that have one. verified: held against
    a reference, and right. reused: from the store, or from an identical configuration. index: in the space of its tune.
    resources: of each launch, {name: value} of what the driver says, sizes in bytes. deviations: of each output.
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

    @property
    def correct(self) -> bool:
        return self.status == "correct"

    def as_dict(self) -> Dict[str, Any]:
        """Flat: parameters by their names, then status, time_ns, metrics, ratio, tied, message; for tables."""
        low, high = self.interval_ns or (None, None)
        return {**self.configuration, "status": self.status, "time_ns": self.time_ns, "low_ns": low, "high_ns": high,
                **self.metrics, "ratio": self.ratio, "tied": self.tied, "verified": self.verified,
                "reused": self.reused, "message": self.message}


def read_record(handle: Any, spec: Any, metrics: List[str]) -> Record:
    """Copies a record of the library."""
    choice = lib.hone_record_choice(handle)
    configuration = spec.configuration(choice) if spec is not None and choice else \
        json.loads(decode(lib.hone_record_json(handle)))
    r = Record(configuration, decode(lib.hone_status_text(lib.hone_record_status(handle))),
               decode(lib.hone_record_message(handle)), decode(lib.hone_record_log(handle)),
               decode(lib.hone_record_output(handle)), verified=lib.hone_record_verified(handle),
               reused=lib.hone_record_reused(handle), pareto=lib.hone_record_pareto(handle),
               index=lib.hone_record_index(handle))
    a, b, c = c_double(), c_double(), c_double()
    if lib.hone_record_median(handle, byref(a)):
        r.time_ns = a.value
        r.metrics = {name: a.value for i, name in enumerate(metrics) if lib.hone_record_metric(handle, i, byref(a))}
        if lib.hone_record_interval(handle, byref(a), byref(b)):
            r.interval_ns = (a.value, b.value)
        samples = POINTER(c_uint64)()
        count = lib.hone_record_samples(handle, byref(samples))
        r.samples_ns = samples[:count]
    if lib.hone_record_ratio(handle, byref(a), byref(b), byref(c)):
        r.ratio, r.ratio_interval, r.tied = a.value, (b.value, c.value), lib.hone_record_tied(handle)
    r.resources = _structs(lib.hone_record_resources, handle, ResourcesInfo(), _RESOURCES, -1)
    r.deviations = _structs(lib.hone_record_deviation, handle, DeviationInfo(), _DEVIATION, None)
    return r


def _structs(function: Any, handle: Any, room: ctypes.Structure, names: Tuple[str, ...],
             unknown: Optional[int]) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    while function(handle, len(found), byref(room)):
        values = ((name, getattr(room, name)) for name in names)
        found.append({name: decode(value) if isinstance(value, bytes) else value for name, value in values
                      if unknown is None or value != unknown})
    return found
