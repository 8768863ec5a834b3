"""Quick doors give the bits of the usual way, or send the picture there."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from groundswell import pictures
from groundswell.pictures.quick import quick_pixels, unpacked_png
from groundswell.pictures.reading import usual_pixels

skimage_data = pytest.importorskip("skimage.data", reason="photographs come with scikit-image")
pytest.importorskip("simplejpeg", reason="pip install 'groundswell[speed]'")
pytest.importorskip("imagecodecs", reason="pip install 'groundswell[speed]'")

EVERY_FILTER = range(5)


@pytest.fixture(scope="session")
def photographs():
    return [skimage_data.astronaut()[:201, :303], skimage_data.coffee()[:200, :302], skimage_data.rocket()[-99:, :97]]


def encoded(pixels, kind="PNG", **options):
    buffer = io.BytesIO()
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def quick(data):
    return quick_pixels(data, most=pictures.MAX_PIXELS)


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def filtered_png(width, rows):
    """A PNG of rows that are filtered already."""
    header = struct.pack(">II", width, len(rows)) + bytes([8, 2, 0, 0, 0])
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


@pytest.mark.parametrize("options", [{"quality": 75}, {"quality": 95, "subsampling": 0}, {"progressive": True}])
def test_plain_jpegs_decode_to_the_bits_of_the_usual_way(photographs, options):
    for picture in photographs:
        data = encoded(picture, "JPEG", **options)
        assert np.array_equal(quick(data), usual_pixels(data))


def test_plain_pngs_decode_to_the_bits_of_the_usual_way(photographs):
    for picture in photographs:
        assert np.array_equal(quick(encoded(picture)), picture)


def test_pngs_unfiltered_here_have_the_bits_of_the_usual_way(photographs):
    pytest.importorskip("numba", reason="pip install 'groundswell[speed]'")
    for picture in photographs:
        assert np.array_equal(unpacked_png(encoded(picture)), picture)


@pytest.mark.parametrize("first", EVERY_FILTER)
def test_every_filter_is_undone_also_in_the_first_row(first):
    pytest.importorskip("numba", reason="pip install 'groundswell[speed]'")
    rows = np.random.default_rng(first).integers(256, size=(10, 1 + 3 * 7), dtype=np.uint8)
    rows[:, 0] = [(first + row) % 5 for row in range(10)]
    data = filtered_png(7, rows)
    assert np.array_equal(unpacked_png(data), usual_pixels(data))


def test_a_png_with_an_unknown_filter_or_a_wrong_checksum_is_not_unpacked(photographs):
    pytest.importorskip("numba", reason="pip install 'groundswell[speed]'")
    with pytest.raises(ValueError, match="unknown filter"):
        unpacked_png(filtered_png(2, np.full((1, 7), 5, np.uint8)))
    good = encoded(photographs[0])
    at = good.index(b"IDAT") + 100
    with pytest.raises(ValueError, match="checksum"):
        unpacked_png(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])


def _exif():
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


@pytest.mark.parametrize(
    ("kind", "options"),
    [("JPEG", {"exif": _exif()}), ("PNG", {"exif": _exif()}), ("WEBP", {"lossless": True}), ("TIFF", {})],
)
def test_turned_and_rarer_pictures_take_the_usual_way(photographs, kind, options):
    assert quick(encoded(photographs[0], kind, **options)) is None


@pytest.mark.parametrize("mode", ["CMYK", "L"])
def test_inks_and_gray_take_the_usual_way(photographs, mode):
    assert quick(encoded(Image.fromarray(photographs[0]).convert(mode), "JPEG")) is None


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_cut_picture_is_unreadable(photographs, kind):
    for cut in (encoded(photographs[0], kind)[:-1000], b"no picture", b""):
        with pytest.raises(pictures.UnreadablePicture):
            pictures.pixels(cut)


def test_a_huge_picture_is_refused_before_it_is_decoded():
    header = struct.pack(">II", 20_000, 20_000) + bytes([8, 2, 0, 0, 0])
    huge = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IEND", b"")
    with pytest.raises(pictures.UnreadablePicture, match="20000 x 20000"):
        pictures.pixels(huge)
