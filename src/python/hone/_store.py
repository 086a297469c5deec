"""The store: every result ever measured, in one SQLite file."""

from __future__ import annotations

import os
from ctypes import byref, c_double
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from ._library import (EACH_RECORD, EACH_RUN, Bound, Error, OriginInfo, Query, RunInfo, UsageError, check_process, decode, encode, lib, owned,
                       user_folder)
from ._records import Reader, Record
from ._spec import PathLike, Spec, as_spec

_MODES = {"write": 0, "read": 1, "immutable": 2}


def default_path() -> str:
    """$XDG_DATA_HOME/hone/results.sqlite, or ~/.local/share/hone/results.sqlite: the program's."""
    folder = user_folder("XDG_DATA_HOME", ".local/share")
    if folder is None:
        raise UsageError("neither XDG_DATA_HOME nor HOME is set; set one of them, or name the store's file")
    return str(folder / "results.sqlite")


@dataclass(frozen=True)
class Origin:
    """Where and when a stored record was measured: all texts, dates in ISO 8601, UTC."""

    id: str
    run: str
    command: str
    date: str
    spec: str
    constants: str
    language: str
    device: str
    platform: str
    driver: str
    geometry: str
    hone_version: str
    file: str
    job: str


@dataclass(frozen=True)
class Run:
    """One run of hone that measured something; `records` of it are meant, of them `correct`."""

    id: str
    command: str
    date: str
    spec: str
    constants: str
    language: str
    device: str
    platform: str
    driver: str
    hone_version: str
    records: int
    correct: int


@dataclass(frozen=True)
class Best:
    """The fastest correct configuration that is known, and the median of its time in ns."""

    configuration: Dict[str, Any]
    time_ns: float


class Store(Bound):
    """A file of results. Several processes may use one at once; one that another has locked is waited for, ten seconds at
    most. Closed with `close()`, at the end of a `with`, or with its last user. One thread at a time uses it.

    path: the file, else the user's. mode: "write" (made where it is missing), "read", or "immutable" (shipped results).
    Raises hone.StoreError where it is none.
    """

    def __init__(self, path: Optional[PathLike] = None, mode: str = "write") -> None:
        if mode not in _MODES:
            raise UsageError(f"mode is {mode!r}; it can be " + ", ".join(_MODES))
        error = Error()
        self.handle = lib.hone_store_open(encode(os.fspath(path) if path is not None else default_path()), _MODES[mode],
                                          byref(error))
        error.raise_it()
        self._process = os.getpid()
        self._free = owned(self, lib.hone_store_close, self.handle)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._free()

    @property
    def path(self) -> str:
        return decode(lib.hone_store_path(self._open()))

    def _open(self) -> Any:
        if not self._free.alive:
            raise UsageError("the store is closed")
        check_process(self._process, "the store")
        return self.handle

    def best(self, spec: Union[Spec, PathLike], on: Any = None) -> Optional[Best]:
        """The fastest correct configuration known for the spec with its constants and the kernel's source as it is now.
        `on`: of this hone.Device; None: of any, which need not be here. None where nothing is known."""
        s, error, median = as_spec(spec), Error(), c_double()
        choice = s.choice_room()
        found = lib.hone_store_best(self._open(), s.handle, on.handle if on is not None else None, choice, byref(median),
                                    byref(error))
        error.raise_it()
        return Best(s.configuration(choice), median.value) if found else None

    def records(self, spec: Union[None, Spec, PathLike] = None, *, on: Any = None, run: Optional[str] = None,
                any_constants: bool = False, correct_only: bool = False) -> List[Tuple[Record, Origin]]:
        """Those that are meant, the newest first: of a spec with its constants (`any_constants`: with whatever), of a
        hone.Device, of a run (its id)."""
        s = as_spec(spec) if spec is not None else None
        reader, found, failed = Reader(s, s.metrics if s else ()), [], []

        @EACH_RECORD
        def each(_context: Any, record: Any, origin: Any) -> bool:
            try:
                info = origin.contents
                found.append((reader.read(record),
                              Origin(**{name: decode(getattr(info, name)) for name, _ in OriginInfo._fields_[1:]})))
            except BaseException as e:  # must not pass through the library
                failed.append(e)
            return not failed

        self._walk(lib.hone_store_records, s, on, run, any_constants, correct_only, each, failed)
        return found

    def runs(self, spec: Union[None, Spec, PathLike] = None, *, on: Any = None) -> List[Run]:
        """The runs of hone that measured something, the newest first."""
        s = as_spec(spec) if spec is not None else None
        found: List[Run] = []
        failed: List[BaseException] = []

        @EACH_RUN
        def each(_context: Any, run: Any) -> bool:
            try:
                values = ((name, getattr(run.contents, name)) for name, _ in RunInfo._fields_[1:])
                found.append(Run(**{name: value if isinstance(value, int) else decode(value) for name, value in values}))
            except BaseException as e:
                failed.append(e)
            return not failed

        self._walk(lib.hone_store_runs, s, on, None, True, False, each, failed)
        return found

    def _walk(self, function: Any, spec: Optional[Spec], on: Any, run: Optional[str], any_constants: bool,
              correct_only: bool, each: Any, failed: List[BaseException]) -> None:
        error = Error()
        query = Query(spec=spec.handle if spec else None, device=on.handle if on is not None else None, run=encode(run),
                      any_constants=any_constants, correct_only=correct_only)
        function(self._open(), byref(query), each, None, byref(error))
        if failed:
            raise failed[0]
        error.raise_it()

    def __repr__(self) -> str:
        return f"<hone.Store {self.path!r}>" if self._free.alive else "<hone.Store, closed>"


def as_store(given: Union[None, bool, Store, PathLike]) -> Optional[Store]:
    """True: the user's; False or None: none; a path or a Store."""
    if given is None or given is False:
        return None
    return given if isinstance(given, Store) else Store(None if given is True else given)


def best(spec: Union[Spec, PathLike], *, on: Any = None, store: Union[bool, Store, PathLike] = True) -> Optional[Best]:
    """The fastest correct configuration that a store knows of a spec (`Store.best`); None where nothing is known. Nothing
    is measured."""
    s = as_store(store)
    if s is None:
        raise UsageError("hone.best asks a store; name one, or leave it out for the user's")
    try:
        return s.best(spec, on)
    finally:
        if s is not store:
            s.close()
