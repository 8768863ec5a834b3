"""Pictures are decoded once and looked at once."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell import pictures
from groundswell.measure.gallery import Gallery


@pytest.fixture
def decodings(monkeypatch):
    """Bytes that were decoded, in order."""
    done, pixels = [], pictures.pixels
    monkeypatch.setattr(pictures, "pixels", lambda data: done.append(data) or pixels(data))
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
