"""How alike prompts are, by the pieces of their words: for near-duplicates, and for how people prompt now.

Counts of character n-grams, weighted by rarity and of length 1; it needs no model, reads every script, and knows
spelling, not meaning. Where a text embedding is at hand its vectors can be given instead.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from groundswell.stats.votes import Floats

NGRAMS = (3, 4, 5)
WIDTH = 4096
"""Numbers in a vector; n-grams share places by their hash."""

NEIGHBOURS = 5
PERCENTILE = 1.0
NEAR_DUPLICATE = 0.8
"""Cosine from which two prompts are one."""

BACKEND = "character n-grams"


def vectors(texts: Sequence[str]) -> Floats:
    """Unit vectors (texts, WIDTH); a text without letters is 0."""
    counts = [Counter(_grams(text)) for text in texts]
    seen = Counter(place for count in counts for place in count)
    matrix = np.zeros((len(texts), WIDTH), dtype=np.float64)
    for row, count in enumerate(counts):
        for place, times in count.items():
            matrix[row, place] = (1 + math.log(times)) * math.log((1 + len(texts)) / (1 + seen[place]) + 1)
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(length > 0, length, 1))


def _grams(text: str) -> list[int]:
    plain = " " + " ".join(re.findall(r"\w+", text.lower())) + " "
    pieces = (plain[start : start + n] for n in NGRAMS for start in range(max(0, len(plain) - n + 1)))
    return [int.from_bytes(blake2b(piece.encode(), digest_size=4).digest()) % WIDTH for piece in pieces]


def nearest(one: Floats, others: Floats) -> tuple[int, float] | None:
    """Place and cosine of the most alike of `others` (n, width); None where there are none."""
    if not len(others):
        return None
    cosine = others @ one
    place = int(cosine.argmax())
    return place, float(cosine[place])


def unlike(prompts: Floats, corpus: Floats) -> list[tuple[float, float] | None]:
    """For each prompt (n, width): (likeness, threshold) where it is less like its nearest neighbours in the corpus than
    99 % of the corpus are like theirs, else None. Nobody is judged by a corpus of fewer than 100."""
    if len(corpus) < 100:
        return [None] * len(prompts)
    among = corpus @ corpus.T
    np.fill_diagonal(among, -1)
    threshold = float(np.percentile(_mean_of_best(among), PERCENTILE))
    likeness = _mean_of_best(prompts @ corpus.T)
    return [(float(value), threshold) if value < threshold else None for value in likeness]


def _mean_of_best(cosine: Floats) -> Floats:
    """Mean of the NEIGHBOURS largest in each row."""
    best = np.partition(cosine, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:]
    return np.asarray(best.mean(axis=1))
