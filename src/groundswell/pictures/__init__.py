"""Picture bytes: told by their content, normalised to sRGB pixels, encoded, fitted to a host's limits.

This room knows formats and pixels. It does not know what a picture is for, where it came from, or where its bytes
live. Pillow and numpy load when a name is first used, not when the package is imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundswell.pictures.reading import MAX_PIXELS, Facts, Pixels, UnreadablePicture, describe, facts, pixels
    from groundswell.pictures.writing import Fitted, Limits, encode_jpeg, encode_png, scaled, smaller_copy, within

__all__ = [
    "MAX_PIXELS",
    "Facts",
    "Fitted",
    "Limits",
    "Pixels",
    "UnreadablePicture",
    "describe",
    "encode_jpeg",
    "encode_png",
    "facts",
    "pixels",
    "scaled",
    "smaller_copy",
    "within",
]

_WRITING = frozenset({"Fitted", "Limits", "encode_jpeg", "encode_png", "scaled", "smaller_copy", "within"})


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{'writing' if name in _WRITING else 'reading'}")
    value = getattr(module, name)
    globals()[name] = value  # the next access finds it without coming here
    return value
