"""Notices of failure that came as a picture: a plain card that says that nothing was generated.

Some collections store such a card in place of an output; measured as a picture it would get a number. Told only where
OCR is installed, by a flat background and a short text in English; it knows no other signs of failure.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from groundswell.measure.gallery import View
from groundswell.perception import ocr
from groundswell.perception.loading import NotInstalled

FLAT = 0.7
"""Share of one single colour above which a picture is read at all: reading costs more than most metrics."""

MOST_WORDS = 15
"""A poster about failure says more than a notice of it."""

_FAILURE = re.compile(
    r"(model|generat\w*|request|output|image|content).{0,40}(fail|error|unable|not available|blocked|unavailable)"
    r"|(fail\w*|unable|could not|cannot|can't)\s*to?\s*(generate|create|produce|process|load)",
    re.IGNORECASE | re.DOTALL,
)


def failure_notice(view: View) -> str | None:
    """What the notice says, on one line; None = this is a picture, as far as can be told."""
    return view.seen("failure notice", _notice)


def _notice(pixels: NDArray[np.uint8]) -> str | None:
    if share_of_one_colour(pixels) < FLAT:
        return None
    try:
        said = " ".join(line.text for line in ocr.read(pixels))
    except NotInstalled:
        return None
    return said if len(said.split()) <= MOST_WORDS and _FAILURE.search(said) else None


def share_of_one_colour(pixels: NDArray[np.uint8]) -> float:
    """Share of the pixels that have exactly the colour of most corners, 0..1."""
    corners = pixels[[0, 0, -1, -1], [0, -1, 0, -1]]
    colours, counts = np.unique(corners, axis=0, return_counts=True)
    return float((pixels == colours[counts.argmax()]).all(axis=2).mean())
