"""The complaint "it looks like plastic", as a metric: how much of the input's fine texture an edit has lost.

Texture is what a small blur takes away. The measure knows nothing of what the picture shows.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from groundswell.measure.gallery import View
from groundswell.measure.metric import About, Inapplicable, PictureMetric, Seen
from groundswell.records import Sample

SIDE = 512
"""Longest side, in pixels, at which both pictures are looked at, so that enlarging counts as no loss."""

BLUR = 1.0
"""Radius, in pixels, of the blur that takes texture away."""

FLAT = 0.5
"""Levels of texture below which an input has none to lose: a drawing on flat ground."""


class Plastic(PictureMetric):
    """Share of the first input's texture that is gone: 0 = all there, 1 = smooth as plastic."""

    name = "plastic"
    version = 1
    about = About(
        better="lower",
        unit="share of texture",
        low=0.0,
        high=1.0,
        blind="texture of another kind; noise counts as texture",
    )

    def __init__(self) -> None:
        super().__init__("blur residue")

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        before = inputs[0].seen("texture", texture)
        if before < FLAT:
            raise Inapplicable("the input has no texture to lose")
        after = output.seen("texture", texture)
        return Seen(value=max(0.0, 1 - after / before), detail={"input": before, "output": after})


def texture(pixels: NDArray[np.uint8]) -> float:
    """Mean absolute difference of a picture, (h, w, 3) uint8, from its blurred self, in levels."""
    image = Image.fromarray(pixels).convert("L")
    image.thumbnail((SIDE, SIDE))
    smooth = image.filter(ImageFilter.GaussianBlur(BLUR))
    return float(np.abs(np.asarray(image, dtype=float) - np.asarray(smooth, dtype=float)).mean())
