"""A picture that is made of several: where its panels are, by gutters and by seams.

A gutter is a strip of one colour along the whole picture whose neighbours are not of it. A seam is a line at which
everything changes. A single scene that is painted in two ways changes along a seam, too, but its shapes go on across
it; panels that merely stand side by side do not fit together, and only these are cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Box = tuple[int, int, int, int]
"""x1, y1, x2, y2 in pixels."""

LOOKED_AT = 640
"""Pixels of the longest side to which a picture is shrunk before it is looked at."""

UNIFORM = 9.0
"""Largest standard deviation, of 255, along a strip of one colour."""

CONTRAST = 14.0
"""Least mean difference, of 255, across an edge that everybody sees."""

ALONG = 0.6
"""Share of a gutter's length along which the edge beside it must be there."""

SEAM_ALONG = 0.7
"""The same for a seam without a gutter: photographs of scikit-image have up to 0.62 inside, and nineteen of twenty
pairs of them more between each other."""

LEAST_SHARE = 0.15
"""Of the width or height that a panel has at least."""

STANDS_OUT = 0.2
"""By how much more of a seam's length the colour must jump than it does at most lines on either side: within a grainy
or finely drawn part it jumps everywhere."""

GOES_ON = 1.8
"""How many standard deviations better the two sides of a line must agree as they lie than shifted against each other,
to be one scene. On photographs of scikit-image this keeps 98 of 100 scenes that are painted in two ways, and cuts 90
of 100 pairs of different ones."""

ACROSS_A_LINE = 2.0
"""The same where a strip of one colour parts the sides, which is most often a gutter."""

STRIP = 2
"""Columns on each side of a line that are compared."""

MISSES = 2
"""Rows by which shapes on both sides may miss each other: what is painted anew is not painted to the pixel."""

SHIFTED = 10
"""Rows from which a shift no longer shows the same shape."""

ABOUT_AS_WIDE = 0.1
"""Relative difference of the widths of two panels that show one scene twice."""

GRID = 24
"""Places along each side at which the shapes of two panels are compared."""

ALIKE = 0.45
"""Correlation of the shapes of two sides from which they show one scene twice. Halves of photographs of scikit-image
reach 0.41; of a photograph beside its treated self nine in ten are above 0.52."""

THIN = 0.02
"""Share of the width up to which a strip of one colour may be a line that is drawn across a scene."""

ONE_SIDE = 0.15
"""Share of a gutter's length along which its fainter edge must be there: a dark picture has none on black."""

AT_A_LINE = 4
"""Pixels around a drawn line within which a jump of colour is the line's own."""

NARROW = 0.05
"""Share of the width up to which a gutter may have such a faint edge; what is wider may belong to the dark picture."""

DEEPEST = 3
"""Cuts within cuts: rows of columns of rows."""


@dataclass(frozen=True)
class _Cut:
    """Where a region ends and the next begins, along one axis; `first` < `second` where a gutter lies between."""

    first: int
    second: int


def panels(pixels: NDArray[np.uint8]) -> list[Box]:
    """Boxes of the panels of (h, w, 3) uint8 RGB, row by row; one box, the whole, where it is a single picture."""
    height, width = pixels.shape[:2]
    scale = min(1.0, LOOKED_AT / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR), np.float32)
    found = _split(small, _without_margin(small), DEEPEST)
    if len(found) < 2:
        return [(0, 0, width, height)]
    return [
        (round(x1 / scale), round(y1 / scale), min(width, round(x2 / scale)), min(height, round(y2 / scale)))
        for x1, y1, x2, y2 in found
    ]


def shows_twice(one: NDArray[np.uint8], other: NDArray[np.uint8], sure: float = ALIKE) -> bool:
    """Whether two pictures (h, w, 3) of about the same shape show one scene, as before and after do."""
    shapes = [picture.shape[1] / picture.shape[0] for picture in (one, other)]
    if abs(shapes[0] - shapes[1]) > ABOUT_AS_WIDE * max(shapes):
        return False
    return _likeness(one.astype(np.float32), other.astype(np.float32)) >= sure


def _split(picture: NDArray[np.float32], box: Box, depth: int) -> list[Box]:
    """Panels within a region."""
    x1, y1, x2, y2 = box
    region = picture[y1:y2, x1:x2]
    if depth and min(region.shape[:2]) >= 32:
        for axis in (1, 0):  # side by side, then one under another
            cuts = _cuts(region if axis == 1 else region.transpose(1, 0, 2))
            if cuts:
                edges = [0, *(edge for cut in cuts for edge in (cut.first, cut.second)), region.shape[axis]]
                spans = list(zip(edges[::2], edges[1::2], strict=True))
                parts = [
                    (x1 + start, y1, x1 + end, y2) if axis == 1 else (x1, y1 + start, x2, y1 + end)
                    for start, end in spans
                ]
                return [inner for part in parts for inner in _split(picture, part, depth - 1)]
    return [box]


def _without_margin(picture: NDArray[np.float32]) -> Box:
    """The picture without the strips along its sides that have the colour of its corner."""
    differs = np.abs(picture - picture[0, 0]).max(axis=2) > CONTRAST
    columns, rows = np.flatnonzero(differs.any(axis=0)), np.flatnonzero(differs.any(axis=1))
    if not len(columns):
        return (0, 0, picture.shape[1], picture.shape[0])
    return (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)


def _cuts(region: NDArray[np.float32]) -> list[_Cut]:
    """Cuts between columns, left to right."""
    width = region.shape[1]
    least = max(8, int(LEAST_SHARE * width))
    gutters, lines = _gutters(region)
    found = [cut for cut in gutters if cut.first >= least and width - cut.second >= least]
    if not found:
        # The edges of a line that is drawn across a scene are no seams.
        seams = (cut for cut in _seams(region) if not any(_touch(cut, line) for line in lines))
        found = [cut for cut in seams if cut.first >= least and width - cut.second >= least]
    kept: list[_Cut] = []
    for cut in found:
        if not kept or cut.first - kept[-1].second >= least:
            kept.append(cut)
    return kept


def _touch(cut: _Cut, line: _Cut) -> bool:
    return line.first - AT_A_LINE <= cut.first <= line.second + AT_A_LINE


def _gutters(region: NDArray[np.float32]) -> tuple[list[_Cut], list[_Cut]]:
    """Strips of one colour along all rows, with another colour beside them on both sides along most rows: gutters, and
    lines that are drawn across a scene."""
    flat = region.std(axis=0).max(axis=1) <= UNIFORM
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flat, [False])).astype(np.int8)))
    gutters: list[_Cut] = []
    lines: list[_Cut] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if start < 2 or end > region.shape[1] - 2 or end - start > region.shape[1] // 3:
            continue
        colour = region[:, start:end].mean(axis=(0, 1))
        beside = (region[:, start - 2], region[:, end + 1])
        seen = [float((np.abs(column - colour).mean(axis=1) > CONTRAST).mean()) for column in beside]
        faintest = ONE_SIDE if end - start <= NARROW * region.shape[1] else ALONG
        if max(seen) >= ALONG and min(seen) >= faintest:
            thin = end - start <= THIN * region.shape[1]
            drawn = thin and _is_one_scene(region, start - 2, end + 1, ACROSS_A_LINE)
            (lines if drawn else gutters).append(_Cut(start, end))
    return gutters, lines


def _seams(region: NDArray[np.float32]) -> list[_Cut]:
    """Lines at which the colour jumps along most rows, more than anywhere near, and shapes do not go on."""
    jump = np.abs(region[:, 1:] - region[:, :-1]).mean(axis=2)
    along = (jump > CONTRAST).mean(axis=0)
    found = []
    for at in np.flatnonzero(along >= SEAM_ALONG).tolist():
        near = along[max(0, at - 4) : at + 5]
        usual = max(np.median(along[:at]) if at else 0.0, np.median(along[at + 1 :]) if at + 1 < len(along) else 0.0)
        if along[at] == near.max() and along[at] - usual >= STANDS_OUT and not _is_one_scene(region, at, at + 1):
            found.append(_Cut(at + 1, at + 1))
    return found


def _is_one_scene(region: NDArray[np.float32], left: int, right: int, sure: float = GOES_ON) -> bool:
    """Whether what is on both sides of a line is one scene that goes on, and not one that is shown twice: before and
    after have the same horizon, too."""
    return _goes_on(region, left, right, sure) and not _repeats(region[:, : left + 1], region[:, right:])


def _repeats(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    """Whether two sides of about the same width have their shapes at the same places."""
    if abs(one.shape[1] - other.shape[1]) > ABOUT_AS_WIDE * max(one.shape[1], other.shape[1]):
        return False
    return _likeness(one, other) >= ALIKE


def _likeness(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Correlation of what changes from place to place; 0 where one of them is of one colour."""
    first, second = (_shapes(side) for side in (one, other))
    if min(first.std(), second.std()) == 0:
        return 0.0
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1])


def _shapes(side: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much changes from place to place, on a small grid."""
    gray = Image.fromarray(side.mean(axis=2).astype(np.uint8)).resize((GRID, GRID), Image.Resampling.BOX)
    small = np.asarray(gray, np.float32)
    return np.asarray(np.log1p(np.hypot(*np.gradient(small))), np.float32)


def _goes_on(region: NDArray[np.float32], left: int, right: int, sure: float) -> bool:
    """Whether what changes from row to row left of a line changes at the same rows right of it, and at no others: the
    sides agree better as they lie than shifted against each other. `left` and `right` are the last and the first column
    beside the line."""
    one = _changes(region[:, max(0, left + 1 - STRIP) : left + 1])
    other = _changes(region[:, right : right + STRIP])
    rows = len(one)
    if min(one.std(), other.std()) == 0 or rows < 6 * SHIFTED:
        return False
    agreement = np.array([float((one * np.roll(other, shift)).mean()) for shift in range(rows)])
    as_it_lies = max(agreement[: MISSES + 1].max(), agreement[-MISSES:].max())
    shifted = agreement[SHIFTED:-SHIFTED]
    return bool(as_it_lies - shifted.mean() >= sure * shifted.std())


def _changes(strip: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much a strip changes from row to row in its strongest channel, noise smoothed away; mean 0."""
    profile = strip.mean(axis=1)
    profile = (profile[:-2] + profile[1:-1] + profile[2:]) / 3
    steps = np.log1p(np.abs(np.diff(profile, axis=0)).max(axis=1))
    steps = (steps[:-2] + steps[1:-1] + steps[2:]) / 3
    return np.asarray(steps - steps.mean(), np.float32)
