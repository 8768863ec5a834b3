"""How alike two pictures are, by measures that each forgive something else, and how much detail and colour one has.

With rmse over pixels and channels and sigma the reference's own deviation,

    likeness(a, reference) = max(0, 1 - rmse / sigma)       1 = the same, 0 = no nearer than a flat picture
    structure(a, b) = max(0, Pearson's r of the lumas)      blind to brightness, contrast and colour
    recolouring(a, b)                                       1 = a is b with other colours and nothing else

The first two look at copies of at most `COMPARED_SIDE` pixels, so that a shift by part of a pixel does not decide.
Nothing here knows what an edit was asked for.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from groundswell import pictures
from groundswell.pictures import Pixels

COMPARED_SIDE: Final = 256
"""Longest side, in pixels, of the copies that likeness and structure look at."""

FITTED_PIXELS: Final = 20_000
"""About how many pixels, on an even grid, the recolouring is fitted on."""

Array = NDArray[Any]


def likeness(picture: Pixels, reference: Pixels, side: int = COMPARED_SIDE) -> float:
    """0..1, see the module, on copies of at most `side` pixels. Raises ValueError for a flat reference."""
    height, width = reference.shape[:2]
    wanted = _small(reference, width, height, side).astype(np.float32)
    spread = float(np.sqrt(np.mean((wanted - wanted.mean(axis=(0, 1))) ** 2)))
    if spread < 1:
        raise ValueError("the reference is a flat picture")
    error = float(np.sqrt(np.mean((_small(picture, width, height, side) - wanted) ** 2)))
    return max(0.0, 1 - error / spread)


def structure(picture: Pixels, reference: Pixels) -> float:
    """0..1, see the module; a flat picture has no structure and scores 0."""
    height, width = reference.shape[:2]
    one = luma(_small(picture, width, height, COMPARED_SIDE)).ravel().astype(np.float64)
    other = luma(_small(reference, width, height, COMPARED_SIDE)).ravel().astype(np.float64)
    one, other = one - one.mean(), other - other.mean()
    norm = float(np.sqrt((one @ one) * (other @ other)))
    return max(0.0, float(one @ other) / norm) if norm > 1e-6 else 0.0


def recolouring(picture: Pixels, reference: Pixels) -> float:
    """0..1, for two pictures of one size, at full resolution; a flat picture scores 0.

    Each channel is fitted by least squares from powers and products of the reference's channels; 1 - rmse / sigma of
    what the fit leaves. Tone curves leave almost nothing; compression, dark corners and other content are left over.
    """
    step = max(1, math.isqrt(picture.shape[0] * picture.shape[1] // FITTED_PIXELS))
    wanted, rgb = (p[::step, ::step].reshape(-1, 3).astype(np.float64) / 255 for p in (picture, reference))
    spread = float(np.sqrt(np.mean((wanted - wanted.mean(axis=0)) ** 2)))
    if spread < 1 / 255:
        return 0.0
    products = rgb * np.roll(rgb, 1, axis=1)
    terms = np.concatenate([np.ones((len(rgb), 1)), rgb**0.5, rgb, rgb**2, rgb**3, products], axis=1)
    fitted = terms @ np.linalg.lstsq(terms, wanted)[0]
    return max(0.0, 1 - float(np.sqrt(np.mean((wanted - fitted) ** 2))) / spread)


def detail(picture: Pixels, where: NDArray[np.bool_] | None = None) -> float:
    """Energy of the fine detail: mean square of the Laplacian of the luma, without the outermost pixels.

    `where` confines it to a part. Raises ValueError when no pixel is left.
    """
    gray = luma(picture)
    if min(gray.shape) < 3:
        raise ValueError("the region is too small to have detail")
    around = gray[:-2, 1:-1] + gray[2:, 1:-1] + gray[1:-1, :-2] + gray[1:-1, 2:]
    squares = (4 * gray[1:-1, 1:-1] - around) ** 2
    chosen = squares if where is None else squares[where[1:-1, 1:-1]]
    if not chosen.size:
        raise ValueError("the region is too small to have detail")
    return float(chosen.mean())


def chroma(picture: Pixels) -> float:
    """Mean spread of the channels, in levels: 0 for gray."""
    return float(np.mean(picture.max(axis=2).astype(np.int16) - picture.min(axis=2)))


def luma(picture: Pixels) -> Array:
    """Rec. 601 luma, float32, 0..255."""
    weighted: Array = picture @ np.array([0.299, 0.587, 0.114], np.float32)
    return weighted


def at_size(picture: Pixels, width: int, height: int) -> Pixels:
    """The picture itself where it has that size, else resampled."""
    return picture if picture.shape[:2] == (height, width) else pictures.scaled(picture, width, height)


def _small(picture: Pixels, width: int, height: int, side: int) -> Pixels:
    """A copy of at most `side` pixels, for a picture that is to be compared with one of width x height."""
    factor = min(1.0, side / max(width, height))
    return at_size(picture, max(1, round(width * factor)), max(1, round(height * factor)))
