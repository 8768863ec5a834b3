"""Pictures as voters see them: one format, one canvas for all outputs of a sample, one number of bytes.

Whatever could tell models apart besides the picture itself is taken away: file names, metadata, compression, pixel
size, and length. Bytes come from a function; whose picture it is is not known here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

import numpy as np

from groundswell.pictures import Pixels, encode_jpeg, pixels, scaled

LONGEST_SIDE = 1024
"""Of the canvas, in pixels (METHODS, section 4)."""

GROUND = 128
"""Grey of the canvas where a picture does not fill it: neither the page's light nor its dark."""

LENGTH = 320 * 1024
"""Bytes of every picture that is sent; a photograph of the canvas' size needs 150 to 300 thousand at quality 90."""

QUALITIES = (92, 85, 75, 60, 40, 20, 5)

MEDIA_TYPE = "image/jpeg"

CACHE_BYTES = 256 * 1024 * 1024

COMMENT = b"\xff\xfe"
END = b"\xff\xd9"
MOST_IN_COMMENT = 65_533


def canvas(width: int, height: int) -> tuple[int, int]:
    """Width and height of the canvas for a wanted size: the same shape, the longest side LONGEST_SIDE."""
    scale = LONGEST_SIDE / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def on_canvas(picture: Pixels, size: tuple[int, int]) -> Pixels:
    """The whole picture, as large as it fits, in the middle of the canvas."""
    width, height = size
    tall, wide = picture.shape[:2]
    scale = min(width / wide, height / tall)
    inner = (max(1, round(wide * scale)), max(1, round(tall * scale)))
    fitted = picture if inner == (wide, tall) else scaled(picture, *inner)
    if inner == size:
        return fitted
    ground = np.full((height, width, 3), GROUND, dtype=np.uint8)
    top, left = (height - inner[1]) // 2, (width - inner[0]) // 2
    ground[top : top + inner[1], left : left + inner[0]] = fitted
    return ground


def disguised(data: bytes, size: tuple[int, int]) -> bytes:
    """The picture as JPEG on its canvas, LENGTH bytes long: the best quality that fits, then comments of zeros."""
    ground = on_canvas(pixels(data), size)
    encoded = b""
    for quality in QUALITIES:
        encoded = encode_jpeg(ground, quality=quality)
        if len(encoded) <= LENGTH - 4:
            break
    return padded(encoded, LENGTH)


def padded(jpeg: bytes, length: int) -> bytes:
    """A JPEG with comment segments before its end, `length` bytes long; one that is longer stays as it is."""
    missing = length - len(jpeg)
    body = [jpeg.removesuffix(END)]
    while missing >= 4:
        inside = min(missing - 4, MOST_IN_COMMENT - 2)
        if 0 < missing - 4 - inside < 4:
            inside -= 4  # what is left must have room for a segment of its own
        body.append(COMMENT + (inside + 2).to_bytes(2, "big") + bytes(inside))
        missing -= inside + 4
    return b"".join(body) + END


class Gallery:
    """Disguised pictures, the latest kept in memory. Safe for several threads."""

    def __init__(self, load: Callable[[str], bytes]) -> None:
        self._load = load
        self._kept: OrderedDict[tuple[str, tuple[int, int]], bytes] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def kept(self, digest: str, size: tuple[int, int]) -> bytes | None:
        """The picture, if it is at hand."""
        with self._lock:
            if (data := self._kept.get((digest, size))) is not None:
                self._kept.move_to_end((digest, size))
            return data

    def show(self, digest: str, size: tuple[int, int]) -> bytes:
        """The picture of a digest on a canvas. Raises StoreError when its bytes are gone."""
        if (found := self.kept(digest, size)) is not None:
            return found
        data = disguised(self._load(digest), size)
        with self._lock:
            if (digest, size) not in self._kept:
                self._kept[digest, size] = data
                self._size += len(data)
            while self._size > CACHE_BYTES:
                self._size -= len(self._kept.popitem(last=False)[1])
        return data
