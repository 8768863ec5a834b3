"""Many judge verdicts corrected by few votes of people: prediction-powered Bradley-Terry.

People's votes alone give an unbiased but wide estimate. Where a judge gave a verdict on the very outputs a person voted
on, how far that verdict lies from the judge's usual verdict on the pair tells whether this vote fell on an easy or a
lucky sample; `share` times that is taken off the vote. What the judge usually says is the mean of its many verdicts,
so a useless or biased judge shifts nothing; the share that minimises the variance is fitted on other clusters than
those it is used on (Angelopoulos et al. 2023; Zrnic and Candes 2024). Votes are weighted by the inverse of the
probability with which they were drawn. Whose votes or verdicts these are is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from groundswell.stats.bradley_terry import climb, fit, grounded, laplacian
from groundswell.stats.votes import Cells, Floats, Ints, Tally, Votes, cells, tally

FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """Strengths (models,) about mean 0 with their covariance, fused and from the votes alone.

    `share` is the weight of the judge's correction (mean over folds), in 0 .. 1; `doubly` how many votes the judge saw.
    """

    strength: Floats
    covariance: Floats
    votes_strength: Floats
    votes_covariance: Floats
    share: float
    doubly: int
    converged: bool


def fuse(votes: Votes, verdicts: Votes, verdict: Floats, *, seed: int = 0) -> Fused:
    """Ratings of people's votes, narrowed by a judge.

    `votes` and `verdicts` are over the same models and share cluster numbers; `votes.weight` is the inverse draw
    probability, any scale. `verdict` (votes,) is what the judge said of the very outputs of each vote, as points of the
    left side (1, 1/2, 0); NaN where it said nothing. Raises ValueError where the votes alone have no maximum.
    """
    if votes.cluster is None or verdicts.cluster is None:
        raise ValueError("fused votes and verdicts need clusters")
    weight = np.ones(len(votes.left)) if votes.weight is None else votes.weight / votes.weight.mean()
    placed = cells(votes)
    sums = tally(votes, placed)
    pair = placed.cell // 3
    forward = np.where(votes.left < votes.right, 1.0, -1.0)
    points = 1 - (placed.cell % 3) / 2
    surprise, echo = _surprises(votes, verdicts, placed, verdict, weight, forward)
    total = np.bincount(pair, weight, len(placed.first))

    def solved(adjusted: Floats) -> tuple[Floats, Floats, bool]:
        won = np.bincount(pair, weight * adjusted, len(placed.first))
        columns = np.column_stack([won, np.zeros(len(won)), total - won])
        table = Tally(
            models=votes.models, first=placed.first, second=placed.second, weight=columns, square=columns, count=columns
        )
        found = climb(table, start, 0.0, lambda g, h: np.asarray(cho_solve(cho_factor(grounded(h, votes.models)), g)))
        gap = found.strength[placed.first] - found.strength[placed.second]
        value = expit(gap) * expit(-gap)
        inverse = np.linalg.inv(grounded(laplacian(table, total * value), votes.models))
        own = np.diag(inverse)
        reach = own[placed.first] + own[placed.second] - 2 * inverse[placed.first, placed.second]
        leverage = np.minimum(weight * (value * reach)[pair], 0.9)
        return found.strength - found.strength.mean(), inverse, 1/(1-leverage)

    start = fit(sums).strength
    alone, inverse, lev0 = solved(points)
    by_cluster = _Clusters(votes, placed, verdicts, echo)
    people = by_cluster.people(weight * lev0* (points - _chance(alone, placed, pair)))
    judge = by_cluster.judge(weight * lev0*surprise)
    fold = _folds(len(people), seed)
    shares = _shares(people @ inverse, judge @ inverse, fold)
    fused, fused_inverse, lev1 = solved(points - shares[fold[votes.cluster]] * surprise)
    rest = by_cluster.people(weight * lev1*(points - _chance(fused, placed, pair)))
    rest -= shares[fold][:, None] * judge
    return Fused(
        strength=fused,
        covariance=fused_inverse @ (rest.T @ rest) @ fused_inverse,
        votes_strength=alone,
        votes_covariance=inverse @ (people.T @ people) @ inverse,
        share=float(shares.mean()),
        doubly=int(np.count_nonzero(~np.isnan(verdict))),
        converged=True,
    )


def _chance(strength: Floats, placed: Cells, pair: Ints) -> Floats:
    return np.asarray(expit(strength[placed.first] - strength[placed.second])[pair])


def _surprises(
    votes: Votes, verdicts: Votes, placed: Cells, verdict: Floats, weight: Floats, forward: Floats
) -> tuple[Floats, Floats]:
    """The judge's verdict on each vote's outputs less its mean on the pair, toward `first`; 0 where it said nothing.

    Beside it, for every verdict of the judge, what it adds to the correction through that mean.
    """
    size = votes.models**2
    low, high = np.minimum(verdicts.left, verdicts.right), np.maximum(verdicts.left, verdicts.right)
    code = low * votes.models + high
    said = np.where(verdicts.left < verdicts.right, 1.0, -1.0) * verdicts.outcome / 2 + 0.5
    own = np.ones(len(code)) if verdicts.weight is None else verdicts.weight
    mass = np.bincount(code, own, size)
    mean = np.divide(np.bincount(code, own * said, size), mass, out=np.full(size, np.nan), where=mass > 0)
    vote_code = (placed.first * votes.models + placed.second)[placed.cell // 3]
    surprise = np.where(forward > 0, verdict, 1 - verdict) - mean[vote_code]
    counted = ~np.isnan(surprise)
    surprise = np.where(counted, surprise, 0.0)
    used = np.bincount(vote_code, weight * counted, size)
    lever = np.divide(used, mass, out=np.zeros(size), where=mass > 0)
    return surprise, own * lever[code] * (said - np.where(mass > 0, mean, 0.0)[code])


class _Clusters:
    """Sums by cluster of value * (e_first - e_second), over votes and over the judge's verdicts."""

    def __init__(self, votes: Votes, placed: Cells, verdicts: Votes, echo: Floats) -> None:
        assert votes.cluster is not None
        assert verdicts.cluster is not None
        pair = placed.cell // 3
        self._shape = (1 + int(max(votes.cluster.max(), verdicts.cluster.max())), votes.models)
        self._place = (votes.cluster, placed.first[pair], placed.second[pair])
        low, high = np.minimum(verdicts.left, verdicts.right), np.maximum(verdicts.left, verdicts.right)
        self._echo = self._sum((verdicts.cluster, low, high), echo)

    def people(self, value: Floats) -> Floats:
        return self._sum(self._place, value)

    def judge(self, value: Floats) -> Floats:
        """The correction's part, with what the judge's mean owes to the verdicts in it."""
        return self._sum(self._place, value) - self._echo

    def _sum(self, place: tuple[Ints, Ints, Ints], value: Floats) -> Floats:
        cluster, first, second = place
        size = self._shape[0] * self._shape[1]
        summed = np.bincount(cluster * self._shape[1] + first, value, size)
        return np.asarray(summed - np.bincount(cluster * self._shape[1] + second, value, size)).reshape(self._shape)


def _folds(clusters: int, seed: int) -> Ints:
    return np.random.default_rng(seed).permutation(clusters) % FOLDS


def _shares(people: Floats, judge: Floats, fold: Ints) -> Floats:
    """For each fold the variance-minimising share, fitted on the other folds; within 0 .. 1."""
    together, own = (people * judge).sum(axis=1), (judge**2).sum(axis=1)
    both = together.sum() - np.bincount(fold, together, FOLDS)
    whole = own.sum() - np.bincount(fold, own, FOLDS)
    return np.clip(np.divide(both, whole, out=np.zeros(FOLDS), where=whole > 0), 0.0, 1.0)
