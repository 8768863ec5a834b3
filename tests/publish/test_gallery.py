"""Small copies of pictures: same look whichever way they were computed, and never larger than the original."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from groundswell import pictures
from groundswell.publish.gallery import THUMB_SIDE, copy_pictures
from groundswell.store.blobs import open_blobs


def _photo(width: int, height: int) -> np.ndarray:
    across, down = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    return np.stack([across, down, (across + down) / 2], axis=2).astype(np.uint8)


def _copied(tmp_path, data: bytes) -> np.ndarray:
    blobs = open_blobs("memory://")
    digest = blobs.put(data)
    shown = copy_pictures([digest], blobs, tmp_path)[digest]
    assert (tmp_path / shown.file).read_bytes() == data
    copied = pictures.pixels((tmp_path / shown.thumb).read_bytes())
    assert copied.shape[:2] == (shown.thumb_height, shown.thumb_width)
    return copied


def test_a_jpeg_computed_at_a_fraction_of_its_size_looks_like_the_whole_one_made_smaller(tmp_path):
    photo = _photo(1600, 1200)
    copied = _copied(tmp_path, pictures.encode_jpeg(photo, quality=95))
    assert copied.shape == (384, THUMB_SIDE, 3)
    assert np.abs(copied.astype(int) - pictures.scaled(photo, 512, 384)).mean() < 2


def test_a_turned_jpeg_is_upright_in_its_copy(tmp_path):
    out, exif = BytesIO(), Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(_photo(1200, 600)).save(out, "JPEG", exif=exif)
    assert _copied(tmp_path, out.getvalue()).shape == (512, 256, 3)


@pytest.mark.parametrize("size", [(1, 1), (300, 2), (512, 512)])
def test_a_small_picture_keeps_its_size(tmp_path, size):
    assert _copied(tmp_path, pictures.encode_png(_photo(*size))).shape == (size[1], size[0], 3)


def test_a_torn_picture_is_left_out(tmp_path):
    blobs = open_blobs("memory://")
    digests = [blobs.put(pictures.encode_jpeg(_photo(1600, 1200))[:900]), blobs.put(b"no picture")]
    assert copy_pictures(sorted(digests), blobs, tmp_path) == {}
