"""Real photographs for the metrics, and what is done to them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

skimage_data = pytest.importorskip("skimage.data", reason="photographs come with scikit-image")


def _crops(pixels, side=224):
    height, width = pixels.shape[:2]
    places = [(0, 0), (0, width - side), (height - side, 0), (height - side, width - side)]
    return [pixels[y : y + side, x : x + side] for y, x in places]


@pytest.fixture(scope="session")
def astronaut():
    return skimage_data.astronaut()


@pytest.fixture(scope="session")
def photographs():
    """24 pictures of 224 x 224: corners of six photographs."""
    sources = [
        skimage_data.astronaut(),
        skimage_data.coffee(),
        skimage_data.chelsea(),
        skimage_data.rocket(),
        skimage_data.retina()[::2, ::2],
        skimage_data.stereo_motorcycle()[0][::2, ::2],
    ]
    return [np.ascontiguousarray(crop) for source in sources for crop in _crops(source)]


@pytest.fixture(scope="session")
def encode():
    def encoded(pixels, kind="PNG", **options):
        buffer = io.BytesIO()
        image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
        image.save(buffer, kind, **options)
        return buffer.getvalue()

    return encoded
