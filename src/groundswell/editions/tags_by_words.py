"""The local reader of tags: the words of a prompt, and where they leave it open, its likeness to written examples.

It needs no key and no network. `embed` is an embedding that is given, where one is installed; without it what the
words do not decide is left open. Words and examples stand in `tag_cues.json`, in English and Chinese.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np

from groundswell.editions.likeness import Vectors
from groundswell.editions.tagging import AXES, Proposal
from groundswell.records import Json

CLEAR = 0.03
"""Difference of cosines under which the nearest word is not told from the second."""

LEAST = 0.12
"""Cosine under which a prompt is like no example."""

MOST_STYLES = 3


class Cue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What speaks for one word of the taxonomy."""

    words: tuple[str, ...]
    likeness: tuple[str, ...] = ()


@cache
def cues() -> Mapping[str, Mapping[str, Cue]]:
    """Cues by axis and word of the taxonomy."""
    return msgspec.json.decode(
        files(__package__).joinpath("tag_cues.json").read_bytes(), type=dict[str, dict[str, Cue]]
    )


class TagsByWords:
    """`ports.Reader` for the question `tags`."""

    name = "local"
    version = 1
    """Of the cues; raised with every change, so that prompts are read again."""

    def __init__(self, embed: Vectors | None = None) -> None:
        self._embed = embed

    async def read(self, question: str, material: Json) -> Json:
        """The proposal, or None where nothing speaks for any word."""
        found = await asyncio.to_thread(self.propose, tuple(material["prompts"].values()))
        return msgspec.to_builtins(found) if found.tags() else None

    def propose(self, prompts: Sequence[str]) -> Proposal:
        """Tags for a prompt in all its languages."""
        said: dict[str, str] = {}
        why: dict[str, str] = {}
        for axis in AXES:
            if (decided := self._decided(axis, prompts)) is not None:
                said[axis], why[axis] = decided
        styles = sorted(hits("style", prompts).items(), key=lambda each: -len(each[1]))[:MOST_STYLES]
        if styles:
            why["style"] = "; ".join(f"{word}: {', '.join(found)}" for word, found in styles)
        return Proposal(
            use_case=said.get("use_case"),
            capability=said.get("capability"),
            style=tuple(word for word, _ in styles),
            why=why,
        )

    def _decided(self, axis: str, prompts: Sequence[str]) -> tuple[str, str] | None:
        """The word of an axis with its evidence; None where nothing decides."""
        found = hits(axis, prompts)
        most = max(map(len, found.values()), default=0)
        best = [word for word, words in found.items() if len(words) == most]
        if len(best) == 1:
            return best[0], f"its words: {', '.join(found[best[0]])}"
        if self._embed is None:
            return None
        return self._nearest(axis, prompts, best or list(cues()[axis]))

    def _nearest(self, axis: str, prompts: Sequence[str], among: Sequence[str]) -> tuple[str, str] | None:
        """The word whose examples a prompt is most like, where that is clear."""
        assert self._embed is not None
        examples = [(word, text) for word in cues()[axis] for text in cues()[axis][word].likeness]
        vectors = self._embed([*(text for _, text in examples), *prompts])
        cosines = (vectors[: len(examples)] @ vectors[len(examples) :].T).max(axis=1)
        likeness = {
            word: float(np.mean([value for (of, _), value in zip(examples, cosines, strict=True) if of == word]))
            for word in among
        }
        first, second = sorted(likeness, key=lambda word: -likeness[word])[:2]
        if likeness[first] < LEAST or likeness[first] - likeness[second] < CLEAR:
            return None
        return first, f"likeness {likeness[first]:.2f} to its examples, {likeness[second]:.2f} to those of {second}"


def hits(axis: str, prompts: Sequence[str]) -> dict[str, list[str]]:
    """The cues of each word of an axis that stand in a prompt, where any do. A cue within a longer one that stands
    there, too, is not counted again."""
    text = "\n".join(prompts).lower()
    found = {}
    for word, cue in cues()[axis].items():
        there = [each for each in cue.words if _pattern(each).search(text)]
        if whole := [each for each in there if not any(each != other and each in other for other in there)]:
            found[word] = whole
    return found


@cache
def _pattern(cue: str) -> re.Pattern[str]:
    """Latin words stand by themselves; Chinese ones stand anywhere."""
    return re.compile(rf"(?<![a-z0-9]){re.escape(cue)}(?![a-z0-9])" if cue.isascii() else re.escape(cue))
