"""Encode pixels, and fit a picture's bytes to what a host accepts.

Bytes that fit are passed on untouched. Re-encoding loses alpha, profile, animation and metadata, because it starts
from normalised pixels; the caller is told that it happened.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from io import BytesIO
from typing import Final, NamedTuple

import msgspec
import numpy as np
from PIL import Image

from groundswell.pictures.reading import Facts, Pixels, facts, pixels

QUALITIES: Final = (95, 85, 75)
"""JPEG qualities tried in turn before a picture is made smaller."""

SHRINK: Final = 0.8
"""Factor on both sides when no quality fits."""

COPY_SIDE: Final = 1024
"""Longest side, in pixels, of the copy that people compare (METHODS, section 4)."""

SMALLEST_SIDE: Final = 16
"""A limit that asks for less than this is a mistake, not a limit."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a host accepts of one picture; None = it does not limit that."""

    base64_bytes: int | None = None
    """Characters of the picture in base64."""
    pixels: int | None = None
    """Width times height."""
    longest_side: int | None = None
    media_types: tuple[str, ...] | None = None


class Fitted(NamedTuple):
    """A picture within limits; `changed` says that these are not the original bytes."""

    data: bytes
    media_type: str
    changed: bool


def encode_png(pixels: Pixels, *, level: int = 1) -> bytes:
    """PNG of (h, w, 3) or (h, w) uint8 pixels; level 1 is 3x faster than 6 and about a tenth larger."""
    return _saved(pixels, "PNG", compress_level=level)


def encode_jpeg(pixels: Pixels, *, quality: int = 90) -> bytes:
    """JPEG of (h, w, 3) uint8 pixels; colour is kept at full resolution (4:4:4) from quality 90 on, halved below."""
    return _saved(pixels, "JPEG", quality=quality, subsampling=0 if quality >= 90 else 2)


def scaled(picture: Pixels, width: int, height: int) -> Pixels:
    """Resampled to a size with Lanczos' kernel, which averages when it makes smaller."""
    return np.array(Image.fromarray(picture).resize((width, height), Image.Resampling.LANCZOS))


def smaller_copy(data: bytes) -> bytes | None:
    """PNG of a picture whose longest side is COPY_SIDE, the same bytes for the same picture; None where the picture is
    no larger, because nothing is ever made larger. Raises UnreadablePicture."""
    found = facts(data)
    longest = max(found.width, found.height)
    if longest <= COPY_SIDE:
        return None
    width, height = (max(1, round(side * COPY_SIDE / longest)) for side in (found.width, found.height))
    return encode_png(scaled(pixels(data), width, height))


def within(data: bytes, limits: Limits) -> Fitted:
    """The picture as the host takes it: the original bytes when they fit, else re-encoded with as little loss as fits.

    A lossless source stays PNG where that fits, else JPEG with falling quality, then smaller. Raises UnreadablePicture,
    and ValueError when the limits leave no room for a picture.
    """
    found = facts(data)
    if _fits(found, data, limits):
        return Fitted(data, found.media_type, changed=False)
    original = pixels(data)
    height, width = original.shape[:2]
    scale = _scale(width, height, limits)
    while min(width, height) * scale >= 1 and max(width, height) * scale >= min(SMALLEST_SIDE, width, height):
        size = (max(1, int(width * scale + 1e-9)), max(1, int(height * scale + 1e-9)))  # 1e-9: 0.1 * 10 is 1
        smaller = original if size == (width, height) else scaled(original, *size)
        for encoded, media_type in _encodings(smaller, found, limits):
            if limits.base64_bytes is None or _base64_length(encoded) <= limits.base64_bytes:
                return Fitted(encoded, media_type, changed=True)
        scale *= SHRINK
    raise ValueError(f"no encoding of a {width} x {height} picture fits {limits}")


def _saved(pixels: Pixels, kind: str, **options: int) -> bytes:
    out = BytesIO()
    Image.fromarray(pixels).save(out, kind, **options)
    return out.getvalue()


def _base64_length(data: bytes) -> int:
    return (len(data) + 2) // 3 * 4


def _fits(found: Facts, data: bytes, limits: Limits) -> bool:
    return (
        (limits.media_types is None or found.media_type in limits.media_types)
        and (limits.base64_bytes is None or _base64_length(data) <= limits.base64_bytes)
        and _scale(found.width, found.height, limits) == 1.0
    )


def _scale(width: int, height: int, limits: Limits) -> float:
    """Largest factor (at most 1) that brings the size within the limits."""
    by_side = 1.0 if limits.longest_side is None else limits.longest_side / max(width, height)
    by_area = 1.0 if limits.pixels is None else math.sqrt(limits.pixels / (width * height))
    return min(1.0, by_side, by_area)


def _encodings(picture: Pixels, found: Facts, limits: Limits) -> Iterator[tuple[bytes, str]]:
    """Candidates from the least loss to the most, among the accepted types."""

    def accepted(media_type: str) -> bool:
        return limits.media_types is None or media_type in limits.media_types

    lossless = found.media_type not in ("image/jpeg", "image/webp", "image/avif", "image/jp2")
    if accepted("image/png") and (lossless or not accepted("image/jpeg")):
        yield encode_png(picture, level=6), "image/png"
    if accepted("image/jpeg"):
        for quality in QUALITIES:
            yield encode_jpeg(picture, quality=quality), "image/jpeg"
