"""Cache files of Kernel Tuner, read and written."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .. import _arrays
from .._devices import Device
from .._library import FileError, UsageError
from .._spec import Space
from ._combinations import Combinations, axes
from .file_utils import plain
from .util import failure


FAILED = {name: failure(status) for name, status in (("CompilationFailedConfig", "compile"), ("InvalidConfig", "constraints"),
                                                     ("RuntimeFailedConfig", "runtime"), ("ErrorConfig", "runtime"))}


def cache_key(params: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    return ",".join(str(row[key]) for key in params)


def read_cache(cache: Any, question: Combinations, device: Optional[Device]) -> Tuple[Dict[str, Any], pathlib.Path]:
    """A cache file of Kernel Tuner, open or closed, whose "cache" are rows by their keys; an empty one where there is none.
    `device`: whose it has to be; None: any."""
    path = cache_path(cache)
    document = load_cache(path) if path.exists() else {}
    if document.get("kernel_name") not in (None, question.name):
        raise UsageError(f"{path} is of the kernel {document['kernel_name']}, and not of {question.name}")
    if device is not None and document.get("device_name") not in (None, device.name):
        raise UsageError(f"{path} is of the device {document['device_name']}, and not of {device.name}")
    size, ours = document.get("problem_size"), _size_texts(question.problem_size)
    if None not in (size, question.problem_size) and _size_texts(size) != ours and "callable" not in (size, ours) and \
            size != str(question.problem_size):  # the last as hone 0.2 wrote it
        raise UsageError(f"{path} is of the problem size {size}, and not of {ours if isinstance(ours, str) else ', '.join(ours)}")
    if document.get("tune_params_keys", list(question.params)) != list(question.params):
        raise UsageError(f"{path} has the parameters {', '.join(document['tune_params_keys'])}; these are {', '.join(question.params)}")
    return document, path


def cache_path(cache: Any) -> pathlib.Path:
    path = pathlib.Path(cache)
    return path if path.suffix == ".json" else path.with_name(path.name + ".json")


def load_cache(path: pathlib.Path) -> Dict[str, Any]:
    """The document, with failures as ErrorConfig: "__error__" and in the place of the time."""
    text = path.read_text().rstrip()
    whole = text.rpartition("\n")[0]  # of a row that a killed writer, or a full disk, cut off
    for closed in (text, text.rstrip(",") + "}\n}", whole.rstrip(",") + "}\n}"):
        try:
            document = json.loads(closed)
            break
        except json.JSONDecodeError:
            continue
    else:
        raise UsageError(f"{path} is not a cache file of Kernel Tuner")
    if not isinstance(document, dict) or not all(isinstance(row, dict) for row in document.get("cache", {}).values()):
        raise UsageError(f"{path} is not a cache file of Kernel Tuner")
    params = document.get("tune_params_keys", ())
    for row in document.get("cache", {}).values():
        said = [value for key, value in row.items() if key not in params and isinstance(value, str) and value in FAILED]
        if said:
            error = FAILED[said[0]]
            row.update({key: error for key, value in row.items() if isinstance(value, str) and value in FAILED and key not in params},
                       __error__=error, time=error)
    return document


def of_space(space: Space, cached: Mapping[str, Dict[str, Any]]) -> Dict[str, Dict[str, Any]]:
    """The rows of a cache whose configurations are in the space, by their keys there."""
    found: Dict[str, Dict[str, Any]] = {}
    for row in cached.values():
        p = {key: row[key] for key in space.spec.parameters if key in row}
        if len(p) == len(space.spec.parameters) and p in space:
            p = space[space.index(p)]
            found[cache_key(p, p)] = {**row, **p}
    return found


def _size_texts(size: Any) -> Union[str, List[str]]:
    """A problem size as cache files have it."""
    return "callable" if callable(size) or size == "callable" else [str(_arrays.plain_number(one)) for one in axes(size)]


def _size(size: Any) -> Any:
    """The same as Kernel Tuner writes it: one number or text, or a list."""
    if callable(size):
        return "callable"
    listed = [_arrays.plain_number(one) for one in axes(size)]
    return listed if isinstance(size, (list, tuple)) or len(listed) > 1 else listed[0]


class CacheFile:
    """A cache file that is being filled: open as Kernel Tuner leaves it, a line for each row, until close() ends it.

    A row is on the disk when add() returns, so that a script that is killed loses none. `rows`: those found there, by their keys.
    """

    def __init__(self, cache: Any, question: Combinations, device: Device) -> None:
        document, self.path = read_cache(cache, question, device)
        self.rows: Dict[str, Dict[str, Any]] = document.get("cache", {})
        self.params = question.params
        head = {"device_name": device.name, "kernel_name": question.name, "problem_size": _size(question.problem_size),
                "tune_params_keys": list(question.params), "tune_params": question.params, "objective": "time", "cache": {}}
        text = json.dumps(head, default=plain, indent=0)[:-len("}\n}")] + "\n"
        text += "".join(self._line(key, row) for key, row in self.rows.items())
        beside = self.path.with_name(self.path.name + ".new")
        try:
            beside.write_text(text)
            os.replace(beside, self.path)  # before anything runs: hours later would be late
            self.file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError as e:
            raise self._failed(e) from None
        self.comma = bool(self.rows)

    def add(self, row: Dict[str, Any]) -> None:
        self._write(self._line(cache_key(self.params, row), row))
        self.comma = True

    def close(self) -> None:
        """Makes the file JSON; a file that is not closed is read as well."""
        try:
            if self.comma:
                os.ftruncate(self.file, os.fstat(self.file).st_size - 2)
            self._write("}\n}\n")
        except OSError as e:
            raise self._failed(e) from None
        finally:
            os.close(self.file)

    @staticmethod
    def _line(key: str, row: Mapping[str, Any]) -> str:
        return f"{json.dumps(key)}: {json.dumps(row, default=plain)},\n"

    def _write(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[os.write(self.file, data):]
            os.fsync(self.file)
        except OSError as e:
            raise self._failed(e) from None

    def _failed(self, e: OSError) -> FileError:
        failed = FileError(f"the cache {self.path} cannot be written: {e.strerror or e}")
        failed.driver = e.errno or 0
        return failed
