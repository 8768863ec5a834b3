"""Measurements of outputs: colour, face, structure, text and more, and when each applies.

A metric that says nothing gives NotApplicable with the reason; it never gives a number for absence. The arithmetic
of each metric lives in the module of its name, what they share in `metric`, the engine's stage in `stage`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundswell.measure.standalone import pair, pairs

__all__ = ["pair", "pairs"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("groundswell.measure.standalone"), name)
