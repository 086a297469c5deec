"""Devices, as a worker process sees them: drivers never live in this process."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p, cast, pointer
from typing import Any, Iterator, List, Optional, Union

from ._library import Bound, DeviceError, DevicesOptions, Error, decode, encode, lib, owned, worker

_TYPES = ("gpu", "integrated", "cpu", "accelerator")


class Devices(Bound):
    """A list of devices, in the order in which hone prefers them. Freed with the last thing made from it."""

    def __init__(self, spec: Any = None, language: Optional[str] = None, keep_worker: bool = False) -> None:
        self._spec = spec  # outlives it
        self.keeps_worker = keep_worker
        w, error = worker(), Error()
        options = DevicesOptions(spec=spec.handle if spec else None, language=encode(language),
                                 keep_worker=keep_worker)
        options.worker = pointer(w)
        self.handle = lib.hone_devices_list(byref(options), byref(error))
        error.raise_it()
        self._free = owned(self, lib.hone_devices_free, self.handle, spec)

    def open(self, device: "Device") -> None:
        """The kept worker opens a GPU of the list, while who is about to tune on it goes on."""
        lib.hone_devices_open(self.handle, device.handle)

    def close(self) -> None:
        """Frees them at once, or with the last tune, space or job that is on one of them. No other may be made."""
        self._free()

    def leave(self) -> None:
        """The same, where the process ends right after it: workers are not waited for."""
        found = self._free.peek()
        if found is not None:
            found[2][0].free_with(lib.hone_devices_leave)
            self._free()

    def __len__(self) -> int:
        return lib.hone_devices_count(self.handle)

    def __getitem__(self, index: int) -> "Device":
        entry = lib.hone_devices_get(self.handle, index) if index >= 0 else None
        if not entry:
            raise IndexError(f"there are {len(self)} devices, and none at {index}")
        return Device(self, entry)

    def __iter__(self) -> Iterator["Device"]:
        return (self[i] for i in range(len(self)))

    @property
    def notes(self) -> List[str]:
        """Why a device that one would expect is not in the list, one line each."""
        notes: List[str] = []
        while (note := lib.hone_devices_note(self.handle, len(notes))) is not None:
            notes.append(decode(note))
        return notes

    def pick(self, wanted: Optional[str] = None, spec: Any = None, language: Optional[str] = None) -> "Device":
        """The device that is meant: `wanted` is a part of its name, platform or id; None: the only one, else the first
        GPU. With a spec only those count that run it, in `language` where that is given."""
        error = Error()
        if spec is None:
            entry = lib.hone_devices_pick(self.handle, encode(wanted), byref(error))
        else:
            entry = lib.hone_devices_pick_for(self.handle, spec.handle, encode(language), encode(wanted), byref(error))
        if not entry:
            why = error.exception()
            notes = [note for note in self.notes if len(self) == 0 and note not in str(why)]
            raise type(why)(". ".join([str(why), *notes])) if notes else why
        return Device(self, entry)


class Device(Bound):
    """A GPU or CPU as one driver offers it, in one language.

    ``name``, ``vendor``, ``platform``, ``driver``, ``compiler``, ``id``: texts; ``language``: "opencl", "cuda", "c";
    ``type``: "gpu", "integrated", "cpu", "accelerator"; ``compute_units``; ``subgroup_size`` (0: not known);
    ``capability``: CUDA's compute capability times 10 (0: none); ``global_bytes``, ``local_bytes`` (of a work-group),
    ``max_group_size`` in work-items, ``timer_ns``: the resolution of event times.
    """

    def __init__(self, owner: Devices, entry: Any) -> None:
        self._owner = owner
        self.handle = cast(entry, c_void_p)
        info = entry.contents
        self.name, self.vendor, self.platform = decode(info.name), decode(info.vendor), decode(info.platform)
        self.driver, self.language, self.id = decode(info.driver), decode(info.language), decode(info.id)
        self.compiler = decode(info.compiler)
        self.type = _TYPES[info.type] if info.type < len(_TYPES) else "other"
        self.compute_units: int = info.compute_units
        self.subgroup_size: int = info.subgroup_size
        self.capability: int = info.capability
        self.global_bytes: int = info.global_bytes
        self.local_bytes: int = info.local_bytes
        self.max_group_size: int = info.max_group_size
        self.timer_ns: int = info.timer_ns

    @property
    def devices(self) -> Devices:
        """The list that it is of."""
        return self._owner

    def __repr__(self) -> str:
        return f"<hone.Device {self.name!r}, {self.language}, {self.compute_units} compute units>"


def devices(spec: Any = None, language: Optional[str] = None) -> List[Device]:
    """The devices of this machine; with a spec (hone.Spec or a path) only drivers of its languages are started.

    Asks a worker process, which takes as long as the drivers take to start, a minute at most. A machine without devices
    gives an empty list. Raises hone.HoneError where the worker cannot be started.
    """
    from ._spec import as_spec
    return list(Devices(as_spec(spec) if spec is not None else None, language))


def choose(spec: Any, on: Union[None, str, Device], language: Optional[str], keep_worker: bool) -> Device:
    """The device of a tune. `on` None: $HONE_DEVICE, else as hone chooses."""
    if isinstance(on, Device):
        if language and on.language != language:
            raise DeviceError(f"{on.name} was listed in {on.language}, and the language asked for is {language}")
        return on
    listed = Devices(spec, language, keep_worker)
    chosen = listed.pick(on or os.environ.get("HONE_DEVICE") or None, spec, language)
    listed.open(chosen)  # while data files are read for their digests
    return chosen
