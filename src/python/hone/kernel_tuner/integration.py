"""Kernel Tuner's place of store_results, and of what it writes headers with."""

from __future__ import annotations

import json
import math
import pathlib
from typing import Any, Dict, Mapping, Optional, Sequence

from .._library import UsageError
from ._combinations import Unsupported, axes
from .file_utils import plain
from .util import is_higher_better


def store_results(results_filename: Any, kernel_name: str, kernel_string: Any, tune_params: Mapping[str, Any], problem_size: Any,
                  results: Sequence[Dict[str, Any]], env: Mapping[str, Any], top: float = 3, objective: Optional[str] = None,
                  objective_higher_is_better: Optional[bool] = None) -> None:
    """Keeps the best `top` per cent of results (at least one) for this device and problem size in a JSON file, in the place of what it
    had for these."""
    wanted = objective or "time"
    sound = sorted((r for r in results if isinstance(r.get(wanted), (int, float))), key=lambda r: r[wanted],
                   reverse=is_higher_better(wanted, objective_higher_is_better))
    if not sound:
        raise UsageError("none of the results has a time: there is nothing to store")
    path = pathlib.Path(results_filename)
    document = json.loads(path.read_text()) if path.exists() else {
        "version_number": "1.0", "metadata": {}, "kernel_name": kernel_name, "tunable_parameters": list(tune_params),
        "kernel_string": str(kernel_string), "objective": wanted, "data": []}
    size = "x".join(str(one) for one in axes(problem_size))
    keys = {"device_name": str(env["device_name"]).replace(" ", "_"), "problem_size": size}
    kept = [row for row in document["data"] if any(row.get(key) != value for key, value in keys.items())]
    best = sound[:max(1, math.ceil(len(sound) * top / 100))]
    document["data"] = kept + [{**keys, **{key: r[key] for key in (*tune_params, wanted)}} for r in best]
    path.write_text(json.dumps(document, default=plain, indent=2))


def create_device_targets(*_: Any, **__: Any) -> None:
    """Refused: `hone deploy` writes headers."""
    raise Unsupported("create_device_targets: `hone deploy SPEC --format header` writes a header that chooses among the best configurations "
                      "by sizes and device")


__all__ = ["create_device_targets", "store_results"]
