"""Face identity: the largest cosine between a face of any input and a face of the output (METHODS, section 3).

Faces that were found are kept with their boxes, so a reader can see which two were compared. It does not know who
anybody is, nor whether the right person of several was kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.metric import About, Inapplicable, PictureMetric, Seen
from groundswell.perception.faces import SFACE, Face, Faces, auraface
from groundswell.records import Json, Sample


class FaceIdentity(PictureMetric):
    """The metric; a side without a face makes it inapplicable, never 0."""

    name: ClassVar[str] = "face"
    about: ClassVar[About] = About(
        better="higher",
        unit="cosine",
        low=-1.0,
        high=1.0,
        blind="faces under about 10 pixels or from behind; drawn faces are alike; which of several people was meant",
    )

    def __init__(self, faces: Faces = SFACE, gallery: Gallery = GALLERY) -> None:
        super().__init__(faces.name, gallery)
        self._faces = faces

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        before = [(place, face) for place, view in enumerate(inputs, 1) for face in self._found(view)]
        after = self._found(output)
        empty = [side for side, found in (("input", before), ("output", after)) if not found]
        if empty:
            raise Inapplicable(f"no face in the {' and no face in the '.join(empty)}")
        cosines = np.stack([face.vector for _, face in before]) @ np.stack([face.vector for face in after]).T
        left, right = np.unravel_index(int(cosines.argmax()), cosines.shape)
        return Seen(
            value=float(cosines[left, right]),
            detail={
                "input_faces": [{"input": place, **_plain(face)} for place, face in before],
                "output_faces": [_plain(face) for face in after],
                "matched": [int(left), int(right)],
                "cosines": [[float(value) for value in row] for row in cosines],
            },
        )

    def _found(self, view: View) -> tuple[Face, ...]:
        return view.seen(("faces", self.backend), self._faces.find)


def with_auraface(path: str | Path | None, digest: str | None, gallery: Gallery = GALLERY) -> FaceIdentity:
    """The metric with the paper's network, from a path with the sha256 of its bytes."""
    return FaceIdentity(auraface(path, digest), gallery)


def _plain(face: Face) -> dict[str, Json]:
    return {"box": [round(edge, 1) for edge in face.box], "score": round(face.score, 3)}
