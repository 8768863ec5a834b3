"""How far the judges of a board agree with the people who voted on the very same outputs, whole and by slice.

A slice is a value of one of the samples' tags. Which votes count was decided before; what people or judges saw is not
known here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from groundswell.boards.agreement import Opinion, agree, turned
from groundswell.records import Json, Tags

FEWEST_IN_SLICE = 30
"""Votes below which a slice is not shown: its intervals would hold everything."""

SLICED_BY = ("use_case", "capability", "style", "category", "task", "domain")
"""Tags that slice."""


def calibrate(
    judgments: Iterable[Opinion], votes: Iterable[Opinion], tags: Mapping[str, Tags], *, seed: int = 0
) -> dict[str, Json] | None:
    """The answer of `agree` over the pairs that people voted on, and the same by slice; None where nobody did.

    `tags` by sample. `slices` is {tag: {value: answer}}, of slices with FEWEST_IN_SLICE votes or more.
    """
    said = list(judgments)
    judged = {turned(opinion)[0] for opinion in said}
    cast = [vote for vote in votes if turned(vote)[0] in judged]
    if not cast:
        return None
    voted = {turned(vote)[0] for vote in cast}
    said = [opinion for opinion in said if turned(opinion)[0] in voted]
    slices: dict[str, dict[str, Json]] = defaultdict(dict)
    for (tag, value), samples in sorted(_slices(tags).items()):
        inside = [vote for vote in cast if vote.sample in samples]
        if FEWEST_IN_SLICE <= len(inside) < len(cast):
            found = agree((each for each in said if each.sample in samples), inside, seed=seed)
            slices[tag][value] = {"votes": len(inside), "judges": found["judges"]}
    return {**agree(said, cast, seed=seed), "slices": dict(slices)}


def _slices(tags: Mapping[str, Tags]) -> dict[tuple[str, str], set[str]]:
    """Samples by tag and value; a tag with several values puts a sample into several slices."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for sample, own in tags.items():
        for tag in SLICED_BY:
            values = own.get(tag)
            for value in values if isinstance(values, list | tuple) else [values]:
                if value:
                    found[tag, str(value)].add(sample)
    return found
