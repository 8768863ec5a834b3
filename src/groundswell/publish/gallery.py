"""Pictures as files: the original bytes under their digest, and a small JPEG of each for the pages.

Files are named by the first digits of their digest and never change, so a picture is made once. Which pictures may be
passed on is decided before they come here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from PIL import Image

from groundswell import files, pictures, ports
from groundswell.errors import StoreError
from groundswell.records import Part

DIGITS: Final = 24
"""Hex digits of a digest in a file's name: 96 bits."""

THUMB_SIDE: Final = 512
"""Longest side of a small picture in pixels: about 240 on the page, twice that on dense screens."""

THUMB_QUALITY: Final = 82

EXTENSIONS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "image/avif": "avif",
    "image/bmp": "bmp",
}
"""Types that browsers draw; others are shown by their small picture only."""

MANIFEST = "pictures.json"


class Shown(Part, frozen=True, kw_only=True):
    """A picture that the folder holds."""

    file: str | None
    """Original bytes, relative to the folder; None = browsers do not draw this type."""
    thumb: str
    thumb_width: int
    thumb_height: int


def copy_pictures(digests: Sequence[str], blobs: ports.Blobs, folder: Path) -> dict[str, Shown]:
    """Put pictures into the folder and list them there. What cannot be read, or is gone, is not listed."""
    known = read_gallery(folder) if (folder / MANIFEST).exists() else {}
    for name in ("pictures", "thumbs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # decoding and encoding leave the interpreter's lock
        made = threads.map(lambda digest: known.get(digest) or _copy(digest, blobs, folder), digests)
        shown = {digest: each for digest, each in zip(digests, made, strict=True) if each is not None}
    for stale in sorted(known.keys() - shown.keys()):
        _remove(known[stale], folder)
    files.write_bytes(folder / MANIFEST, msgspec.json.encode(shown, order="sorted"))
    return shown


def read_gallery(folder: Path) -> Mapping[str, Shown]:
    """What `copy_pictures` listed."""
    return msgspec.convert(files.read_document(folder / MANIFEST), dict[str, Shown])


def _copy(digest: str, blobs: ports.Blobs, folder: Path) -> Shown | None:
    try:
        data = blobs.get(digest)
        found = pictures.facts(data)
        small = _small(data, found)
    except (StoreError, pictures.UnreadablePicture):
        return None
    name = digest[:DIGITS]
    extension = EXTENSIONS.get(found.media_type)
    shown = Shown(
        file=None if extension is None else f"pictures/{name}.{extension}",
        thumb=f"thumbs/{name}.jpg",
        thumb_width=small.shape[1],
        thumb_height=small.shape[0],
    )
    if shown.file is not None:
        _put(folder / shown.file, data)
    _put(folder / shown.thumb, pictures.encode_jpeg(small, quality=THUMB_QUALITY))
    return shown


def _small(data: bytes, found: pictures.Facts) -> pictures.Pixels:
    """Pixels of the small picture, normalised. Raises UnreadablePicture."""
    scale = min(1.0, THUMB_SIDE / max(found.width, found.height))
    size = (max(1, round(found.width * scale)), max(1, round(found.height * scale)))
    plain = found.media_type == "image/jpeg" and found.orientation == 1 and found.icc is None and found.mode == "RGB"
    if plain and scale <= 0.5:
        return _drafted(data, size)
    original = pictures.pixels(data)
    return original if scale == 1.0 else pictures.scaled(original, *size)


def _drafted(data: bytes, size: tuple[int, int]) -> pictures.Pixels:
    """A JPEG that needs no normalising, computed at a half, a quarter or an eighth of its size: 4 ms, not 17."""
    try:
        image = Image.open(BytesIO(data), formats=["JPEG"])
        image.draft("RGB", size)
        return np.asarray(image.resize(size, Image.Resampling.LANCZOS))
    except OSError as error:
        raise pictures.UnreadablePicture(f"the JPEG cannot be read: {error}") from error


def _put(path: Path, data: bytes) -> None:
    # Not `files.write_bytes`: hundreds of flushes to disk cost seconds, and the manifest, which is written last and
    # flushed, is what says that a picture is there.
    path.write_bytes(data)


def _remove(shown: Shown, folder: Path) -> None:
    for name in (shown.file, shown.thumb):
        if name is not None:
            (folder / name).unlink(missing_ok=True)
