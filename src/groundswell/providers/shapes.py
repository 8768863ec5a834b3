"""Sizes and proportions in the words of each host: the nearest one above that it supports (METHODS, section 5).

Pure arithmetic over what is given; which sizes a host supports is said by its dialect or by the endpoint's settings.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log

Size = tuple[int, int]


def text_of(size: Size) -> str:
    """`1024x1024`."""
    return f"{size[0]}x{size[1]}"


def size_of(text: object) -> Size | None:
    """(width, height) of `1024x1024` or `1024*1024`; None where the text says no size (`auto`)."""
    parts = text.lower().replace("*", "x").split("x") if isinstance(text, str) else []
    if len(parts) != 2 or not all(part.strip().isdigit() for part in parts):
        return None
    return int(parts[0]), int(parts[1])


def nearest_size(wanted: Size, supported: Iterable[Size]) -> Size:
    """The size itself where it is supported; else, of those of the closest proportions, the smallest that covers it;
    else the largest of these. Raises ValueError when nothing is supported."""
    sizes = list(supported)
    if wanted in sizes:
        return wanted
    closest = min(_distance(wanted, size) for size in sizes)
    similar = [size for size in sizes if _distance(wanted, size) <= closest + 1e-9]
    covering = [size for size in similar if size[0] >= wanted[0] and size[1] >= wanted[1]]
    return min(covering, key=_area) if covering else max(similar, key=_area)


def nearest_ratio(wanted: Size, supported: Iterable[str]) -> str:
    """The proportions, as `16:9`, that are closest to those of a size."""
    return min(supported, key=lambda ratio: _distance(wanted, _ratio(ratio)))


def _ratio(text: str) -> Size:
    width, _, height = text.partition(":")
    return int(width), int(height)


def _distance(one: Size, other: Size) -> float:
    """Between proportions: 2:1 is as far from 1:1 as 1:2 is."""
    return abs(log(one[0] * other[1] / (one[1] * other[0])))


def _area(size: Size) -> int:
    return size[0] * size[1]
