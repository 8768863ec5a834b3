"""What an edit should have left alone: the background, the aspect ratio, the resolution; and whether it did anything.

These compare pixels with the first input; they know nothing of what was asked for beyond a declared region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.metric import About, Inapplicable, PictureMetric, Seen
from groundswell.records import Json, Sample

REGION = "unchanged_outside"
"""Name of the check that says where pixels may change: `box`, `boxes`, or `mask` (an input's number, white may)."""

COPY_SIDE = 128
"""Longest side, in pixels, on which input and output are compared for a near-copy: re-encoding vanishes at it."""

COPY_LEVELS = 2.0
"""Mean difference in levels under which an output counts as a copy of its input."""


class Background(PictureMetric):
    """Mean absolute difference outside the region that may change, at the input's size."""

    name: ClassVar[str] = "background"
    about: ClassVar[About] = About(
        better="lower",
        unit="levels of 0..255",
        low=0.0,
        high=255.0,
        blind="shifts by a pixel count like repainting; what the region should have covered",
    )

    def __init__(self, gallery: Gallery = GALLERY) -> None:
        super().__init__("mean absolute difference", gallery)

    def applies(self, sample: Sample) -> str | None:
        return super().applies(sample) or (None if _region_args(sample) is not None else "no region is declared")

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        args = _region_args(sample)
        if args is None:
            raise Inapplicable("no region is declared")
        source = inputs[0].pixels
        outside = ~_may_change(args, inputs)
        if not outside.any():
            raise Inapplicable("the region covers the whole picture")
        off = np.abs(source.astype(np.int16) - resized(output.pixels, *inputs[0].size)).mean(axis=2)[outside]
        return Seen(value=float(off.mean()), detail={"outside": float(outside.mean()), "largest": float(off.max())})


def _region_args(sample: Sample) -> Mapping[str, Json] | None:
    return next((check.args for check in sample.checks if check.name == REGION), None)


def _may_change(args: Mapping[str, Json], inputs: Sequence[View]) -> NDArray[np.bool_]:
    width, height = inputs[0].size
    if "mask" in args:
        number = int(args["mask"])
        if not 0 <= number < len(inputs):
            raise Inapplicable(f"the mask is input {number}, which the sample does not have")
        white: NDArray[np.bool_] = resized(inputs[number].pixels, width, height).mean(axis=2) >= 128
        return white
    region = np.zeros((height, width), dtype=bool)
    for x1, y1, x2, y2 in args.get("boxes") or [args["box"]]:
        region[max(0, y1) : y2, max(0, x1) : x2] = True
    return region


class AspectRatio(PictureMetric):
    """By what factor the aspect ratio changed, less one: 0 = kept, 0.5 = one and a half times wider or taller."""

    name: ClassVar[str] = "aspect"
    about: ClassVar[About] = About(
        better="lower", unit="factor - 1", low=0.0, high=None, blind="whether another ratio was asked for; crops"
    )

    def __init__(self, gallery: Gallery = GALLERY) -> None:
        super().__init__("size", gallery)

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        before, after = (width / height for width, height in (inputs[0].size, output.size))
        factor = max(after / before, before / after)
        return Seen(value=factor - 1, detail={"input": list(inputs[0].size), "output": list(output.size)})


class Resolution(PictureMetric):
    """Pixels of the output for every pixel of the input."""

    name: ClassVar[str] = "resolution"
    about: ClassVar[About] = About(
        better="higher", unit="pixels a pixel", low=0.0, high=None, blind="detail: an enlarged picture has as many"
    )

    def __init__(self, gallery: Gallery = GALLERY) -> None:
        super().__init__("size", gallery)

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        before, after = (width * height for width, height in (inputs[0].size, output.size))
        return Seen(value=after / before, detail={"input": list(inputs[0].size), "output": list(output.size)})


class NearCopy(PictureMetric):
    """Mean absolute difference from the nearest input, on small copies; under COPY_LEVELS the model did nothing."""

    name: ClassVar[str] = "near_copy"
    about: ClassVar[About] = About(
        better="neither",
        unit="levels of 0..255",
        low=0.0,
        high=255.0,
        blind="small edits: a changed word in a large picture looks like a copy",
    )

    def __init__(self, gallery: Gallery = GALLERY) -> None:
        super().__init__("mean absolute difference", gallery)

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        by_input = [_small_difference(view, output) for view in inputs]
        nearest = min(by_input)
        return Seen(value=nearest, detail={"copy": nearest < COPY_LEVELS, "by_input": by_input})


def _small_difference(view: View, output: View) -> float:
    scale = min(1.0, COPY_SIDE / max(view.size))
    width, height = (max(1, round(side * scale)) for side in view.size)
    before, after = (resized(each.pixels, width, height).astype(np.int16) for each in (view, output))
    return float(np.abs(before - after).mean())


def resized(pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """(h, w, 3) uint8 at another size; a picture that has it already is returned as it is."""
    if pixels.shape[:2] == (height, width):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.BOX))
