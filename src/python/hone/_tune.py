"""Tunes: stepped as the library steps them, so that whoever calls stays in control; and what they found."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import threading
import time
from ctypes import byref, c_size_t, c_void_p
from datetime import timedelta
from typing import (TYPE_CHECKING, Any, AsyncIterator, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, TypedDict, Union)

from . import _arrays
from ._devices import Device, choose
from ._library import (JUDGE, Bound, Error, ProgressInfo, TuneOptions, UsageError, check_process, decode, encode, lib, notices, owned, texts,
                       worker)
from ._progress import Bar, time_text
from ._records import Reader, Record
from ._spec import Configuration, Geometry, Job, PathLike, Spec, as_spec, configuration_text
from ._store import Store, as_store
from ._strategy import Relay, Strategy
from ._words import check_options, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _program

STEP_MS = 100
_BROKEN, _NOTHING, _RECORD, _END = -1, 0, 1, 2
_FETCH_BUFFER = 0

Judge = Callable[[Dict[str, Any], Dict[str, Any]], Union[None, bool, str]]
Budget = Union[None, int, str, timedelta, Sequence[Union[int, str, timedelta]]]


class RunOptions(TypedDict, total=False):
    """What all that measures takes by name, for those who check types; `Tune` has the defaults."""

    on: Union[None, str, Device]
    language: Optional[str]
    where: Union[str, Sequence[str]]
    iterations: int
    jobs: int
    cold: bool
    counters: bool
    rules: Sequence[str]
    build_limit_s: float
    launch_limit_s: float
    lock_wait_s: float
    set: Optional[Mapping[str, Any]]
    judge: Optional[Judge]


class SessionOptions(RunOptions, total=False):
    """Of several configurations."""

    store: Union[None, bool, Store, PathLike]
    fresh: bool
    objective: Union[None, str, Sequence[str]]


class Options(SessionOptions, total=False):
    """Of a search."""

    budget: Budget
    strategy: Union[None, str, Strategy]
    seed: int
    configurations: Sequence[Union[str, Configuration]]
    start_with: Sequence[Union[str, Configuration]]
    unranked: bool


class Progress:
    """How far a tune is: `valid` configurations in the space, `planned` by the budget, `done`, of them `correct` and
    `reused`; `elapsed_ns`, `left_ns` (an estimate, 0: none yet); `waiting`: why nothing is measured, or "". `best` is the
    best record so far as a text, or None."""

    def __init__(self, info: ProgressInfo, best: Optional[str]) -> None:
        self.valid, self.planned, self.done = info.valid, info.planned, info.done
        self.correct, self.reused = info.correct, info.reused
        self.elapsed_ns, self.left_ns = info.elapsed_ns, info.left_ns
        self.waiting, self.best = decode(info.waiting), best

    def __repr__(self) -> str:
        return f"<hone.Progress: {self.done} of {self.planned}, {self.correct} correct{f', best {self.best}' if self.best else ''}>"


class Tune(Bound):
    """One tune under way, for a program with a loop of its own; `hone.tune` drives one to its end.

    Takes the arguments of `hone.tune`, but for progress and on_record. `step()` works for at most a tenth of a second,
    with the interpreter's lock released. Iterating gives records until the search is over, then `result()` has all.
    Workers end, and memory goes, with `close()` or the end of a `with`. Any thread may call it: calls take turns.
    """

    def __init__(self, spec: Union[Spec, PathLike], *, budget: Budget = None, on: Union[None, str, Device] = None,
                 language: Optional[str] = None, objective: Union[None, str, Sequence[str]] = None,
                 strategy: Union[None, str, Strategy] = None, seed: int = 0,
                 where: Union[str, Sequence[str]] = (), configurations: Sequence[Union[str, Configuration]] = (),
                 start_with: Sequence[Union[str, Configuration]] = (),
                 store: Union[None, bool, Store, PathLike] = True, iterations: int = 0, jobs: int = 0,
                 fresh: bool = False, cold: bool = False, counters: bool = False, unranked: bool = False, rules: Sequence[str] = (),
                 build_limit_s: float = 0, launch_limit_s: float = 0, lock_wait_s: float = 0,
                 set: Optional[Mapping[str, Any]] = None, judge: Optional[Judge] = None,
                 _run: Union[None, str, Configuration] = None, _unawaited: bool = False) -> None:
        for name, value in (("iterations", iterations), ("jobs", jobs), ("seed", seed), ("build_limit_s", build_limit_s),
                            ("launch_limit_s", launch_limit_s), ("lock_wait_s", lock_wait_s)):
            _check_number(name, value)
        given = as_spec(spec, set)
        self.device = choose(given, on, language, keep_worker=True)
        self.spec = given.prepare(self.device)
        self._own_store = not isinstance(store, Store)
        self.store = as_store(store)
        self._lock = threading.Lock()
        self._ended = self._cancelled = False
        self._process = os.getpid()
        self._failures: List[BaseException] = []  # of a judge or a strategy
        self._broken: Optional[str] = None
        self._relay = Relay(strategy, self._failures) if strategy is not None and not isinstance(strategy, str) else None
        words = self._relay.words if self._relay is not None else strategy
        options = TuneOptions(spec=self.spec.handle, device=self.device.handle, seed=int(seed), jobs=int(jobs), iterations=int(iterations),
                              fresh=fresh, cold=cold, counters=counters, unranked=unranked, unawaited=_unawaited, strategy=encode(words),
                              budget=encode(_joined(budget)), objective=encode(_joined(objective)),
                              command=encode(_command()), host=encode(socket.gethostname()),
                              build_limit_ns=round(build_limit_s * 1e9), launch_limit_ns=round(launch_limit_s * 1e9),
                              lock_wait_ns=round(lock_wait_s * 1e9), lock_folder=encode(os.environ.get("HONE_LOCKS") or None))
        options.log = ctypes.pointer(notices)
        if self.store is not None:
            options.store = self.store._open()
        if not self.device.devices.keeps_worker:
            options.worker = ctypes.pointer(worker())
        for member, listed in (("where", [where] if isinstance(where, str) else where), ("rules", rules),
                               ("configurations", [configuration_text(one) for one in configurations]),
                               ("start_with", [configuration_text(one) for one in start_with])):
            array = texts(listed)
            if array is not None:
                setattr(options, member, array)
        self._judge = self._judging(judge, where) if judge is not None else None  # kept for as long as the tune
        if self._judge is not None:
            options.judge = self._judge
        error = Error()
        if _run is not None:
            self.handle = lib.hone_run_new(byref(options), self.spec.choice(_run), byref(error))
        else:
            self.handle = lib.hone_tune_new(byref(options), byref(error))
        if not self.handle:
            self._let_go()
        error.raise_it()
        self._free = owned(self, lib.hone_tune_free, self.handle, self.spec, self.device.devices, self.store)
        self._reader = Reader(self.spec, self.spec.metrics)
        self._record, self._error = c_void_p(), error  # what a step fills
        self._record_at, self._error_at = byref(self._record), byref(self._error)

    def _judging(self, judge: Judge, where: Union[str, Sequence[str]]) -> Any:
        space = self.spec.space(where=where, on=self.device)
        with Job(self.spec, self.device, space[0] if len(space) else self.spec.default) as job:
            buffers = job.buffers
        failed, shapes = self._failures, self.spec._shapes

        @JUDGE
        def call(_context: Any, configuration: bytes, data: Any, lengths: Any, count: int, why: Any, size: int) -> bool:
            try:
                import json
                outputs = {b.name: _arrays.from_bytes(ctypes.string_at(data[b.index], lengths[b.index]), b.type,
                                                      shapes.get(b.name))
                           for b in buffers if b.index < count and data[b.index]}
                said = judge(json.loads(configuration), outputs)
                if said is None or (not isinstance(said, str) and bool(said)):
                    return True
                reason = said if isinstance(said, str) else "its outputs are judged wrong"
                text = reason.encode("utf-8", "replace")[:size - 1].decode("utf-8", "ignore").encode()
            except BaseException as e:  # must not pass through the library: raised by the step
                failed.append(e)
                text = f"the judge raised {type(e).__name__}".encode("utf-8", "replace")[:size - 1]
            ctypes.memmove(why, text + b"\0", len(text) + 1)
            return False

        return call

    # ---- driving ------------------------------------------------------------------------------------

    def step(self, timeout_s: float = STEP_MS / 1000) -> Optional[Record]:
        """Works until a configuration is done, or for `timeout_s`. Returns its record, or None; `ended` says whether the
        search is over. Raises what ended it, hone.HoneError: records so far are in `result()`."""
        with self._lock:
            if self._ended:
                return None
            return self._reader.read(self._record) if self._step(round(timeout_s * 1000)) == _RECORD else None

    def _advance(self, timeout_ms: int) -> None:
        """Steps for so long, without looking at the records; with a judge to the next one, since what it raised ends that step."""
        with self._lock:
            if self._ended:
                return
            if self._judge is not None:
                self._step(timeout_ms)
            else:
                self._error.code = 0
                self._told(lib.hone_tune_advance(self._open(), timeout_ms, self._error_at))

    def _step(self, timeout_ms: int) -> int:
        self._error.code = 0
        return self._told(lib.hone_tune_step(self._open(), timeout_ms, self._record_at, self._error_at))

    def _told(self, answer: int) -> int:
        """Raises what went wrong in a step or in a judge meanwhile."""
        self._ended = answer in (_BROKEN, _END)
        if answer == _BROKEN:
            self._broken = str(self._error.exception())
        if self._failures:
            failure = self._failures.pop()
            self._failures.clear()
            if not isinstance(failure, KeyboardInterrupt):  # which ends a tune only where its caller says so
                self._ended = True
                self._broken = f"{'the judge' if self._judge is not None else 'the strategy'} raised {type(failure).__name__}"
            try:
                raise failure
            finally:
                del failure  # else its traceback holds this frame, and that the exception
        self._error.raise_it()
        return answer

    @property
    def ended(self) -> bool:
        return self._ended

    def cancel(self) -> None:
        """Ends the search after the running launch, without a ranking; steps go on until it has ended."""
        with self._lock:
            if not self._ended:
                self._cancelled = True
                lib.hone_tune_cancel(self._open())

    def __iter__(self) -> Iterator[Record]:
        while not self._ended:
            record = self.step()
            if record is not None:
                yield record

    async def __aiter__(self) -> AsyncIterator[Record]:
        while not self._ended:
            record = await _in_thread(self.step)
            if record is not None:
                yield record

    def progress(self) -> Progress:
        with self._lock:
            info = ProgressInfo()
            lib.hone_tune_progress(self._open(), byref(info))
            best = self._best_text(info.best) if info.best else None
            return Progress(info, best)

    def _best_text(self, handle: int) -> str:
        median = ctypes.c_double()
        known = lib.hone_record_median(handle, byref(median))
        return f"{time_text(median.value) if known else '-'} with {decode(lib.hone_record_configuration(handle))}"

    def result(self) -> "Result":
        """All that is known so far, copied: it outlives the tune."""
        with self._lock:
            return Result(self)

    def _open(self) -> Any:
        if not self._free.alive:
            raise UsageError("the tune is closed")
        check_process(self._process, "the tune")
        return self.handle

    def close(self) -> None:
        """Ends the workers, and waits two seconds at most for them. What `result()` gave stays."""
        with self._lock:
            self._ended = True
            self._free()
            self._let_go()

    def _let_go(self) -> None:
        if self._relay is not None:
            self._relay.close()
        if self._own_store and self.store is not None:
            self.store.close()

    def __repr__(self) -> str:
        if not self._free.alive:
            return f"<hone.Tune of {self.spec.name!r}, closed>"
        p = self.progress()
        return f"<hone.Tune of {self.spec.name!r} on {self.device.name!r}: {p.done} of {p.planned}{', ended' if self._ended else ''}>"

    def __enter__(self) -> "Tune":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


_MOST = {"seed": 2**64 - 1, "build_limit_s": 1e9, "launch_limit_s": 1e9, "lock_wait_s": 1e9}


def _check_number(name: str, value: Any) -> None:
    """Raises where the library would get another number: its own have no sign, and wrap around."""
    most = _MOST.get(name, 2**32 - 1)
    whole = not name.endswith("_s")
    if not hasattr(value, "__index__" if whole else "__float__"):
        raise UsageError(f"{name} is {value!r}, and a {'whole ' if whole else ''}number is needed")
    if not 0 <= value <= most:
        raise UsageError(f"{name} is {value}, and has to be from 0 to {most:.10g}")


def _joined(given: Any) -> Optional[str]:
    """"60s", 200, a time, or a list of these, as hone's options have them."""
    if isinstance(given, (list, tuple)):
        return ",".join(_joined(one) or "" for one in given)
    return None if given is None else f"{given.total_seconds():.17g}s" if isinstance(given, timedelta) else str(given)


def _command() -> str:
    return "python: " + (os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "interactive")


async def _in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """As asyncio.to_thread(), but a cancelled caller waits for the call to end: what it works on is freed next."""
    import asyncio  # takes a third of the module's start, and most users need none of it
    call = asyncio.ensure_future(asyncio.to_thread(function, *arguments))
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        await asyncio.wait([call])
        raise


# ---- results ----------------------------------------------------------------------------------------


class Result(Sequence[Record]):
    """What a tune found: its records, in the order in which they were handed out.

    best: the record to take, None where none is correct or several objectives were given. ranking: those that were ranked,
    the fastest first. interrupted: ended by Ctrl-C or cancel(), without a ranking. broken: the text of what ended it, or
    None. options, geometry, source: of the best. store: the file that has it all, or None. elapsed_s: of the tune. valid: how many
    configurations the space has. name, device_name, parameters: of its spec and device. It outlives its tune and is pickled.
    """

    best: Optional[Record] = None
    _read_again: Mapping[str, Any]  # of a copy: by what its spec is

    def __init__(self, tune: Tune) -> None:
        count = c_size_t()
        handles = lib.hone_tune_records(tune._open(), byref(count))
        info = ProgressInfo()
        lib.hone_tune_progress(tune._open(), byref(info))
        self._spec: Optional[Spec] = tune.spec
        self._device: Optional[Device] = tune.device
        self.name, self.device_name, self.parameters = tune.spec.name, tune.device.name, tune.spec.parameters
        self.records: List[Record] = [tune._reader.read(handle) for handle in handles[:count.value]]
        self.interrupted, self.broken = tune._cancelled, tune._broken
        self.elapsed_s: float = info.elapsed_ns / 1e9
        self.valid: int = info.valid
        self.store: Optional[str] = tune.store.path if tune.store is not None else None
        self.options: List[str] = []
        self.geometry: List[Geometry] = []
        self.source: str = ""
        for i in range(count.value):
            if info.best and handles[i] == info.best:
                self.best = self.records[i]
        if self.best is not None:
            self._look_at_best(tune, info.best)

    def _look_at_best(self, tune: Tune, handle: Any) -> None:
        error = Error()
        job = lib.hone_job_of_record_new(tune._open(), handle, byref(error))
        error.raise_it()
        with Job(self.spec, self.device, {}, handle=job, of=tune) as best:
            self.options, self.geometry, self.source = best.options, best.geometry, best.source

    def __getstate__(self) -> Dict[str, Any]:
        """All but what is of this process."""
        return {**self.__dict__, "_spec": None, "_device": None, "_read_again": self.spec.recipe()}

    @property
    def spec(self) -> Spec:
        """What was tuned; of a copy what can be read of it again."""
        if self._spec is None:
            self._spec = Spec.of_recipe(self._read_again)
        return self._spec

    @property
    def device(self) -> Device:
        """On which it was tuned. Raises hone.UsageError of a copy from another place, which has its device_name."""
        if self._device is None:
            raise UsageError(f"this result is a copy: its device, {self.device_name!r}, was of the process that tuned")
        return self._device

    @property
    def ranking(self) -> List[Record]:
        return sorted((r for r in self.records if r.ratio is not None), key=lambda r: r.ratio or 0.0)

    @property
    def pareto(self) -> List[Record]:
        """With several objectives: the records that no other one beats in all."""
        return [r for r in self.records if r.pareto]

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: Any) -> Any:
        return self.records[index]

    def to_dicts(self) -> List[Dict[str, Any]]:
        """A flat dictionary for each record: `Record.as_dict`."""
        return [r.as_dict() for r in self.records]

    def to_pandas(self) -> Any:
        """A pandas DataFrame of `to_dicts()`, times in ns; needs pandas."""
        try:
            import pandas
        except ImportError as e:
            raise ImportError(f"hone.Result.to_pandas needs pandas ({e}): install it (pip install pandas), or take to_dicts(), which needs "
                              "nothing", name=e.name) from None
        return pandas.DataFrame(self.to_dicts())

    def job(self, configuration: Union[Record, Configuration]) -> Job:
        """What the compiler gets and what is launched, of any configuration: reads the kernel as it is now."""
        chosen = configuration.configuration if isinstance(configuration, Record) else configuration
        return Job(self.spec, self.device, chosen)

    def report(self, path: Optional[PathLike] = None) -> str:
        """The HTML report of what the store knows of the spec, without a store of these records: one page that needs no network.
        Written to `path` where one is given."""
        page = self._reported()
        if path is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(page)
        return page

    def picture(self, view: str = "evaluations", *, where: Union[None, str, Sequence[str]] = None, objective: Optional[str] = None,
                apart: Optional[str] = None) -> _program.Picture:
        """One of the report's pictures, such as "evaluations", "heatmap", "parallel", or, of a tune with a store, "finalists" and
        "roofline" (`hone report --help` lists them, and has the options)."""
        from . import _program
        drawn = self._reported(format="svg", views=view, where=where, objective=objective, apart=apart)
        assert isinstance(drawn, _program.Picture)
        return drawn

    def _reported(self, **options: Any) -> str:
        """The program's report, from the store; without one from a recording of the records."""
        from . import _program  # with all that starts processes, which a tune needs none of
        if self.store is not None:
            if options.get("format") == "svg":
                options.setdefault("device", self.device_name)
            return _program.report(self.spec, self.store, **options)
        import pathlib
        import tempfile
        with tempfile.TemporaryDirectory(prefix="hone-python-") as folder:
            file = pathlib.Path(folder, "records.json")
            file.write_text(self._recording(), encoding="utf-8")
            return _program.report(file, **options)

    def _recording(self) -> str:
        """The records as a cache file of Kernel Tuner, which hone reads."""
        import json
        failures = {"compile": "CompilationFailedConfig", "constraints": "InvalidConfig"}
        rows = {}
        for r in self.records:
            time: Any = r.time_ns / 1e6 if r.time_ns is not None else failures.get(r.status, "RuntimeFailedConfig")
            rows[",".join(map(str, r.configuration.values()))] = {
                **r.configuration, "time": time, **r.metrics, **({"times": [ns / 1e6 for ns in r.samples_ns]} if r.samples_ns else {})}
        return json.dumps({"device_name": self.device_name, "kernel_name": self.name, "tune_params_keys": list(self.parameters),
                           "tune_params": self.parameters, "cache": rows})

    def _repr_html_(self) -> str:
        """In a notebook: the report in a frame that may run its script and nothing else; a table where there is none."""
        import base64
        import html
        try:
            page = self.report()
        except Exception as e:  # a notebook shows what there is
            return self._table() + f"<p>{html.escape(str(e))}</p>"
        data = base64.b64encode(page.encode()).decode()
        return (f'<iframe sandbox="allow-scripts" style="width:100%;height:48em;border:0" '
                f'src="data:text/html;charset=utf-8;base64,{data}"></iframe>')

    def _table(self, rows: int = 10) -> str:
        import html
        first = self.ranking or sorted((r for r in self.records if r.time_ns is not None), key=lambda r: r.time_ns or 0.0)
        names = list(self.parameters)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in [*names, "time"])
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(r.configuration[n]))}</td>" for n in names) +
                       f"<td>{time_text(r.time_ns)}</td></tr>" for r in first[:rows])
        return f"<table><tr>{head}</tr>{body}</table>"

    def __repr__(self) -> str:
        failed: Dict[str, int] = {}
        for r in self.records:
            if not r.correct:
                failed[r.status] = failed.get(r.status, 0) + 1
        best = f"best {time_text(self.best.time_ns)} with {configuration_text(self.best.configuration)}" if self.best else \
            f"{len(self.pareto)} on the Pareto front" if self.pareto else "no best"
        ends = ["failed: " + ", ".join(f"{count} {status}" for status, count in failed.items()) if failed else "none failed",
                *(["interrupted"] if self.interrupted else []), *([self.broken] if self.broken else []),
                "kept in the store" if self.store else "kept in no store"]
        return (f"<hone.Result of {self.name!r} on {self.device_name!r}: {len(self) - sum(failed.values())} of {len(self)} correct, in "
                f"{time_text(1e9 * self.elapsed_s)}\n {best}\n {'; '.join(ends)}>")


# ---- to the end ---------------------------------------------------------------------------------------


class _Watch:
    """Shows a tune's progress, and tells records to whoever wants them."""

    def __init__(self, tune: Tune, progress: Optional[bool], on_record: Optional[Callable[[Record], Any]]) -> None:
        self.tune, self.bar, self.on_record = tune, Bar(progress), on_record

    def look(self) -> None:
        if self.bar.due():
            self._draw()

    def _draw(self) -> None:
        p = self.tune.progress()
        self.bar.draw(p.done, p.planned, p.best, p.left_ns, p.waiting)

    def end(self) -> None:
        """What was drawn over goes; what stays ends with all that was done."""
        if self.bar.stays and self.tune.ended:
            self._draw()
        self.bar.clear()

    def step(self) -> None:
        if self.on_record is None:
            self.tune._advance(STEP_MS)
        else:
            record = self.tune.step()
            if record is not None:
                self.on_record(record)
        self.look()


@takes(Tune)
def tune(spec: Union[Spec, PathLike], *, progress: Optional[bool] = None,
         on_record: Optional[Callable[[Record], Any]] = None, **options: Unpack[Options]) -> Result:
    """Tunes a spec and returns what was found.

    spec: a hone.Spec, or the file of one. budget: "60s", a timedelta, 200, "10%", or several; None: the spec's, else no limit.
    on: a part of a device's name, or a hone.Device; None: $HONE_DEVICE, else as hone chooses. language: "opencl", "cuda",
    "c". objective: "time", "max:GFLOP/s", or several. strategy: "random", "genetic:population=20" (`hone help strategies`), or a
    hone.Strategy. seed: of what is random. where: further restrictions. configurations: only those that agree with one, as dictionaries or
    "a=1,b=2". start_with: those to try first, likewise. store: True: the user's; False: none; a path or a hone.Store: what it knows is not measured again. iterations:
    samples of each configuration, and no ranking. jobs: builds at once. fresh: measure again what is known. cold: caches are
    cleared before each launch. unranked: no ranking at the end. rules: constants of measuring ("rounds=40"). build_limit_s,
    launch_limit_s, lock_wait_s: seconds; 0: hone's own. set: constants, {name: value}. judge: called with a configuration and
    {output: array} once its launch has run, before it is timed: None or True, it is right; False or a text, why not (without
    a store alone).
    progress: True or False; None: on a terminal and in a notebook (True where there is neither: a line now and then, on standard error). on_record: called with each Record as it comes.

    The interpreter's lock is released while it works. The first Ctrl-C ends the search after the running launch, and what is
    known is returned (`interrupted`); the second one raises KeyboardInterrupt. Raises hone.HoneError, a MemoryError, or what
    a callback raised; workers are ended in any case.
    """
    check_options(tune, options)
    with Tune(spec, **options) as t:
        watch = _Watch(t, progress, on_record)
        ending = False
        try:
            while not t.ended:
                try:
                    watch.step()
                except KeyboardInterrupt:
                    if ending:
                        raise
                    ending = True
                    t.cancel()
                    watch.bar.say("Ending after the running launch; once more Ctrl-C ends at once.")
            return t.result()
        finally:
            watch.end()


@takes(Tune)
async def tune_async(spec: Union[Spec, PathLike], *, progress: Optional[bool] = None,
                     on_record: Optional[Callable[[Record], Any]] = None, **options: Unpack[Options]) -> Result:
    """`hone.tune` for asyncio: steps run in a thread of the loop's executor, one at a time; `on_record` is called in the
    loop's thread. Cancelling the task ends the workers."""
    check_options(tune_async, options)
    t = await _in_thread(lambda: Tune(spec, **options))
    watch = _Watch(t, progress, None)
    try:
        while not t.ended:
            if on_record is None:
                await _in_thread(t._advance, STEP_MS)
            else:
                record = await _in_thread(t.step)
                if record is not None:
                    on_record(record)
            watch.look()
        return await _in_thread(t.result)
    finally:
        watch.end()
        await _in_thread(t.close)


class RunResult:
    """One configuration that was built, verified and measured: its `record`, and `outputs`, {argument: array} of what the
    kernel left in each buffer (bytes where NumPy is missing), None where it did not run or the store answered."""

    def __init__(self, record: Record, outputs: Optional[Dict[str, Any]], options: List[str],
                 geometry: List[Geometry]) -> None:
        self.record, self.outputs, self.options, self.geometry = record, outputs, options, geometry

    def __repr__(self) -> str:
        r = self.record
        said = time_text(r.time_ns) if r.correct else ": ".join(word for word in (r.status, r.message) if word)
        return f"<hone.RunResult {configuration_text(r.configuration)}: {said}>"


_OF_A_SEARCH = ("budget", "strategy", "objective", "seed", "configurations", "start_with", "unranked")


@takes(Tune, but=(*_OF_A_SEARCH, "fresh"))
def run(spec: Union[Spec, PathLike], configuration: Union[None, str, Configuration] = None, *, fetch: bool = True,
        store: Union[None, bool, Store, PathLike] = False, **options: Unpack[RunOptions]) -> RunResult:
    """Builds, verifies and measures one configuration (None: the default one), and brings its buffers here.

    Options are those of `hone.tune` for one configuration: on, language, set, iterations, cold. Raises hone.UsageError for a
    configuration that restrictions exclude.
    """
    for name in _OF_A_SEARCH:
        if name in options:
            raise UsageError(f"{name} is of a search, and hone.run measures one configuration")
    check_options(run, options)
    given = as_spec(spec, options.pop("set", None))
    with Tune(given, store=store, fresh=fetch, _run=configuration if configuration is not None else given.default,
              **options) as t:
        for _ in t:
            pass
        result = t.result()
        record = result.records[0]
        outputs = _outputs(t) if fetch and record.correct and not record.reused else None
        return RunResult(record, outputs, result.options, result.geometry)


def _outputs(t: Tune) -> Dict[str, Any]:
    count, found = c_size_t(), {}
    handle = lib.hone_tune_records(t._open(), byref(count))[0]
    error = Error()
    with Job(t.spec, t.device, {}, handle=lib.hone_job_of_record_new(t._open(), handle, byref(error)), of=t) as job:
        error.raise_it()
        for b in job.buffers:
            data, length = c_void_p(), c_size_t()
            lib.hone_tune_fetch(t._open(), handle, _FETCH_BUFFER, b.index, byref(data), byref(length), byref(error))
            error.raise_it()
            found[b.name] = _arrays.from_bytes(ctypes.string_at(data, length.value), b.type, t.spec._shapes.get(b.name))
    return found
