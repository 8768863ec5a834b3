"""What comes out of odd picture bytes, on small pictures drawn here."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from hashlib import sha256
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image, ImageCms

from groundswell import pictures
from groundswell.records import Licence

CORNERS = np.zeros((4, 6, 3), np.uint8)
CORNERS[0, 0] = (255, 0, 0)
CORNERS[0, -1] = (0, 255, 0)
CORNERS[-1, 0] = (0, 0, 255)
"""Four rows, six columns, black, with red, green and blue in three corners: no turn of it looks like another."""

STORED_AS = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.swapaxes(0, 1),
    6: lambda a: np.rot90(a, 1),
    7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
    8: lambda a: np.rot90(a, -1),
}
"""How a camera that writes this orientation has stored an upright picture."""


def saved(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def photo(width: int = 64, height: int = 48) -> Image.Image:
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    return Image.fromarray(np.stack([x, y, (x + y) / 2], axis=-1).astype(np.uint8))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_every_exif_orientation_is_turned_upright(orientation: int, kind: str) -> None:
    stored = Image.fromarray(np.ascontiguousarray(STORED_AS[orientation](CORNERS)))
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(stored, kind, exif=exif, **({"lossless": True} if kind == "WEBP" else {}))
    picture = pictures.describe(data)
    assert np.array_equal(pictures.pixels(data), CORNERS)
    assert (picture.width, picture.height) == (6, 4)


@pytest.mark.parametrize("orientation", [5, 7])
def test_a_mirrored_jpeg_is_described_by_its_upright_size(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(photo(64, 48), "JPEG", exif=exif)
    picture = pictures.describe(data)
    assert (picture.width, picture.height) == (48, 64)
    assert pictures.pixels(data).shape == (64, 48, 3)
    assert pictures.facts(data).orientation == orientation


def test_damaged_exif_counts_as_none() -> None:
    data = saved(photo(), "JPEG", exif=b"Exif\x00\x00II*\x00\xff\xff\xff\xff garbage")
    assert pictures.facts(data).orientation == 1
    assert pictures.pixels(data).shape == (48, 64, 3)


def test_a_picture_is_told_by_its_bytes_and_digested_as_it_came() -> None:
    data = saved(photo(), "WEBP")
    licence = Licence(id="CC0-1.0", redistribute=True)
    picture = pictures.describe(data, licence)
    assert picture.media_type == "image/webp"
    assert picture.digest == sha256(data).hexdigest()
    assert picture.licence == licence


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("WEBP", "image/webp"),
        ("GIF", "image/gif"),
        ("BMP", "image/bmp"),
        ("TIFF", "image/tiff"),
        ("AVIF", "image/avif"),
        ("JPEG2000", "image/jp2"),
    ],
)
def test_every_format_is_named_and_decoded(kind: str, media_type: str) -> None:
    data = saved(photo(), kind)
    assert pictures.describe(data).media_type == media_type
    assert np.abs(pictures.pixels(data).astype(int) - np.asarray(photo())).mean() < 8


def test_a_phones_jpeg_with_a_second_picture_behind_it_is_a_jpeg() -> None:
    data = saved(photo(), "MPO", save_all=True, append_images=[photo(32, 24)])
    assert pictures.describe(data).media_type == "image/jpeg"
    assert pictures.facts(data).frames == 1
    assert pictures.pixels(data).shape == (48, 64, 3)


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_alpha_is_laid_on_white(mode: str) -> None:
    image = Image.new(mode, (3, 1))
    black = (0,) * (len(mode) - 1)
    for column, alpha in enumerate((0, 51, 255)):
        image.putpixel((column, 0), (*black, alpha))
    data = saved(image)
    assert pictures.pixels(data)[0, :, 0].tolist() == [255, 204, 0]
    assert pictures.facts(data).alpha


def test_a_transparent_palette_entry_becomes_white() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([0, 0, 0, 10, 20, 30])
    image.putpixel((1, 0), 1)
    data = saved(image, transparency=0)
    assert pictures.pixels(data)[0].tolist() == [[255, 255, 255], [10, 20, 30]]


def test_a_palette_png_named_jpg_is_a_png() -> None:
    data = saved(photo().quantize(16))
    assert pictures.describe(data).media_type == "image/png"
    assert pictures.facts(data).mode == "P"
    assert pictures.pixels(data).shape == (48, 64, 3)


def test_sixteen_bits_are_scaled_and_not_cut() -> None:
    wide = Image.fromarray(np.array([[0, 128, 129, 32768, 65535]], np.uint16))
    data = saved(wide)
    assert pictures.pixels(data)[0, :, 0].tolist() == [0, 0, 1, 128, 255]
    assert pictures.facts(data).bits == 16


def test_floating_point_pixels_are_refused_because_their_range_is_unknown() -> None:
    data = saved(Image.new("F", (2, 2), 0.5), "TIFF")
    with pytest.raises(pictures.UnreadablePicture, match="no agreed range"):
        pictures.pixels(data)


def test_cmyk_becomes_rgb() -> None:
    data = saved(Image.new("CMYK", (8, 8), (255, 0, 0, 0)), "JPEG", quality=100)
    red, green, blue = pictures.pixels(data)[4, 4].tolist()
    assert red < 5
    assert green > 250
    assert blue > 250


def swapped_profile() -> bytes:
    """sRGB with the red and green primaries exchanged, so that a conversion cannot be overlooked."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    for index in range(struct.unpack(">I", data[128:132])[0]):
        entry = 132 + 12 * index
        name = bytes(data[entry : entry + 4])
        if name in (b"rXYZ", b"gXYZ"):
            data[entry : entry + 4] = b"gXYZ" if name == b"rXYZ" else b"rXYZ"
        if name == b"desc":
            start = struct.unpack(">I", data[entry + 4 : entry + 8])[0]
            size = struct.unpack(">I", data[entry + 8 : entry + 12])[0]
            body = bytes(data[start : start + size])
            data[start : start + size] = body.replace(b"s\0R\0G\0B", b"x\0R\0G\0B").replace(b"sRGB", b"xRGB")
    return bytes(data)


def test_an_icc_profile_is_converted_to_srgb() -> None:
    data = saved(Image.new("RGB", (2, 2), (200, 10, 10)), icc_profile=swapped_profile())
    found = pictures.pixels(data)[0, 0].astype(int)
    assert np.abs(found - (10, 200, 10)).max() <= 2
    assert pictures.facts(data).icc is not None


def test_a_profile_that_says_srgb_changes_nothing() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    data = saved(photo(), icc_profile=profile)
    assert np.array_equal(pictures.pixels(data), np.asarray(photo()))
    assert "sRGB" in (pictures.facts(data).icc or "")


@pytest.mark.parametrize("mode", ["RGB", "LA"])
def test_a_damaged_or_mismatched_profile_is_ignored(mode: str) -> None:
    damaged = saved(photo().convert(mode), icc_profile=b"not a profile")
    mismatched = saved(photo().convert("L"), icc_profile=swapped_profile())
    assert pictures.facts(damaged).icc == "damaged"
    assert pictures.pixels(damaged).shape == (48, 64, 3)
    assert np.array_equal(pictures.pixels(mismatched)[..., 0], np.asarray(photo().convert("L")))


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_gives_its_first_frame_and_says_how_many_it_has(kind: str) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ((255, 0, 0), (0, 0, 255), (0, 255, 0))]
    options = {"lossless": True} if kind == "WEBP" else {}
    data = saved(frames[0], kind, save_all=True, append_images=frames[1:], **options)
    assert pictures.facts(data).frames == 3
    assert pictures.pixels(data)[0, 0].tolist() == [255, 0, 0]


def bomb(side: int) -> bytes:
    """A PNG whose header promises side x side pixels; its data is a few bytes."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [8001, 17_000, 60_000])
@pytest.mark.parametrize("read", [pictures.describe, pictures.pixels, pictures.facts])
def test_a_bomb_is_refused_by_its_header(side: int, read: object) -> None:
    with pytest.raises(pictures.UnreadablePicture, match=f"{side} x {side} pixels are more than"):
        read(bomb(side))  # type: ignore[operator]


def test_a_gif_bomb_is_refused() -> None:
    data = bytearray(saved(Image.new("P", (8, 8)), "GIF"))
    data[6:10] = struct.pack("<HH", 17_000, 17_000)
    with pytest.raises(pictures.UnreadablePicture):
        pictures.describe(bytes(data))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF"])
@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_cut_picture_is_not_taken_for_a_whole_one(kind: str, part: float) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (48, 64, 3), np.uint8))
    whole = saved(noise, kind)
    data = whole[: int(len(whole) * part)]
    for read in (pictures.describe, pictures.pixels):
        with pytest.raises(pictures.UnreadablePicture):
            read(data)


def test_a_cut_progressive_jpeg_says_that_it_is_cut() -> None:
    data = saved(photo(256, 256), "JPEG", progressive=True)
    with pytest.raises(pictures.UnreadablePicture, match="the JPEG picture is cut off"):
        pictures.describe(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x20ftypisom\0\0\2\0isomiso2", "video"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "SVG"),
        (b"<!DOCTYPE html><title>404</title>", "web page"),
        (b'\xef\xbb\xbf{"error": "expired"}', "text data"),
        (b"%PDF-1.7", "PDF"),
        (b"hello, world", "not a picture in a known format"),
        (b"\xff\xd8\xff", "JPEG"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
    ],
)
def test_what_is_no_picture_is_refused_in_a_sentence(data: bytes, reason: str) -> None:
    for read in (pictures.describe, pictures.pixels, pictures.facts):
        with pytest.raises(pictures.UnreadablePicture, match=reason):
            read(data)


@given(arrays.arrays(np.uint8, arrays.array_shapes(min_dims=2, max_dims=2, max_side=9).map(lambda s: (*s, 3))))
def test_png_gives_back_the_very_pixels(drawn: np.ndarray) -> None:
    assert np.array_equal(pictures.pixels(pictures.encode_png(drawn)), drawn)


@given(
    st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF", b"II*\0"])
)
def test_no_bytes_raise_anything_but_unreadable(rest: bytes, start: bytes) -> None:
    for read in (pictures.describe, pictures.pixels, pictures.facts):
        with pytest.raises(pictures.UnreadablePicture):
            read(start + rest)


def test_importing_the_room_loads_neither_pillow_nor_numpy() -> None:
    code = "import sys, groundswell.pictures; print(sorted({'PIL', 'numpy'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
