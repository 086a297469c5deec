"""hone: builds a GPU kernel once for every configuration of its parameters, proves each result right, measures it, and finds
the fastest. This module drives libhone; drivers live in worker processes, never in this one.

    import hone
    result = hone.tune("saxpy.json", budget="60s")
    print(result.best.configuration, result.best.time_ns)

Everything that fails raises a hone.HoneError with hone's own text; a configuration that fails is a Record like any other.
What the library says besides goes to the logger "hone".
"""

from pkgutil import extend_path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

__path__ = extend_path(__path__, __name__)  # extras are packages of their own folders until they are installed beside it

from . import _interpreter  # first: it refuses an interpreter that ctypes must not be imported in
from ._devices import Device, Devices, devices
from ._library import (DeviceError, FileError, HoneError, InputError, InternalError, InterruptedTune, StoreError, UsageError,
                       WorkerError, version as __version__)
from ._records import Record
from ._session import Session, measure
from ._spec import BufferInfo, Geometry, Job, PathLike, Restriction, Space, Spec, as_spec as _as_spec
from ._store import Best, Origin, Run, Store, best
from ._strategy import Strategy
from ._tune import Progress, Result, RunResult, Tune, run, tune, tune_async

if TYPE_CHECKING:
    from ._program import Picture, Pictured, compare, deploy, peak, report, score, sweep

_OF_THE_PROGRAM = ("Picture", "Pictured", "compare", "deploy", "peak", "report", "score", "sweep")


def __getattr__(name: str) -> Any:
    """What runs the program is imported when it is asked for: a tune needs none of it."""
    if name != "_program" and name not in _OF_THE_PROGRAM:
        raise AttributeError(f"module 'hone' has no attribute {name!r}")
    import importlib
    program = importlib.import_module("hone._program")
    globals().update({one: getattr(program, one) for one in _OF_THE_PROGRAM})
    return globals()[name]


def __dir__() -> Sequence[str]:
    return sorted(__all__)


def space(spec: Union[Spec, PathLike], *, where: Union[str, Sequence[str]] = (), on: Optional[Device] = None,
          set: Optional[Mapping[str, Any]] = None) -> Space:
    """The valid configurations of a spec (hone.Spec or a file): `Spec.space`."""
    return _as_spec(spec, set).space(where=where, on=on)


def store(path: Optional[PathLike] = None, mode: str = "write") -> Store:
    """Opens a store: `hone.Store`."""
    return Store(path, mode)


__all__ = ["Best", "BufferInfo", "Device", "DeviceError", "Devices", "FileError", "Geometry", "HoneError", "InputError",
           "InternalError", "InterruptedTune", "Job", "Origin", "Picture", "Pictured", "Progress", "Record", "Restriction", "Result",
           "Run", "RunResult", "Session", "Space", "Spec", "Store", "StoreError", "Strategy", "Tune", "UsageError", "WorkerError", "__version__", "best",
           "compare", "deploy", "devices", "measure", "peak", "report", "run", "score", "space", "store", "sweep", "tune", "tune_async"]
