"""OCR gives lines with their corners, and nothing where there is nothing."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from groundswell.perception import ocr

pytest.importorskip("rapidocr_onnxruntime", reason="pip install 'groundswell[metrics]'")


def test_a_line_is_read_where_it_stands():
    image = Image.new("RGB", (500, 240), "white")
    ImageDraw.Draw(image).text((60, 120), "WATCH THE STEP", font=ImageFont.load_default(40), fill="black")
    (line,) = ocr.read(np.asarray(image))
    assert line.text.replace(" ", "") == "WATCHTHESTEP"
    assert line.score > 0.9
    (left, top), _, (right, bottom), _ = line.corners
    assert 50 < left < 70
    assert 110 < top < 140
    assert right > 350
    assert 150 < bottom < 175


@pytest.mark.parametrize("shape", [(1, 1), (3, 4000), (64, 64)])
def test_strips_and_empty_pictures_have_no_text(shape):
    assert ocr.read(np.full((*shape, 3), 255, np.uint8)) == ()
