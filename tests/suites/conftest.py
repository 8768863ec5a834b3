"""Photographs to make suites of, and a shelf that keeps picture bytes as a store would."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from skimage import data

from groundswell.pictures import describe
from groundswell.records import Picture


class Shelf(dict[str, bytes]):
    """Picture bytes by digest."""

    def keep(self, content: bytes) -> Picture:
        picture = describe(content)
        self[picture.digest] = content
        return picture


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture(scope="session")
def photographs() -> list[bytes]:
    """Four real photographs, small, the first three as JPEG and the last as PNG."""
    sources = [data.astronaut(), data.coffee(), data.chelsea(), data.rocket()]
    found = []
    for place, pixels in enumerate(sources):
        buffer = io.BytesIO()
        Image.fromarray(pixels).resize((96, 64)).save(buffer, "PNG" if place == 3 else "JPEG")
        found.append(buffer.getvalue())
    return found
