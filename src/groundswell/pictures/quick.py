"""Plain JPEGs and PNGs by quick doors: the pixels that Pillow gives, to the bit, in a third to half of the time.

simplejpeg, imagecodecs and numba (extra `speed`) know nothing of turns, colour profiles, inks or alpha, so a file that
carries any, or that is damaged, is not read here; `reading` reads it and says what is wrong.
"""

from __future__ import annotations

import importlib
import struct
from importlib.util import find_spec
from itertools import count
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray


def _optional(module: str) -> Any:
    return importlib.import_module(module) if find_spec(module) else None


_simplejpeg, _imagecodecs = _optional("simplejpeg"), _optional("imagecodecs")

WORTH_COMPILING = 200
"""PNGs of this process after which loading numba (0.4 s of CPU) costs less than it saves."""

_pngs = count(1)

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
"""Chunks that `reading` too reads past; a text chunk that carries EXIF is told by its keyword."""

_TURNING_TEXTS = (b"Raw profile type", b"XML:com.adobe.xmp")


def quick_pixels(data: bytes, *, most: int) -> NDArray[np.uint8] | None:
    """(h, w, 3) uint8 sRGB of a plain picture of at most `most` pixels; None = it must be read the usual way."""
    try:
        if _simplejpeg is not None and _is_plain_jpeg(data, most):
            return np.asarray(_simplejpeg.decode_jpeg(data, "RGB", fastdct=False, fastupsample=False), dtype=np.uint8)
        if _imagecodecs is not None and _is_plain_png(data, most):
            if next(_pngs) > WORTH_COMPILING and find_spec("numba"):
                return unpacked_png(data)
            return np.asarray(_imagecodecs.png_decode(data), dtype=np.uint8)
    except (ValueError, RuntimeError):
        pass  # damaged
    return None


def unpacked_png(data: bytes) -> NDArray[np.uint8]:
    """Pixels of a plain PNG, inflated by libdeflate and unfiltered by numba. Raises ValueError or RuntimeError."""
    from groundswell.pictures.compiled_png import unfilter

    width, height = struct.unpack_from(">II", data, 16)
    size = height * (1 + 3 * width)
    packed = b"".join(body for name, body in _sound_chunks(data) if name == b"IDAT")
    rows = np.frombuffer(_imagecodecs.deflate_decode(packed, out=size), np.uint8)
    if rows.size != size:
        raise ValueError("rows are missing")
    return unfilter(rows.reshape(height, 1 + 3 * width))


def _sound_chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """Name and body of every chunk. Raises ValueError where a checksum is wrong."""
    found, at = [], len(_PNG_START)
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + length]
        if crc32(body, crc32(name)) != int.from_bytes(data[at + 8 + length : at + 12 + length], "big"):
            raise ValueError(f"the checksum of {name!r} is wrong")
        found.append((name, body))
        at += 12 + length
    return found


def _is_plain_jpeg(data: bytes, most: int) -> bool:
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
            fits = components == 3 and 0 < height * width <= most
        at += 2 + length
    return False


def _is_plain_png(data: bytes, most: int) -> bool:
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
    return kind == b"IEND" and at == len(data) and 0 < width * height <= most
