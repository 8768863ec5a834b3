"""What the metrics of pictures share: they look at decoded views, and turn every reason for silence into NotApplicable.

A metric of this kind writes one function, `see`. It knows its direction, its range, and what it cannot see.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import msgspec

from groundswell.errors import GroundswellError
from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.notices import failure_notice
from groundswell.perception.loading import NotInstalled, NoWeights
from groundswell.pictures import UnreadablePicture
from groundswell.records import Json, Measured, Measurement, NotApplicable, Sample

GPU_SHARE = 0.25
"""Of one GPU, for a network of some hundred megabytes that looks at one picture at a time."""


class Inapplicable(GroundswellError):
    """The metric says nothing about these pictures; the text is the reason, naming the side. No value stands for it."""


class About(msgspec.Struct, frozen=True, kw_only=True):
    """How a metric's number is to be read."""

    better: Literal["lower", "higher", "neither"]
    unit: str
    low: float | None
    """Least possible value; None = unbounded."""
    high: float | None
    blind: str
    """What it cannot see, for the reader of a board."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A number, and what it was made of."""

    value: float
    detail: Mapping[str, Json] = msgspec.field(default_factory=dict)


class PictureMetric(ABC):
    """A `ports.Metric` over decoded pictures."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    about: ClassVar[About]
    needs_input: ClassVar[bool] = True

    def __init__(self, backend: str, gallery: Gallery = GALLERY) -> None:
        self.backend = backend
        self._gallery = gallery

    @property
    def gpus(self) -> float:
        """Share of a GPU that its network fills, where a cluster has any; 0 = it runs on processors."""
        return 0.0

    def applies(self, sample: Sample) -> str | None:
        """None where it applies, else why not: without a model and without looking at pictures."""
        if self.needs_input and not sample.inputs:
            return "the sample has no input picture"
        return None

    @abstractmethod
    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        """The measurement. Raises Inapplicable with the reason where there is none."""

    def measure(self, sample: Sample, output: str, inputs: Sequence[bytes], picture: bytes) -> Measured:
        """Measurement or NotApplicable of one output (`output` is its key); nothing of the pictures makes it raise."""
        try:
            seen = self.look(sample, inputs, picture)
        except (Inapplicable, NotInstalled, NoWeights) as silence:
            return NotApplicable(
                output=output,
                sample=sample.key,
                metric=self.name,
                version=self.version,
                backend=self.backend,
                why=str(silence),
            )
        return Measurement(
            output=output,
            sample=sample.key,
            metric=self.name,
            version=self.version,
            backend=self.backend,
            value=seen.value,
            detail=seen.detail,
        )

    def look(self, sample: Sample, inputs: Sequence[bytes], picture: bytes) -> Seen:
        """Decode and see. Raises Inapplicable, NotInstalled or NoWeights."""
        if self.needs_input and not inputs:
            raise Inapplicable("there is no input picture")
        output = self._view(picture, "output")
        notice = failure_notice(output)
        if notice:
            raise Inapplicable(f"the output is a notice of failure, not a picture: {notice}")
        views = [self._view(data, f"input {place}") for place, data in enumerate(inputs, 1)]
        return self.see(sample, views, output)

    def _view(self, data: bytes, side: str) -> View:
        try:
            return self._gallery.view(data)
        except UnreadablePicture as error:
            raise Inapplicable(f"the {side} cannot be read: {error}") from error
