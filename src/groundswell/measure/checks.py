"""Checks of a sample that small models measure: a text that must be readable, a face that must be the same.

They are `ports.CheckRule`s for the judge that measures; a picture that cannot be measured raises ValueError with the
reason. The arithmetic is that of the metrics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from groundswell.measure.face import FaceIdentity
from groundswell.measure.metric import Inapplicable, PictureMetric, Seen
from groundswell.measure.text import WANTED_TEXT, TextByOcr
from groundswell.perception.loading import NotInstalled, NoWeights
from groundswell.records import Check, Json, Sample

SAME_PERSON: Final = 0.45
"""Cosine of SFace from which two faces are one person's; different people stay below 0.40."""


class TextPresent:
    """`text`: the check's `text` (a string or a list) can be read; one less the order-free character error rate."""

    name = WANTED_TEXT

    def __init__(self) -> None:
        self._metric = TextByOcr()

    def measure(self, check: Check, inputs: Sequence[bytes], output: bytes) -> Mapping[str, Json]:
        """`{"score": 0..1, "read": [...]}`; raises ValueError where it cannot be measured."""
        seen = _look(self._metric, check, (), output)
        return {"score": max(0.0, 1 - seen.value), "read": [line["text"] for line in seen.detail["read"]]}


class SameFace:
    """`same_face`: a face of an input is in the output; full score from the cosine SAME_PERSON on."""

    name = "same_face"

    def __init__(self) -> None:
        self._metric = FaceIdentity()

    def measure(self, check: Check, inputs: Sequence[bytes], output: bytes) -> Mapping[str, Json]:
        """`{"score": 0..1, "cosine": -1..1}`; raises ValueError where a side has no face."""
        seen = _look(self._metric, check, inputs, output)
        return {"score": min(1.0, max(0.0, seen.value / SAME_PERSON)), "cosine": seen.value}


def _look(metric: PictureMetric, check: Check, inputs: Sequence[bytes], output: bytes) -> Seen:
    sample = Sample(suite="checks", task="edit", prompts={}, checks=(check,))
    try:
        return metric.look(sample, inputs, output)
    except (Inapplicable, NotInstalled, NoWeights) as silence:
        raise ValueError(str(silence)) from silence
