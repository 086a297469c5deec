"""tune_kernel and run_kernel: Kernel Tuner's arguments made into a spec, and records into its dictionaries."""

from __future__ import annotations

import inspect
import json
import math
import os
import pathlib
import re
import shlex
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .. import _arrays
from .._library import UsageError
from .._records import Record
from .._spec import Spec
from .._tune import Result, run as run_one, tune as tune_spec
from .._devices import Device, Devices
from . import strategies
from .._session import Session
from ._ahead import Ahead
from ._cache import CacheFile, cache_key, cache_path as find_cache, load_cache, of_space
from ._combinations import Combinations, Unsupported, ask, axes, check_names
from ._goals import COSTS, Goals, Metrics, fail, totals
from ._own import Runner, clock, own_strategy, search_own
from ._selected import has_tunables, select, tune_selected
from .searchspace import Searchspace
from .util import get_config_string

SOURCE_MOST = 64 << 20  # bytes of all texts that a generator makes
ITERATIONS = 7  # Kernel Tuner's
_RTOL = 1e-5  # numpy.allclose()'s


class Settings:
    """What the runner (`python -m hone.kernel_tuner`) asks of every call."""

    numbers: Dict[int, int] = {}  # that stand for others in kernels: sizes of a script that was scaled
    end: Optional[float] = None  # of the time of all tunes, on time.monotonic()
    count: Optional[int] = None  # configurations of each tune at most
    on: Optional[str] = None
    ahead = Ahead()  # drivers that start with the script


settings = Settings()

LANGUAGES = {"OPENCL": "OpenCL", "CUDA": "CUDA", "CUPY": "CUDA", "NVCUDA": "CUDA", "PYCUDA": "CUDA", "C": "C"}
_COMPILERS = {"C": ("cc", "gcc"), "CUDA": ("nvrtc",), "OpenCL": ()}


# ---- sources -----------------------------------------------------------------------------------------


_AS_IN_C = re.compile(r'\bextern\s+"C"(?!\s*\{)')


def _read_source(given: Any) -> Tuple[str, Optional[str]]:
    """A source's text, and the folder of its file where it is one."""
    if isinstance(given, os.PathLike) or (isinstance(given, str) and "\n" not in given and
                                          (os.path.isfile(given) or re.fullmatch(r"[^{};]*\.\w{1,4}", given))):
        path = pathlib.Path(given)
        return path.read_text(), str(path.resolve().parent)
    if not isinstance(given, str):
        raise UsageError(f"kernel_source is of type {type(given).__name__}: give the text, a file's name, or a callable that makes the text")
    return given, None


def _scaled(text: str) -> str:
    """All numbers at once: what one became may be another one's."""
    if not settings.numbers:
        return text
    return re.sub(rf"(?<![\w.])(?:{'|'.join(map(str, settings.numbers))})(?![\w.])", lambda m: str(settings.numbers[int(m.group())]), text)


def _language(given: Optional[str], text: str) -> str:
    if given is not None:
        known = LANGUAGES.get(str(given).upper())
        if known is None:
            raise Unsupported(f"lang={given!r}: hone runs " + ", ".join(sorted(LANGUAGES)))
        return known
    return "OpenCL" if "__kernel" in text else "CUDA" if "__global__" in text else "C"


class Signature:
    """What a kernel's text says of its arguments, as far as that is plain: names, and which are only read."""

    def __init__(self, text: str, kernel: str, count: int) -> None:
        text = _bare(text)
        found = re.search(rf"\b{re.escape(kernel.split('<')[0])}\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*\{{", text)
        parts = _split(found.group(1)) if found else []
        self.known = found is not None and len(parts) == count
        names = [re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part) for part in parts]
        self.known = self.known and all(names) and len({n.group(1) for n in names if n}) == count
        self.names = [n.group(1) for n in names if n] if self.known else [f"argument{i}" for i in range(count)]
        body = _body(text, found.end() - 1) if found else ""
        macros = " ".join(re.findall(r"^[ \t]*#[ \t]*define\b((?:[^\n]*\\\n)*[^\n]*)", text, flags=re.M))
        self.read_only = [self.known and (_points_to_const(parts[i]) or (not re.search(rf"\b{name}\b", macros) and _only_read(body, name)))
                          for i, name in enumerate(self.names)]


def _bare(text: str) -> str:
    """Without comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)


def _points_to_const(part: str) -> bool:
    """`const float *p` and not `float *const p`, which is only a pointer that stays."""
    return bool(re.search(r"\b__constant\b", part) or re.search(r"\bconst\b", part.split("*")[0])) and part.count("*") < 2


def _split(arguments: str) -> List[str]:
    """At commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(arguments + ","):
        depth += (c in "([<") - (c in ")]>")
        if c == "," and depth == 0:
            parts.append(arguments[start:i].strip())
            start = i + 1
    return [part for part in parts if part and part != "void"]


def _body(text: str, opening: int) -> str:
    depth = 0
    for i in range(opening, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[opening:i + 1]
    return text[opening:]


def _only_read(body: str, name: str) -> bool:
    """Is each use of the name a load, name[...]? A use of another kind may be anything, what is not used here is used by something
    that is not seen, and what a macro gets it may write."""
    uses = list(re.finditer(rf"\b{name}\b", body))
    for use in uses:
        at = use.end()
        if not re.match(r"\s*\[", body[at:]):
            return False
        while (member := re.match(r"\s*(?:\[|(?:\.|->)\s*\w+)", body[at:])) is not None:
            at += member.end()
            depth = int(member.group().endswith("["))
            while at < len(body) and depth:
                depth += (body[at] == "[") - (body[at] == "]")
                at += 1
        if re.match(r"[\s)]*(=(?!=)|\+\+|--|(\+|-|\*|/|%|&|\||\^|<<|>>)=)|\s*\(", body[at:]) or \
                re.search(r"(&|\+\+|--)[\s(]*$", body[:use.start()]):
            return False
        statement = re.split(r"[;{}]", body[:use.start()])[-1]
        if re.search(r"\b[A-Z_][A-Z0-9_]+\s*\(", statement):
            return False
    return bool(uses)


# ---- the question -------------------------------------------------------------------------------------


class Question(Combinations):
    """A kernel with its parameters, sizes and arguments, on the way to a spec."""

    def __init__(self, name: Any, source: Any, problem_size: Any, arguments: Any, params: Mapping[str, Sequence[Any]],
                 grid: Sequence[Any], block_size_names: Optional[Sequence[str]], lang: Optional[str], smem: Any, cmem: Any,
                 texmem: Any, compiler: Any, compiler_options: Any, defines: Any) -> None:
        if texmem is not None:
            raise Unsupported("texmem_args: hone has no textures; pass the array as a buffer, or as cmem_args")
        super().__init__(name, params)
        self.metrics: Dict[str, str] = {}
        self.looked_at: List[int] = []  # arguments whose contents after a launch the script's verify gets
        self.scratch = _arrays.Scratch()
        self._sources(source, lang)
        self.name_kernel(self.language == "CUDA")
        self._compiler(compiler, compiler_options, defines)
        self.grid = list(grid)
        self.name_blocks(block_size_names)
        self.problem_size, self.smem = problem_size, dict(smem or {})
        if self.smem and (self.language != "CUDA" or set(self.smem) != {"size"}):
            raise Unsupported(f"smem_args={{{', '.join(map(repr, self.smem))}: ...}} in {self.language}: hone knows the size of CUDA's dynamic "
                              "shared memory, smem_args={'size': bytes}")
        self._arguments(arguments, dict(cmem or {}))

    def _sources(self, source: Any, lang: Optional[str]) -> None:
        listed = list(source) if isinstance(source, (list, tuple)) else [source]
        self.generator: Optional[Callable[[Dict[str, Any]], str]] = listed[0] if callable(listed[0]) else None
        self.folders = [os.getcwd()]
        first = {key: values[0] for key, values in self.params.items()}
        self.text, folder = _read_source(self.generator(dict(first)) if self.generator else listed[0])
        self.text = _scaled(self.text)
        if folder:
            self.folders.insert(0, folder)
        for other in listed[1:]:  # files that the first one includes
            if callable(other):
                raise Unsupported("kernel_source: a callable behind the first source; only the first one may be made by code")
            path = pathlib.Path(other)
            if not path.is_file():
                raise UsageError(f"kernel_source: {other} is not a file")
            self.folders.append(str(path.resolve().parent))
        self.language = _language(lang, self.text)
        if self.language == "C":  # texts for C++ compilers, which otherwise change the function's name
            self.text = _AS_IN_C.sub("", self.text)

    def _compiler(self, compiler: Any, options: Any, defines: Any) -> None:
        if compiler is not None and os.path.basename(str(compiler)) not in _COMPILERS[self.language]:
            raise Unsupported(f"compiler={compiler!r}: hone compiles OpenCL by its driver, CUDA by NVRTC, and C by `cc` (HONE_CC)")
        self.options = shlex.split(options) if isinstance(options, str) else list(options or ())
        if any(not isinstance(o, str) for o in self.options):
            raise Unsupported("compiler_options as code: each has to be a text; what depends on parameters is an #if in the kernel")
        self.constants: Dict[str, Any] = {}
        self.code_defines: Dict[str, Callable[..., Any]] = {}
        for key in self.params if defines is not None else ():  # which stand for all that is defined there
            if key not in defines and re.search(rf"\b{key}\b", _bare(self.text)):
                raise Unsupported(f"defines without {key!r}, which the kernel's text has: each parameter reaches the kernel under its own name here; "
                                  "call what the kernel means by it something else")
        for key, value in (dict(defines) if defines is not None else {}).items():
            if key in self.params and (value == key or list(self.params[key]) == [value]):
                continue  # it is that anyway
            if key in self.params and not callable(value):
                raise Unsupported(f"defines[{key!r}]: each parameter reaches the kernel under its own name with its own value; define another name")
            if callable(value):
                self.code_defines[key] = value
            else:
                self.constants[key] = _arrays.plain_number(value)

    def _arguments(self, given: Any, cmem: Dict[str, Any]) -> None:
        self.signature = Signature(self.text, self.name, len(given))
        self.given = [_arrays.as_numpy(value) if _arrays.is_array(value) else value for value in given]
        self.arguments: List[Dict[str, Any]] = []
        for i, (name, value) in enumerate(zip(self.signature.names, self.given)):
            if _arrays.is_array(value):
                access = "ReadOnly" if self.signature.read_only[i] else "ReadWrite"
                self.arguments.append({"Name": name, **self._buffer(f"argument{i}", value), "MemoryType": "Vector",
                                       "AccessType": access, "Output": False, **({"Restore": False} if access == "ReadWrite" else {})})
            elif _arrays.is_number(value):
                if not hasattr(value, "dtype"):
                    raise UsageError(f"argument {i} ({name}) is Python's {value!r}, whose type in the kernel nobody knows: give a number of "
                                     f"NumPy, such as numpy.int32({value!r})")
                self.arguments.append({"Name": name, "Type": _arrays.type_of(name, value), "MemoryType": "Scalar",
                                       "FillValue": _arrays.json_number(name, value)})
            else:
                raise Unsupported(f"argument {i} ({name}) of type {type(value).__name__}: hone passes arrays and numbers of NumPy")
        for name, value in cmem.items():
            if self.language != "CUDA":
                raise Unsupported(f"cmem_args in {self.language}: constant memory that is set by name is CUDA's; pass '{name}' as an argument")
            self.arguments.append({"Name": name, **self._buffer(f"constant-{name}", value), "MemoryType": "Symbol"})

    def _buffer(self, file: str, value: Any) -> Dict[str, Any]:
        value = _as_it_lies(value)
        contents = {"FillType": "Constant", "FillValue": 0} if _arrays.is_zero(value) else \
            {"FillType": "BinaryRaw", "DataSource": self.scratch.write(file, _as_bytes(value))}
        if is_struct(value):
            return {"Type": "uint8", "Size": int(value.nbytes), **contents}
        return {"Type": _arrays.type_of(file, value), "Size": int(value.size), **contents}

    def rate(self, name: str, metrics: "Metrics") -> str:
        """The script's metric as an expression that hone computes while it searches: so much by the time, as GFLOP/s, or times the time;
        how much, each configuration is asked for."""
        def asked(p: Mapping[str, Any], ms: float) -> float:
            row = {**p, "time": ms, "times": [ms]}
            metrics.add(row)
            return float(row[name])
        try:
            rows = [(i, [asked(p, ms) for ms in (0.25, 1.0, 64.0)]) for i, p in self.combinations(f"objective={name!r} with a strategy")]
        except (LookupError, TypeError, ValueError, ArithmeticError, NameError) as e:
            raise Unsupported(f"objective={name!r} with a strategy: the metric asks for more than parameters and the time ({type(e).__name__}: {e}); "
                              "leave strategy out") from None
        for text, factors in ((" / time_ms", (4, 1, 1 / 64)), (" * time_ms", (0.25, 1, 64))):
            if all(math.isclose(value, values[1] * factor, rel_tol=1e-9) for _, values in rows for value, factor in zip(values, factors)):
                table = {i: values[1] for i, values in rows}
                some = rows[0][1][1]
                return (repr(some) if all(v == some for v in table.values()) else self.table("hone_rate", table, some)) + text
        raise Unsupported(f"objective={name!r} with a strategy: hone searches by metrics that are so much by the time, or times the time; leave "
                          "strategy out, or write a spec with the metric")

    def _generate(self) -> str:
        """All texts that a generator makes, each behind the number of the configurations that have it."""
        assert self.generator is not None
        numbers: Dict[str, int] = {}
        table = {}
        for i, p in self.combinations("kernel_source"):
            text = _scaled(_read_source(self.generator(dict(p)))[0])
            text = _AS_IN_C.sub("", text) if self.language == "C" else text
            table[i] = numbers.setdefault(text, len(numbers))
            if sum(map(len, numbers)) > SOURCE_MOST:
                raise Unsupported(f"kernel_source: the generated texts are more than {SOURCE_MOST >> 20} MiB together")
        if len(numbers) == 1:
            return next(iter(numbers))
        self.table("hone_source", table, 0)
        return "".join(f"#{'el' if n else ''}if hone_source == {n}\n#line 1\n{text}\n" for text, n in numbers.items()) + "#endif\n"

    # ---- the spec ---------------------------------------------------------------------------------------

    def _fits(self) -> List[str]:
        """Groups that the device does not run are not in the space."""
        sizes = [name for name in self.blocks if name in self.params and not any(isinstance(v, str) for v in self.params[name])]
        return [" * ".join(sizes) + " <= device_max_work_group_size"] if sizes and self.language != "C" else []

    def _size(self, axis: int, given: Any) -> str:
        if isinstance(given, str):  # whose value is truncated there
            return f"int({given})"
        return repr(_arrays.plain_number(given))

    def _problem(self) -> List[str]:
        size = self.problem_size
        if callable(size):
            count = len(axes(size(dict(self.combinations("problem_size")[0][1]))))
            return [self.by_code(f"hone_size_{k}", "problem_size", lambda p, k=k: axes(size(p))[k]) for k in range(count)]
        return [self._size(k, one) for k, one in enumerate(axes(size))]

    def _divisor(self, axis: int, given: Any, name: str) -> str:
        if given is None:
            return self.blocks[axis] if self.blocks[axis] in self.params else "1"
        if callable(given):
            return self.by_code(name, f"grid_div_{'xyz'[axis]}", given)
        if isinstance(given, (str, int)) or hasattr(given, "item"):
            return self._size(axis, given)
        return " * ".join(self._divisor(axis, one, f"{name}_{k}") for k, one in enumerate(given)) or "1"

    def spec(self, answer: Optional[Dict[int, Any]] = None, atol: float = 1e-6) -> Spec:
        """The whole question as a spec; `answer`: {argument's index: array}."""
        problem = self._problem()
        if len(problem) > 3:
            raise UsageError(f"problem_size has {len(problem)} axes, and a launch has 3 at most")
        groups = {"XYZ"[k]: f"ceil({size} / ({self._divisor(k, self.grid[k], f'hone_div_{k}')}))" for k, size in enumerate(problem)}
        local = {"XYZ"[k]: name if name in self.params else ("256", "1", "1")[k] for k, name in enumerate(self.blocks)}
        kernel: Dict[str, Any] = {"Language": self.language, "KernelName": self.name, "GlobalSizeType": "CUDA", "GlobalSize": groups,
                                  "LocalSize": local, "CompilerOptions": self.options, "IncludeFolders": self.folders}
        if self.language == "C":
            for key in ("GlobalSizeType", "GlobalSize", "LocalSize"):
                del kernel[key]
        kernel["KernelSource"] = self._generate() if self.generator else self.text
        for key, code in self.code_defines.items():
            if key in self.params:  # which reaches the kernel anyway
                if any(ask(code, p) != p[key] for _, p in self.combinations(f"defines[{key!r}]")):
                    raise Unsupported(f"defines[{key!r}]: each parameter reaches the kernel under its own name with its own value, and this gives "
                                      "another one; define another name")
                continue
            self.derived.append({"Name": key, "Expression": self.by_code(f"hone_{key}", f"defines[{key!r}]", lambda p, c=code: ask(c, p))})
        defined = {*self.constants, *self.code_defines}  # by the script
        for k, axis in enumerate("xyz"):
            if re.search(rf"\bgrid_size_{axis}\b", kernel["KernelSource"]) and f"grid_size_{axis}" not in defined:
                self.derived.append({"Name": f"grid_size_{axis}", "Expression": groups.get(axis.upper(), "1")})
        for k, name in enumerate(self.blocks):
            if name not in self.params and name not in defined and re.search(rf"\b{name}\b", kernel["KernelSource"]):
                self.derived.append({"Name": name, "Expression": local["XYZ"[k]]})
        if "size" in self.smem:
            size = self.smem["size"]
            kernel["SharedMemory"] = self.by_code("hone_shared", "smem_args", size) if callable(size) else self._size(0, size)
        arguments = [dict(a) for a in self.arguments]
        for i in self.looked_at:
            arguments[i].update(Output=True, AccessType="ReadWrite")
        reference: Dict[str, Any] = {"Kind": "none"}
        if answer:
            for i, array in answer.items():
                arguments[i].update(Output=True, AccessType="ReadWrite",
                                    Verification={"Method": "close", "AbsoluteTolerance": atol, "RelativeTolerance": _RTOL})
            reference = {"Kind": "file", "Files": {arguments[i]["Name"]: self.scratch.write(f"answer{i}", array)
                                                   for i, array in answer.items()}}
        kernel.update(Arguments=arguments, Reference=reference)
        document = {"General": {"BenchmarkName": self.name}, "Constants": self.constants,
                    "ConfigurationSpace": {"TuningParameters": [{"Name": key, "Values": values} for key, values in self.params.items()],
                                           "Conditions": self.conditions + self._fits(), "Derived": self.derived},
                    "KernelSpecification": kernel,
                    "Metrics": [{"Name": key, "Expression": text} for key, text in self.metrics.items()]}
        self.scratch.settle()
        made = Spec.parse(json.dumps(document), name=self.name)
        made._scratch = self.scratch
        made._shapes = {a["Name"]: _as_it_lies(value).shape for a, value in zip(arguments, self.given) if _arrays.is_array(value)}
        return made


def is_struct(value: Any) -> bool:
    """An array whose elements are structs (NumPy's structured types): bytes for hone."""
    return getattr(getattr(value, "dtype", None), "names", None) is not None


def _as_bytes(value: Any) -> Any:
    import numpy
    return numpy.ascontiguousarray(value).reshape(-1).view(numpy.uint8) if is_struct(value) else value


def _as_it_lies(value: Any) -> Any:
    """An array in C's order whose elements follow each other as those of `value` do in memory: the transpose of one in Fortran's order."""
    return value.T if value.flags.f_contiguous and not value.flags.c_contiguous else value


def _as_given(left: Any, given: Any) -> Any:
    """What a kernel left in a buffer, as the argument is."""
    lies = _as_it_lies(given)
    left = left.view(given.dtype).reshape(lies.shape) if is_struct(given) else left
    return left if lies is given else left.T


def device_of(kernel_source: Any, lang: Optional[str], device: Any, platform: Any) -> Device:
    """The device that a kernel would run on."""
    return _device(_language(lang, _read_source(kernel_source)[0]), device, platform)


def _opened(language: str, device: Any, platform: Any) -> Device:
    """The same, which its worker opens while the arrays are written."""
    chosen = _device(language, device, platform)
    chosen.devices.open(chosen)
    return chosen


def _device(language: str, device: Any, platform: Any) -> Device:
    """The device of a number: of those of the language, in hone's order. Of the first one the runner's --on or HONE_DEVICE decides. The
    worker that lists them goes on with the tune."""
    listed = settings.ahead.take(language)
    if listed is None:
        listed = Devices(language=language.lower(), keep_worker=True)
    found = [d for d in listed if d.language == language.lower()]
    wanted = settings.on or os.environ.get("HONE_DEVICE")
    if found and wanted and not device and not platform and language != "C":
        return listed.pick(wanted)
    if found and language == "C":  # the host, whatever numbers are given
        return found[0]
    if platform:
        raise Unsupported(f"platform={platform}: hone knows devices by name; choose one with HONE_DEVICE")
    if not found:
        raise UsageError(f"no device here runs {language}; `hone devices` says what would bring one")
    if not 0 <= int(device) < len(found):
        raise UsageError(f"device={device}: there are {len(found)} here that run {language}")
    return found[int(device)]


# ---- tune_kernel ------------------------------------------------------------------------------------------


def _limits(given: Mapping[str, Any]) -> List[str]:
    """What strategy_options and the runner say of a budget."""
    budget = []
    if given.get("max_fevals") is not None:
        budget.append(str(int(given["max_fevals"])))
    if given.get("time_limit") is not None:
        budget.append(f"{float(given['time_limit']):.17g}s")
    if given.get("fraction") is not None:
        budget.append(f"{100 * float(given['fraction'])}%")
    return budget + ([str(settings.count)] if settings.count is not None else [])


def _search(strategy: Any, options: Optional[Mapping[str, Any]], quiet: bool) -> Tuple[str, List[str], Any]:
    """hone's strategy and budget for Kernel Tuner's strategy and its options; and x0, the values with which it starts, or None."""
    name = getattr(strategy, "__name__", strategy)
    name = str(name).rsplit(".", 1)[-1] if isinstance(name, str) else None if strategy is not None else "brute_force"
    if name not in strategies.NAMES:
        raise Unsupported(f"strategy={strategy!r}: hone searches in the place of {', '.join(strategies.NAMES)}; one of your own is an object with "
                          "tune(searchspace, runner, tuning_options), or a callable (cost function, searchspace)")
    ours, renamed = strategies.NAMES[name]
    given = dict(options or {})
    unknown = sorted(set(map(str, given)) - strategies.OPTIONS)
    if unknown:
        raise UsageError(f"strategy_options: no strategy has {', '.join(map(repr, unknown))}; those of Kernel Tuner have " +
                         ", ".join(sorted(strategies.OPTIONS, key=str.lower)))
    x0 = given.pop("x0", None)
    if x0 is not None and name in strategies.WITHOUT_X0:
        raise UsageError(f"strategy_options: {name} takes no x0; those with it are " + ", ".join(sorted(set(strategies.NAMES) - strategies.WITHOUT_X0)))
    budget = _limits(given)
    if all(given.get(key) is None for key in ("max_fevals", "time_limit", "fraction")) and ours != "exhaustive":
        budget.append("10%" if name == "random_sample" else "100")  # as Kernel Tuner's where nobody says how many
    for key in ("max_fevals", "time_limit", "fraction"):
        given.pop(key, None)
    words = [f"{renamed[key]}={given.pop(key)}" for key in list(given) if key in renamed]
    if not quiet and ours != "exhaustive" and name not in ("random_sample", "genetic_algorithm"):
        print(f"strategy {name}: hone searches with {ours}")
    if given and not quiet:
        print("strategy_options that hone has no use for: " + ", ".join(map(str, given)))
    return ours + (":" + ",".join(words) if words else ""), budget, x0


def _start(question: Combinations, x0: Any) -> List[Dict[str, Any]]:
    """x0 as the configurations that a search starts with."""
    if x0 is None:
        return []
    names = list(question.params)
    if not isinstance(x0, (list, tuple)) or len(x0) != len(names):
        raise UsageError(f"strategy_options['x0'] is {x0!r}: a value for each of {', '.join(names)} is needed")
    one = {name: _arrays.plain_number(value) for name, value in zip(names, x0)}
    for name, value in one.items():
        if value not in question.params[name]:
            raise UsageError(f"strategy_options['x0'] has {name}={value!r}, which is none of its values")
    return [one]


def _time_left() -> List[str]:
    """What the runner's --budget leaves this tune."""
    left = None if settings.end is None else settings.end - time.monotonic()
    return [] if left is None else [f"{left:.3f}s" if left > 0.5 else "1"]


class Observing:
    """A script's observers, each of which adds to the rows what hone knows by itself."""

    def __init__(self, given: Optional[Sequence[Any]], device: Any, facts: Optional[Mapping[str, Any]] = None) -> None:
        from .observers import BenchmarkObserver, RegisterObserver
        from .observers.nvml import SERVED, NVMLObserver
        made = [self._made(one, facts or {}) for one in given or ()]
        self.own = [one for one in made if isinstance(one, BenchmarkObserver)]  # of the script, which look at what a kernel left
        self.observers = [one for one in made if one not in self.own]
        self.names: List[str] = []
        self.metrics: Dict[str, str] = {}  # of the spec
        self.found: Dict[str, Dict[str, Any]] = {}  # by the script's own, for each configuration
        for observer in self.own:
            observer.check()
        for observer in self.observers:
            if not isinstance(observer, (RegisterObserver, NVMLObserver)):
                raise Unsupported(f"the observer {type(observer).__name__}: hone serves RegisterObserver, NVMLObserver, and own ones that are "
                                  "made from BenchmarkObserver")
            if isinstance(observer, NVMLObserver):
                if observer.device != device:
                    raise Unsupported(f"NVMLObserver(device={observer.device}) beside device={device}: hone looks at the card that is tuned")
                self.metrics.update({name: SERVED[name] for name in observer.observables if SERVED[name]})
            self.names += observer.observables

    @staticmethod
    def _made(one: Any, facts: Mapping[str, Any]) -> Any:
        """A class, or a function, makes one; of a function with an argument that is what is known of the kernel."""
        if not inspect.isfunction(one) and not inspect.isclass(one):
            return one
        return one(dict(facts)) if inspect.isfunction(one) and inspect.signature(one).parameters else one()

    def look(self, params: Dict[str, Any], key: str, answer: Any, outputs: Sequence[Any]) -> None:
        self.found[key] = {}
        for observer in self.own:
            self.found[key].update(observer.look(params, answer, outputs))

    def check(self, device: Device) -> None:
        """Raises Unsupported where the device has no NVML."""
        names = [name for name in self.names if name != "num_regs"]
        if names and "nvidia" not in device.vendor.lower():
            raise Unsupported(f"NVMLObserver on {device.name}: only NVIDIA's cards have NVML, so nobody tells " + ", ".join(names))

    def add(self, row: Dict[str, Any], record: Record) -> None:
        for observer in self.observers:
            observer.add(row, record)
        row.update(self.found.pop(cache_key(record.configuration, record.configuration), {}))


def _row(record: Record, metrics: Metrics, observing: Observing, goals: Goals) -> Dict[str, Any]:
    """One configuration as Kernel Tuner tells it: times in ms, the time their mean."""
    row = dict(record.configuration)
    took = record.times_ns
    row["timestamp"] = datetime.now(timezone.utc).isoformat()
    row.update(compile_time=took["build"] / 1e6, verification_time=(took["reference"] + took["verify"]) / 1e6,
               benchmark_time=took["measure"] / 1e6, strategy_time=0.0, framework_time=(took["load"] + took["inputs"]) / 1e6)
    if not record.correct or record.time_ns is None:
        fail(row, record.status, goals.names)
        return row
    row["times"] = [ns / 1e6 for ns in record.samples_ns or (record.time_ns,)]  # none: its verified launch was far too long
    row["time"] = sum(row["times"]) / len(row["times"])
    observing.add(row, record)
    metrics.add(row)
    return row


def _answer(answer: Any, verify: Any, question: Question) -> Optional[Dict[int, Any]]:
    """The arrays of an answer by the index of their argument."""
    if answer is None:
        return None
    if callable(answer):
        raise Unsupported("answer as a callable: give the arrays, or verify")
    listed = list(answer)
    if len(listed) != len(question.given):
        raise UsageError(f"answer has {len(listed)} items, and the kernel {len(question.given)} arguments; use None for those that are not compared")
    found = {i: one for i, one in enumerate(listed) if one is not None}
    for i, one in found.items() if verify is None else ():
        array = question.given[i]
        if not _arrays.is_array(one) or not _arrays.is_array(array) or one.size != array.size:
            raise UsageError(f"answer[{i}] ({question.signature.names[i]}) is not an array of the argument's size")
    if verify is not None:
        return found
    answers = {i: _arrays.converted(f"answer[{i}] ({question.signature.names[i]})", _arrays.as_numpy(one), question.given[i].dtype)
               for i, one in found.items()}
    return {i: one if _as_it_lies(question.given[i]) is question.given[i] else one.reshape(question.given[i].shape).T for i, one in answers.items()}


def _verify_here(answer: Any, given: Sequence[Any]) -> Optional[Callable[..., bool]]:
    """Kernel Tuner's comparison where an answer has NaN, which there is equal to NaN, or structs, whose members are compared."""
    import numpy
    if answer is None or callable(answer):
        return None
    arrays = {i: _arrays.as_numpy(one) for i, one in enumerate(answer) if _arrays.is_array(one)}
    if not any(is_struct(given[i]) if i < len(given) and is_struct(given[i]) else
               one.dtype.kind in "fc" and numpy.isnan(one.sum()) and numpy.isnan(one).any() for i, one in arrays.items()):
        return None

    def close(right: Any, left: Any, atol: float) -> bool:
        if right.dtype.names is not None:
            return all(close(right[name], left[name], atol) for name in right.dtype.names)
        return bool(numpy.allclose(right.reshape(-1), left.reshape(-1), rtol=_RTOL, atol=atol, equal_nan=right.dtype.kind in "fc"))
    return lambda _, left, atol: all(close(one, left[i], atol) for i, one in arrays.items())


def _looked_at(answer: Any, question: Question) -> List[int]:
    """The arguments that a verify gets as the kernel left them: those with an answer; without any, those that it may write."""
    return [i for i, value in enumerate(question.given) if _arrays.is_array(value) and
            (not question.signature.read_only[i] if answer is None else answer[i] is not None)]


def _judge(answer: Any, verify: Optional[Callable[..., Any]], atol: float, question: Question, observing: Observing) -> Callable[..., Any]:
    """The script's observers and verify, called with the answer and what the kernel left; what is not looked at is as it was given."""
    takes_atol = verify is not None and "atol" in inspect.signature(verify).parameters
    names, given = question.signature.names, question.given
    listed = list(answer) if answer is not None else None

    def judge(configuration: Dict[str, Any], outputs: Dict[str, Any]) -> Union[None, str]:
        def left_in(i: int) -> Any:
            return _as_given(outputs[names[i]], given[i]) if names[i] in outputs else given[i]
        observing.look(configuration, cache_key(configuration, configuration), listed, [left_in(i) for i in range(len(given))])
        if verify is None:
            return None
        left = [left_in(i) if listed is None or listed[i] is not None else None for i in range(len(given))]
        right = verify(listed, left, atol=atol) if takes_atol else verify(listed, left)
        return None if bool(right) else "verify says that the result is wrong"
    return judge


def tune_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any],
                tune_params: Mapping[str, Sequence[Any]], grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None,
                restrictions: Any = None, answer: Any = None, atol: float = 1e-6, verify: Any = None, verbose: bool = False,
                lang: Optional[str] = None, device: int = 0, platform: int = 0, smem_args: Any = None, cmem_args: Any = None,
                texmem_args: Any = None, compiler: Any = None, compiler_options: Any = None, defines: Any = None, log: Any = None,
                iterations: Optional[int] = None, block_size_names: Optional[Sequence[str]] = None, quiet: bool = False, strategy: Any = None,
                strategy_options: Optional[Mapping[str, Any]] = None, cache: Any = None, metrics: Optional[Mapping[str, Any]] = None,
                simulation_mode: Any = None, parallel: Any = None, observers: Optional[Sequence[Any]] = None, objective: Any = None,
                objective_higher_is_better: Any = None, objectives: Any = None, seed: Any = None) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """Tunes as Kernel Tuner's function of this name does, and returns its kind of results: a dictionary for each configuration,
    with "time" (the mean, in ms), "times" and metrics, or an ErrorConfig as its time; and an environment. `cache`: each result is in
    that file before it is printed. Ctrl-C raises KeyboardInterrupt after the running launch.

    Arguments are Kernel Tuner's. Without an answer nothing is verified. `iterations`: so many launches of each; without it seven, as
    there, but one or two of a configuration that takes twice as long as the best, where nothing but the time is looked at. Raises Unsupported for what hone cannot serve, before
    anything runs, and hone.HoneError.
    """
    given = dict(locals())
    began = time.perf_counter()
    if not simulation_mode and has_tunables(arguments, answer):
        return tune_selected(tune_kernel, given)
    check_names(tune_params, bool(simulation_mode))
    if parallel:
        raise Unsupported("parallel: hone measures on one device; builds are parallel by themselves")
    goals, computed = Goals(objective, objective_higher_is_better, objectives), Metrics(metrics)
    own = own_strategy(strategy, strategy_options)
    search, budget, x0 = _search(strategy, strategy_options, quiet) if own is None else ("random", _limits(strategy_options or {}), None)
    if simulation_mode:
        from ._simulation import simulate
        recorded = Combinations(kernel_name, tune_params)
        recorded.problem_size = problem_size
        recorded.name_blocks(block_size_names)
        recorded.restrict(restrictions)
        return simulate(recorded, cache, goals, computed, search, budget, seed, quiet, _start(recorded, x0),
                        own=_searcher(own, recorded, restrictions, goals, strategy_options, budget, verbose))
    question = Question(kernel_name, kernel_source, problem_size, arguments, tune_params, (grid_div_x, grid_div_y, grid_div_z),
                        block_size_names, lang, smem_args, cmem_args, texmem_args, compiler, compiler_options, defines)
    observing = Observing(observers, device, {"kernel_name": question.name, "problem_size": problem_size, "lang": question.language.upper(),
                                              "device": device, "platform": platform, "compiler": compiler, "compiler_options": compiler_options,
                                              "iterations": iterations or ITERATIONS, "tune_params": tune_params})
    if question.language == "C" and re.search(rf"\b(float|double)\s+{re.escape(question.name)}\s*\(", question.text):
        warnings.warn(f"{question.name} returns a number, which Kernel Tuner takes for its time: hone times the call by itself, and does "
                      "not read what it returns", stacklevel=2)
    for wanted in goals.names:
        if wanted not in ("time", *computed.given, *observing.names) and not observing.own:
            raise Unsupported(f"objective={wanted!r}: hone looks for the time, a metric of `metrics`, or what an observer adds")
    if observing.metrics and not search.startswith(("exhaustive", "random")):
        raise Unsupported(f"{' and '.join(observing.metrics)} with strategy={strategy!r}: hone counts energy for each configuration only where it "
                          "is looked for; leave strategy out, or take random_sample")
    if not observing.own:  # which add what they like
        computed.check([*question.params, *observing.names])
    verify = verify or _verify_here(answer, question.given)
    answers = _answer(answer, verify, question)
    question.metrics = dict(observing.metrics)
    question.restrict(restrictions)
    sought = _sought(question, goals, computed, observing, search)
    judge = None
    if verify is not None or observing.own:
        question.looked_at = _looked_at(answer if verify is not None else None, question)
        judge = _judge(answer, verify, atol, question, observing)
    with ThreadPoolExecutor(1) as beside:  # drivers start while the arrays are written
        listed = beside.submit(_opened, question.language, device, platform)
        spec = question.spec(answers if verify is None else None, atol)
        chosen = listed.result()
    observing.check(chosen)
    space = spec.space(on=chosen)
    if not len(space):
        raise UsageError(f"restrictions exclude every configuration: {space.why()}")
    kept = CacheFile(cache, question, chosen) if cache is not None else None
    known = of_space(space, kept.rows) if kept is not None else {}
    if not quiet:
        print(f"Using: {chosen.name}")
    rows: List[Dict[str, Any]] = []

    def tell(record: Record) -> None:
        row = _row(record, computed, observing, goals)
        rows.append(row)
        if kept is not None:
            kept.add(row)
        if not quiet:
            line = get_config_string(row, [*question.params, "time", *observing.names, *computed.given])
            print(line if record.correct else f"{line}: {record.message}" if verbose else line)

    if own is not None:
        def measured(p: Dict[str, Any]) -> Dict[str, Any]:
            if cache_key(p, p) in known:
                return known[cache_key(p, p)]
            tell(session.measure(p))
            return rows[-1]
        try:
            with Session(spec, on=chosen, store=False, judge=judge, iterations=iterations or ITERATIONS) as session:
                results = _searcher(own, question, restrictions, goals, strategy_options, budget, verbose)(measured, clock())
        finally:
            settings.ahead.tuned(chosen.devices)
            if kept is not None:
                kept.close()
        return _told(results, rows, question, goals, computed, chosen, iterations, quiet, began)
    result: Optional[Result] = None
    todo = [p for p in space if cache_key(p, p) not in known] if known else None  # None: all
    options = {"on": chosen, "store": False, "strategy": search, **_launches(iterations, goals.names == ["time"] and not observing.names), "judge": judge, "on_record": tell,
               "progress": False, "seed": int(seed or 0), "configurations": todo or (),
               "start_with": _start(question, x0), "objective": sought, "_unawaited": True}
    try:
        if todo is None or todo:
            result = tune_spec(spec, budget=",".join(budget + _time_left()) or None, **options)
        if result is not None and not rows and settings.end is not None and not result.interrupted:
            result = tune_spec(spec, budget="1", **options)  # the runner's time was over before the first
    finally:
        settings.ahead.tuned(chosen.devices)
        if kept is not None:
            kept.close()
    if result is not None and result.interrupted:
        raise KeyboardInterrupt
    results = [*known.values(), *rows]
    if search == "exhaustive":  # in the order of the space, and not as builds ended
        results.sort(key=question.order)
    return _told(results, rows, question, goals, computed, chosen, iterations, quiet, began)


def _searcher(own: Any, question: Combinations, restrictions: Any, goals: Goals, options: Optional[Mapping[str, Any]], budget: List[str],
              verbose: bool) -> Optional[Callable[..., List[Dict[str, Any]]]]:
    """A function that has a strategy of the script's own search, by one that measures and a clock, and returns the rows."""
    if own is None:
        return None
    space = Searchspace(question.params, restrictions, None, question.blocks)
    return lambda measure, seconds: search_own(own, space, Runner(measure, budget, space.size, seconds), goals, options, verbose)


def _told(results: List[Dict[str, Any]], rows: List[Dict[str, Any]], question: Question, goals: Goals, computed: Metrics, chosen: Device,
          iterations: Optional[int], quiet: bool, began: float) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """What tune_kernel returns of all results, of which `rows` were measured by it."""
    best = goals.best(results)
    environment = {"device_name": chosen.name, "platform_name": chosen.platform, "driver": chosen.driver,
                   "driver_version": chosen.driver, "device_version": chosen.driver, "compiler": chosen.compiler,
                   "compiler_options": question.options, "iterations": iterations or ITERATIONS, "tuner": f"hone {_version()}", "best_config": best,
                   **totals(rows)}
    environment["overhead_time"] = max(0.0, 1e3 * (time.perf_counter() - began) - sum(totals(rows).values()))  # builds are beside each other
    if not quiet:
        goals.tell(best, [*question.params, "time", *computed.given])
    return results, environment


def _launches(iterations: Optional[int], by_time: bool) -> Dict[str, Any]:
    """How often each is launched. Where the time alone counts, seven that nobody asked for are not made of one that is far behind."""
    if iterations is not None or not by_time:
        return {"iterations": ITERATIONS if iterations is None else iterations}
    return {"unranked": True, "rules": [f"first={ITERATIONS}", f"most={ITERATIONS}"]}


def _sought(question: Question, goals: Goals, computed: Metrics, observing: Observing, search: str) -> List[str]:
    """What hone itself looks for: of a search the script's goals, else the time, and energy, which is counted only where it is sought."""
    if search.startswith(("exhaustive", "random")) or goals.names == ["time"]:
        return ["min:time", *(f"min:{name}" for name in observing.metrics)]
    for name in goals.names:
        if name != "time":
            question.metrics[name] = question.rate(name, computed)
    return [f"{'max' if higher else 'min'}:{name}" for name, higher in zip(goals.names, goals.higher)]


def tune_cache(cache_path: Any, restrictions: Optional[Sequence[Any]] = None, **more: Any) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """Searches what a cache file has, in simulation: kernel and parameters are the file's. `more`: strategy, strategy_options, metrics,
    objective, objective_higher_is_better, objectives, seed, quiet as of tune_kernel; verbose and iterations, which say nothing here."""
    from ._simulation import simulate
    path = find_cache(cache_path)
    if not path.exists():
        raise UsageError(f"there is no cache file {path}")
    document = load_cache(path)
    unknown = sorted(set(more) - {"strategy", "strategy_options", "metrics", "objective", "objective_higher_is_better", "objectives", "seed",
                                  "quiet", "verbose", "iterations"})
    if unknown:
        raise Unsupported(f"tune_cache with {', '.join(unknown)}")
    recorded = Combinations(document.get("kernel_name", "kernel"), document.get("tune_params", {}))
    recorded.name_blocks(None)
    recorded.restrict(restrictions)
    quiet, options = bool(more.get("quiet")), more.get("strategy_options")
    own = own_strategy(more.get("strategy"), options)
    search, budget, x0 = _search(more.get("strategy"), options, quiet) if own is None else ("random", _limits(options or {}), None)
    goals = Goals(more.get("objective"), more.get("objective_higher_is_better"), more.get("objectives"))
    return simulate(recorded, path, goals, Metrics(more.get("metrics")), search, budget, more.get("seed"), quiet, _start(recorded, x0),
                    recorded_alone=True, own=_searcher(own, recorded, restrictions, goals, options, budget, bool(more.get("verbose"))))


def tune_kernel_T1(input_filepath: Any, cache_filepath: Any = None, objective: Any = "time", objective_higher_is_better: Any = False,
                   simulation_mode: bool = False, output_T4: bool = False, iterations: int = ITERATIONS, device: Any = None,
                   strategy: Any = None, strategy_options: Optional[Mapping[str, Any]] = None) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """Tunes what a T1 file describes, which hone reads as its own spec, and returns what tune_kernel returns. `device`: a part
    of its name. Strategy and budget are the file's where none is given. output_T4, and a cache without simulation_mode, are refused:
    store_output_file and hone's store keep results."""
    if output_T4 or (cache_filepath is not None and not simulation_mode):
        raise Unsupported("tune_kernel_T1 with output_T4 or cache_filepath: write results with file_utils.store_output_file")
    spec = Spec.load(input_filepath)
    goals, computed, observing = Goals(objective, objective_higher_is_better, None), Metrics(None), Observing(None, 0)
    own = own_strategy(strategy, strategy_options)
    search, budget, x0 = ("random", _limits(strategy_options or {}), None) if own is not None else \
        _search(strategy, strategy_options, False) if strategy else (None, [], None)
    asked = Combinations(spec.name, spec.parameters)
    if simulation_mode:
        from ._simulation import simulate
        asked.name_blocks(None)
        conditions = [one.text for one in spec.space().restrictions]
        return simulate(asked, cache_filepath, goals, computed, search or "exhaustive", budget, None, False, recorded_alone=True,
                        own=_searcher(own, asked, conditions, goals, strategy_options, budget, False))
    if own is not None:
        raise Unsupported("tune_kernel_T1 with a strategy of the script's own, measured: give it to tune_kernel, or simulate")
    rows: List[Dict[str, Any]] = []
    result = tune_spec(spec, on=device, store=False, strategy=search, budget=",".join(budget) or None, iterations=iterations, progress=False,
                       start_with=_start(asked, x0), on_record=lambda record: rows.append(_row(record, computed, observing, goals)))
    if result.interrupted:
        raise KeyboardInterrupt
    return rows, {"device_name": result.device.name, "iterations": iterations, "best_config": goals.best(rows), **totals(rows)}


def _version() -> str:
    from .._library import version
    return version


# ---- run_kernel ----------------------------------------------------------------------------------------------


_OF_RESULTS = {"time", "times", "timestamp", "strategy_time", "framework_time", "optimal", "__error__", *COSTS}


def _parameters(given: Mapping[str, Any]) -> Dict[str, Any]:
    """A configuration's parameters, where it is a result of a tune, too."""
    return {key: value for key, value in given.items() if key not in _OF_RESULTS and str(key).isidentifier()}


def run_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], params: Mapping[str, Any],
               grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, lang: Optional[str] = None, device: int = 0,
               platform: int = 0, smem_args: Any = None, cmem_args: Any = None, texmem_args: Any = None, compiler: Any = None,
               compiler_options: Any = None, defines: Any = None, block_size_names: Optional[Sequence[str]] = None, quiet: bool = False,
               log: Any = None) -> List[Any]:
    """Runs one configuration and returns the arguments as the kernel left them, arrays in the shapes in which they were given.
    Raises RuntimeError with the reason where it fails."""
    arguments = select(arguments, params)
    question = Question(kernel_name, kernel_source, problem_size, arguments, {key: [value] for key, value in _parameters(params).items()},
                        (grid_div_x, grid_div_y, grid_div_z), block_size_names, lang, smem_args, cmem_args, texmem_args, compiler,
                        compiler_options, defines)
    for argument in question.arguments:  # what is left is one launch's, however many there are
        argument.pop("Restore", None)
    spec = question.spec()
    ran = run_one(spec, on=_device(question.language, device, platform), iterations=1)
    if ran.outputs is None:
        raise RuntimeError(f"{kernel_name}: {ran.record.status}: {ran.record.message}")
    names = question.signature.names
    return [_as_given(ran.outputs[names[i]], value) if _arrays.is_array(value) else value for i, value in enumerate(question.given)]
