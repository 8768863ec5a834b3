"""Win rate, the panel's majority, and how far apart a board's best two are (METHODS, section 3).

A model's win rate is the mean over its opponents of its mean points against each, a win being 1, a tie 1/2. Pooled is
the mean over its games, which leans to the opponents met most often. What was graded, and how, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from groundswell.stats.agreement import Statistic
from groundswell.stats.votes import LEFT, RIGHT, TIE, Floats, Ints, Tally, Votes, tally


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRates:
    """Arrays (models,): mean over opponents and pooled over games (NaN without a game), points, games, opponents."""

    over_opponents: Floats
    pooled: Floats
    points: Floats
    games: Ints
    opponents: Ints


def win_rate(votes: Votes, tallied: Tally | None = None) -> WinRates:
    """Win rates of all models. A model without a game has NaN, not 0. `tallied` saves counting again."""
    points = (tallied or tally(votes)).wins()
    met = points + points.T
    opponents = np.count_nonzero(met, axis=1)
    share = np.divide(points, met, out=np.zeros_like(points), where=met > 0)
    with np.errstate(invalid="ignore"):
        return WinRates(
            over_opponents=share.sum(axis=1) / opponents,
            pooled=points.sum(axis=1) / met.sum(axis=1),
            points=points.sum(axis=1),
            games=votes.games(),
            opponents=opponents,
        )


def resampled(votes: Votes, model: int) -> Statistic:
    """A model's win rate over opponents as a statistic of cluster weights, for its interval."""
    if votes.cluster is None:
        raise ValueError("a win rate is resampled by cluster")
    here = (votes.left == model) | (votes.right == model)
    opponent = np.where(votes.left == model, votes.right, votes.left)[here]
    points = (1 + np.where(votes.left == model, votes.outcome, -votes.outcome)[here]) / 2
    shape = (int(votes.cluster.max()) + 1, votes.models)
    place, size = votes.cluster[here] * votes.models + opponent, shape[0] * shape[1]
    won = np.bincount(place, points, size).reshape(shape)
    met = np.bincount(place, minlength=size).reshape(shape)

    def statistic(weight: Floats) -> Floats:
        scored, games = weight @ won, weight @ met
        opponents = np.count_nonzero(games, axis=1)
        share = np.divide(scored, games, out=np.zeros_like(scored), where=games > 0)
        unmet = np.full(len(weight), np.nan)
        return np.asarray(np.divide(share.sum(axis=1), opponents, out=unmet, where=opponents > 0))

    return statistic


def verdict(left: float, right: float) -> int:
    """One judge's verdict from its two grades: the higher wins, equal is a tie."""
    return LEFT if left > right else RIGHT if right > left else TIE


def majority(verdicts: Sequence[int], quorum: int = 2) -> int | None:
    """The panel's verdict: what more than half of the judges say, else a tie; None below the quorum."""
    if len(verdicts) < quorum:
        return None
    for side in (LEFT, RIGHT):
        if 2 * sum(each == side for each in verdicts) > len(verdicts):
            return side
    return TIE


def separation(rates: Iterable[float]) -> float | None:
    """(best - second) / second; None where there is no second or it is 0."""
    best = sorted(rates, reverse=True)[:2]
    if len(best) < 2 or best[1] == 0:
        return None
    return (best[0] - best[1]) / best[1]
