"""hone.measure: configurations that a program of the caller's names one after the other, built and measured by workers that stay."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from ._library import UsageError, WorkerError
from ._records import Record
from ._spec import Configuration, PathLike, Spec, configuration_text
from ._strategy import Strategy
from ._tune import SessionOptions, Tune
from ._words import check_options, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

_OF_A_SEARCH = ("budget", "strategy", "configurations", "start_with", "unranked", "seed")


class _Named(Strategy):
    """Asks for what the caller names."""

    patience_s = 1e9

    def __init__(self) -> None:
        self.names: "queue.SimpleQueue[Optional[Dict[str, Any]]]" = queue.SimpleQueue()

    def ask(self, count: int) -> List[Dict[str, Any]]:
        name = self.names.get()
        return [] if name is None else [name]


class Session:
    """Measures configurations one by one, `session(configuration)`, and keeps its workers between: `hone.measure` makes it. Closed with
    `close()` or at the end of a `with`. Any thread may call it: calls take turns."""

    def __init__(self, spec: Union[Spec, PathLike], **options: Unpack[SessionOptions]) -> None:
        self._named, self._known = _Named(), {}  # type: _Named, Dict[Tuple[Any, ...], Record]
        self._lock = threading.Lock()
        self._tune = Tune(spec, strategy=self._named, unranked=True, budget=2**62, start_with=(), **options)
        self.spec, self.device = self._tune.spec, self._tune.device
        self._space = self.spec.space(where=options.get("where", ()), on=self.device)

    def measure(self, configuration: Union[str, Configuration]) -> Record:
        """Builds, verifies and measures a configuration, which names all parameters that have a choice, and returns its record; what was
        measured here before is returned again. One that restrictions exclude has the status "constraints", and `message` says why.
        Raises hone.UsageError for a parameter or value that the spec does not have, and hone.HoneError where nothing can be measured any
        more."""
        if not isinstance(configuration, str) and isinstance(configuration, dict):
            missing = [name for name, values in self.spec.parameters.items() if len(values) > 1 and name not in configuration]
            if missing:
                raise UsageError(f"the configuration {configuration_text(configuration)} has no {', '.join(missing)}")
        wanted = self.spec.configuration(self.spec.choice(configuration))
        key = tuple(wanted.values())
        with self._lock:
            if key not in self._known and wanted not in self._space:
                return Record(wanted, "constraints", self._space.why(wanted))
            if key not in self._known:
                self._named.names.put(wanted)
            while key not in self._known:
                record = self._tune.step()
                if record is not None:
                    self._known[tuple(record.configuration.values())] = record
                elif self._tune.ended:
                    raise WorkerError("the session is over: " + (self._tune._broken or "its search has ended"))
            return self._known[key]

    __call__ = measure

    @property
    def records(self) -> List[Record]:
        """What was measured so far, in that order."""
        return list(self._known.values())

    def close(self) -> None:
        """Ends the workers."""
        self._named.names.put(None)
        self._tune.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<hone.Session of {self.spec.name!r} on {self.device.name!r}: {len(self._known)} of {len(self._space)} measured>"


@takes(Tune, but=_OF_A_SEARCH)
def measure(spec: Union[Spec, PathLike], **options: Unpack[SessionOptions]) -> Session:
    """A session that measures what a search of your own names (Optuna, scikit-optimize, a loop), each within milliseconds of what the
    kernel needs, since its workers stay:

        with hone.measure("saxpy.json", store=False) as session:
            record = session({"GROUP": 64, "PER_ITEM": 2})
            print(record.status, record.time_ns)

    Options are those of hone.tune, but for what is of a search.
    """
    check_options(measure, options)
    return Session(spec, **options)


__all__ = ["Session", "measure"]
