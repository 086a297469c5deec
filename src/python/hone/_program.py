"""The program `hone`, for what the library has no handle for: reports, scores, dispatch tables, limits of a device."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from ._library import NATIVE, FileError, InputError, UsageError, WorkerError, log, version
from ._devices import Device
from ._progress import time_text
from ._spec import PathLike, Spec, configuration_text
from ._tune import Result
from ._words import check_options, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

_WARNING = "hone: warning: "
_END_S = 30.0  # after the first Ctrl-C the running launch ends


def find() -> str:
    """The program's path: $HONE_PROGRAM, that of the wheel, or that on PATH."""
    chosen = os.environ.get("HONE_PROGRAM")
    for path in (chosen, str(NATIVE / "bin" / "hone"), shutil.which("hone")):
        if path and os.access(path, os.X_OK):
            return path
        if path and path == chosen:
            raise FileError(f"HONE_PROGRAM names {path}, which is not a program")
    raise FileError("the program `hone` was not found: neither beside this package nor on PATH; install it, or name it in "
                    "HONE_PROGRAM")


def run(arguments: Sequence[str], *, ok: Sequence[int] = (0,)) -> str:
    """Runs `hone ARGUMENTS` and gives back what it wrote; what it said besides goes to the logger "hone". Ctrl-C ends it as in a
    terminal. Raises hone.UsageError or hone.WorkerError with its message where it fails."""
    process = subprocess.Popen([find(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, said = process.communicate()
    except BaseException:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=_END_S)
        except BaseException:
            process.kill()
            process.communicate()
        raise
    text = said.decode("utf-8", "replace").strip()
    if process.returncode not in ok:
        last = out.decode("utf-8", "replace").strip().rpartition("\n")[2][:400]  # where the program says in its output why
        message = text.removeprefix("hone: ")
        if not any(line.startswith("hone: ") for line in text.splitlines()):
            message += f"{message and chr(10)}hone {arguments[0]} ended with {process.returncode}: {last or 'it said nothing'}"
        raise (UsageError if process.returncode == 2 else WorkerError)(message)
    for line in text.splitlines():
        is_warning = line.startswith(_WARNING)
        log.log(logging.WARNING if is_warning else logging.INFO, "%s", line[len(_WARNING):] if is_warning else line)
    return out.decode("utf-8", "replace")


def words(options: Mapping[str, Any]) -> List[str]:
    """{"budget": "60s", "fresh": True, "set": {"N": 4}, "where": [..]} as the program's options."""
    out: List[str] = []
    for key, value in options.items():
        value = value.name if isinstance(value, Device) else value
        name = "--" + key.replace("_", "-")
        value = "none" if key == "store" and value is False else value
        if value is None or value is False:
            continue
        if value is True:
            out.append(name)
        elif isinstance(value, Mapping):
            for constant, one in value.items():
                out += [name, f"{constant}={one}"]
        elif isinstance(value, (list, tuple)):
            for one in value:
                out += [name, str(one)]
        else:
            out.append(f"{name}={value}")
    return out


# ---- options of the program, with _ for - ------------------------------------------------------------------

Texts = Union[None, str, Sequence[str]]
Set = Optional[Mapping[str, Any]]


class Placed(TypedDict, total=False):
    """Of what measures: where, how, and what is kept."""

    language: Optional[str]
    device: Union[None, str, Device]
    config: Texts
    where: Texts
    store: Union[None, bool, PathLike]
    also: Union[None, PathLike, Sequence[PathLike]]
    strict: Optional[bool]
    on: Texts
    nodes: Optional[str]
    node_worker: Optional[PathLike]
    seed: Optional[int]
    timeout: Optional[str]
    cold: Optional[bool]
    rule: Texts
    jobs: Optional[int]


class Searching(Placed, total=False):
    """Of what tunes: how it searches."""

    build_on: Optional[str]
    product: Optional[bool]
    known: Optional[bool]
    budget: Union[None, int, str]
    strategy: Optional[str]
    start_with: Texts
    objective: Optional[str]
    iterations: Optional[int]
    fresh: Union[None, bool, str]


class DeployOptions(Searching, total=False):
    set: Set
    shapes: Optional[PathLike]
    within: Optional[str]
    sample: Optional[int]
    also_device: Texts
    format: Optional[str]
    name: Optional[str]


class SweepOptions(Searching, total=False):
    rounds: Optional[int]


class CompareOptions(Placed, total=False):
    set: Set
    left: Texts
    right: Texts
    sample: Union[None, int, str]
    rounds: Optional[int]
    why: Union[None, bool, str]
    fresh: Optional[bool]


class ReportOptions(TypedDict, total=False):
    format: Optional[str]
    views: Optional[str]
    device: Union[None, str, Device]
    language: Optional[str]
    set: Set
    where: Texts
    objective: Optional[str]
    apart: Optional[str]
    all: Optional[bool]
    also: Union[None, PathLike, Sequence[PathLike]]


class ScoreOptions(TypedDict, total=False):
    repeats: Optional[int]
    objective: Optional[str]
    also: Union[None, PathLike, Sequence[PathLike]]
    start_with: Texts
    in_flight: Optional[int]
    mirror: Optional[bool]
    jobs: Optional[int]
    device: Optional[str]
    spec: Optional[str]
    set: Set
    seed: Optional[int]


class PeakOptions(TypedDict, total=False):
    language: Optional[str]
    device: Union[None, str, Device]
    store: Union[None, bool, PathLike]
    timeout: Optional[str]
    jobs: Optional[int]


def _beside(spec: Spec) -> Any:
    """A file in the folder that the spec was parsed with, since it names others from there. The name, which a file's own gives otherwise,
    is written down. It goes when it is closed."""
    document = json.loads(spec.text or "")
    if "KernelSpecification" not in document:
        document.setdefault("name", spec.name)
    try:
        file = tempfile.NamedTemporaryFile("w", dir=spec._folder, prefix=".hone-", suffix=".json", encoding="utf-8")
    except OSError as e:
        raise InputError(f"the program reads a spec from its folder, and no file can be written there: {e}") from e
    json.dump(document, file)
    file.flush()
    return file


class SpecFile:
    """A spec as a file that the program reads: its own, or one that is written for as long as this lives."""

    def __init__(self, spec: Union[Spec, PathLike]) -> None:
        self._folder: Optional[tempfile.TemporaryDirectory] = None
        self._beside: Any = None
        if not isinstance(spec, Spec):
            self.path = os.fspath(spec)
        elif spec.text is None:
            self.path = spec.path
        else:
            if spec._callable is not None:
                raise UsageError("the program cannot call the spec's reference; give it as arrays or as a recipe")
            if spec._folder is not None:
                self._beside = _beside(spec)
                self.path = self._beside.name
            else:
                self._folder = tempfile.TemporaryDirectory(prefix="hone-python-")
                self.path = os.path.join(self._folder.name, "spec.json")
                pathlib.Path(self.path).write_text(spec.text, encoding="utf-8")
        self.set = dict(spec._set) if isinstance(spec, Spec) else {}

    def __enter__(self) -> "SpecFile":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._folder:
            self._folder.cleanup()
        if self._beside:
            self._beside.close()


@takes(DeployOptions)
def deploy(specs: Union[Spec, Result, PathLike, Sequence[Union[Spec, PathLike]]], output: Optional[PathLike] = None,
           **options: Unpack[DeployOptions]) -> Any:
    """Finds the fewest configurations that an application needs for its sizes: the table that chooses among them.

    With `output` the table is written there, in `format` ("header", "known", "json", ...; by the file's ending where it is
    left out), and what hone says of it is returned as a text; without it the table is returned as a dictionary. Options are
    those of `hone deploy`, with _ for -: set={"WIDTH": "128,256"}, budget=4, within="2%", device, store, fresh=True. Ctrl-C
    ends it.

    Of a hone.Result its best is taken as it is: `hone.deploy(result, "k.h")` writes a header that defines its parameters, and
    returns that text.
    """
    check_options(deploy, options)
    if isinstance(specs, Result):
        if options:
            raise UsageError(f"{', '.join(options)}: of a result the best is taken as it is; for a table over sizes give the spec")
        return _header(specs, output)
    if options.get("format") is not None and output is None:
        raise UsageError(f"format={options['format']!r} is of a file: name it as output; without one the table is returned as a dictionary")
    with _files(specs) as (files, constants):
        given = {**options, "set": {**constants, **(options.get("set") or {})}, "output": output}
        said = run(["deploy", *files, *words(given if output is not None else {**given, "json": True})])
        return said if output is not None else _json(said)


_MACRO = re.compile(r"-D(\w+)(?:=(.*))?", re.S)


def _header(result: Result, output: Optional[PathLike]) -> str:
    """A header of the macros with which the best was built."""
    if result.best is None:
        raise UsageError(f"the tune of {result.name!r} has no best that could be deployed")
    best, guard = result.best, re.sub(r"\W", "_", f"HONE_BEST_{result.name}").upper()
    about = f"{result.name} on {result.device_name}: {time_text(best.time_ns)} with {configuration_text(best.configuration)} (hone {version})"
    macros = [found.groups("1") for found in map(_MACRO.fullmatch, result.options) if found]
    text = "\n".join([f"/* {about.replace('*/', '* /')} */", f"#ifndef {guard}", f"#define {guard}", "",
                      *(f"#define {name} {value}" for name, value in macros), "", "#endif", ""])
    if output is not None:
        pathlib.Path(output).write_text(text, encoding="utf-8")
    return text


@contextlib.contextmanager
def _files(specs: Union[Spec, PathLike, Sequence[Union[Spec, PathLike]]]) -> Iterator[Tuple[List[str], Dict[str, Any]]]:
    """Specs as files for one command, and the constants that they were made with, which are one set there."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(SpecFile(one)) for one in (specs if isinstance(specs, (list, tuple)) else [specs])]
        constants: Dict[str, Any] = {}
        for file in files:
            for key, value in file.set.items():
                if constants.setdefault(key, value) != value:
                    raise UsageError(f"the specs were made with different values of {key}, {constants[key]} and {value}; the program "
                                     "takes one for all")
        yield [file.path for file in files], constants


@takes(ScoreOptions)
def score(files: Union[PathLike, Sequence[PathLike]], strategies: Sequence[str] = (), **options: Unpack[ScoreOptions]) -> Any:
    """Lets strategies search recorded spaces (`hone score`): recordings of T4, Kernel Tuner's cache files, CSV, stores.
    Options are the program's, with _ for -: repeats=20, objective=.... Returns a dictionary."""
    check_options(score, options)
    listed = [os.fspath(one) for one in files] if isinstance(files, (list, tuple)) else [os.fspath(files)]
    return _json(run(["score", *listed, "--json", *words({"strategy": list(strategies), **options})]))


@takes(PeakOptions)
def peak(**options: Unpack[PeakOptions]) -> Any:
    """What the device can do (`hone peak`): bandwidths and rates, as a dictionary."""
    check_options(peak, options)
    return _json(run(["peak", "--json", *words(options)]))


def _json(text: str) -> Any:
    """One document, or a list of the lines where there are several."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


class Picture(str):
    """A picture: the text of an SVG file. A notebook shows it."""

    def save(self, path: PathLike) -> None:
        pathlib.Path(path).write_text(self, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:  # what else a notebook would write beside the picture is the picture's text
        return f"<hone.Picture, {len(self)} characters>"


class Pictured(Dict[str, Any]):
    """What was measured, as the program's JSON has it, with its `picture` (None where there was nothing to draw), which a
    notebook shows."""

    picture: Optional[Picture] = None

    def _repr_svg_(self) -> Optional[str]:
        return str(self.picture) if self.picture is not None else None

    def __repr__(self) -> str:
        return f"<hone.Pictured, {len(self.get('rows', ()))} rows>"


@takes(ReportOptions)
def report(source: Union[Spec, PathLike], store: Optional[PathLike] = None, **options: Unpack[ReportOptions]) -> str:
    """The HTML report (`hone report`) of a spec's results in a store, of a store, or of a recording: one page that needs
    no network. Options are the program's, with _ for -: format="markdown", device=..., or format="svg",
    views="evaluations" for a Picture."""
    check_options(report, options)
    with SpecFile(source) as file:
        given = {**options, "store": store, "set": {**file.set, **(options.get("set") or {})}}
        said = run(["report", file.path, *words(given)])
        return Picture(said) if options.get("format") == "svg" else said


@takes(CompareOptions)
def compare(specs: Union[Spec, PathLike, Sequence[Union[Spec, PathLike]]], *, against: Union[str, Sequence[str]] = (),
            **options: Unpack[CompareOptions]) -> Pictured:
    """Launches the bests of several specs, two sides of one, or the best of one and a vendor's library in interleaved rounds
    (`hone compare`). against: "cublas", "openblas", "clblast", or several. Options are the program's, with _ for -:
    set={"N": 512}, left="language=opencl", right="language=cuda", sample=8, device, store."""
    check_options(compare, options)
    return _pictured("compare", specs, {**options, "against": against}, lambda folder: ["--output", f"{folder}/picture.svg"])


@takes(SweepOptions)
def sweep(spec: Union[Spec, PathLike], *, set: Mapping[str, Any], against: Union[str, Sequence[PathLike]] = (),
          **options: Unpack[SweepOptions]) -> Pictured:
    """Tunes a spec at several sizes (`hone sweep`): set={"N": [256, 512], "M": "N"} or {"N": "256..4096"}. against: further
    lines, "cublas", "openblas", "clblast" or files of specs. Options are the program's, with _ for -: budget="60s",
    product=True, known=True, device, store."""
    check_options(sweep, options)
    points = {key: ",".join(map(str, value)) if isinstance(value, (list, tuple, range)) else value for key, value in set.items()}
    return _pictured("sweep", spec, {**options, "set": points, "against": against}, lambda folder: ["-o", f"{folder}/picture"])


def _pictured(command: str, specs: Any, options: Mapping[str, Any], picture: Callable[[str], List[str]]) -> Pictured:
    with tempfile.TemporaryDirectory(prefix="hone-python-") as folder, _files(specs) as (files, constants):
        given = {**options, "set": {**constants, **(options.get("set") or {})}}
        found = Pictured(_json(run([command, *files, "--json", *picture(folder), *words(given)])))
        drawn = pathlib.Path(folder, "picture.svg")
        if drawn.exists():
            found.picture = Picture(drawn.read_text(encoding="utf-8"))
        return found


def main() -> None:
    """The command `hone` of a wheel: the program itself takes this process's place."""
    import sys
    path = find()
    os.execv(path, [path, *sys.argv[1:]])
