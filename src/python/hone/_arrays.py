"""NumPy arrays as files that hone reads, in a folder of the user's own (mode 0700) that goes with its owner.

NumPy is needed only where arrays are: nothing here imports it before one is seen. Arrays are written as .npy of
version 1.0, one dimension, in C order, without pickles.
"""

from __future__ import annotations

import math
import os
import pathlib
import shutil
import sys
import tempfile
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List, Optional, Tuple

from ._library import InputError

# NumPy's name of a type -> hone's.
TYPES = {"float16": "half", "float32": "float", "float64": "double", "int8": "int8", "int16": "int16",
         "int32": "int32", "int64": "int64", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32",
         "uint64": "uint64", "bool": "bool", "complex64": "float2", "complex128": "double2",
         # of ml_dtypes (JAX's, also)
         "bfloat16": "bfloat16", "float8_e4m3fn": "float8_e4m3", "float8_e5m2": "float8_e5m2"}
COMPLEX = {"float2": "complex64", "double2": "complex128"}
NAMES = {hone: numpy for numpy, hone in TYPES.items() if hone not in COMPLEX}
WRITERS = 8  # threads at most that write arrays


def is_array(value: Any) -> bool:
    """Is it a NumPy array (or one of a library that turns into one: CuPy, PyTorch on the host)?"""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray) or \
        (not isinstance(value, (str, bytes, int, float, bool)) and hasattr(value, "__array__")
         and getattr(value, "ndim", 0) > 0)


def is_number(value: Any) -> bool:
    """A number of Python or NumPy (an array without a dimension included)."""
    return isinstance(value, (bool, int, float)) or (hasattr(value, "dtype") and getattr(value, "ndim", None) == 0)


def plain_number(value: Any) -> Any:
    """The same as a bool, int or float of Python, which JSON can hold."""
    return value.item() if hasattr(value, "item") else value


def json_number(name: str, value: Any) -> Any:
    """The same, and what JSON has no number for as an expression."""
    number = plain_number(value)
    if isinstance(number, int) and not -2**63 <= number < 2**63:
        raise InputError(f"argument '{name}' is {number}, and hone passes whole numbers from -2**63 to 2**63 - 1: pass it as a buffer of one element")
    if isinstance(number, complex):
        raise InputError(f"argument '{name}' is a complex number, which no scalar of a kernel is: pass it as a buffer of one element")
    if isinstance(number, float) and not math.isfinite(number):
        return "math.nan" if math.isnan(number) else "math.inf" if number > 0 else "-math.inf"
    return number


def type_of(name: str, value: Any) -> str:
    """hone's name for the type of an array's or number's elements."""
    known = TYPES.get(value.dtype.newbyteorder("=").name)
    if known is None:
        raise InputError(f"argument '{name}': hone has no type for NumPy's {value.dtype}; it knows " +
                         ", ".join(sorted(TYPES)))
    return known


def converted(what: str, array: Any, kind: Any) -> Any:
    """In a type of NumPy's (None: as it is). Raises InputError where whole numbers cannot be what it says."""
    import numpy
    if array.dtype.kind not in "biufc" and array.dtype.name not in TYPES:
        raise InputError(f"{what} is of {array.dtype}, which are not numbers")
    if kind is None:
        return array
    kind = numpy.dtype(kind)
    with numpy.errstate(invalid="ignore", over="ignore"):
        left = array.astype(kind, copy=False) if kind.kind == "c" or array.dtype.kind != "c" else array
    if kind.kind in "iub" and left is not array and not numpy.array_equal(left, array):
        raise InputError(f"{what} is of {array.dtype} and has values that the argument's {kind} has not: round it as the kernel does")
    return left


def is_on_device(value: Any) -> bool:
    """An array of CuPy, which turns into one of NumPy only when it is asked to."""
    return hasattr(value, "__cuda_array_interface__") and hasattr(value, "get") and hasattr(value, "set")


def as_numpy(value: Any) -> Any:
    """An array of NumPy of what turns into one, such as a tensor of PyTorch, whose dtype and size are its own. What lies on a device is
    brought here."""
    import numpy
    if is_on_device(value):
        return value.get()
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach().cpu()
    return numpy.asarray(value)


def is_zero(array: Any) -> bool:
    """Is every bit of an array 0? It is known after a look at the first elements where it is not."""
    import numpy
    return isinstance(array, numpy.ndarray) and array.size > 0 and array.flags.c_contiguous and not array.reshape(-1).view(numpy.bool_).any()


def _remove(folder: pathlib.Path, owner: int) -> None:
    if owner == os.getpid():  # and not a process that was forked from it
        shutil.rmtree(folder, ignore_errors=True)


def _write(task: Tuple[pathlib.Path, Any]) -> None:
    import numpy
    path, data = task
    beside = path.with_name(f".{path.stem}.new")  # whoever reads the file has all of one array
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as f:
        numpy.lib.format.write_array(f, data, version=(1, 0), allow_pickle=False)
    os.replace(beside, path)


class Scratch:
    """A folder of the user's own, which is removed with this object or at the interpreter's end."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="hone-python-"))  # mode 0700
        self._unwritten: List[Tuple[pathlib.Path, Any]] = []
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())

    def write(self, name: str, array: Any) -> str:
        """Gives back the path of NAME.npy, as which settle() writes the array."""
        import numpy
        if not name or not name.replace("_", "").replace("-", "").isalnum():
            raise InputError(f"argument '{name}' cannot be a file: its name has other characters than letters, "
                             "digits, _ and -")
        path = self.path / f"{name}.npy"
        data = numpy.ascontiguousarray(array).reshape(-1)
        if data.dtype.kind == "c":
            data = data.view(data.real.dtype)
        if data.dtype.byteorder == ">" or (data.dtype.byteorder == "=" and sys.byteorder == "big"):
            data = data.astype(data.dtype.newbyteorder("<"))
        self._unwritten.append((path, data))
        return str(path)

    def settle(self) -> None:
        """Writes what was given to write(), arrays beside each other: most of the time is the system's, for fresh memory."""
        tasks, self._unwritten = self._unwritten, []
        if tasks:
            with ThreadPoolExecutor(min(len(tasks), WRITERS)) as pool:
                list(pool.map(_write, tasks))

    def close(self) -> None:
        self._remove()


def from_bytes(data: bytes, kind: str, shape: Optional[tuple] = None) -> Any:
    """Elements of one of hone's types as a NumPy array; without NumPy, or of a type that it does not have, the bytes
    themselves. Pairs are complex numbers where these fill the shape."""
    scalar = kind.rstrip("0123456789") if kind.startswith(("half", "float", "double")) else kind
    name = NAMES.get(scalar) or NAMES.get(kind)
    try:
        import numpy
        numpy.dtype(name)
    except (ImportError, TypeError):  # bfloat16 and its like are known once ml_dtypes is there
        return data
    if name is None:
        return data
    array = numpy.frombuffer(bytearray(data), dtype=name)
    if shape is None or _fits(array.size, shape):
        return array.reshape(shape) if shape is not None else array
    if kind in COMPLEX and _fits(array.size // 2, shape):
        return array.view(COMPLEX[kind]).reshape(shape)
    return array


def _fits(size: int, shape: tuple) -> bool:
    count = 1
    for axis in shape:
        count *= axis
    return count == size
