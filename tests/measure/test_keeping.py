"""What an edit should have left alone."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.measure.keeping import AspectRatio, Background, NearCopy, Resolution
from groundswell.records import Check, Measurement, NotApplicable, Sample


def sample(**args):
    checks = (Check(name="unchanged_outside", args=args),) if args else ()
    return Sample(suite="s", task="edit", prompts={"en": "x"}, checks=checks)


def gray(level, height=10, width=10):
    return np.full((height, width, 3), level, np.uint8)


def test_what_lies_inside_the_region_may_change(encode):
    output = gray(100)
    output[2:5, 2:5] = 250
    output[9, 9] = 130
    measured = Background().measure(sample(box=[2, 2, 5, 5]), "key", [encode(gray(100))], encode(output))
    assert measured.value == pytest.approx(30 / 91)
    assert measured.detail == {"outside": 0.91, "largest": 30}


def test_the_region_may_be_a_mask_among_the_inputs(encode):
    mask, output = gray(0), gray(100)
    mask[:, :5] = 255
    output[:, :5] = 7
    assert Background().measure(sample(mask=1), "key", [encode(gray(100)), encode(mask)], encode(output)).value == 0


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({}, "no region is declared"),
        ({"box": [0, 0, 10, 10]}, "the region covers the whole picture"),
        ({"mask": 3}, "the mask is input 3, which the sample does not have"),
    ],
)
def test_a_region_that_says_nothing_is_not_applicable(encode, args, why):
    measured = Background().measure(sample(**args), "key", [encode(gray(1))], encode(gray(1)))
    assert isinstance(measured, NotApplicable)
    assert measured.why == why


def test_a_square_made_of_a_wide_picture_has_changed_its_ratio_by_its_width(encode):
    measured = AspectRatio().measure(sample(), "key", [encode(gray(1, 10, 15))], encode(gray(1, 20, 20)))
    assert measured.value == pytest.approx(0.5)


def test_half_the_side_is_a_quarter_of_the_resolution(encode):
    assert Resolution().measure(sample(), "key", [encode(gray(1, 20, 20))], encode(gray(1))).value == 0.25


def test_the_input_encoded_again_is_a_copy_and_another_picture_is_not(encode, photographs):
    again, other = encode(photographs[0], "JPEG", quality=80), encode(photographs[1])
    metric, inputs = NearCopy(), [encode(photographs[0])]
    assert metric.measure(sample(), "key", inputs, again).detail["copy"] is True
    assert metric.measure(sample(), "key", inputs, other).detail["copy"] is False


def test_a_copy_of_any_input_counts(encode, photographs):
    inputs = [encode(photographs[1]), encode(photographs[0])]
    assert NearCopy().measure(sample(), "key", inputs, encode(photographs[0])).value == 0


def test_without_an_input_there_is_nothing_to_keep(encode):
    measured = NearCopy().measure(sample(), "key", [], encode(gray(1)))
    assert not isinstance(measured, Measurement)
    assert measured.why == "there is no input picture"
