"""libhone by ctypes: where it is, its structs, its functions, and its errors as exceptions.

Nothing else of the package knows ctypes' prototypes. Every call releases the interpreter's lock, since the
library is opened as a ``CDLL``; callbacks take it again. The structs repeat ``include/hone/hone.h``, and
``tests/python`` holds their layout against it.
"""

from __future__ import annotations

import ctypes
import logging
import os
import pathlib
import weakref
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

VERSION_NUMBER = 200  # of the header that the structs below repeat: 0.2.0
NATIVE = pathlib.Path(__file__).resolve().parent / "native"  # of a wheel: bin, lib, libexec, share

log = logging.getLogger("hone")


# ---- errors ---------------------------------------------------------------------------------------


class HoneError(Exception):
    """What hone says went wrong: file, path inside it, reason, remedy. ``driver`` is the code of whoever refused
    (errno, SQLite's, a driver's), 0 where there is none."""

    driver: int = 0


class UsageError(HoneError, ValueError):
    """What was asked for makes no sense."""


class InputError(HoneError, ValueError):
    """A spec, an expression or a file is wrong."""


class FileError(HoneError, OSError):
    """A file cannot be read or written; ``driver`` is errno."""


class DeviceError(HoneError, RuntimeError):
    """A driver refused, or there is no such device."""


class WorkerError(HoneError, RuntimeError):
    """A worker process died, cannot be started, or broke the protocol."""


class StoreError(HoneError, RuntimeError):
    """The store cannot be used; ``driver`` is SQLite's code."""


class InterruptedTune(HoneError, RuntimeError):
    """Ended from outside."""


class InternalError(HoneError, RuntimeError):
    """A fault in hone."""


# By enum hone_error_code. Running out of memory is Python's own MemoryError.
_ERRORS: Sequence[Optional[type]] = (None, UsageError, InputError, FileError, MemoryError, DeviceError, WorkerError,
                                     StoreError, InterruptedTune, InternalError)


class Error(Structure):
    _fields_ = [("code", c_int), ("driver", c_int), ("text", c_char * 4096)]

    def exception(self) -> BaseException:
        kind = _ERRORS[self.code] if self.code < len(_ERRORS) else InternalError
        e = (kind or InternalError)(self.text.decode("utf-8", "replace") or "hone gave no reason")
        if isinstance(e, HoneError):
            e.driver = self.driver
        return e

    def raise_it(self) -> None:
        if self.code:
            raise self.exception()


# ---- structs ---------------------------------------------------------------------------------------


class Sized(Structure):
    """One that begins with its size, which is set here."""

    def __init__(self, **members: Any) -> None:
        super().__init__(size=ctypes.sizeof(type(self)), **members)


NOTICE = CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class Log(Structure):
    _fields_ = [("notice", NOTICE), ("context", c_void_p)]


class SpecOptions(Sized):
    _fields_ = [("size", c_size_t), ("set", POINTER(c_char_p)), ("log", POINTER(Log)), ("strict", c_bool)]


class DeviceInfo(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("vendor", c_char_p), ("platform", c_char_p),
                ("driver", c_char_p), ("language", c_char_p), ("id", c_char_p), ("compiler", c_char_p),
                ("type", c_int), ("compute_units", c_uint32), ("subgroup_size", c_uint32), ("capability", c_uint32),
                ("global_bytes", c_uint64), ("local_bytes", c_uint64), ("max_group_size", c_uint64),
                ("timer_ns", c_uint64)]


class Worker(Sized):
    _fields_ = [("size", c_size_t), ("program", c_char_p), ("environment", POINTER(c_char_p))]


class DevicesOptions(Sized):
    _fields_ = [("size", c_size_t), ("worker", POINTER(Worker)), ("spec", c_void_p), ("language", c_char_p),
                ("keep_worker", c_bool)]


class SpaceOptions(Sized):
    _fields_ = [("size", c_size_t), ("device", c_void_p), ("configurations", POINTER(c_char_p)),
                ("where", POINTER(c_char_p))]


class RestrictionInfo(Sized):
    _fields_ = [("size", c_size_t), ("text", c_char_p), ("path", c_char_p), ("alone", c_uint64), ("faults", c_uint64)]


class Program(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("source", c_void_p), ("source_bytes", c_size_t),
                ("options", POINTER(c_char_p))]


class Launch(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("kernel", c_char_p), ("program", c_uint32),
                ("dimensions", c_uint32), ("global", c_uint64 * 3), ("local", c_uint64 * 3)]


class Buffer(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("type", c_char_p), ("count", c_uint64),
                ("total_bytes", c_uint64), ("is_output", c_bool), ("has_contents", c_bool)]


class FactInfo(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("kind", c_int), ("unit", c_char_p), ("meaning", c_char_p)]


class OriginInfo(Sized):
    _fields_ = [("size", c_size_t)] + [(name, c_char_p) for name in (
        "id", "run", "command", "date", "spec", "constants", "language", "device", "platform", "driver", "geometry",
        "hone_version", "file", "job")]


class Query(Sized):
    _fields_ = [("size", c_size_t), ("spec", c_void_p), ("device", c_void_p), ("run", c_char_p),
                ("any_constants", c_bool), ("correct_only", c_bool)]


class RunInfo(Sized):
    _fields_ = [("size", c_size_t)] + [(name, c_char_p) for name in (
        "id", "command", "date", "spec", "constants", "language", "device", "platform", "driver", "hone_version")] + [
        ("records", c_uint64), ("correct", c_uint64)]


JUDGE = CFUNCTYPE(c_bool, c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t), c_size_t, c_void_p, c_size_t)


class TuneOptions(Sized):
    _fields_ = [("size", c_size_t), ("spec", c_void_p), ("device", c_void_p), ("worker", POINTER(Worker)),
                ("store", c_void_p), ("configurations", POINTER(c_char_p)), ("where", POINTER(c_char_p)),
                ("strategy", c_char_p), ("budget", c_char_p), ("objective", c_char_p), ("lock_folder", c_char_p),
                ("log", POINTER(Log)), ("command", c_char_p), ("host", c_char_p), ("rules", POINTER(c_char_p)),
                ("judge", JUDGE), ("judge_context", c_void_p), ("known", c_void_p),
                ("seed", c_uint64), ("jobs", c_uint32), ("iterations", c_uint32), ("retry", c_uint32),
                ("build_limit_ns", c_uint64), ("launch_limit_ns", c_uint64), ("driver_limit_ns", c_uint64),
                ("lock_wait_ns", c_uint64), ("fresh", c_bool), ("reuse_unseen", c_bool), ("cold", c_bool),
                ("unranked", c_bool), ("build_only", c_bool), ("leaving", c_bool), ("no_transfer", c_bool),
                ("unawaited", c_bool), ("part", c_uint32), ("parts", c_uint32),
                ("start_with", POINTER(c_char_p)),
                ("places", c_void_p), ("counters", c_bool)]


class ProgressInfo(Sized):
    _fields_ = [("size", c_size_t), ("valid", c_uint64), ("planned", c_uint64), ("done", c_uint64),
                ("correct", c_uint64), ("reused", c_uint64), ("elapsed_ns", c_uint64), ("left_ns", c_uint64),
                ("best", c_void_p), ("pareto", c_uint64), ("building", c_uint32), ("measuring", c_bool),
                ("waiting", c_char_p)]


# struct of hone.h -> the class that repeats it, for the test of their layout.
STRUCTS: Mapping[str, type] = {
    "hone_error": Error, "hone_log": Log, "hone_spec_options": SpecOptions, "hone_device": DeviceInfo,
    "hone_worker": Worker, "hone_devices_options": DevicesOptions, "hone_space_options": SpaceOptions,
    "hone_restriction": RestrictionInfo, "hone_program": Program, "hone_launch": Launch, "hone_buffer": Buffer,
    "hone_fact": FactInfo, "hone_origin": OriginInfo, "hone_query": Query, "hone_run_info": RunInfo, "hone_tune_options": TuneOptions, "hone_progress": ProgressInfo}

EACH_RECORD = CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(OriginInfo))
EACH_RUN = CFUNCTYPE(c_bool, c_void_p, POINTER(RunInfo))

# ---- functions -------------------------------------------------------------------------------------

_E = POINTER(Error)
_TEXTS = POINTER(c_char_p)
_CONFIG = POINTER(c_uint32)
_OUT = [c_char_p, c_size_t]

# name -> (result, arguments)
_FUNCTIONS: Mapping[str, tuple] = {
    "hone_version": (c_char_p, []),
    "hone_check_version": (c_bool, [c_int, _E]),
    "hone_spec_load": (c_void_p, [c_char_p, POINTER(SpecOptions), _E]),
    "hone_spec_parse": (c_void_p, [c_char_p, c_size_t, c_char_p, c_char_p, POINTER(SpecOptions), _E]),
    "hone_spec_free": (None, [c_void_p]),
    "hone_spec_name": (c_char_p, [c_void_p]),
    "hone_spec_path": (c_char_p, [c_void_p]),
    "hone_spec_parameters": (c_size_t, [c_void_p]),
    "hone_spec_parameter": (c_char_p, [c_void_p, c_size_t]),
    "hone_spec_type": (c_char_p, [c_void_p, c_size_t]),
    "hone_spec_values": (c_size_t, [c_void_p, c_size_t]),
    "hone_spec_value": (c_size_t, [c_void_p, c_size_t, c_size_t, *_OUT]),
    "hone_spec_constants": (c_size_t, [c_void_p]),
    "hone_spec_constant": (c_char_p, [c_void_p, c_size_t]),
    "hone_spec_constant_value": (c_size_t, [c_void_p, c_size_t, *_OUT]),
    "hone_spec_metrics": (c_size_t, [c_void_p]),
    "hone_spec_metric": (c_char_p, [c_void_p, c_size_t]),
    "hone_spec_default": (None, [c_void_p, _CONFIG]),
    "hone_spec_read": (c_bool, [c_void_p, c_char_p, _CONFIG, _E]),
    "hone_spec_text": (c_size_t, [c_void_p, _CONFIG, *_OUT]),
    "hone_devices_list": (c_void_p, [POINTER(DevicesOptions), _E]),
    "hone_devices_free": (None, [c_void_p]),
    "hone_devices_leave": (None, [c_void_p]),
    "hone_devices_open": (None, [c_void_p, c_void_p]),
    "hone_devices_count": (c_size_t, [c_void_p]),
    "hone_devices_get": (POINTER(DeviceInfo), [c_void_p, c_size_t]),
    "hone_devices_note": (c_char_p, [c_void_p, c_size_t]),
    "hone_devices_pick": (POINTER(DeviceInfo), [c_void_p, c_char_p, _E]),
    "hone_devices_pick_for": (POINTER(DeviceInfo), [c_void_p, c_void_p, c_char_p, c_char_p, _E]),
    "hone_space_new": (c_void_p, [c_void_p, POINTER(SpaceOptions), _E]),
    "hone_space_free": (None, [c_void_p]),
    "hone_space_cartesian": (c_double, [c_void_p]),
    "hone_space_count": (c_uint64, [c_void_p]),
    "hone_space_get": (None, [c_void_p, c_uint64, _CONFIG]),
    "hone_space_find": (c_bool, [c_void_p, _CONFIG, POINTER(c_uint64)]),
    "hone_space_why": (c_size_t, [c_void_p, _CONFIG, *_OUT]),
    "hone_space_restrictions": (c_size_t, [c_void_p]),
    "hone_space_restriction": (c_bool, [c_void_p, c_size_t, POINTER(RestrictionInfo)]),
    "hone_job_new": (c_void_p, [c_void_p, c_void_p, _CONFIG, POINTER(Log), _E]),
    "hone_job_free": (None, [c_void_p]),
    "hone_job_programs": (c_size_t, [c_void_p]),
    "hone_job_program": (c_bool, [c_void_p, c_size_t, POINTER(Program)]),
    "hone_job_launches": (c_size_t, [c_void_p]),
    "hone_job_launch": (c_bool, [c_void_p, c_size_t, POINTER(Launch)]),
    "hone_job_buffers": (c_size_t, [c_void_p]),
    "hone_job_buffer": (c_bool, [c_void_p, c_size_t, POINTER(Buffer)]),
    "hone_job_contents": (c_bool, [c_void_p, c_size_t, c_void_p, c_size_t, _E]),
    "hone_job_of_record_new": (c_void_p, [c_void_p, c_void_p, _E]),
    "hone_record_configuration": (c_char_p, [c_void_p]),
    "hone_record_median": (c_bool, [c_void_p, POINTER(c_double)]),
    "hone_facts_new": (c_void_p, [c_int]),
    "hone_facts_free": (None, [c_void_p]),
    "hone_facts_get": (c_bool, [c_void_p, c_size_t, POINTER(FactInfo)]),
    "hone_facts_read": (c_void_p, [c_void_p, c_void_p, c_size_t]),
    "hone_store_open": (c_void_p, [c_char_p, c_int, _E]),
    "hone_store_close": (None, [c_void_p]),
    "hone_store_path": (c_char_p, [c_void_p]),
    "hone_store_best": (c_bool, [c_void_p, c_void_p, c_void_p, _CONFIG, POINTER(c_double), _E]),
    "hone_store_records": (c_bool, [c_void_p, POINTER(Query), EACH_RECORD, c_void_p, _E]),
    "hone_store_runs": (c_bool, [c_void_p, POINTER(Query), EACH_RUN, c_void_p, _E]),
    "hone_tune_new": (c_void_p, [POINTER(TuneOptions), _E]),
    "hone_run_new": (c_void_p, [POINTER(TuneOptions), _CONFIG, _E]),
    "hone_tune_step": (c_int, [c_void_p, c_int, POINTER(c_void_p), _E]),
    "hone_tune_advance": (c_int, [c_void_p, c_int, _E]),
    "hone_tune_cancel": (None, [c_void_p]),
    "hone_tune_free": (None, [c_void_p]),
    "hone_tune_progress": (None, [c_void_p, POINTER(ProgressInfo)]),
    "hone_tune_records": (POINTER(c_void_p), [c_void_p, POINTER(c_size_t)]),
    "hone_tune_fetch": (c_bool, [c_void_p, c_void_p, c_int, c_uint32, POINTER(c_void_p), POINTER(c_size_t), _E]),
}


def _candidates() -> Iterable[str]:
    chosen = os.environ.get("HONE_LIBRARY")
    if chosen:
        yield chosen
        return
    yield from sorted(str(path) for path in NATIVE.glob("lib*/libhone.so.0"))
    yield "libhone.so.0"


def _open() -> ctypes.CDLL:
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as e:
            tried.append(str(e))
    else:
        raise ImportError("libhone was not found: " + "; ".join(tried) +
                          ". Install hone (the wheel brings its own), or name the library's file in HONE_LIBRARY")
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} is another version of libhone: it has no {name}()") from None
        function.restype, function.argtypes = result, arguments
    error = Error()
    if not library.hone_check_version(VERSION_NUMBER, byref(error)):
        raise ImportError(f"{path}: {error.text.decode()}")
    return library


lib = _open()
version: str = lib.hone_version().decode()

# ---- handles -----------------------------------------------------------------------------------------


class _Alive:
    """A handle that is freed when nobody holds this any more, and before what it was made from. A process that was forked holds copies,
    which it lets be: workers, files and the store are its parent's."""

    __slots__ = ("_free", "_handle", "_needs", "_process")

    def __init__(self, free: Callable[[Any], None], handle: Any, needs: Sequence[Any]) -> None:
        self._free, self._handle, self._needs, self._process = free, handle, needs, os.getpid()

    def free_with(self, free: Callable[[Any], None]) -> None:
        self._free = free

    def __del__(self) -> None:
        if self._process == os.getpid():
            self._free(self._handle)


def _let_go(_alive: _Alive) -> None:
    """The finalizer's hold on it ends with the call."""


def check_process(begun_by: int, what: str) -> None:
    if begun_by != os.getpid():
        raise UsageError(f"{what} is of the process {begun_by}, from which this one was forked: make one here")


class Bound:
    """What has a handle of this process's library: neither a copy nor another process can have it, too."""

    def __reduce_ex__(self, _: Any) -> Any:
        raise TypeError(f"a hone.{type(self).__name__} cannot be pickled or copied, since it is of this process: pass on the file or the objects that it "
                        "is made from, or records")


def owned(owner: Any, free: Callable[[Any], None], handle: Any, *needs: Any) -> Any:
    """Frees the handle with its owner, or when what this gives is called, but not before the handles of all that have the
    owner among their `needs` (owners, or None). In a cycle the collector ends owners in any order: each finalizer holds what
    its handle needs, and no owner."""
    held = [need._free.peek() for need in needs if need is not None]
    return weakref.finalize(owner, _let_go, _Alive(free, handle, [found[2][0] for found in held if found]))


# ---- between the two sides ---------------------------------------------------------------------------


def encode(text: Any) -> Optional[bytes]:
    """A path or text for the library; None stays None. What Python has of a file's name that is not UTF-8 is that
    again. A NUL inside is refused, since a C text ends there."""
    if text is None:
        return None
    given = os.fsencode(text) if isinstance(text, (os.PathLike, bytes)) else str(text).encode("utf-8", "surrogateescape")
    if b"\0" in given:
        raise UsageError(f"{text!r} has a NUL inside")
    return given


def decode(text: Optional[bytes]) -> str:
    return text.decode("utf-8", "replace") if text else ""


def texts(given: Optional[Iterable[Any]]) -> Any:
    """A list of texts that NULL ends, which the caller keeps while the library reads it; None without any."""
    items = [encode(one) for one in given or ()]
    return (c_char_p * (len(items) + 1))(*items, None) if items else None


def measured_text(function: Any, *arguments: Any, room: Any = None) -> str:
    """Calls one that fills (out, size) as snprintf() does. `room`: where, if that is long enough; whoever reads thousands of
    texts keeps one."""
    out = room if room is not None else ctypes.create_string_buffer(256)
    length = function(*arguments, out, len(out))
    if length >= len(out):
        out = ctypes.create_string_buffer(length + 1)
        function(*arguments, out, length + 1)
    return out.value.decode("utf-8", "replace")


_LEVELS = (logging.INFO, logging.WARNING, logging.DEBUG)


@NOTICE
def _notice(_context: Optional[int], level: int, message: Optional[bytes]) -> None:
    log.log(_LEVELS[level] if 0 <= level < len(_LEVELS) else logging.INFO, "%s", decode(message))


# What the library says besides goes to the logger "hone".
notices = Log(_notice, None)

_CACHES = (("POCL_CACHE_DIR", "pocl"), ("CUDA_CACHE_PATH", "cuda"), ("HONE_WORKER_CACHE", "references"))


def user_folder(variable: str, below_home: str) -> Optional[pathlib.Path]:
    """hone's own folder in $XDG_..., when that is absolute, else below the user's home; None without either."""
    chosen = os.environ.get(variable, "")
    if chosen.startswith("/"):
        return pathlib.Path(chosen, "hone")
    home = os.environ.get("HOME")
    return pathlib.Path(home, below_home, "hone") if home else None


def worker() -> Worker:
    """How workers are started: $HONE_WORKER or what was installed with the library, with the caches that the
    program `hone` uses, too."""
    settings = [f"TMPDIR={os.environ['TMPDIR']}"] if os.environ.get("TMPDIR") else []
    folder = user_folder("XDG_CACHE_HOME", ".cache")
    for variable, leaf in _CACHES:
        if os.environ.get(variable) or not folder:
            continue
        try:
            os.makedirs(folder / leaf, exist_ok=True)
        except OSError:
            continue
        if len(str(folder)) <= 700 and os.access(folder / leaf, os.W_OK | os.X_OK):  # PoCL has no longer paths
            settings.append(f"{variable}={folder / leaf}")
    w = Worker(program=encode(os.environ.get("HONE_WORKER") or None))
    w.environment = ctypes.cast(texts(settings), POINTER(c_char_p)) if settings else None
    return w
