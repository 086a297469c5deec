"""The line of progress: on a terminal in place, in a notebook in the cell's output, elsewhere lines where they are asked for."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any, Optional, TextIO

EVERY_S = 0.2
LINE_EVERY_S = 5.0  # where it is not drawn over


def time_text(ns: Optional[float]) -> str:
    """A time with the unit that suits it: "1.23 ms"."""
    if ns is None:
        return "-"
    for unit, factor in (("ns", 1.0), ("us", 1e3), ("ms", 1e6)):
        if ns < 999.5 * factor:
            return f"{ns / factor:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """Draws a tune's progress; every method may be called at any time, and none fails the tune."""

    def __init__(self, wanted: Optional[bool], stream: Optional[TextIO] = None) -> None:
        self._stream = stream or sys.stderr
        self._display: Any = None
        self._drawn = False
        self._next = 0.0
        self._notebook = wanted is not False and in_notebook()
        self._terminal = not self._notebook and wanted is not False and bool(getattr(self._stream, "isatty", lambda: False)())
        self.stays = bool(wanted) and not self._notebook and not self._terminal  # line by line, as in a log

    def due(self) -> bool:
        now = time.monotonic()
        if not (self._notebook or self._terminal or self.stays) or now < self._next:
            return False
        self._next = now + (LINE_EVERY_S if self.stays else EVERY_S)
        return True

    def draw(self, done: int, planned: int, best: Optional[str], left_ns: int, waiting: str) -> None:
        share = min(1.0, done / planned) if planned else 0.0
        text = f"{done} of {planned}"
        if best:
            text += f", best {best}"
        if left_ns:
            text += f", {left_ns / 1e9:.0f} s left"
        if waiting:
            text += f", {waiting}"
        if self._notebook:
            self._show(f"[{'#' * round(30 * share):.<30}] {text}")
        elif self.stays:
            print(text, file=self._stream, flush=True)
        else:
            width = shutil.get_terminal_size().columns - 1
            bar = f"\r[{'#' * round(20 * share):.<20}] "
            print(f"{bar}{text}"[:width + 1].ljust(width), end="", file=self._stream, flush=True)
            self._drawn = True

    def _show(self, text: str) -> None:
        from IPython.display import display
        bundle = {"text/plain": text}
        if self._display is None:
            self._display = display(bundle, raw=True, display_id=True)
        else:
            self._display.update(bundle, raw=True)

    def say(self, text: str) -> None:
        self.clear()
        if self._notebook or self._terminal or self.stays:
            print(text, file=self._stream, flush=True)

    def clear(self) -> None:
        if self._drawn:
            print("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r", end="", file=self._stream, flush=True)
            self._drawn = False
