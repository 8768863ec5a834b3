"""Objects in pictures, by a detection transformer from a folder or hub id with a pinned digest.

No package carries such weights, so without a path there is no detector. Labels are those of the checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from groundswell.perception.loading import NoWeights, Once, TravelsAs, need, weights_folder

SURE = 0.5
"""Least score of an object that counts."""


@dataclass(frozen=True)
class Thing:
    """One object: label, score, and box (x1, y1, x2, y2) in pixels."""

    label: str
    score: float
    box: tuple[float, float, float, float]


Find = Callable[[NDArray[np.uint8]], tuple[Thing, ...]]


class Detector:
    """Finds objects with the checkpoint at `place`; `digest` is the sha256 of its weights file."""

    def __init__(self, place: str | Path | None, digest: str | None, revision: str | None = None) -> None:
        self._travels_as = (detector, (place, digest, revision))
        self._find = Once(partial(_load, place, digest, revision))
        self._lock = Lock()

    def __reduce__(self) -> TravelsAs:
        return self._travels_as

    def find(self, pixels: NDArray[np.uint8]) -> tuple[Thing, ...]:
        """Objects in (h, w, 3) uint8 RGB with a score of at least SURE. Raises NoWeights, NotInstalled, UserError."""
        find = self._find()
        with self._lock:
            return find(pixels)


@cache
def detector(place: str | Path | None, digest: str | None, revision: str | None = None) -> Detector:
    """The one detector of this process for a checkpoint."""
    return Detector(place, digest, revision)


def _load(place: str | Path | None, digest: str | None, revision: str | None) -> Find:
    if place is None or digest is None:
        raise NoWeights("no weights: the detector needs a folder or hub id, and the sha256 of its weights file")
    torch = need("torch", package="torch", extra="papers")
    transformers = need("transformers", package="transformers", extra="papers")
    folder = weights_folder(place, digest, revision)
    torch.set_num_threads(1)
    processor = transformers.AutoImageProcessor.from_pretrained(folder)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = transformers.AutoModelForObjectDetection.from_pretrained(folder).eval().to(device)

    def find(pixels: NDArray[np.uint8]) -> tuple[Thing, ...]:
        batch = processor(images=Image.fromarray(pixels), return_tensors="pt").to(device)
        with torch.inference_mode():
            raw = model(**batch)
        found = processor.post_process_object_detection(raw, threshold=SURE, target_sizes=[pixels.shape[:2]])[0]
        return tuple(
            Thing(label=model.config.id2label[int(label)], score=float(score), box=(x1, y1, x2, y2))
            for label, score, (x1, y1, x2, y2) in zip(
                found["labels"], found["scores"], found["boxes"].tolist(), strict=True
            )
        )

    return find
