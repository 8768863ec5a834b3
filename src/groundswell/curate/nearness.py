"""Texts held against written examples by a small embedding model, for what words alone leave open.

The examples stand in `examples.json`, in several languages; none was taken from a post.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from groundswell.perception.embedding import embed
from groundswell.perception.language import language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAREST = 3
"""Examples of a kind that are looked at: a kind is broad, and its mean says little."""

LEAST_OF_A_LANGUAGE = 4
"""Examples by which the position of a language is known; with fewer, that of all stands for it."""

CLEAR = 0.02
"""Difference of cosines under which a leaning says nothing; chosen by leaving out one example at a time."""


@cache
def _examples() -> tuple[Sequence[str], Sequence[str], NDArray[np.float32], Mapping[str, NDArray[np.float32]]]:
    """Kinds and languages of the examples, their vectors, and where each language lies."""
    content = msgspec.json.decode(files(__package__).joinpath("examples.json").read_bytes(), type=dict[str, list[str]])
    rows = [(kind, text) for kind, texts in content.items() for text in texts]
    vectors = embed([text for _, text in rows])
    spoken = [language(text) for _, text in rows]
    centres = {"": vectors.mean(axis=0)}
    for code in set(spoken):
        own = [number for number, other in enumerate(spoken) if other == code]
        if len(own) >= LEAST_OF_A_LANGUAGE:
            centres[code] = vectors[own].mean(axis=0)
    return [kind for kind, _ in rows], spoken, vectors, centres


def likenesses(text: str) -> dict[str, float]:
    """For each kind of example, the mean cosine of its NEAREST ones to a text, each centred by its language."""
    import numpy as np

    kinds, spoken, vectors, centres = _examples()
    places = np.stack([centres.get(code, centres[""]) for code in spoken])
    examples = vectors - places
    own = embed([text])[0] - centres.get(language(text), centres[""])
    cosines = examples @ own / (np.linalg.norm(examples, axis=1) * np.linalg.norm(own))
    of_kind = np.array(kinds)
    return {kind: float(np.sort(cosines[of_kind == kind])[-NEAREST:].mean()) for kind in dict.fromkeys(kinds)}


def nearness(text: str) -> float:
    """How much nearer a text is to posts about made pictures than to others."""
    near = likenesses(text)
    return near["relevant"] - near["irrelevant"]


def leaning(text: str) -> str | None:
    """`success`, `failure` or `neither`; None = not clear."""
    near = likenesses(text)
    ranked = sorted(("success", "failure", "neither"), key=lambda kind: near[kind], reverse=True)
    return ranked[0] if near[ranked[0]] - near[ranked[1]] >= CLEAR else None
