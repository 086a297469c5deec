"""Refuses every interpreter of this process but the first, before ctypes is imported there.

ctypes keeps its types of pointers once for all interpreters of a process, and an import in a second one empties that
list: the first one's calls fail then ("LP_Log instance instead of LP_Log").
"""

import importlib
from typing import Any


def _first(identity: Any) -> Any:
    return identity[0] if isinstance(identity, tuple) else identity  # since Python 3.13 with how it was made


def is_main() -> bool:
    """Is this the process's first interpreter? True too where the Python cannot tell: it has no others."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return bool(_first(module.get_current()) == _first(module.get_main()))
    return True


if not is_main():
    raise ImportError("hone cannot be imported in a subinterpreter: ctypes would spoil it in the main interpreter; import "
                      "hone there, or in a process of its own (with mod_wsgi: WSGIApplicationGroup %{GLOBAL})")
