"""Boxes as models answer them, turned into pixels of the picture; what could mean two things is refused.

Models measure in pixels of the picture, in pixels of a smaller one that they were shown, in thousandths or in fractions
of its sides, and some put y first. They are asked to name the coordinates and to state the frame that they measure in.
Where a reply does neither, a box counts only if one reading of it fits the picture and all others do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from groundswell.records import Json

Pixels = tuple[int, int, int, int]
"""x1, y1, x2, y2 in pixels of the picture after EXIF rotation."""

THOUSANDTHS = (1000.0, 1000.0)
FRACTIONS = (1.0, 1.0)

SAME_SHAPE = 0.03
"""Relative difference of two aspect ratios that rounding to whole pixels explains."""

OVER = 0.02
"""Share of a side by which a box may reach out of its frame: models round."""

NAMED = ("x1", "y1", "x2", "y2")
ARRAYS = ("box", "bbox", "bbox_2d", "box_2d")
Y_FIRST_THOUSANDTHS = "box_2d"
"""The name under which one family of models answers [y1, x1, y2, x2] in thousandths, as its documentation says."""

Frame = tuple[float, float]
Four = tuple[float, float, float, float]


class AmbiguousBox(ValueError):
    """A box that fits the picture in two ways, or in none; the text says so."""


def in_pixels(rows: Sequence[Json], frame: Json, width: int, height: int) -> list[Pixels]:
    """The boxes of one picture of `width` x `height`. `frame` is the width and height that the reply says it measures
    in, or None. All boxes of a picture are read in one way. Raises AmbiguousBox."""
    if not rows:
        return []
    said = [_coordinates(row) for row in rows]
    frames = _frames(frame, [four for _, four in said], {name for name, _ in said}, width, height)
    readings = {
        tuple(_scaled(four, each, width, height) for four in ordered)
        for each in frames
        for ordered in _orders(said)
        if all(_fits(four, each) for four in ordered)
    }
    if len(readings) != 1:
        count = "no way" if not readings else f"{len(readings)} ways"
        raise AmbiguousBox(f"boxes can be read in {count} on a picture of {width} x {height}: {rows!r:.200}")
    return list(readings.pop())


def _coordinates(row: Json) -> tuple[str, Four]:
    """Under which name four numbers stand, and they as they stand."""
    if not isinstance(row, Mapping):
        raise AmbiguousBox(f"this is no box: {row!r:.80}")
    name = next((name for name in ARRAYS if name in row), "named")
    values: Json = row.get(name, row)
    if isinstance(values, Mapping):
        name, values = "named", [values.get(each) for each in NAMED]
    if not isinstance(values, list) or len(values) != 4 or not all(_is_number(value) for value in values):
        raise AmbiguousBox(f"this is no box: {row!r:.80}")
    first, second, third, fourth = (float(value) for value in values)
    return name, (first, second, third, fourth)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _frames(frame: Json, boxes: Sequence[Four], names: set[str], width: int, height: int) -> list[Frame]:
    """The frames that the numbers may be measured in."""
    if frame is not None:
        return [_stated(frame, width, height)]
    if names == {Y_FIRST_THOUSANDTHS}:
        return [THOUSANDTHS]
    largest = max(value for four in boxes for value in four)
    if largest <= 1:
        return [FRACTIONS]
    return [(float(width), float(height)), THOUSANDTHS]


def _stated(frame: Json, width: int, height: int) -> Frame:
    """The frame that a reply states: the picture at any size, thousandths, or fractions."""
    sides = frame if isinstance(frame, list) and len(frame) == 2 else []
    if sides and all(_is_number(side) and side > 0 for side in sides):
        wide, tall = float(sides[0]), float(sides[1])
        if (wide, tall) in (THOUSANDTHS, FRACTIONS) or abs(wide / tall * height / width - 1) <= SAME_SHAPE:
            return wide, tall
    raise AmbiguousBox(f"the frame {frame!r:.40} is not of the shape of a picture of {width} x {height}")


def _orders(said: Sequence[tuple[str, Four]]) -> Iterator[list[Four]]:
    """All boxes with x first, and with y first; the name of a box may leave only one."""
    names = {name for name, _ in said}
    if Y_FIRST_THOUSANDTHS not in names:
        yield [four for _, four in said]
    if "named" not in names:
        yield [(b, a, d, c) for _, (a, b, c, d) in said]


def _fits(four: Four, frame: Frame) -> bool:
    x1, y1, x2, y2 = four
    wide, tall = (side * (1 + OVER) for side in frame)
    return -OVER * frame[0] <= x1 < x2 <= wide and -OVER * frame[1] <= y1 < y2 <= tall


def _scaled(four: Four, frame: Frame, width: int, height: int) -> Pixels:
    x1, y1, x2, y2 = four
    across, down = width / frame[0], height / frame[1]
    left, top = min(max(0, round(x1 * across)), width - 1), min(max(0, round(y1 * down)), height - 1)
    return (left, top, max(left + 1, min(width, round(x2 * across))), max(top + 1, min(height, round(y2 * down))))
