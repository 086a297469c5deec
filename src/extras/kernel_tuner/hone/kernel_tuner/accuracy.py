"""Kernel Tuner's AccuracyObserver, the error of what a kernel left, beside its answer, as a result of the configuration; and arguments
that a parameter chooses."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Sequence, Union

from .._library import UsageError
from .observers import OutputObserver

Metric = Callable[[Any, Any], Any]
_SHORT = {"average": "mean", "avg": "mean", "square": "squared", "sq": "squared", "max": "maximum", "rel": "relative", "abs": "absolute",
          "log": "logarithmic"}
_LONG = {"mse": "mean squared", "rmse": "root mean squared", "nrmse": "normalized root mean squared", "mae": "mean absolute",
         "absolute": "mean absolute", "mre": "mean relative", "relative": "mean relative", "rmsre": "root mean squared relative",
         "male": "mean absolute logarithmic", "rmsle": "root mean squared logarithmic", "maximum": "maximum absolute"}


def _metrics(least: float) -> Dict[str, Metric]:
    """By their names in full; the first argument is what is right. `least`: for what divides or is in a logarithm."""
    import numpy as np

    def size(a: Any) -> Any:
        return np.maximum(np.abs(a), least)

    def magnitude(a: Any, b: Any) -> Any:
        return np.abs(np.log10(a + least) - np.log10(b + least))
    return {"mean squared": lambda a, b: np.mean((a - b) ** 2),
            "root mean squared": lambda a, b: np.sqrt(np.mean((a - b) ** 2)),
            "normalized root mean squared": lambda a, b: np.sqrt(np.mean((a - b) ** 2) / np.mean(a ** 2)),
            "mean absolute": lambda a, b: np.mean(np.abs(a - b)),
            "mean relative": lambda a, b: np.mean(np.abs(a - b) / size(a)),
            "root mean squared relative": lambda a, b: np.sqrt(np.mean(((a - b) / size(a)) ** 2)),
            "mean absolute logarithmic": lambda a, b: np.mean(magnitude(a, b)),
            "root mean squared logarithmic": lambda a, b: np.sqrt(np.mean(magnitude(a, b) ** 2)),
            "maximum absolute": lambda a, b: np.max(np.abs(a - b)),
            "maximum relative": lambda a, b: np.max(np.abs(a - b) / size(a))}


def error_metric_from_name(user_key: str, EPS: float = 1e-8) -> Metric:
    """The function (right, found) -> error of a name such as "RMSE" or "max relative error". Raises UsageError for another one."""
    words = re.split(r"[\s_-]+", re.sub(r"\berror\b", " ", user_key.lower()).strip())
    name = " ".join(_SHORT.get(word, word) for word in words)
    known = _metrics(EPS)
    metric = known.get(_LONG.get(name, name))
    if metric is None:
        raise UsageError(f"{user_key!r} is not an error metric; there are " + ", ".join(known))
    return lambda a, b: metric(a.astype("float64"), b.astype("float64"))


class AccuracyObserver(OutputObserver):
    """Adds `key`, the error of the outputs that have an answer, the largest of these. `metric`: a name of error_metric_from_name, or a
    function (right, found); `atol`: the least that a relative error is divided by."""

    def __init__(self, metric: Union[None, str, Metric] = None, key: str = "error", *, atol: float = 1e-8) -> None:
        self.metric = metric if callable(metric) else error_metric_from_name(metric or "rmse", atol)
        self.key, self.result = key, None

    def process_output(self, answer: Sequence[Any], output: Sequence[Any]) -> None:
        errors = [self.metric(right, found) for right, found in zip(answer or (), output) if right is not None]
        if not errors:
            raise UsageError("AccuracyObserver compares with an answer, and there is none")
        self.result = float(max(errors))

    def get_results(self) -> Dict[str, Any]:
        return {self.key: self.result}


class Tunable(Dict[Any, Any]):
    """An argument that a parameter chooses: `param_key` is its name, an expression over parameters, or a function of them; `arrays` has the
    argument for each of its values (a list: for 0, 1, ...), which may be a Tunable itself."""

    def __init__(self, param_key: Any, arrays: Any) -> None:
        super().__init__(enumerate(arrays) if isinstance(arrays, (list, tuple)) else arrays)
        self.param_key = param_key

    def select_for_configuration(self, params: Dict[str, Any]) -> Any:
        """Raises KeyError for a value that has no argument."""
        key = self.param_key
        chosen = key(params) if callable(key) else params[key] if key in params else eval(key, {"__builtins__": {}}, dict(params))
        if chosen not in self:
            raise KeyError(f"{key!r} is {chosen!r}, and the Tunable has arguments for {', '.join(map(repr, self))}")
        found = self[chosen]
        return found(params) if isinstance(found, Tunable) else found

    __call__ = select_for_configuration


_FLOATS = {"float16": ("half", "f16", "float16", "__half", "khalf", 16), "float32": ("float", "single", "f32", "float32", "kfloat", 32),
           "float64": ("double", "f64", "float64", "kdouble", 64)}


def _to_float_dtype(name: Any) -> Any:
    """NumPy's type of a name that scripts use for it."""
    import numpy
    wanted = name.lower() if isinstance(name, str) else name
    return next((getattr(numpy, one) for one, names in _FLOATS.items() if wanted in names), None) or numpy.dtype(name)


class TunablePrecision(Tunable):
    """An argument in several types, of which a parameter chooses. `dtypes`: {value: type}, or a list of names; without it half, float and
    double. NumPy knows bfloat16 once ml_dtypes is imported."""

    def __init__(self, param_key: Any, array: Any, dtypes: Any = None) -> None:
        import numpy
        named = {name: _to_float_dtype(name) for name in dtypes or ("half", "float", "double")} if not hasattr(dtypes, "items") else dtypes
        given = array if isinstance(array, numpy.generic) else numpy.array(array)
        super().__init__(param_key, {name: given.astype(kind) for name, kind in named.items()})
