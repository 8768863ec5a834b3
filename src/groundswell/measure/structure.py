"""Structure distance: how differently two pictures are alike within themselves (METHODS, section 3).

Every cell of a picture is compared with every other by cosine; the two tables of similarities are then subtracted.
Colour and texture largely drop out, places do not. Which network made the cells is part of the column's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.metric import About, PictureMetric, Seen
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

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        after = self._similarity(output)
        by_input = [distances(self._similarity(view), after) for view in inputs]
        mse, frobenius = max(by_input)
        return Seen(
            value=mse,
            detail={"mse": mse, "frobenius": frobenius, "by_input": [value for value, _ in by_input]},
        )

    def _similarity(self, view: View) -> NDArray[np.float32]:
        return view.seen(("self-similarity", self.backend), lambda pixels: self_similarity(self._layout.cells(pixels)))


def with_dino(place: str | Path | None, digest: str | None, gallery: Gallery = GALLERY) -> StructureDistance:
    """The metric with DINO ViT-S/16 from a folder or hub id, and the sha256 of its weights file."""
    return StructureDistance(dino(place, digest), gallery)
