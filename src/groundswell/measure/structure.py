"""Structure distance: how differently two pictures are alike within themselves (METHODS, section 3).

Every cell of a picture is compared with every other by cosine; the two tables of similarities are then subtracted.
Colour and texture largely drop out, places do not. Which network made the cells is part of the column's name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.metric import GPU_SHARE, About, PictureMetric, Seen
from groundswell.perception.layout import EFFNET_LITE0, Layout, dino
from groundswell.records import Sample


def self_similarity(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosine of every cell, (n, channels), with every other: (n, n)."""
    unit = cells / np.maximum(np.linalg.norm(cells, axis=1, keepdims=True), 1e-8)
    similarity: NDArray[np.float32] = unit @ unit.T
    return similarity


def distances(before: NDArray[np.float32], after: NDArray[np.float32]) -> tuple[float, float]:
    """Mean squared difference (released code) and Frobenius norm (the text's word) of two (n, n) tables."""
    difference = (before - after).astype(np.float64)
    return float(np.mean(difference**2)), float(np.linalg.norm(difference))


def by_cell(before: NDArray[np.float32], after: NDArray[np.float32]) -> list[float] | None:
    """Mean squared difference of each cell's likeness to all others, row by row of the square of cells that lies over
    the picture; a network's extra first token is left out. None where the cells form no square."""
    cells = np.mean((before - after).astype(np.float64) ** 2, axis=1)
    side = math.isqrt(len(cells))
    if side * side != len(cells):
        cells, side = cells[1:], math.isqrt(len(cells) - 1)
    return [float(f"{cell:.3g}") for cell in cells] if side * side == len(cells) else None


class StructureDistance(PictureMetric):
    """The metric: `mse` is its value; over several inputs the largest distance counts."""

    name: ClassVar[str] = "structure"
    about: ClassVar[About] = About(
        better="lower",
        unit="mean squared difference of cosines",
        low=0.0,
        high=4.0,
        blind="what is finer than a 14th of the side; colour; the aspect ratio, since pictures are squeezed square",
    )

    def __init__(self, layout: Layout = EFFNET_LITE0, gallery: Gallery = GALLERY) -> None:
        super().__init__(layout.name, gallery)
        self._layout = layout

    @property
    def gpus(self) -> float:
        return 0.0 if self._layout is EFFNET_LITE0 else GPU_SHARE

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        after = self._similarity(output)
        before = [self._similarity(view) for view in inputs]
        by_input = [distances(each, after) for each in before]
        mse, frobenius = max(by_input)
        values = [value for value, _ in by_input]
        detail: dict[str, Any] = {"mse": mse, "frobenius": frobenius, "by_input": values}
        if (cells := by_cell(before[values.index(mse)], after)) is not None:
            detail["map"] = cells
        return Seen(value=mse, detail=detail)

    def _similarity(self, view: View) -> NDArray[np.float32]:
        return view.seen(("self-similarity", self.backend), lambda pixels: self_similarity(self._layout.cells(pixels)))


def with_dino(place: str | Path | None, digest: str | None, gallery: Gallery = GALLERY) -> StructureDistance:
    """The metric with DINO ViT-S/16 from a folder or hub id, and the sha256 of its weights file."""
    return StructureDistance(dino(place, digest), gallery)
