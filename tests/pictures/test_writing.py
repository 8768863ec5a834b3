"""Encoding, and fitting a picture to a host's limits."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell import pictures
from groundswell.pictures import Limits

NOISE = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
PNG = pictures.encode_png(NOISE)
JPEG = pictures.encode_jpeg(NOISE)


def size(data: bytes) -> tuple[int, int]:
    picture = pictures.describe(data)
    return picture.width, picture.height


@pytest.mark.parametrize("data", [PNG, JPEG])
def test_bytes_that_fit_are_passed_on_untouched(data: bytes) -> None:
    exact = (len(data) + 2) // 3 * 4
    limits = Limits(base64_bytes=exact, pixels=120_000, longest_side=400, media_types=("image/png", "image/jpeg"))
    fitted = pictures.within(data, limits)
    assert fitted.data is data
    assert not fitted.changed


def test_no_limits_change_nothing() -> None:
    assert pictures.within(PNG, Limits()) == (PNG, "image/png", False)


def test_one_byte_too_many_is_re_encoded_and_said() -> None:
    limit = (len(PNG) + 2) // 3 * 4 - 1
    data, media_type, changed = pictures.within(PNG, Limits(base64_bytes=limit))
    assert changed
    assert (len(data) + 2) // 3 * 4 <= limit
    assert media_type == pictures.describe(data).media_type


def test_a_lossless_picture_that_is_too_wide_stays_lossless() -> None:
    data, media_type, changed = pictures.within(PNG, Limits(longest_side=200))
    assert changed
    assert media_type == "image/png"
    assert size(data) == (200, 150)


def test_a_pixel_limit_keeps_the_shape() -> None:
    data, _, _ = pictures.within(JPEG, Limits(pixels=30_000))
    assert size(data) == (200, 150)


def test_a_type_that_the_host_does_not_take_is_converted() -> None:
    data, media_type, changed = pictures.within(PNG, Limits(media_types=("image/jpeg",)))
    assert (media_type, changed) == ("image/jpeg", True)
    assert size(data) == (400, 300)
    back, media_type, _ = pictures.within(JPEG, Limits(media_types=("image/png",)))
    assert media_type == "image/png"
    assert np.array_equal(pictures.pixels(back), pictures.pixels(JPEG))


@pytest.mark.parametrize("budget", [100_000, 20_000, 4_000])
def test_quality_falls_first_and_size_after_it(budget: int) -> None:
    data, media_type, changed = pictures.within(PNG, Limits(base64_bytes=budget))
    assert changed
    assert media_type == "image/jpeg"
    assert (len(data) + 2) // 3 * 4 <= budget


def test_limits_without_room_for_a_picture_are_an_error() -> None:
    with pytest.raises(ValueError, match="no encoding"):
        pictures.within(PNG, Limits(base64_bytes=100))


def test_scaling_keeps_a_flat_colour() -> None:
    flat = np.full((40, 60, 3), (10, 200, 30), np.uint8)
    assert (pictures.scaled(flat, 30, 20) == (10, 200, 30)).all()
