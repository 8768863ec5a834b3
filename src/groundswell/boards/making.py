"""A board from comparisons: panel pairs and people's votes are read as one type.

Which comparisons count was decided before; how the board is shown is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

import msgspec
import numpy as np

from groundswell.boards.options import DEFAULTS, RankOptions
from groundswell.boards.ranking import ladder, rank_votes
from groundswell.boards.tables import OUTCOMES, Counted
from groundswell.errors import UserError
from groundswell.records import Board, Comparison, Json, Winner
from groundswell.stats.votes import Votes

Compared = TypeVar("Compared", bound=Comparison)
LABEL: Mapping[Winner, int] = {winner: place for place, winner in enumerate(Winner)}
CLUSTERS: Mapping[str, Callable[[Comparison], str]] = {"sample": attrgetter("sample"), "rater": attrgetter("by")}
"""What comparisons may hang together by."""


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """A board with the votes that it was fitted from, weighted as they were; clusters are the samples."""

    board: Board
    votes: Counted


def board_from(
    comparisons: Iterable[Comparison],
    *,
    name: str,
    modality: str,
    edition: str | None = None,
    options: RankOptions = DEFAULTS,
    left_out: Mapping[str, int] | None = None,
) -> Board:
    """Rank the models of some comparisons, clustered by sample, with ranks that hold for all differences at once.

    `left_out` counts what was left out before; repeats and models against themselves are added to it.
    """
    board = board_of(counted(comparisons, left_out or {}), name=name, modality=modality, options=options)
    return msgspec.structs.replace(board, edition=edition)


def board_of(numbered: Counted, *, name: str, modality: str, options: RankOptions) -> Board:
    """A board of numbered votes whose clusters are the samples."""
    found = ladder(numbered, msgspec.structs.replace(options, cluster="sample"), simultaneous=True)
    return Board(
        name=name,
        modality=modality,
        ratings=found.ratings,
        unranked=found.unranked,
        left_out=found.left_out,
        method=found.method,
    )


def countable(comparisons: Iterable[Compared], left_out: Counter[str]) -> list[Compared]:
    """Comparisons that can be counted at all; what cannot is added to `left_out`."""
    seen: set[tuple[object, ...]] = set()
    kept: list[Compared] = []
    for comparison in comparisons:
        identity = identified(comparison)
        if identity in seen:
            left_out["repeated vote"] += 1
        elif comparison.left == comparison.right:
            left_out["a model against itself"] += 1
        else:
            kept.append(comparison)
        seen.add(identity)
    return kept


def identified(comparison: Comparison) -> tuple[object, ...]:
    """What makes a comparison the one it is; cheaper than its key."""
    return (type(comparison), *comparison.identity())


def rank_comparisons(comparisons: Iterable[Comparison], options: RankOptions = DEFAULTS) -> dict[str, Json]:
    """The answer of `groundswell rank` for comparisons of a store, clustered by `sample` (default) or `rater`.

    Raises UserError for another cluster, and for weights: comparisons carry none.
    """
    if options.cluster not in (None, *CLUSTERS) or options.weights:
        raise UserError("comparisons of a workspace have no weights; --cluster is sample or rater")
    votes = counted(comparisons, {}, cluster=options.cluster or "sample")
    if options.prior is not None:
        plain = msgspec.structs.replace(votes, votes=replace(votes.votes, cluster=None))
        return rank_votes(plain, options)
    return rank_votes(votes, msgspec.structs.replace(options, cluster=options.cluster or "sample"))


def counted(comparisons: Iterable[Comparison], left_out: Mapping[str, int], *, cluster: str = "sample") -> Counted:
    """Comparisons as votes whose clusters are the samples (or the raters)."""
    group = CLUSTERS[cluster]
    out: Counter[str] = Counter(left_out)
    kept = countable(comparisons, out)
    names = sorted({each.left for each in kept} | {each.right for each in kept})
    number = {model: place for place, model in enumerate(names)}
    samples: dict[str, int] = {}
    for each in kept:
        samples.setdefault(group(each), len(samples))
    winners = Counter(each.winner for each in kept)
    return Counted(
        votes=Votes(
            models=len(names),
            left=np.array([number[each.left] for each in kept], dtype=np.int64),
            right=np.array([number[each.right] for each in kept], dtype=np.int64),
            outcome=np.array([OUTCOMES[each.winner] for each in kept], dtype=np.int64),
            cluster=np.array([samples[group(each)] for each in kept], dtype=np.int64),
        ),
        names=tuple(names),
        left_out=dict(out),
        winners={str(winner): winners[winner] for winner in Winner},
        samples=tuple(samples),
        labels=np.array([LABEL[each.winner] for each in kept], dtype=np.int64),
    )
