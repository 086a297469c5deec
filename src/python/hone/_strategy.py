"""Strategies in Python: what `exec:PROGRAM` is asked and told, said to an object of this process.

The program is `cat` in both directions, between the search and two named pipes of a folder of the user's own; a thread reads and
answers here, since a step of the library has the caller's.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import tempfile
import threading
import weakref
from typing import Any, Dict, Iterable, List, Mapping, Optional

from . import _arrays
from ._library import UsageError

_PASS_ON = 'cat "$0" & exec cat >"$1"'  # what is said here to the search, and what it says to here


class Strategy:
    """The base of a strategy of your own: `hone.tune(spec, strategy=Mine())`. Its methods are called in a thread of their own, one at
    a time; what they raise ends the tune and is raised there.

    Before the first call it has parameters, {name: values}; valid, how many configurations restrictions leave; budget, how many may be
    tried (None: time ends the search); seed; and in_flight, how many are built and measured at once. `patience_s`: so long may one
    `ask` take. One object searches once.
    """

    parameters: Dict[str, List[Any]] = {}
    valid: int = 0
    budget: Optional[int] = None
    seed: int = 0
    in_flight: int = 1
    patience_s: float = 60.0
    _relay: Optional["Relay"] = None

    def ask(self, count: int) -> Iterable[Mapping[str, Any]]:
        """Configurations to try next, {parameter: value}: about `count` are wanted. What violates a restriction, or was measured
        before, is told at once. None at all: nothing until more is told; and when nothing is under way, the end."""
        raise NotImplementedError(f"{type(self).__name__}.ask")

    def tell(self, configuration: Dict[str, Any], status: str, value: Optional[float]) -> None:
        """An outcome. `value`: what is to be least (a time in ns), None where status is not "correct"."""

    def sample(self, count: int) -> List[Dict[str, Any]]:
        """For `ask`: valid configurations that were not asked yet, drawn at random, each once; fewer where fewer are left."""
        if self._relay is None:
            raise UsageError("a strategy draws configurations while it is asked by a tune")
        return self._relay.draw(count)


class _Closed(Exception):
    """The tune is over."""


def _remove(folder: str, owner: int) -> None:
    if owner == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


class Relay:
    """A strategy's ends of the two pipes. What it raised is put into `failed`."""

    def __init__(self, strategy: Strategy, failed: List[BaseException]) -> None:
        if not isinstance(strategy, Strategy):
            raise UsageError(f"strategy is {strategy!r}: a text, such as \"genetic:population=20\", or a hone.Strategy is needed")
        if strategy._relay is not None:
            raise UsageError(f"this {type(strategy).__name__} has searched before: make another one")
        strategy._relay = self
        self._strategy, self._failed = strategy, failed
        self._told: List[Dict[str, Any]] = []  # while a sample was waited for
        self._received = b""
        folder = tempfile.mkdtemp(prefix="hone-python-")  # mode 0700
        self._remove = weakref.finalize(self, _remove, folder, os.getpid())
        said, told = os.path.join(folder, "said"), os.path.join(folder, "told")
        for path in (said, told):
            os.mkfifo(path, 0o600)
        # For both, since opening one end of a pipe would wait for the other one.
        self._said, self._hears = (os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC) for path in (said, told))
        self._over, self._end = os.pipe()
        self.words = "exec:" + json.dumps(["/bin/sh", "-c", _PASS_ON, said, told])
        threading.Thread(target=self._serve, name="hone.Strategy", daemon=True).start()

    def close(self) -> None:
        """The tune is over: whatever is waited for comes no more."""
        if self._end >= 0:
            end, self._end = self._end, -1
            os.close(end)
        self._remove()

    # ---- its thread ------------------------------------------------------------------------------------

    def _serve(self) -> None:
        s = self._strategy
        try:
            start = self._line()
            s.parameters = {one["name"]: one["values"] for one in start["parameters"]}
            s.valid, s.budget, s.seed, s.in_flight = start["valid"], start["budget"], start["seed"], start["in_flight"]
            if s.patience_s != Strategy.patience_s:
                self._say(patience=s.patience_s)
            while True:
                line = self._line()
                if "ask" in line:
                    self._say(configurations=[dict(one) for one in s.ask(line["ask"])])
                    told, self._told = self._told, []
                    for one in told:
                        self._tell(one)
                else:
                    self._tell(line)
        except _Closed:
            pass
        except BaseException as e:  # raised by the step
            self._failed.append(e)
        finally:
            for descriptor in (self._said, self._hears, self._over):
                os.close(descriptor)

    def _tell(self, line: Mapping[str, Any]) -> None:
        self._strategy.tell(line["configuration"], line["status"], line.get("value"))

    def draw(self, count: int) -> List[Dict[str, Any]]:
        self._say(sample=count)
        while "sample" not in (line := self._line()):
            self._told.append(line)
        found: List[Dict[str, Any]] = line["sample"]
        return found

    def _line(self) -> Dict[str, Any]:
        while b"\n" not in self._received:
            self._wait([self._hears], [])
            try:
                self._received += os.read(self._hears, 65536)
            except BlockingIOError:
                continue
        text, _, self._received = self._received.partition(b"\n")
        line: Dict[str, Any] = json.loads(text)
        return line

    def _say(self, **line: Any) -> None:
        left = memoryview(json.dumps(line, default=_arrays.plain_number).encode() + b"\n")
        while left:
            self._wait([], [self._said])
            try:
                left = left[os.write(self._said, left):]
            except BlockingIOError:
                continue

    def _wait(self, to_read: List[int], to_write: List[int]) -> None:
        if self._over in select.select([self._over, *to_read], to_write, [])[0]:
            raise _Closed
