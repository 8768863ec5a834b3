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

GOES_ON = 0.35
"""Correlation of the shapes on both sides of a seam from which they are one scene. On photographs of
scikit-image it keeps nine of ten scenes that are painted in two ways, and cuts nine of ten pairs of different ones."""

SMOOTH = 7
"""Rows over which shapes on both sides of a seam may miss each other."""

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
    found = [cut for cut in _gutters(region) if cut.first >= least and width - cut.second >= least]
    if not found:
        found = [cut for cut in _seams(region) if cut.first >= least and width - cut.second >= least]
    kept: list[_Cut] = []
    for cut in found:
        if not kept or cut.first - kept[-1].second >= least:
            kept.append(cut)
    return kept


def _gutters(region: NDArray[np.float32]) -> list[_Cut]:
    """Strips of one colour along all rows, with another colour beside them on both sides along most rows."""
    flat = region.std(axis=0).max(axis=1) <= UNIFORM
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flat, [False])).astype(np.int8)))
    found = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if start < 2 or end > region.shape[1] - 2 or end - start > region.shape[1] // 3:
            continue
        colour = region[:, start:end].mean(axis=(0, 1))
        beside = (region[:, start - 2], region[:, end + 1])
        seen = [float((np.abs(column - colour).mean(axis=1) > CONTRAST).mean()) for column in beside]
        if min(seen) >= ALONG:
            found.append(_Cut(start, end))
    return found


def _seams(region: NDArray[np.float32]) -> list[_Cut]:
    """Lines at which the colour jumps along most rows, more than anywhere near, and shapes do not go on."""
    jump = np.abs(region[:, 1:] - region[:, :-1]).mean(axis=2)
    along = (jump > CONTRAST).mean(axis=0)
    found = []
    for at in np.flatnonzero(along >= SEAM_ALONG).tolist():
        near = along[max(0, at - 4) : at + 5]
        if along[at] == near.max() and not _goes_on(region, at):
            found.append(_Cut(at + 1, at + 1))
    return found


def _goes_on(region: NDArray[np.float32], at: int) -> bool:
    """Whether what changes from row to row on the left of a seam changes at the same rows on its right."""
    sides = region[:, max(0, at - 1) : at + 1], region[:, at + 1 : at + 3]
    left, right = (_changes(side.mean(axis=(1, 2))) for side in sides)
    if min(left.std(), right.std()) == 0:
        return False
    return float(np.corrcoef(left, right)[0, 1]) >= GOES_ON


def _changes(profile: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much a profile changes from row to row, noise and the last pixel's place smoothed away."""
    steps = np.abs(np.diff(np.convolve(profile, np.full(3, 1 / 3), "valid")))
    return np.asarray(np.convolve(steps, np.full(SMOOTH, 1 / SMOOTH), "valid"), np.float32)
