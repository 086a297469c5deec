"""Specs: from a file, from a text, or from Python's own objects; and their spaces.

A spec that is made here is a JSON document in hone's short form, so that whatever a file can say Python can say, and
`Spec.text` shows what was made. Arrays stand in it as files in a folder that belongs to the spec (`_arrays.Scratch`).
"""

from __future__ import annotations

import ast
import ctypes
import json
import math
import os
import pathlib
from ctypes import byref, c_uint32, c_uint64, create_string_buffer
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _arrays
from ._library import (Bound, Buffer, Error, InputError, Launch, Program, RestrictionInfo, SpaceOptions, SpecOptions, UsageError,
                       decode, encode, lib, measured_text, notices, owned, texts)

Value = Union[bool, int, float, str]
Configuration = Mapping[str, Value]
PathLike = Union[str, "os.PathLike[str]"]

_FROM_TEXT: Mapping[str, Callable[[str], Value]] = {
    "int": int, "uint": int, "float": float, "bool": lambda text: text in ("1", "true", "True"), "string": str,
    "mixed": ast.literal_eval}


def _listed(given: Any) -> Any:
    """A list for JSON; one text or number stays what it is."""
    if hasattr(given, "tolist") and getattr(given, "ndim", 0):
        return given.tolist()
    return [_arrays.plain_number(one) for one in given] if isinstance(given, (list, tuple, range, set)) else \
        _arrays.plain_number(given)


class Spec(Bound):
    """What to tune: a kernel, its parameters and restrictions, its sizes, arguments and reference.

    Made from Python's objects; :meth:`load` and :meth:`parse` read the JSON form. Expressions are texts in Python's
    syntax over parameters, constants and facts of the device.

    kernel: the kernel's file, or a list or {language: file} as in the short form; relative to the working directory.
    source: its text, in place of a file. function: its name, where the text has several. language: "OpenCL", "CUDA", "C".
    parameters: {name: values}, which reach the kernel as -Dname=value. defaults: {name: value} of the default
        configuration, else the first values. restrictions: expressions that must all be true.
    constants, derived: {name: value or expression}, which reach the kernel likewise.
    global_size (work-items) or groups (work-groups), local_size, problem with per_group: expressions for each axis.
    arguments: {name: argument}. A number is a scalar (a NumPy number keeps its type); a text is an expression; an array
        is a buffer with these contents, whose dtype is its type; a mapping is a recipe of the short form, such as
        {"size": "n", "fill": "random"}, in which "data" may be an array. Arrays are copied when the spec is made, into
        files (mode 0600) of a folder of its own (mode 0700), which are removed with it; they may be of any shape.
    reference: what outputs must be. {argument: array}; a callable, which gets {argument: array} of what the buffers
        hold before the launch (copies, one-dimensional where they are recipes) and scalars, and returns {argument: array}
        or, where there is one output, an array; or what the short form allows ("none", {"kind": "gemm", ...}). None: the
        outputs must agree with the default configuration.
    rtol, atol: tolerances of a reference of arrays or a callable; by type where they are None.
    metrics: {name: expression over time_ns, time_ms, time_s, joule}. objective, iterations: as in the short form.
    options: for the compiler. include: folders for #include. more: further keys of the short form as they are.
    name: in reports and stores, else the kernel's function or file. set: {constant: value} in place of the spec's.
    """

    def __init__(self, kernel: Any = None, *, source: Optional[str] = None, function: Optional[str] = None,
                 language: Optional[str] = None, parameters: Optional[Mapping[str, Any]] = None,
                 defaults: Optional[Configuration] = None, restrictions: Union[str, Sequence[str]] = (),
                 constants: Optional[Mapping[str, Value]] = None, derived: Optional[Mapping[str, Any]] = None,
                 global_size: Any = None, groups: Any = None, local_size: Any = None, problem: Any = None,
                 per_group: Any = None, arguments: Optional[Mapping[str, Any]] = None, reference: Any = None,
                 rtol: Optional[float] = None, atol: Optional[float] = None, metrics: Optional[Mapping[str, Any]] = None,
                 objective: Any = None, iterations: Optional[int] = None, options: Union[str, Sequence[str]] = (),
                 include: Sequence[PathLike] = (), name: Optional[str] = None, more: Optional[Mapping[str, Any]] = None,
                 set: Optional[Mapping[str, Value]] = None) -> None:
        if (kernel is None) == (source is None):
            raise UsageError("a spec needs either kernel, its file, or source, its text")
        self._scratch: Optional[_arrays.Scratch] = None
        self._shapes: Dict[str, tuple] = {}
        self._callable: Optional[Callable[..., Any]] = None
        document: Dict[str, Any] = {"name": name or function or _stem(kernel) or "kernel"}
        for key, value in (("kernel", _absolute(kernel)), ("source", source), ("function", function),
                           ("language", language), ("options", _listed(options) or None),
                           ("include", [str(pathlib.Path(p).absolute()) for p in include] or None),
                           ("constants", _plain("constants", constants)), ("parameters", _plain("parameters", parameters)),
                           ("defaults", _plain("defaults", defaults)), ("derived", _plain("derived", derived)),
                           ("restrictions", _listed(restrictions) or None), ("global", _listed(global_size)),
                           ("groups", _listed(groups)), ("local", _listed(local_size)), ("problem", _listed(problem)),
                           ("per_group", _per_group(per_group)), ("metrics", _plain("metrics", metrics)),
                           ("objective", objective), ("iterations", iterations)):
            if value is not None:
                document[key] = value
        document["arguments"] = {key: self._argument(key, value) for key, value in (arguments or {}).items()}
        self._refer(document, reference, rtol, atol)
        document.update(more or {})
        self._document: Optional[Dict[str, Any]] = document
        self._set = dict(set or {})
        self._read(_as_json(document), None, document["name"])

    # ---- reading ------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: PathLike, *, set: Optional[Mapping[str, Value]] = None, strict: bool = False) -> "Spec":
        """Reads a spec from a file. `set` gives constants other values; `strict` refuses what the T1 schema refuses.
        Raises hone.FileError or hone.InputError, which name file, place and remedy."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise UsageError(f"a spec is a hone.Spec or a file, and this is of type {type(path).__name__}: {path!r:.60}")
        s = cls._bare(set)
        error, options = Error(), s._options(strict)
        s.handle = lib.hone_spec_load(encode(path), byref(options), byref(error))
        error.raise_it()
        s._own()
        return s

    @classmethod
    def parse(cls, text: str, *, folder: Optional[PathLike] = None, name: str = "spec",
              set: Optional[Mapping[str, Value]] = None, strict: bool = False) -> "Spec":
        """The same from a text. `folder` is where its files are looked for, else the working directory."""
        s = cls._bare(set)
        s._read(text, folder, name, strict)
        return s

    @classmethod
    def _bare(cls, set: Optional[Mapping[str, Value]]) -> "Spec":
        s = cls.__new__(cls)
        s._scratch, s._shapes, s._callable, s._document, s._set = None, {}, None, None, dict(set or {})
        s._text = s._folder = None
        return s

    def recipe(self) -> Dict[str, Any]:
        """What `of_recipe` reads it from again, in another process, too, as long as its files are there."""
        return {"path": os.path.abspath(self.path) if self._text is None else None, "text": self._text, "folder": self._folder, "name": self.name,
                "set": self._set}

    @classmethod
    def of_recipe(cls, recipe: Mapping[str, Any]) -> "Spec":
        if recipe["text"] is None:
            return cls.load(recipe["path"], set=recipe["set"])
        return cls.parse(recipe["text"], folder=recipe["folder"], name=recipe["name"], set=recipe["set"])

    def with_metrics(self, metrics: Mapping[str, Any]) -> "Spec":
        """The same spec with further metrics, {name: expression}; one of a name that it has is replaced. What a store knows of it is as
        well known of this one."""
        text = self._text if self._text is not None else pathlib.Path(self.path).read_text(encoding="utf-8")
        folder = self._folder if self._text is not None else os.path.dirname(os.path.abspath(self.path))
        document = json.loads(text)
        if "KernelSpecification" in document:  # the long form, T1's
            listed = [one for one in document.get("Metrics", ()) if one.get("Name") not in metrics]
            document["Metrics"] = listed + [{"Name": key, "Expression": str(value)} for key, value in metrics.items()]
        else:
            document["metrics"] = {**document.get("metrics", {}), **(_plain("metrics", metrics) or {})}
        made = Spec._bare(self._set)
        made._scratch, made._shapes, made._callable = self._scratch, self._shapes, self._callable
        made._document = document if self._document is not None else None
        made._tolerances = self._tolerances_or_none()
        made._read(_as_json(document), folder, self.name)
        return made

    def _options(self, strict: bool = False) -> SpecOptions:
        options = SpecOptions(strict=strict)
        given = texts(f"{key}={_constant(value)}" for key, value in self._set.items())
        if given is not None:
            options.set = given
        options.log = ctypes.pointer(notices)
        return options

    def _read(self, text: str, folder: Optional[PathLike], name: str, strict: bool = False) -> None:
        error, options, data = Error(), self._options(strict), text.encode()
        self._text, self._folder = text, str(folder) if folder is not None else None
        if self._scratch is not None:
            self._scratch.settle()
        self.handle = lib.hone_spec_parse(data, len(data), encode(folder), encode(name), byref(options), byref(error))
        error.raise_it()
        self._own()

    def _own(self) -> None:
        self._free = owned(self, lib.hone_spec_free, self.handle)
        count = lib.hone_spec_parameters(self.handle)
        names = [decode(lib.hone_spec_parameter(self.handle, i)) for i in range(count)]
        self._values: List[List[Value]] = []
        room = create_string_buffer(256)
        for i in range(count):
            read = _FROM_TEXT[decode(lib.hone_spec_type(self.handle, i))]
            self._values.append([read(measured_text(lib.hone_spec_value, self.handle, i, k, room=room))
                                 for k in range(lib.hone_spec_values(self.handle, i))])
        self._names = names

    # ---- arguments and reference ---------------------------------------------------------------------

    def _file(self, name: str, array: Any) -> str:
        if self._scratch is None:
            self._scratch = _arrays.Scratch()
        return self._scratch.write(name, array)

    def _argument(self, name: str, given: Any) -> Any:
        if _arrays.is_array(given):
            given = {"data": given}
        if isinstance(given, Mapping):
            recipe = {key: _listed(value) if key != "data" else value for key, value in given.items()}
            data = recipe.pop("data", None)
            if data is None:
                return recipe
            if not _arrays.is_array(data):
                raise UsageError(f"argument '{name}': data of type {type(data).__name__} is not an array")
            data = _arrays.as_numpy(data)
            kind = _arrays.type_of(name, data)
            self._shapes[name] = tuple(data.shape)
            return {"type": kind, "size": int(data.size), "fill": {"file": self._file(name, data)}, **recipe}
        if hasattr(given, "dtype") and _arrays.is_number(given):
            return {"memory": "scalar", "type": _arrays.type_of(name, given), "value": _arrays.json_number(name, given)}
        if isinstance(given, (bool, int, float, str)):
            return _arrays.json_number(name, given)
        raise UsageError(f"argument '{name}': {type(given).__name__} is neither an array, a number, an expression nor a "
                         "recipe")

    def _refer(self, document: Dict[str, Any], reference: Any, rtol: Optional[float], atol: Optional[float]) -> None:
        self._tolerances = (rtol, atol)  # of what a callable returns, too
        if callable(reference):
            self._callable = reference
            return
        arrays = isinstance(reference, Mapping) and bool(reference) and all(map(_arrays.is_array, reference.values()))
        if arrays:
            files = {key: self._file(f"{key}-expected", self._expected(key, value, document["arguments"])) for key, value in reference.items()}
            document["reference"] = {"kind": "file", "files": files}
            for key, argument in document["arguments"].items():
                if isinstance(argument, dict) and argument.get("memory") != "scalar":
                    argument.setdefault("output", key in reference)
        elif reference is not None:
            document["reference"] = reference
        for argument in document["arguments"].values():
            if isinstance(argument, dict) and argument.get("output", False) and (rtol is not None or atol is not None):
                verify = argument.setdefault("verify", {"method": "close"})
                if isinstance(verify, dict):
                    verify.setdefault("atol", atol if atol is not None else 0)
                    verify.setdefault("rtol", rtol if rtol is not None else 0)

    def _expected(self, name: str, given: Any, arguments: Mapping[str, Any]) -> Any:
        """What a reference says of an argument, in its type and size as far as an array says these."""
        if arguments and name not in arguments:
            raise UsageError(f"reference: there is no argument '{name}'; the arguments are {', '.join(arguments)}")
        array, shape, argument = _arrays.as_numpy(given), self._shapes.get(name), arguments.get(name)
        kind = argument.get("type") if isinstance(argument, Mapping) else None
        if array.dtype.kind != "c" and kind in _arrays.COMPLEX:
            return array  # pairs, one after the other
        if shape is not None and array.size != math.prod(shape):
            raise UsageError(f"reference['{name}'] has {array.size} elements, and the argument {math.prod(shape)}")
        return _arrays.converted(f"reference['{name}']", array, _arrays.NAMES.get(kind) or _arrays.COMPLEX.get(kind))

    def prepare(self, device: Any) -> "Spec":
        """The spec that a tune on `device` takes: itself, unless its reference is a callable, which is called here once."""
        if self._callable is None:
            return self
        from ._devices import Device
        assert isinstance(device, Device) and self._document is not None
        bare = json.loads(json.dumps(self._document))
        probe = Spec.parse(json.dumps({**bare, "reference": "none"}), name=self.name, set=self._set)
        with Job(probe, device, probe.default) as job:
            inputs = {b.name: job.contents(b.name, self._shapes.get(b.name)) for b in job.buffers if b.has_contents}
            outputs = [b for b in job.buffers if b.is_output]
        scalars = {key: value for key, value in self.constants.items() if key not in inputs}
        scalars.update({key: value["value"] if isinstance(value, dict) else value
                        for key, value in bare["arguments"].items()
                        if not isinstance(value, (dict, str)) or isinstance(value, dict) and value.get("memory") == "scalar"})
        answer = self._callable({**scalars, **inputs})
        if answer is None:
            raise UsageError("the reference returned None, and has to return an array, or {argument: array}")
        if not isinstance(answer, Mapping):
            if len(outputs) != 1:
                raise UsageError("the reference has to return {argument: array}, since the kernel writes " +
                                 ", ".join(b.name for b in outputs))
            answer = {outputs[0].name: answer}
        unknown = [key for key in answer if key not in {b.name for b in outputs}]
        if unknown:
            raise UsageError(f"the reference returned '{unknown[0]}', and the kernel writes " +
                             ", ".join(b.name for b in outputs))
        import numpy
        typed = {}
        for b in outputs:
            if b.name in answer:
                array = numpy.asarray(answer[b.name])
                kind = _arrays.COMPLEX.get(b.type) if array.dtype.kind == "c" else _arrays.NAMES.get(b.type)
                typed[b.name] = _arrays.converted(f"what the reference returned for '{b.name}'", array, kind)
        if not typed:
            raise UsageError("the reference returned nothing, and the kernel writes " + ", ".join(b.name for b in outputs))
        made = Spec._bare(self._set)
        made._scratch, made._shapes = self._scratch, self._shapes
        for b in outputs:  # where the document has only the kernel's word for an argument
            bare["arguments"].setdefault(b.name, {})
        made._refer(bare, typed, *self._tolerances_or_none())
        made._document = bare
        made._read(json.dumps(bare), None, self.name)
        self._scratch = made._scratch
        return made

    def _tolerances_or_none(self) -> tuple:
        return getattr(self, "_tolerances", (None, None))

    # ---- what it says -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return decode(lib.hone_spec_name(self.handle))

    @property
    def path(self) -> str:
        """As it was given; of one that was not read from a file its name."""
        return decode(lib.hone_spec_path(self.handle))

    @property
    def text(self) -> Optional[str]:
        """Its JSON, where it was not read from a file."""
        return self._text

    @property
    def parameters(self) -> Dict[str, List[Value]]:
        """{name: values}, in the spec's order."""
        return dict(zip(self._names, (list(values) for values in self._values)))

    @property
    def constants(self) -> Dict[str, Value]:
        """With `set`."""
        out: Dict[str, Value] = {}
        for i in range(lib.hone_spec_constants(self.handle)):
            out[decode(lib.hone_spec_constant(self.handle, i))] = _number(
                measured_text(lib.hone_spec_constant_value, self.handle, i))
        return out

    @property
    def metrics(self) -> List[str]:
        """Their names."""
        return [decode(lib.hone_spec_metric(self.handle, i)) for i in range(lib.hone_spec_metrics(self.handle))]

    @property
    def default(self) -> Dict[str, Value]:
        """The default configuration, which may be invalid."""
        choice = self.choice_room()
        lib.hone_spec_default(self.handle, choice)
        return self.configuration(choice)

    def choice_room(self) -> Any:
        return (c_uint32 * max(1, len(self._names)))()

    def configuration(self, choice: Sequence[int]) -> Dict[str, Value]:
        """Value indices as {parameter: value}."""
        return {name: values[choice[i]] for i, (name, values) in enumerate(zip(self._names, self._values))}

    def choice(self, configuration: Union[str, Configuration]) -> Any:
        """Value indices of a configuration; parameters that it does not name have their defaults. Raises
        hone.UsageError for a parameter or value that the spec does not have."""
        choice, error = self.choice_room(), Error()
        lib.hone_spec_default(self.handle, choice)
        lib.hone_spec_read(self.handle, encode(configuration_text(configuration)), choice, byref(error))
        error.raise_it()
        return choice

    def space(self, *, where: Sequence[str] = (), on: Any = None) -> "Space":
        """Its valid configurations, of those for which all of `where` are true. `on`: a hone.Device whose facts
        restrictions read; without one they are 0 or empty."""
        return Space(self, where=where, on=on)

    def __repr__(self) -> str:
        return f"<hone.Spec {self.name!r}: {', '.join(self._names) or 'no parameters'}>"


def configuration_text(configuration: Union[str, Configuration]) -> str:
    """{"a": 1, "b": 2} as "a=1,b=2"."""
    if isinstance(configuration, str):
        return configuration
    if not isinstance(configuration, Mapping):
        raise UsageError(f"a configuration is {{parameter: value}} or a text as \"a=1,b=2\", and this is of type {type(configuration).__name__}")
    return ",".join(f"{key}={_constant(value)}" for key, value in configuration.items())


def _constant(value: Any) -> str:
    value = _arrays.plain_number(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and not isinstance(_number(value), str):
        return repr(value)  # a text that looks like a number
    return repr(value) if isinstance(value, float) else str(value)


def _number(text: str) -> Value:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def _as_json(document: Mapping[str, Any]) -> str:
    try:
        return json.dumps(document, allow_nan=False)
    except (TypeError, ValueError):
        path, value = _misfit("", document)
        raise UsageError(f"{path}: {value!r:.60} of type {type(value).__name__} has no place in a spec: texts are expressions, and what is code is "
                         "computed before, or a reference or judge") from None


def _misfit(path: str, value: Any) -> Tuple[str, Any]:
    """The first in it that JSON cannot hold, and where it is."""
    if isinstance(value, (Mapping, list, tuple)):
        for key, one in value.items() if isinstance(value, Mapping) else enumerate(value):
            found = _misfit(f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}".lstrip("."), one)
            if found[0]:
                return found
        return "", value
    fits = value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value))
    return ("" if fits else path), value


def _plain(what: str, given: Optional[Mapping[str, Any]]) -> Optional[Dict[str, Any]]:
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(f"{what} of type {type(given).__name__}: a mapping is needed, {{name: ...}}")
    return {key: _listed(value) if not isinstance(value, Mapping) else dict(value)
            for key, value in given.items()} if given else None


def _per_group(given: Any) -> Any:
    return [_listed(one) for one in given] if isinstance(given, (list, tuple)) else given


def _stem(kernel: Any) -> Optional[str]:
    return pathlib.Path(os.fspath(kernel)).stem if isinstance(kernel, (str, os.PathLike)) else None


def _absolute(kernel: Any) -> Any:
    if isinstance(kernel, Mapping):
        return {language: _absolute(file) for language, file in kernel.items()}
    if isinstance(kernel, (list, tuple)):
        return [_absolute(file) for file in kernel]
    return str(pathlib.Path(kernel).absolute()) if kernel is not None else None


def as_spec(given: Union[Spec, PathLike], set: Optional[Mapping[str, Value]] = None) -> Spec:
    """A spec, or the file of one."""
    if not isinstance(given, Spec):
        return Spec.load(given, set=set)
    if set:
        raise UsageError("set is for a spec that is read from a file here; give it to hone.Spec")
    return given


# ---- spaces -----------------------------------------------------------------------------------------


class Restriction(NamedTuple):
    """One restriction and what it excludes by itself: `excludes` combinations (None: too many to count), of which for
    `faults` it has no value."""

    text: str
    path: str
    excludes: Optional[int]
    faults: int


class Space(Bound, Sequence[Dict[str, Value]]):
    """The valid configurations of a spec, each a {parameter: value}, in the same order everywhere."""

    def __init__(self, spec: Spec, *, where: Sequence[str] = (), on: Any = None) -> None:
        self.spec, self._device = spec, on
        error, options = Error(), SpaceOptions(device=on.handle if on is not None else None)
        given = texts([where] if isinstance(where, str) else where)
        if given is not None:
            options.where = given
        self.handle = lib.hone_space_new(spec.handle, byref(options), byref(error))
        error.raise_it()
        self._free = owned(self, lib.hone_space_free, self.handle, spec, on.devices if on is not None else None)

    def __len__(self) -> int:
        return lib.hone_space_count(self.handle)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"the space has {count} configurations, and none at {index}")
        choice = self.spec.choice_room()
        lib.hone_space_get(self.handle, index % count, choice)
        return self.spec.configuration(choice)

    def __iter__(self) -> Iterator[Dict[str, Value]]:
        for choice in self.choices():
            yield self.spec.configuration(choice)

    def choices(self) -> Iterator[Tuple[int, ...]]:
        """The configurations as places of their values in the parameters' lists."""
        choice = self.spec.choice_room()
        for i in range(len(self)):
            lib.hone_space_get(self.handle, i, choice)
            yield tuple(choice[:len(self.spec._names)])

    def __contains__(self, configuration: Any) -> bool:
        return self._find(configuration) is not None

    def _find(self, configuration: Any) -> Optional[int]:
        found = c_uint64()
        try:
            choice = self.spec.choice(configuration)
        except (InputError, UsageError):  # a value that the spec does not have
            return None
        return found.value if lib.hone_space_find(self.handle, choice, byref(found)) else None

    def index(self, configuration: Any, *_: int) -> int:
        """Where a configuration stands; ValueError, with the reason, where it is not in the space."""
        found = self._find(configuration)
        if found is None:
            raise ValueError(self.why(configuration))
        return found

    @property
    def cartesian(self) -> float:
        """All combinations of values, valid or not."""
        return lib.hone_space_cartesian(self.handle)

    def why(self, configuration: Union[None, str, Configuration] = None) -> str:
        """Why a configuration is not in the space, in one line; "" when it is. Without one: why the space is empty."""
        choice = self.spec.choice(configuration) if configuration is not None else None
        return measured_text(lib.hone_space_why, self.handle, choice)

    @property
    def restrictions(self) -> List[Restriction]:
        """The spec's, then those of `where`."""
        found = []
        for i in range(lib.hone_space_restrictions(self.handle)):
            info = RestrictionInfo()
            lib.hone_space_restriction(self.handle, i, byref(info))
            alone = info.alone if info.alone != 2**64 - 1 else None
            found.append(Restriction(decode(info.text), decode(info.path), alone, info.faults))
        return found

    def __repr__(self) -> str:
        return f"<hone.Space of {self.spec.name!r}: {len(self)} of {self.cartesian:.0f} configurations>"


# ---- jobs ---------------------------------------------------------------------------------------------


class Geometry(NamedTuple):
    """One launch: work-items along each axis, and those of a work-group, all 0 where the driver chooses."""

    kernel: str
    global_size: tuple
    local_size: tuple


class BufferInfo(NamedTuple):
    """A buffer of a job: `count` elements of `type`."""

    name: str
    type: str
    count: int
    bytes: int
    is_output: bool
    index: int
    has_contents: bool  # before the launch


class Job(Bound):
    """One configuration made concrete: what the compiler gets, and what is launched. Nothing is built."""

    def __init__(self, spec: Spec, device: Any, configuration: Union[str, Configuration], *, handle: Any = None,
                 of: Any = None) -> None:
        self.spec, self._device, error = spec, device, Error()
        self.handle = handle or lib.hone_job_new(spec.handle, device.handle, spec.choice(configuration), byref(notices),
                                                 byref(error))
        error.raise_it()
        self._free = owned(self, lib.hone_job_free, self.handle, spec, device.devices, of)

    def __enter__(self) -> "Job":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._free()

    @property
    def options(self) -> List[str]:
        """The compiler's options of its first program, one word each."""
        program, words = Program(), []
        if lib.hone_job_program(self.handle, 0, byref(program)):
            while program.options[len(words)] is not None:
                words.append(decode(program.options[len(words)]))
        return words

    @property
    def source(self) -> str:
        """The text of its first program, as compiled: not preprocessed."""
        program = Program()
        if not lib.hone_job_program(self.handle, 0, byref(program)):
            return ""
        return ctypes.string_at(program.source, program.source_bytes).decode("utf-8", "replace")

    @property
    def geometry(self) -> List[Geometry]:
        """Its launches, in the order in which they run."""
        launches = []
        for i in range(lib.hone_job_launches(self.handle)):
            launch = Launch()
            lib.hone_job_launch(self.handle, i, byref(launch))
            launches.append(Geometry(decode(launch.kernel), tuple(getattr(launch, "global")[:launch.dimensions]),
                                     tuple(launch.local[:launch.dimensions])))
        return launches

    @property
    def buffers(self) -> List[BufferInfo]:
        """Its buffers, in the order of the spec's arguments."""
        found = []
        for i in range(lib.hone_job_buffers(self.handle)):
            b = Buffer()
            lib.hone_job_buffer(self.handle, i, byref(b))
            found.append(BufferInfo(decode(b.name), decode(b.type), b.count, b.total_bytes, b.is_output, i,
                                    b.has_contents))
        return found

    def contents(self, name: str, shape: Optional[tuple] = None) -> Any:
        """What a buffer holds before the launch, bit for bit: an array of one dimension, or of `shape` (bytes where NumPy
        is missing). Raises hone.UsageError where it holds nothing, since the kernel only writes it."""
        for b in self.buffers:
            if b.name == name:
                data, error = bytearray(b.bytes), Error()
                room = (ctypes.c_char * max(1, b.bytes)).from_buffer(data) if b.bytes else None
                lib.hone_job_contents(self.handle, b.index, room, b.bytes, byref(error))
                error.raise_it()
                del room
                return _arrays.from_bytes(data, b.type, shape)
        raise UsageError(f"the job has no buffer '{name}'; it has " + ", ".join(b.name for b in self.buffers))
