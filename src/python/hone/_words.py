"""Functions that take the options of another one by name: what `help()` and a notebook's completion show of them, and what a name says
that is none of them."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable, List, Mapping, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def _parameters(of: Any) -> List[inspect.Parameter]:
    """Those of a callable that are given by name; of a TypedDict its members, None by default, which says nothing."""
    if not hasattr(of, "__total__"):
        return [one for one in inspect.signature(of).parameters.values() if one.kind == one.KEYWORD_ONLY and not one.name.startswith("_")]
    return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=getattr(kind, "__forward_arg__", kind))
            for name, kind in of.__annotations__.items()]


def takes(of: Any, but: Iterable[str] = ()) -> Callable[[F], F]:
    """A function with `**options` shows, in the place of these, the named parameters of `of`, with types and defaults."""
    def shown(function: F) -> F:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind != one.VAR_KEYWORD]
        names = {one.name for one in own} | set(but)
        theirs = [one for one in _parameters(of) if one.name not in names]
        function.__signature__ = signature.replace(parameters=[*own, *theirs])  # type: ignore[attr-defined]
        return function
    return shown


def check_options(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raises TypeError, as a call does, for what the function does not take."""
    known = list(inspect.signature(function).parameters)
    for name in options:
        if name not in known and not name.startswith("_"):
            import difflib
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}" +
                            (f"; did you mean {near[0]!r}?" if near else ""))
