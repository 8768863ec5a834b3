"""Parts by name, from entry points, loaded on demand.

A seam `metric` is the entry-point group `groundswell.metric`; built-ins register the same way as plugins do. A part
that fails to load fails only for those who ask for it, each time with the same reason. Code of a plugin runs only when
its name is asked for.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import msgspec

from groundswell.errors import PluginError, UserError

SEAMS = ("source", "reader", "provider", "local_model", "check", "metric", "suite", "pool")


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A part that could be loaded."""

    seam: str
    name: str
    package: str
    version: str
    place: str
    """module:object"""


def names(seam: str) -> list[str]:
    """Names of a seam, sorted. Nothing is loaded."""
    return sorted({point.name for point in _points(seam)})


def listing() -> list[Listed]:
    """Every part of every seam, without loading any."""
    return [
        Listed(
            seam=seam,
            name=point.name,
            package=point.dist.name if point.dist else "unknown",
            version=point.dist.version if point.dist else "unknown",
            place=point.value,
        )
        for seam in SEAMS
        for point in sorted(_points(seam), key=lambda point: point.name)
    ]


def load(seam: str, name: str) -> Any:
    """The part of that name. Raises UserError when there is none, PluginError when it fails to load."""
    part = _load(seam, name)
    if isinstance(part, Exception):
        raise part
    return part


@cache
def _points(seam: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=f"groundswell.{seam}"))


@cache
def _load(seam: str, name: str) -> Any:
    """The part, or the error that loading it gave: both are remembered."""
    found = [point for point in _points(seam) if point.name == name]
    if not found:
        known = names(seam)
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}"
        return UserError(f"there is no {seam.replace('_', ' ')} named {name}; {hint}")
    if len({point.value for point in found}) > 1:
        packages = ", ".join(sorted(point.dist.name if point.dist else point.value for point in found))
        return PluginError(f"the {seam} {name} is offered by several packages ({packages}); uninstall all but one")
    try:
        return found[0].load()
    except Exception as error:
        return PluginError(f"the {seam} {name} ({found[0].value}) failed to load: {error!r}")
