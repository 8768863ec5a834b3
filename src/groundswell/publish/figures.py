"""Drawings as inline SVG: marks of models, intervals on a common scale, strips of times, a scatter with its frontier.

Horizontal places are percentages, so that a drawing fits its cell at any width without distortion. Colours are named
by class and come from the style sheet, so that light and dark are the page's affair. Text that stands in a drawing is
escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import numpy as np
import pybase64
from markupsafe import Markup, escape
from PIL import Image

from groundswell.publish import wording

SHAPES: Final = (
    '<circle r="5"/>',
    '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
    '<path d="M0-6.2 6.2 0 0 6.2-6.2 0z"/>',
    '<path d="M0-5.8 5.8 4.6H-5.8z"/>',
    '<path d="M0 5.8 5.8-4.6H-5.8z"/>',
)
"""Marks about the origin, of about equal weight to the eye; picked by `Model.shape`."""

PAD: Final = 0.04
"""Share of a scale left free on both sides of its values."""

ROW: Final = 28
"""Height of a whisker in pixels where its cell does not say."""

LEVEL_BINS: Final = 64
"""Columns of a histogram of 256 levels."""

WIDE: Final = 520
HIGH: Final = 340
"""Of a scatter, in pixels where it has a half of a page."""

LEFT: Final = 52
"""Room for the numbers of the upright axis."""

LETTER: Final = 6.6
"""Width of a letter of 12 pixels, about."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

STEPS: Final = (1, 2, 2.5, 5, 10)
"""Distances between ticks, times a power of ten."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from `low` to `high` with ticks at round numbers."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Place in percent, held within the scale."""
        place = 100 * (value - self.low) / (self.high - self.low)
        return round(min(100.0, max(0.0, place)), 2)


def scale_of(values: Sequence[float], wanted: int = 5, *, pad: float = PAD) -> Scale:
    """A scale that holds all values, with about `wanted` ticks. Without values it runs from 0 to 1."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = (high - low) * pad or 1.0
    low, high = low - room, high + room
    power = 10.0 ** math.floor(math.log10((high - low) / wanted))
    step = min((size * power for size in STEPS), key=lambda each: abs((high - low) / each - wanted))
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return Scale(low, high, tuple(round(number * step, 10) for number in range(first, last + 1)))


def mark(colour: int, shape: int, *, hollow: bool = False) -> Markup:
    """The mark of a model, to stand before its name."""
    kind = "mark hollow" if hollow else "mark"
    return Markup(f'<svg class="{kind} s{colour}" viewBox="-8 -8 16 16" aria-hidden="true">{SHAPES[shape]}</svg>')


def _grid(scale: Scale) -> str:
    return "".join(f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="100%"/>' for x in map(scale.at, scale.ticks))


def _end(x: float) -> str:
    """The cap of a whisker: a short upright through the middle of the row."""
    return f'<svg x="{x}%" y="50%" overflow="visible"><path class="bar" d="M0-4V4"/></svg>'


def axis(scale: Scale, *, share: bool = False) -> Markup:
    """Labels of a scale's ticks, to stand over a column of whiskers."""
    labels = "".join(
        f'<text x="{scale.at(tick)}%" y="12">{wording.percent(tick) if share else wording.plain(tick)}</text>'
        for tick in scale.ticks
    )
    return Markup(f'<svg class="axis" height="16" aria-hidden="true">{labels}</svg>')


def whisker(
    scale: Scale,
    value: float,
    interval: tuple[float, float] | None,
    look: tuple[int, int, bool],
    *,
    label: str,
    rule: float | None = None,
) -> Markup:
    """A dot with its interval; without an interval the dot stands alone. `look` is colour, shape and hollow.

    `rule` is a value that all rows are compared with, drawn as a heavier line.
    """
    colour, shape, hollow = look
    parts = [_grid(scale)]
    if rule is not None:
        parts.append(f'<line class="rule" x1="{scale.at(rule)}%" x2="{scale.at(rule)}%" y1="0" y2="100%"/>')
    if interval is not None:
        low, high = map(scale.at, interval)
        parts += [f'<line class="bar" x1="{low}%" x2="{high}%" y1="50%" y2="50%"/>', _end(low), _end(high)]
    kind = "dot hollow" if hollow else "dot"
    parts.append(f'<svg x="{scale.at(value)}%" y="50%" overflow="visible"><g class="{kind}">{SHAPES[shape]}</g></svg>')
    return _figure("whisker", ROW, colour, label, parts)


def small_range(
    scale: Scale, value: float, interval: tuple[float, float] | None, look: tuple[int, int, bool]
) -> Markup:
    """A dot with its interval on one line of 14 pixels, for tables of many scales; `look` as for `whisker`."""
    colour, shape, hollow = look
    parts = ['<line class="grid" x1="0" x2="100%" y1="50%" y2="50%"/>']
    if interval is not None:
        low, high = map(scale.at, interval)
        parts.append(f'<line class="bar" x1="{low}%" x2="{high}%" y1="50%" y2="50%"/>')
    kind = "dot hollow" if hollow else "dot"
    parts.append(
        f'<svg x="{scale.at(value)}%" y="50%" overflow="visible"><g class="{kind}" transform="scale(.8)">'
        f"{SHAPES[shape]}</g></svg>"
    )
    return Markup(f'<svg class="small-range s{colour}" height="14" aria-hidden="true">{"".join(parts)}</svg>')


def beyond(scale: Scale, bound: float | None, side: str, colour: int, *, label: str) -> Markup:
    """An arrow from a one-sided bound to the end of the scale; without a bound only the grid."""
    parts = [_grid(scale)]
    if bound is not None and side in ("above", "below"):
        start, end, tip = (scale.at(bound), 100, -7) if side == "above" else (scale.at(bound), 0, 7)
        parts += [f'<line class="bar open" x1="{start}%" x2="{end}%" y1="50%" y2="50%"/>', _end(start)]
        parts.append(f'<svg x="{end}%" y="50%" overflow="visible"><path class="tip" d="M{tip}-5 0 0 {tip} 5"/></svg>')
    return _figure("whisker", ROW, colour, label, parts)


def _figure(kind: str, height: int, colour: int, label: str, parts: Sequence[str]) -> Markup:
    head = f'<svg class="{kind} s{colour}" height="{height}" role="img" aria-label="{escape(label)}">'
    return Markup(f"{head}{''.join(parts)}</svg>")


def strip(times: Sequence[float | None], band: tuple[float, float, float], scale: Scale, colour: int) -> Markup:
    """Each measurement as a dot, the 5-95 % band and the median behind; failures as ticks on the axis, in order."""
    height = 56
    low, middle, high = band
    left, right = scale.at(low), scale.at(high)
    parts = [_grid(scale)]
    parts.append(f'<rect class="band" x="{left}%" y="6" width="{round(right - left, 2)}%" height="32" rx="2"/>')
    parts.append(f'<line class="median" x1="{scale.at(middle)}%" x2="{scale.at(middle)}%" y1="4" y2="40"/>')
    failures = [place for place, value in enumerate(times) if value is None]
    for place, value in enumerate(times):
        if value is not None:
            # Spread over three lines by order, so that equal times do not hide each other.
            parts.append(f'<circle class="each" cx="{scale.at(value)}%" cy="{14 + 8 * (place % 3)}" r="2.5"/>')
    for place in failures:
        x = round(100 * (place + 0.5) / len(times), 2)
        parts.append(f'<line class="failure" x1="{x}%" x2="{x}%" y1="46" y2="54"/>')
    parts.append('<line class="base" x1="0" x2="100%" y1="45" y2="45"/>')
    label = (
        f"{len(times) - len(failures)} measurements, median {wording.seconds(middle)}, "
        f"5 to 95 percent {wording.seconds(low)} to {wording.seconds(high)}, {len(failures)} failures"
    )
    return _figure("strip", height, colour, label, parts)


def bars(counts: Sequence[tuple[str, int]]) -> Markup:
    """Columns of counts in order, e.g. grades from low to high."""
    height = 96
    top = max((count for _, count in counts), default=0) or 1
    width = 100 / max(1, len(counts))
    parts = [f'<line class="base" x1="0" x2="100%" y1="{height - 0.5}" y2="{height - 0.5}"/>']
    for place, (name, count) in enumerate(counts):
        tall = round((height - 4) * count / top, 1)
        parts.append(
            f'<rect class="column" x="{place * width:.3f}%" y="{height - tall}" width="{width * 0.86:.3f}%" '
            f'height="{tall}"><title>{escape(name)}: {wording.number(count)}</title></rect>'
        )
    return _figure("bars", height, 0, f"{len(counts)} columns, at most {top}", parts)


HEAT_FULL: Final = 0.1
"""Mean squared difference of cosines at which a cell of a structure map is as red as it gets."""


def heat(cells: Sequence[float]) -> Markup | None:
    """Cells of a square, row by row, as the data address of a small picture that is red where they are high; None
    where they form no square. The scale is the same on every page."""
    side = math.isqrt(len(cells))
    if not cells or side * side != len(cells):
        return None
    alpha = np.clip(np.sqrt(np.asarray(cells).reshape(side, side) / HEAT_FULL), 0, 1)
    picture = np.zeros((side, side, 4), dtype=np.uint8)
    picture[..., :3] = (213, 52, 0)
    picture[..., 3] = np.round(200 * alpha)
    out = BytesIO()
    Image.fromarray(picture, "RGBA").save(out, "PNG", compress_level=6)
    return Markup(f"data:image/png;base64,{pybase64.b64encode(out.getvalue()).decode()}")


def levels(before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> Markup:
    """Histograms of two pictures, channel under channel, each scaled to its own area: before a line, after filled."""
    parts = []
    for place, name in enumerate(("red", "green", "blue")):
        foot = 24 * (place + 1)
        filled, line = _outline(after[place], foot), _outline(before[place], foot)
        parts.append(f'<path class="{name}" d="{filled}V{foot}H0z"/><path class="before" d="{line}"/>')
    return Markup(
        f'<svg class="levels" viewBox="0 0 {LEVEL_BINS} 72" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def _outline(counts: Sequence[int], foot: int) -> str:
    width = max(1, len(counts) // LEVEL_BINS)
    bins = [sum(counts[start : start + width]) for start in range(0, width * LEVEL_BINS, width)]
    # The tallest columns are cut at four times the mean, so that a flat background does not flatten the rest.
    top = 4 * sum(bins) / LEVEL_BINS or 1
    return f"M0 {foot}" + "".join(f"V{round(foot - 23 * min(1.0, count / top))}h1" for count in bins)


@dataclass(frozen=True, slots=True)
class Point:
    """A model in a scatter."""

    name: str
    x: float
    y: float
    low: float | None
    high: float | None
    colour: int
    shape: int


def frontier(points: Sequence[Point]) -> list[Point]:
    """Points that no other beats on both axes: the smaller x and the larger y are better. Cheapest first."""
    best: list[Point] = []
    for point in sorted(points, key=lambda each: (each.x, -each.y)):
        if not best or point.y > best[-1].y:
            best.append(point)
    return best


def scatter(points: Sequence[Point], *, x_name: str, y_name: str, money: bool = False) -> Markup:
    """Quality against cost on a field of WIDE x HIGH, intervals as whiskers, the efficient frontier as a stepped line.

    A name that finds no free place beside its mark is left to the pointer and to the table.
    """
    left, bottom, right = LEFT, 44, 12
    across = scale_of([point.x for point in points] + [0.0])
    ends = [end for point in points for end in (point.low, point.high, point.y) if end is not None]
    up = scale_of(ends)

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            round(left + (WIDE - left - right) * across.at(x) / 100, 1),
            round((HIGH - bottom) - (HIGH - bottom - 20) * up.at(y) / 100, 1),
        )

    parts: list[str] = []
    for tick in up.ticks:
        y = place(0, tick)[1]
        parts.append(f'<line class="grid" x1="{left}" x2="{WIDE - right}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="end" x="{left - 8}" y="{y + 4}">{wording.plain(tick)}</text>')
    for tick in across.ticks:
        if tick >= 0:
            x = place(tick, up.low)[0]
            shown = f"${wording.plain(tick)}" if money else wording.plain(tick)
            parts.append(f'<text class="middle" x="{x}" y="{HIGH - bottom + 18}">{shown}</text>')
    parts.append(f'<line class="base" x1="{left}" x2="{WIDE - right}" y1="{HIGH - bottom}" y2="{HIGH - bottom}"/>')
    parts.append(f'<text class="middle name" x="{(left + WIDE) / 2}" y="{HIGH - 6}">{escape(x_name)}</text>')
    parts.append(f'<text class="name" x="0" y="10">{escape(y_name)}</text>')
    edge = [place(point.x, point.y) for point in frontier(points)]
    if edge:
        steps = f"M{edge[0][0]} {edge[0][1]}" + "".join(f"H{x}V{y}" for x, y in edge[1:]) + f"H{WIDE - right}"
        parts.append(f'<path class="frontier" d="{steps}"/>')
    parts.extend(_placed(point, place) for point in points)
    parts.extend(_labels(points, [place(point.x, point.y) for point in points]))
    label = f"{y_name} against {x_name}; efficient: {', '.join(each.name for each in frontier(points))}"
    return Markup(
        f'<svg class="scatter" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(wording.clean(label))}">'
        f"{''.join(parts)}</svg>"
    )


def _placed(point: Point, place: Callable[[float, float], tuple[float, float]]) -> str:
    x, y = place(point.x, point.y)
    whisk = ""
    if point.low is not None and point.high is not None:
        ends = place(point.x, point.low)[1], place(point.x, point.high)[1]
        whisk = f'<line class="bar" x1="{x}" x2="{x}" y1="{ends[0]}" y2="{ends[1]}"/>'
    name = escape(wording.clean(point.name))
    return (
        f'<g class="s{point.colour}">{whisk}<g class="dot" transform="translate({x} {y})">'
        f"<title>{name}</title>{SHAPES[point.shape]}</g></g>"
    )


def _labels(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Names beside their marks, those of the frontier first, each where it covers no mark and no other name."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    first = frontier(points)
    for point, (x, y) in sorted(zip(points, places, strict=True), key=lambda pair: pair[0] not in first):
        name = wording.one_line(wording.clean(point.name), 24)
        wide = LETTER * len(name)
        for side, line in ((9, -6), (-9, -6), (9, 14), (-9, 14)):
            start = x + side if side > 0 else x + side - wide
            box = (start, y + line - 11, start + wide, y + line + 2)
            if box[0] >= LEFT and box[2] <= WIDE and not any(_meet(box, other) for other in taken):
                taken.append(box)
                kind = "label" if side > 0 else "end label"
                yield f'<text class="{kind}" x="{x + side}" y="{y + line}">{escape(name)}</text>'
                break


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
