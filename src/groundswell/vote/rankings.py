"""Experts' rankings of all outputs of a sample as comparisons, and back. Pure; the experts' page is in `experts`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any

import msgspec

from groundswell.records import Vote, Winner, key_of
from groundswell.vote.pairing import Shown
from groundswell.vote.voters import EXPERT, is_expert

METHODOLOGY = "expert ranking"


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """One output with the place that an expert gave it; 1 is best."""

    shown: Shown
    place: int


def comparisons(sample: str, by: str, ranked: Sequence[Ranked], time: datetime) -> list[Vote]:
    """A ranking as comparisons of all pairs of its outputs."""
    found = []
    for one, other in combinations(sorted(ranked, key=lambda each: each.shown.output), 2):
        winner = Winner.LEFT if one.place < other.place else Winner.RIGHT if one.place > other.place else Winner.TIE
        found.append(
            Vote(
                sample=sample,
                left=one.shown.model,
                right=other.shown.model,
                winner=winner,
                by=by,
                left_output=one.shown.output,
                right_output=other.shown.output,
                ballot=key_of("ranking", 1, by, sample, one.shown.output, other.shown.output),
                methodology=METHODOLOGY,
                time=time,
            )
        )
    return found


def rankings(votes: Iterable[Vote]) -> Iterator[dict[str, Any]]:
    """The rankings behind experts' comparisons, as `agree` reads them: {sample, rater, order: [[best...], ...]}."""
    beaten: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for vote in votes:
        if is_expert(vote):
            place = beaten[vote.sample, vote.by.removeprefix(EXPERT)]
            place[vote.left] += vote.winner is Winner.RIGHT
            place[vote.right] += vote.winner is Winner.LEFT
    for (sample, rater), lost in beaten.items():
        levels = sorted(set(lost.values()))
        order = [sorted(model for model, count in lost.items() if count == level) for level in levels]
        yield {"sample": sample, "rater": rater, "order": order}
