"""Kernel Tuner's NVMLObserver, as far as hone's own looks at NVML have the answer."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from ..._records import Record
from .._combinations import Unsupported

# What it adds to a result -> the metric that a spec needs for it, or "": hone looks at that around all launches.
SERVED: Dict[str, str] = {"nvml_energy": "joule", "nvml_power": "joule / time_s", "core_freq": "", "mem_freq": "", "temperature": ""}


class NVMLObserver:
    """Adds nvml_energy (joule of one launch), nvml_power (watt), core_freq, mem_freq (MHz, the mean of before and after the timed
    launches) and temperature (degrees Celsius) of the card that is tuned. Others are refused by name."""

    def __init__(self, observables: Sequence[str], device: int = 0, save_all: bool = False, **more: Any) -> None:
        for one in observables:
            if one not in SERVED:
                raise Unsupported(f"NVMLObserver's {one}: hone serves " + ", ".join(SERVED))
        if save_all:
            raise Unsupported("NVMLObserver(save_all=True): hone keeps one value of each configuration")
        if more.get("use_locked_clocks"):
            raise Unsupported("NVMLObserver(use_locked_clocks=True): hone sets no clocks; nvidia-smi does")
        self.observables, self.device = tuple(observables), device

    def add(self, row: Dict[str, Any], record: Record) -> None:
        gpu = record.gpu
        looked = {"core_freq": (gpu["mhz_before"] + gpu["mhz_after"]) / 2, "mem_freq": gpu["memory_mhz"],
                  "temperature": gpu["celsius"]} if gpu else {}
        for one in self.observables:
            row[one] = record.metrics.get(one) if SERVED[one] else looked.get(one)
