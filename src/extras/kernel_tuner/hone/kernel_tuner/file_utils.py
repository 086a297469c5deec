"""Files of results as Kernel Tuner writes them: T4 results and metadata."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, List, Mapping, Union

from .. import __version__
from .util import CompilationFailedConfig, ErrorConfig, InvalidConfig

PathLike = Union[str, "os.PathLike[str]"]
_TIMES = {"compile_time": "compilation", "benchmark_time": "benchmark", "framework_time": "framework", "strategy_time": "search_algorithm",
          "verification_time": "validation"}  # a row's name -> T4's
_NOT_MEASURED = {"times", "timestamp", "__error__", "optimal", *_TIMES}


def _json_path(filename: PathLike) -> pathlib.Path:
    path = pathlib.Path(filename)
    path = path if path.suffix == ".json" else path.with_name(path.name + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def plain(value: Any) -> Any:
    """NumPy's numbers and arrays, for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def _invalidity(value: Any) -> str:
    if not isinstance(value, ErrorConfig):
        return "correct"
    return {CompilationFailedConfig: "compile", InvalidConfig: "constraints"}.get(type(value), "runtime")


def store_output_file(output_filename: PathLike, results: List[Dict[str, Any]], tune_params: Mapping[str, Any],
                      objective: str = "time") -> None:
    """Writes results of tune_kernel as a T4 file, with the members that hone knows; .json is added to the name where it is
    missing. Raises OSError."""
    rows = []
    for result in results:
        value = result.get("__error__", result.get(objective))
        rows.append({
            "timestamp": result.get("timestamp", ""),
            "configuration": {key: one for key, one in result.items() if key in tune_params},
            "times": {**{name: result[key] for key, name in _TIMES.items() if key in result}, "runtimes": result.get("times", [])},
            "invalidity": _invalidity(value),
            "correctness": int(not isinstance(value, ErrorConfig)),
            "measurements": [{"name": key, "value": one, "unit": "ms" if key.startswith("time") else ""}
                             for key, one in result.items() if key not in tune_params and key not in _NOT_MEASURED],
            "objectives": [objective]})
    document = {"results": rows, "schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"}}
    _json_path(output_filename).write_text(json.dumps(document, default=plain))


def store_metadata_file(metadata_filename: PathLike) -> None:
    """Writes what is known of this machine: its devices as hone sees them, and versions. Raises OSError."""
    from .. import devices
    found = [{"name": d.name, "language": d.language, "platform": d.platform, "driver": d.driver, "compiler": d.compiler}
             for d in devices()]
    import platform
    document = {"metadata": {"operating_system": platform.platform(), "hone": __version__, "python": platform.python_version(),
                             "devices": found}}
    _json_path(metadata_filename).write_text(json.dumps(document, indent=2))
