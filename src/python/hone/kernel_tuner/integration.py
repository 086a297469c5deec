"""Kernel Tuner's place of store_results, and of what it writes headers with."""

from __future__ import annotations

from typing import Any

from ._interface import Unsupported, store_results


def create_device_targets(*_: Any, **__: Any) -> None:
    """Refused: `hone deploy` writes headers."""
    raise Unsupported("create_device_targets: `hone deploy SPEC --format header` writes a header that chooses among the best configurations "
                      "by sizes and device")


__all__ = ["create_device_targets", "store_results"]
