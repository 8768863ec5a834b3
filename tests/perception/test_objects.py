"""The detector loads a real checkpoint; this one is tiny and random, so it is taught what to say."""

from __future__ import annotations

from hashlib import sha256

import pytest

from groundswell.errors import UserError
from groundswell.perception.loading import NoWeights
from groundswell.perception.objects import Detector

QUERIES, LABELS = 4, ("cat", "dog")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A YOLOS of one layer whose class head is sure of `dog`, and whose box head says the middle of the picture."""
    torch = pytest.importorskip("torch", reason="pip install 'groundswell[papers]'")
    transformers = pytest.importorskip("transformers", reason="pip install 'groundswell[papers]'")
    torch.manual_seed(0)
    config = transformers.YolosConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        image_size=[64, 64],
        num_detection_tokens=QUERIES,
        id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
    )
    model = transformers.YolosForObjectDetection(config)
    for head, bias in (
        (model.class_labels_classifier, [-4.0, 4.0, -4.0]),
        (model.bbox_predictor, [0.0, 0.0, 0.0, 0.0]),
    ):
        last = head.layers[-1]
        torch.nn.init.zeros_(last.weight)
        last.bias.data = torch.tensor(bias)
    folder = tmp_path_factory.mktemp("yolos")
    model.save_pretrained(folder)
    transformers.YolosImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    return folder, sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def test_objects_come_with_label_score_and_box_in_pixels_of_the_picture(checkpoint, astronaut):
    things = Detector(*checkpoint).find(astronaut[:, :256])
    assert [thing.label for thing in things] == ["dog"] * QUERIES
    assert all(thing.score > 0.99 for thing in things)
    assert things[0].box == pytest.approx((64, 128, 192, 384), abs=0.5)


def test_other_weights_than_the_pinned_are_refused(checkpoint, astronaut):
    with pytest.raises(UserError, match="not the weights that were pinned"):
        Detector(checkpoint[0], "0" * 64).find(astronaut)


def test_without_weights_there_is_no_detector(astronaut):
    with pytest.raises(NoWeights):
        Detector(None, None).find(astronaut)
