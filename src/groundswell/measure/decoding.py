"""Plain JPEGs and PNGs by quick doors, everything else by `pictures`: the pixels are the same to the bit.

Decoding is most of the cost of a colour shift. simplejpeg and imagecodecs (extra `speed`) give the pixels that Pillow
gives in a third and two thirds of the time; they know nothing of turns, colour profiles, inks or alpha, so a file
that carries any goes the usual way.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundswell import pictures
from groundswell.perception.loading import optional

_simplejpeg, _imagecodecs = optional("simplejpeg"), optional("imagecodecs")

_JPEG_START, _JPEG_END = b"\xff\xd8", b"\xff\xd9"
_FRAMES = (0xC0, 0xC2)
"""Baseline and progressive frame headers."""
_SCAN = 0xDA
_PLAIN_SEGMENTS = {*_FRAMES, 0xC4, 0xDB, 0xDD, 0xE0, 0xFE}
"""Frames, Huffman and quantisation tables, restart interval, JFIF, comment: none turns or recolours a picture."""

_PNG_START = b"\x89PNG\r\n\x1a\n"
_PLAIN_HEADER = bytes([8, 2, 0, 0, 0])
"""8 bits, red green blue, not interlaced."""
_PLAIN_CHUNKS = {b"IHDR", b"IDAT", b"IEND", b"pHYs", b"tEXt", b"tIME", b"sRGB", b"gAMA", b"cHRM"}
"""Chunks that `pictures` too reads past; a text chunk that carries EXIF is told by its keyword."""

_TURNING_TEXTS = (b"Raw profile type", b"XML:com.adobe.xmp")


def decoded(data: bytes) -> NDArray[np.uint8]:
    """(h, w, 3) uint8 sRGB as `pictures.pixels` gives them. Raises UnreadablePicture."""
    try:
        if _simplejpeg is not None and _is_plain_jpeg(data):
            return _array(_simplejpeg.decode_jpeg(data, "RGB", fastdct=False, fastupsample=False))
        if _imagecodecs is not None and _is_plain_png(data):
            return _array(_imagecodecs.png_decode(data))
    except (ValueError, RuntimeError):
        pass  # damaged: `pictures` says in what way
    return pictures.pixels(data)


def _array(pixels: Any) -> NDArray[np.uint8]:
    return np.asarray(pixels, dtype=np.uint8)


def _is_plain_jpeg(data: bytes) -> bool:
    """Whole, with three 8-bit components, of a size that is decoded, and only plain segments before the scan."""
    if not (data.startswith(_JPEG_START) and data.endswith(_JPEG_END)):
        return False
    at, fits = 2, False
    while at + 10 <= len(data) and data[at] == 0xFF:
        kind, length = struct.unpack_from(">BH", data, at + 1)
        if kind == _SCAN:
            return fits
        if kind not in _PLAIN_SEGMENTS:
            return False
        if kind in _FRAMES:
            height, width, components = struct.unpack_from(">HHB", data, at + 5)
            fits = components == 3 and 0 < height * width <= pictures.MAX_PIXELS
        at += 2 + length
    return False


def _is_plain_png(data: bytes) -> bool:
    """Whole, 8-bit RGB, of a size that is decoded, and without chunks that could turn, recolour or see through it."""
    if not data.startswith(_PNG_START) or data[24:29] != _PLAIN_HEADER:
        return False
    width, height = struct.unpack_from(">II", data, 16)
    at, kind = len(_PNG_START), b""
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind not in _PLAIN_CHUNKS or (kind == b"tEXt" and data.startswith(_TURNING_TEXTS, at + 8)):
            return False
        at += 12 + length
    return kind == b"IEND" and at == len(data) and 0 < width * height <= pictures.MAX_PIXELS
