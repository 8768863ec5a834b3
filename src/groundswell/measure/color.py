"""Colour shift: how far the mean colour of the output lies from that of the first input (METHODS, section 3).

All counting is in integers, so histograms may be summed in any order, on any number of machines, with the same
result. It knows nothing of where colour sits in the picture, and sizes do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.intervals import Interval, bootstrap
from groundswell.measure.metric import About, Inapplicable, PictureMetric, Seen
from groundswell.records import Json, Sample

LOW, HIGH = 5, 250
"""First and last level that count: nearly black and nearly white are frames, letterboxes and paper."""

CHANNELS = ("red", "green", "blue")

_LEVELS = np.arange(LOW, HIGH + 1, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of levels by channel: `counts` is (3, 256), int64, red green blue."""

    counts: NDArray[np.int64]

    @classmethod
    def of(cls, pixels: NDArray[np.uint8]) -> Histogram:
        """Histogram of one picture, (h, w, 3) uint8 sRGB."""
        # Pillow counts four times faster than numpy.bincount, and exactly, where OpenCV counts in floats.
        return cls(np.array(Image.fromarray(pixels).histogram(), dtype=np.int64).reshape(3, 256))

    @classmethod
    def from_lists(cls, counts: Sequence[Sequence[int]]) -> Histogram:
        """The inverse of `to_lists`."""
        return cls(np.array(counts, dtype=np.int64).reshape(3, 256))

    @classmethod
    def total(cls, histograms: Iterable[Histogram]) -> Histogram:
        """Sum of any number of histograms; of none: all zero."""
        return sum(histograms, cls(np.zeros((3, 256), dtype=np.int64)))

    def to_lists(self) -> list[list[int]]:
        """Three lists of 256 counts, for a record."""
        rows: list[list[int]] = self.counts.tolist()
        return rows

    def __add__(self, other: Histogram) -> Histogram:
        return Histogram(self.counts + other.counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def moments(self) -> NDArray[np.int64]:
        """(2, 3): by channel, how many pixels lie in LOW..HIGH, and the sum of their levels."""
        middle = self.counts[:, LOW : HIGH + 1]
        return np.stack([middle.sum(axis=1), middle @ _LEVELS])

    def means(self, side: str) -> NDArray[np.float64]:
        """Mean level of each channel over LOW..HIGH, (3,). Raises Inapplicable where a channel has no such pixel."""
        count, total = self.moments
        empty = [name for name, n in zip(CHANNELS, count, strict=True) if n == 0]
        if empty:
            raise Inapplicable(f"the {side} has no pixel with {' or '.join(empty)} between {LOW} and {HIGH}")
        means: NDArray[np.float64] = total / count
        return means


def shift(before: Sequence[float] | NDArray[np.float64], after: Sequence[float] | NDArray[np.float64]) -> float:
    """Euclidean distance of two mean colours, in levels: 0 = same mean, at most 245 * sqrt(3)."""
    return float(np.linalg.norm(np.asarray(after, dtype=float) - np.asarray(before, dtype=float)))


@dataclass(frozen=True)
class Pair:
    """Histograms of an input and an output: of one pair, or summed over many (then it is the set level)."""

    input: Histogram
    output: Histogram

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.input + other.input, self.output + other.output)

    @property
    def means(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean colours of input and output. Raises Inapplicable where one has none."""
        return self.input.means("input"), self.output.means("output")

    @property
    def magnitude(self) -> float:
        """The colour shift. Raises Inapplicable where a side has no mean colour."""
        return shift(*self.means)


def measure_pair(input_pixels: NDArray[np.uint8], output_pixels: NDArray[np.uint8]) -> Pair:
    """The sample level: one input (the first) against one output, both (h, w, 3) uint8 sRGB of any size."""
    return Pair(Histogram.of(input_pixels), Histogram.of(output_pixels))


def pooled(pairs: Iterable[Pair]) -> Pair:
    """The set level: the counts of all pairs, summed."""
    nothing = Histogram.total([])
    return sum(pairs, Pair(nothing, nothing))


def set_interval(pairs: Sequence[Pair], *, draws: int = 1000, seed: int = 0) -> Interval:
    """Bootstrap interval of the set level over samples: pairs are drawn with replacement, then pooled."""
    moments = np.array([np.stack([pair.input.moments, pair.output.moments]) for pair in pairs], dtype=float)

    def magnitudes(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        count, total = np.moveaxis(np.tensordot(weights, moments, axes=1), 2, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = total / count
        distances: NDArray[np.float64] = np.linalg.norm(means[:, 1] - means[:, 0], axis=1)
        return distances

    return bootstrap(len(pairs), magnitudes, draws=draws, seed=seed)


class Color(PictureMetric):
    """The metric: sample level as its value, histograms in its detail for the set level."""

    name: ClassVar[str] = "color"
    about: ClassVar[About] = About(
        better="lower",
        unit="levels of 0..255",
        low=0.0,
        high=(HIGH - LOW) * 3**0.5,
        blind="where the colour is; shifts that cancel in the mean; anything nearly black or nearly white",
    )

    def __init__(self, gallery: Gallery = GALLERY) -> None:
        super().__init__("histogram", gallery)

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        pair = Pair(inputs[0].seen("histogram", Histogram.of), output.seen("histogram", Histogram.of))
        before, after = pair.means
        histograms = {"input": pair.input.to_lists(), "output": pair.output.to_lists()}
        means = {"input_mean": before.tolist(), "output_mean": after.tolist()}
        return Seen(value=shift(before, after), detail={**means, "histograms": histograms})


def pair_of(detail: Mapping[str, Json]) -> Pair:
    """The histograms that the metric kept in a measurement's detail."""
    kept = detail["histograms"]
    return Pair(Histogram.from_lists(kept["input"]), Histogram.from_lists(kept["output"]))
