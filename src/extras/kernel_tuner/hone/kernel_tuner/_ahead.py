"""Drivers that start while a script still makes its arrays, which the runner asks for: a worker for each language that the script
seems to tune in. What it does not use after all is ended. And workers that end while the script goes on with its results."""

from __future__ import annotations

import ast
import atexit
import os
import threading
from typing import Dict, List, Optional, Sequence, Tuple

from .._devices import Devices
from .._library import HoneError

_CALLS = ("tune_kernel", "run_kernel")


def find_languages(tree: ast.AST, languages: Dict[str, str], arguments: Sequence[str]) -> List[str]:
    """The languages of drivers that a script's texts name or are written in; of several the one that its arguments name. None where
    it calls neither function by its name, or simulates."""
    nodes = list(ast.walk(tree))
    called = {getattr(node.func, "attr", getattr(node.func, "id", None)) for node in nodes if isinstance(node, ast.Call)}
    if not called.intersection(_CALLS) or any(isinstance(node, ast.keyword) and node.arg == "simulation_mode" for node in nodes):
        return []
    found = []
    for text in (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)):
        found += [language for language, is_it in (
            ("OpenCL", "__kernel" in text or text.endswith(".cl")), ("CUDA", "__global__" in text or text.endswith(".cu")),
            (languages.get(text.upper()), text.upper() in languages)) if is_it]
    named = [languages[one.upper()] for one in arguments if one.upper() in languages]
    return sorted({one for one in found if one != "C" and (one in named or not named)})


def _surroundings() -> Tuple[int, str, Dict[str, str]]:
    return os.getpid(), os.getcwd(), dict(os.environ)


class _Starting:
    """A worker that lists the devices of one language, in a thread, and opens the GPU where there is one alone."""

    def __init__(self, language: str) -> None:
        self._surroundings = _surroundings()
        self.listed: Optional[Devices] = None
        self._wanted, self._lock = True, threading.Lock()
        self._thread = threading.Thread(target=self._list, args=(language,), daemon=True)  # none waits for it at the end
        self._thread.start()

    def _list(self, language: str) -> None:
        try:
            listed = Devices(language=language.lower(), keep_worker=True)
            gpus = [d for d in listed if d.language == language.lower() and d.type == "gpu"]
            if len(gpus) == 1:  # of several the script's call says which one
                listed.open(gpus[0])
        except (HoneError, MemoryError):
            return  # who wants the list asks again, and is told
        with self._lock:
            if self._wanted:
                self.listed = listed
                return
        listed.close()

    def take(self) -> Optional[Devices]:
        """None where what drivers read as they start has changed meanwhile."""
        if self._surroundings != _surroundings():
            self.drop()
            return None
        self._thread.join()
        return self.listed

    def drop(self) -> None:
        with self._lock:
            self._wanted, listed = False, self.listed
        if listed is not None:
            listed.close()


class Ahead:
    """What the runner has started, and the devices of the last tune, whose workers were ended and may not be gone."""

    def __init__(self) -> None:
        self._starting: Dict[str, _Starting] = {}
        self._ended: Optional[Devices] = None

    def start(self, languages: Sequence[str]) -> None:
        self._starting = {language: _Starting(language) for language in languages}

    def take(self, language: str) -> Optional[Devices]:
        """The devices of a language, once; the others end, whose memory on the card somebody is about to measure on, and the last tune's
        workers are waited for."""
        ended, self._ended = self._ended, None
        if ended is not None:
            ended.close()
        starting, self._starting = self._starting, {}
        for other, one in starting.items():
            if other != language:
                one.drop()
        return starting[language].take() if language in starting else None

    def tuned(self, devices: Devices) -> None:
        """A tune on them is over. Its workers end by themselves from now on: who tunes next waits for them, and the process's end
        does not (a GPU's driver takes a tenth of a second to take a context down)."""
        if self._ended is None:
            atexit.unregister(self._leave)
            atexit.register(self._leave)
        self._ended = devices

    def _leave(self) -> None:
        if self._ended is not None:
            self._ended.leave()
