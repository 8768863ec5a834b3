"""Read a picture from its bytes: what it is, and its pixels as a person would see them on a white page in sRGB.

The file's name and the type that a server claims are never looked at. Only pixel formats that Pillow decodes itself
are read; nothing here starts another program or trusts a size before it is checked. Gamma and chromaticity chunks of
PNG are not applied, as most viewers do not either; embedded ICC profiles are.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from threading import Lock
from typing import Final
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import (
    AvifImagePlugin,  # noqa: F401  (each plugin registers its format when it is imported)
    BmpImagePlugin,  # noqa: F401
    GifImagePlugin,  # noqa: F401
    Image,
    ImageCms,
    Jpeg2KImagePlugin,  # noqa: F401
    JpegImagePlugin,  # noqa: F401
    PngImagePlugin,  # noqa: F401
    TiffImagePlugin,
    WebPImagePlugin,  # noqa: F401
)

from groundswell.pictures.quick import quick_pixels
from groundswell.records import Licence, Picture

Pixels = NDArray[np.uint8]
"""Height x width x 3, sRGB, 0..255."""

MAX_PIXELS: Final = 64_000_000
"""Largest picture that is decoded (8000 x 8000, 192 MB of pixels); a larger one is refused by its header."""

FORMATS: Final = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "AVIF": "image/avif",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
    "JPEG2000": "image/jp2",
}
"""Formats that are read, by Pillow's name."""

_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What undoes each EXIF orientation; 1 needs nothing."""

_FILTERS: Final = Lock()
_ORIENTATION_TAG: Final = 0x0112
_EXIF_KEYWORDS: Final = (b"Raw profile type ", b"XML:com.adobe.xmp")
"""Text chunks of a PNG in which EXIF hides."""
_BITS_PER_SAMPLE_TAG: Final = 258
_HEIC_BRANDS: Final = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}


class UnreadablePicture(ValueError):
    """These bytes give no pixels; the text is a sentence that says why."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the bytes of a picture say about it, before anything is normalised."""

    media_type: str
    width: int
    """Pixels after EXIF rotation."""
    height: int
    frames: int
    """Frames of an animation, or pages; only the first is ever looked at."""
    orientation: int
    """EXIF orientation 1..8 that is still to be applied; 1 = upright."""
    alpha: bool
    icc: str | None
    """Description of the embedded colour profile; None = there is none."""
    bits: int | None
    """Bits a channel as stored; None = the format does not say."""
    mode: str
    """Pillow's name of the stored layout: RGB, RGBA, P, L, CMYK, I;16, ..."""


def describe(data: bytes, licence: Licence | None = None) -> Picture:
    """The record of a picture. The bytes are read to their end, so that a cut file is not taken for a whole one.

    Raises UnreadablePicture.
    """
    image = _opened(data)
    width, height = _upright_size(image, data)
    if not _is_whole_png(data):
        with _decoding(image):
            image.draft(None, (1, 1))  # a JPEG is parsed whole but computed at an eighth of its size: 3x faster
            image.load()
    return Picture(
        digest=sha256(data).hexdigest(),
        media_type=FORMATS[str(image.format)],
        width=width,
        height=height,
        licence=licence,
    )


def facts(data: bytes) -> Facts:
    """What the header says. Raises UnreadablePicture when it is not one of `FORMATS` or too large to decode."""
    image = _opened(data)
    width, height = _upright_size(image, data)
    with _decoding(image):
        frames = 1 if image.format == "JPEG" else int(getattr(image, "n_frames", 1))
        profile = image.info.get("icc_profile")
        return Facts(
            media_type=FORMATS[str(image.format)],
            width=width,
            height=height,
            frames=frames,
            orientation=_orientation(image, data),
            alpha=_has_alpha(image),
            icc=None if not profile else _description(profile),
            bits=_bits(image, data),
            mode=image.mode,
        )


def pixels(data: bytes) -> Pixels:
    """Pixels (height, width, 3), uint8, sRGB: the first frame, turned upright, on white.

    EXIF orientation is applied (mirrored ones too), alpha is laid on white, an ICC profile is converted to sRGB, 16
    bits are scaled to 8, palette, gray and CMYK become RGB. The array is its owner's to change. Raises
    UnreadablePicture.
    """
    found = quick_pixels(data, most=MAX_PIXELS)
    return usual_pixels(data) if found is None else found


def usual_pixels(data: bytes) -> Pixels:
    """What `pixels` gives, by Pillow alone. Raises UnreadablePicture."""
    image = _opened(data)
    with _decoding(image):
        turn = _TURNS.get(_orientation(image, data))
        image.load()
        flat = _on_white(image)
        return np.array(flat if turn is None else flat.transpose(turn))


PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def _is_whole_png(data: bytes) -> bool:
    """Whether the chunks of a PNG are all there and match their checksums, up to its end mark.

    It is told from the bytes alone, fifteen times faster than by decoding, which a PNG that fails this still gets.
    """
    if not data.startswith(PNG_SIGNATURE):
        return False
    view, place, pixels_come = memoryview(data), len(PNG_SIGNATURE), False
    while place + 12 <= len(data):
        length = int.from_bytes(view[place : place + 4], "big")
        kind = bytes(view[place + 4 : place + 8])
        end = place + 8 + length
        if end + 4 > len(data) or crc32(view[place + 4 : end]) != int.from_bytes(view[end : end + 4], "big"):
            return False
        pixels_come = pixels_come or (kind == b"IDAT" and length > 0)
        if kind == b"IEND":
            return pixels_come
        place = end + 4
    return False


def _opened(data: bytes) -> Image.Image:
    """The picture with only its header read, its size checked.

    The formats are asked one by one rather than by `Image.open`, which checks sizes against a process-wide limit and
    warns where we refuse.
    """
    if not data:
        raise UnreadablePicture("the file is empty (0 bytes)")
    for name in FORMATS:
        factory, accept = Image.OPEN[name]
        if accept is None or accept(data[:16]):
            break
    else:
        raise UnreadablePicture(_what_it_is(data))
    try:
        with _quiet():
            image = factory(BytesIO(data), "")
    except Image.DecompressionBombError as error:
        raise UnreadablePicture(f"the picture is too large to decode safely: {error}") from error
    except Exception as error:  # decoders raise anything on damaged headers
        if data[8:12] in _HEIC_BRANDS:  # some of these brands are AVIF's as well
            raise UnreadablePicture(_what_it_is(data)) from error
        raise UnreadablePicture(f"the {name} header cannot be read: {_plain(error)}") from error
    if image.format == "MPO":  # a JPEG with further views or a gain map behind the first picture
        image.format = "JPEG"
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise UnreadablePicture(f"{width} x {height} pixels are more than the {MAX_PIXELS:,} that are decoded")
    return image


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Pillow's warnings: what matters of them is refused or told as facts.

    Python keeps its warning filters for the whole process, so threads that read headers take turns.
    """
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _what_it_is(data: bytes) -> str:
    """A sentence for bytes that are no picture we read."""
    head = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if data[4:8] == b"ftyp":
        if data[8:12] in _HEIC_BRANDS:
            return "this is a HEIC picture, which is not decoded here; convert it to JPEG or PNG"
        return "this is a video, not a picture"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "this is a video, not a picture"
    if b"<svg" in head:
        return "this is an SVG drawing, which has no pixels; render it to PNG"
    if head.startswith((b"<!doctype html", b"<html")):
        return "this is a web page, not a picture"
    if head.startswith(b"%pdf"):
        return "this is a PDF, not a picture"
    if head.startswith((b"{", b"[", b"<?xml")):
        return "this is text data, not a picture"
    return f"this is not a picture in a known format (it starts with {data[:8].hex(' ')})"


@contextmanager
def _decoding(image: Image.Image) -> Iterator[None]:
    """Turn whatever a decoder raises into one sentence."""
    try:
        yield
    except UnreadablePicture:
        raise
    except Exception as error:  # decoders raise anything on damaged bytes
        text = _plain(error)
        cut = isinstance(error, EOFError) or any(word in text.lower() for word in ("truncated", "end of file"))
        what = "is cut off" if cut else "cannot be decoded"
        raise UnreadablePicture(f"the {image.format} picture {what}: {text}") from error


def _plain(error: Exception) -> str:
    """The first line of an error, or its type where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _orientation(image: Image.Image, data: bytes) -> int:
    """EXIF orientation still to be applied; damaged EXIF counts as none."""
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        return 1  # Pillow turns TIFF while it loads
    if image.format == "PNG" and not _png_has_exif(data):
        return 1  # Pillow would decode the whole picture to look behind its pixels
    try:
        with _quiet():
            value = image.getexif().get(_ORIENTATION_TAG, 1)
    except Exception:  # the parser raises anything; a picture with damaged EXIF is still a picture
        return 1
    return value if value in _TURNS else 1


def _png_has_exif(data: bytes) -> bool:
    """Whether any chunk of a PNG can carry an orientation; only the names of the chunks are read."""
    at = 8
    while at + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        if name == b"eXIf" or (name.endswith(b"Xt") and data.startswith(_EXIF_KEYWORDS, at + 8)):
            return True
        at += 12 + length
    return False


def _upright_size(image: Image.Image, data: bytes) -> tuple[int, int]:
    width, height = image.size
    return (height, width) if _orientation(image, data) >= 5 else (width, height)


def _has_alpha(image: Image.Image) -> bool:
    return "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "RGBa", "La")


def _bits(image: Image.Image, data: bytes) -> int | None:
    if image.format == "PNG":
        return data[24]
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        return int(image.tag_v2.get(_BITS_PER_SAMPLE_TAG, (1,))[0])
    if image.format in ("AVIF", "JPEG2000"):
        return None
    return 8


def _on_white(image: Image.Image) -> Image.Image:
    """An RGB picture in sRGB without alpha."""
    profile = image.info.get("icc_profile")
    colour, alpha = _split(image)
    colour = _to_srgb(colour, profile) if profile else colour
    colour = colour if colour.mode == "RGB" else colour.convert("RGB")
    if alpha is None:
        return colour
    page = Image.new("RGB", colour.size, "white")
    page.paste(colour, mask=alpha)
    return page


def _split(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """Colour (L, RGB or CMYK, 8 bits a channel) and alpha (L), where there is any."""
    if image.mode.startswith("I;16"):
        return _eight_bits(image)
    if image.mode in ("I", "F"):
        raise UnreadablePicture(
            f"pixels of kind {image.mode} have no agreed range of brightness; save it with 8 or 16 bits"
        )
    if _has_alpha(image):
        gray = image.mode in ("LA", "La")
        whole = image.convert("LA" if gray else "RGBA")
        return whole.convert("L" if gray else "RGB"), whole.getchannel("A")
    if image.mode == "1":
        return image.convert("L"), None
    if image.mode in ("L", "RGB", "CMYK"):
        return image, None
    return image.convert("RGB"), None


def _eight_bits(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """16-bit gray scaled to 8 bits (0 stays 0, 65535 becomes 255, rounded), and its transparent value as alpha."""
    wide = np.asarray(image).astype(np.uint32)
    colour = Image.fromarray(((wide * 255 + 32767) // 65535).astype(np.uint8))
    hidden = image.info.get("transparency")
    if hidden is None:
        return colour, None
    return colour, Image.fromarray(np.where(wide == hidden, 0, 255).astype(np.uint8))


def _to_srgb(colour: Image.Image, profile: bytes) -> Image.Image:
    """Converted through its profile; an unusable profile leaves the values as they are, as viewers do."""
    transform = _transform(profile, colour.mode)
    return colour if transform is None else ImageCms.applyTransform(colour, transform) or colour


@lru_cache(maxsize=32)
def _transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """From a profile to sRGB; None where nothing is to be done: it is sRGB already, damaged, or for other channels."""
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        if "srgb" in ImageCms.getProfileDescription(source).lower():
            return None
        return ImageCms.buildTransform(source, _srgb(), mode, "RGB")
    except (ImageCms.PyCMSError, OSError):
        return None


@lru_cache(maxsize=1)
def _srgb() -> ImageCms.ImageCmsProfile:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))


def _description(profile: bytes) -> str:
    try:
        return ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(BytesIO(profile))).strip() or "unnamed"
    except (ImageCms.PyCMSError, OSError):
        return "damaged"
