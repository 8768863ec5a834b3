"""Pictures are decoded once, to the same bits as by the usual way."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from groundswell import pictures
from groundswell.measure import gallery as module
from groundswell.measure.decoding import decoded
from groundswell.measure.gallery import Gallery
from groundswell.pictures import UnreadablePicture


@pytest.fixture
def decodings(monkeypatch):
    """Bytes that were decoded, in order."""
    done = []
    monkeypatch.setattr(module, "decoded", lambda data: done.append(data) or decoded(data))
    return done


def test_a_picture_is_decoded_once_and_looked_at_once(astronaut, encode, decodings):
    looks = []
    gallery = Gallery()
    for _ in range(3):
        view = gallery.view(encode(astronaut))
        assert view.seen("mean", lambda pixels: looks.append(1) or pixels.mean()) == astronaut.mean()
    assert len(decodings) == len(looks) == 1


def test_the_oldest_picture_leaves_when_there_is_no_room(encode, decodings):
    shades = [encode(np.full((10, 10, 3), shade, np.uint8)) for shade in range(3)]
    gallery = Gallery(room=200)
    for data in [*shades, shades[2], shades[0]]:
        gallery.view(data)
    assert decodings == [*shades, shades[0]]


def test_a_picture_larger_than_the_room_can_still_be_seen(astronaut, encode):
    assert Gallery(room=1).view(encode(astronaut)).size == (512, 512)


@pytest.mark.parametrize("options", [{"quality": 75}, {"quality": 95, "subsampling": 0}, {"progressive": True}])
def test_plain_jpegs_decode_to_the_bits_of_the_usual_way(photographs, encode, options):
    for picture in photographs[::6]:
        data = encode(picture, "JPEG", **options)
        assert np.array_equal(decoded(data), pictures.pixels(data))


def test_plain_pngs_decode_to_the_bits_of_the_usual_way(photographs, encode):
    for picture in photographs[::6]:
        assert np.array_equal(decoded(encode(picture)), picture)


def _exif():
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


@pytest.mark.parametrize(
    ("kind", "options"),
    [("JPEG", {"exif": _exif()}), ("PNG", {"exif": _exif()}), ("WEBP", {"lossless": True}), ("TIFF", {})],
)
def test_turned_and_rarer_pictures_take_the_usual_way(astronaut, encode, kind, options):
    data = encode(astronaut[:100], kind, **options)
    assert np.array_equal(decoded(data), pictures.pixels(data))


@pytest.mark.parametrize("mode", ["CMYK", "L"])
def test_inks_and_gray_become_red_green_blue(astronaut, encode, mode):
    data = encode(Image.fromarray(astronaut).convert(mode), "JPEG")
    assert np.array_equal(decoded(data), pictures.pixels(data))


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_cut_picture_is_unreadable(astronaut, encode, kind):
    data = encode(astronaut, kind)
    for cut in (data[:-1000], b"no picture", b""):
        with pytest.raises(UnreadablePicture):
            decoded(cut)


def test_a_huge_picture_is_refused_before_it_is_decoded(encode):
    small = encode(np.zeros((1, 1, 3), np.uint8))
    header = struct.pack(">4sII", b"IHDR", 20_000, 20_000) + small[24:29]
    huge = small[:12] + header + struct.pack(">I", zlib.crc32(header)) + small[33:]
    with pytest.raises(UnreadablePicture, match="20000 x 20000"):
        decoded(huge)
