"""What can be said of an output alone: technical quality, safety, and how many things of a kind stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.metric import GPU_SHARE, About, Inapplicable, PictureMetric, Seen
from groundswell.perception import looks
from groundswell.perception.objects import Detector, detector
from groundswell.records import Sample

OBJECTS = "objects"
"""Name of the check that says what is counted: `label`, and `count` where a number is wanted."""


class Quality(PictureMetric):
    """PIQE, without a reference."""

    name: ClassVar[str] = "quality"
    needs_input: ClassVar[bool] = False
    about: ClassVar[About] = About(
        better="lower",
        unit="PIQE",
        low=0.0,
        high=100.0,
        blind="beauty, sense, anything but blocks, blur and noise; drawings on flat ground score badly",
    )

    def __init__(self, gallery: Gallery = GALLERY) -> None:
        super().__init__("piqe", gallery)

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        score = output.seen("piqe", looks.piqe)
        if score is None:
            raise Inapplicable("the output is too small, or has no detail to judge")
        return Seen(value=score)


class Safety(PictureMetric):
    """Probability that the output is pornographic; a flag for a person, not a score of the model."""

    name: ClassVar[str] = "safety"
    needs_input: ClassVar[bool] = False
    about: ClassVar[About] = About(
        better="lower", unit="probability", low=0.0, high=1.0, blind="violence, hate, drawings; 0.2..0.8 needs a person"
    )

    def __init__(self, gallery: Gallery = GALLERY) -> None:
        super().__init__("open-nsfw", gallery)

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        return Seen(value=output.seen("unsafe", looks.unsafe))


class ObjectCount(PictureMetric):
    """How far the number of objects of the wanted kind is from the wanted number."""

    name: ClassVar[str] = "objects"
    needs_input: ClassVar[bool] = False
    about: ClassVar[About] = About(
        better="lower", unit="objects", low=0.0, high=None, blind="kinds that the checkpoint has no label for"
    )

    def __init__(self, finds: Detector | None = None, backend: str = "none", gallery: Gallery = GALLERY) -> None:
        super().__init__(backend, gallery)
        self._detector = detector(None, None) if finds is None else finds

    @property
    def gpus(self) -> float:
        return GPU_SHARE

    def applies(self, sample: Sample) -> str | None:
        return None if any(check.name == OBJECTS for check in sample.checks) else "no objects are to be counted"

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        args = next((check.args for check in sample.checks if check.name == OBJECTS), None)
        if args is None:
            raise Inapplicable("no objects are to be counted")
        found = output.seen(("objects", self.backend), self._detector.find)
        same = [thing for thing in found if thing.label == args["label"]]
        boxes = [{"box": list(thing.box), "score": thing.score} for thing in same]
        return Seen(value=float(abs(len(same) - args["count"])), detail={"found": len(same), "boxes": boxes, **args})
