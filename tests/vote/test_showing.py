from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from groundswell.pictures import encode_png, pixels
from groundswell.vote.showing import GROUND, LENGTH, Gallery, canvas, disguised, padded


def _png(width, height, value=200):
    return encode_png(np.full((height, width, 3), value, dtype=np.uint8))


@pytest.mark.parametrize("size", [(1024, 1024), (640, 1024)])
def test_every_picture_has_the_same_format_pixels_and_bytes(size):
    rng = np.random.default_rng(0)
    noise = encode_png(rng.integers(0, 255, (300, 300, 3), dtype=np.uint8))
    made = [disguised(data, size) for data in (_png(64, 64), _png(2000, 1500), noise)]
    assert {len(data) for data in made} == {LENGTH}
    opened = [Image.open(BytesIO(data)) for data in made]
    assert {(each.format, each.size, tuple(sorted(each.info))) for each in opened} == {
        ("JPEG", size, ("jfif", "jfif_density", "jfif_unit", "jfif_version"))
    }


def test_the_whole_picture_is_shown_on_grey_where_its_shape_differs():
    shown = pixels(disguised(_png(200, 100), (1024, 1024)))
    assert abs(int(shown[512, 10, 0]) - 200) < 3
    assert abs(int(shown[100, 512, 0]) - GROUND) < 3


def test_the_canvas_has_the_shape_that_was_wanted():
    assert canvas(1, 1) == (1024, 1024)
    assert canvas(300, 600) == (512, 1024)


@pytest.mark.parametrize("missing", [4, 5, 7, 8, 65_535, 65_536, 65_539, 200_000])
def test_padding_hits_the_length_and_leaves_the_picture(missing):
    jpeg = BytesIO()
    Image.new("RGB", (8, 8), (9, 99, 199)).save(jpeg, "JPEG")
    longer = padded(jpeg.getvalue(), len(jpeg.getvalue()) + missing)
    assert len(longer) == len(jpeg.getvalue()) + missing
    assert np.array_equal(pixels(longer), pixels(jpeg.getvalue()))


def test_a_picture_is_encoded_once_while_it_is_kept():
    loaded = []

    def load(digest):
        loaded.append(digest)
        return _png(32, 32)

    gallery = Gallery(load)
    assert gallery.kept("a", (1024, 1024)) is None
    assert gallery.show("a", (1024, 1024)) == gallery.show("a", (1024, 1024))
    assert loaded == ["a"]
