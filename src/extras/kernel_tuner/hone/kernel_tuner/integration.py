"""Kernel Tuner's files of the best results of several devices and sizes, and headers that choose among them."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._library import UsageError
from ._combinations import axes
from .file_utils import plain
from .util import get_best_config, get_instance_string, is_higher_better


def _size_text(problem_size: Any) -> str:
    return problem_size if isinstance(problem_size, str) else "x".join(str(one) for one in axes(problem_size))


def _device_text(name: str) -> str:
    return re.sub("[^0-9a-zA-Z]+", "_", name.strip())


def _read(path: pathlib.Path) -> Dict[str, Any]:
    try:
        document = json.loads(path.read_text())
        rows = document["data"]
        if all(isinstance(row["tunable_parameters"], dict) for row in rows) and isinstance(document["objective"], str):
            return document
    except (ValueError, LookupError, TypeError):
        pass
    raise UsageError(f"{path} is not a file of store_results")


def store_results(results_filename: Any, kernel_name: str, kernel_string: Any, tune_params: Mapping[str, Any], problem_size: Any,
                  results: Sequence[Dict[str, Any]], env: Mapping[str, Any], top: float = 3, objective: Optional[str] = None,
                  objective_higher_is_better: Optional[bool] = None) -> None:
    """Keeps the results that are at most `top` per cent behind the best for this device and problem size in a JSON file, in the
    place of what it had for these."""
    wanted = objective or "time"
    higher = is_higher_better(wanted, objective_higher_is_better)
    first = get_best_config(list(results), wanted, higher)
    if not first:
        raise UsageError(f"none of the results has {wanted}: there is nothing to store")
    limit = first[wanted] * (1 - top / 100 if higher else 1 + top / 100)
    near = [r for r in results if r is first or (get_best_config([r], wanted) and (r[wanted] > limit if higher else r[wanted] < limit))]
    path = pathlib.Path(results_filename)
    document: Dict[str, Any] = {"version_number": "1.0", "kernel_name": kernel_name, "objective": wanted,
                                "objective_higher_is_better": higher, "tunable_parameters": list(tune_params), "data": []}
    if isinstance(kernel_string, str):
        document["kernel_string"] = kernel_string
    if path.exists():
        document = _read(path)
        for member, ours in (("kernel_name", kernel_name), ("objective", wanted), ("tunable_parameters", list(tune_params))):
            if document.get(member) != ours:
                raise UsageError(f"{path} has the {member} {document.get(member)}, and not {ours}")
    keys = {"device_name": _device_text(str(env["device_name"])), "problem_size": _size_text(problem_size)}
    kept = [row for row in document["data"] if any(row.get(key) != value for key, value in keys.items())]
    document["data"] = kept + [{**keys, "tunable_parameters": {key: r[key] for key in tune_params}, wanted: r[wanted]} for r in near]
    path.write_text(json.dumps(document, default=plain, indent=1))


class TuneResults:
    """A file of store_results, asked for the best configuration of a device."""

    def __init__(self, results_filename: Any) -> None:
        path = pathlib.Path(results_filename)
        if not path.exists():
            raise UsageError(f"there is no {path}, which store_results writes")
        self.meta = _read(path)
        self.data: List[Dict[str, Any]] = self.meta["data"]
        self.objective: str = self.meta["objective"]
        self.objective_higher_is_better = bool(self.meta.get("objective_higher_is_better", False))
        if not self.data:
            raise UsageError(f"{path} has no results")

    def get_best_config(self, gpu_name: str = "default", problem_size: Any = None) -> Dict[str, Any]:
        """The parameters that were best on a device at a size; those that are best at most sizes where there are none of that size;
        those of all devices where there are none of that device."""
        listed = [row for row in self.data if row["device_name"] == _device_text(gpu_name)] or self.data
        sized = [row for row in listed if problem_size is not None and row["device_name"] == _device_text(gpu_name) and
                 row["problem_size"] == _size_text(problem_size)]
        if sized:
            return get_best_config(sized, self.objective, self.objective_higher_is_better)["tunable_parameters"]
        alike: Dict[str, List[Dict[str, Any]]] = {}
        for row in listed:
            alike.setdefault(get_instance_string(row["tunable_parameters"]), []).append(row)
        sign = 1 if self.objective_higher_is_better else -1
        most = max(alike.values(), key=lambda rows: (len(rows), sign * sum(row[self.objective] for row in rows)))
        return most[0]["tunable_parameters"]


def create_device_targets(header_filename: Any, results_filename: Any, objective: Optional[str] = None,
                          objective_higher_is_better: Optional[bool] = None) -> None:
    """Writes a header that defines the parameters for the device that -DTARGET_NAME names, else those that are good on most.
    `hone deploy --format header` also chooses by sizes, at run time."""
    found = TuneResults(results_filename)
    if objective is not None and objective != found.objective:
        raise UsageError(f"{results_filename} has the objective {found.objective}, and not {objective}")
    targets = sorted({row["device_name"] for row in found.data})
    lines = ["// Written from tuning results; a tuner, which defines kernel_tuner, gives the parameters itself.", "#pragma once",
             "#ifndef kernel_tuner"]
    for i, name in enumerate(targets):
        lines += [f"#elif defined(TARGET_{name})" if i else f"#ifdef TARGET_{name}", *_defines(found.get_best_config(name))]
    lines += ["#else", *_defines(found.get_best_config()), "#endif", "#endif"]
    pathlib.Path(header_filename).write_text("\n".join(lines) + "\n")


def _defines(params: Mapping[str, Any]) -> List[str]:
    return [f"#define {key} {int(value) if isinstance(value, bool) else value}" for key, value in params.items()]


__all__ = ["TuneResults", "create_device_targets", "store_results"]
