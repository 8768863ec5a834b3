"""Many judge verdicts corrected by few votes of people: prediction-powered Bradley-Terry.

People's votes alone give an unbiased but wide estimate. Where a judge gave a verdict on the very outputs a person voted
on, how far that verdict lies from the judge's usual verdict on the pair tells whether this vote fell on an easy or a
lucky sample; a share of it is taken off the vote. The judge's usual verdict is the mean of its many verdicts on the
pair, so a useless or biased judge shifts nothing. The share that minimises the variance is fitted on other clusters
than those it is used on (Angelopoulos, Duchi and Zrnic 2023; Zrnic and Candes 2024). Votes are weighted by the inverse
of the probability with which they were drawn. Whose votes or verdicts these are is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from groundswell.stats.bradley_terry import climb, fit, grounded, laplacian
from groundswell.stats.votes import Cells, Floats, Ints, Tally, Votes, cells, tally

FOLDS = 5
MOST_LEVERAGE = 0.9
"""Above it one vote decides a rating alone; its residual is not inflated further."""

WEIGHT_CAP = 20.0
"""No weight exceeds so many times the smallest (METHODS, section 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """Strengths (models,) about mean 0 with their covariance, fused and from the votes alone.

    `share` is the share of the judge's surprise that is taken off a vote (mean over folds, in 0 .. 1); `doubly` counts
    the votes on whose outputs the judge spoke.
    """

    strength: Floats
    covariance: Floats
    votes_strength: Floats
    votes_covariance: Floats
    share: float
    doubly: int
    converged: bool


def draw_weights(probability: Floats) -> tuple[Floats, int]:
    """Inverse draw probabilities, cut at WEIGHT_CAP times the smallest, and how many were cut."""
    weight = 1 / probability
    most = WEIGHT_CAP * weight.min()
    return np.minimum(weight, most), int(np.count_nonzero(weight > most))


def fuse(votes: Votes, verdicts: Votes, verdict: Floats, *, seed: int = 0) -> Fused:
    """Ratings of people's votes, narrowed by a judge.

    `votes` and `verdicts` are over the same models and share cluster numbers; `votes.weight` is the inverse draw
    probability, on any scale. `verdict` (votes,) is what the judge said of the very outputs of each vote, as points of
    the left side (1, 1/2, 0), NaN where it said nothing. Raises ValueError where the votes alone have no maximum.
    """
    if votes.cluster is None or verdicts.cluster is None:
        raise ValueError("fused votes and verdicts need clusters")
    people = _People.of(votes)
    surprise, echo = _surprises(people, verdicts, np.where(votes.left < votes.right, verdict, 1 - verdict))
    clusters = 1 + int(max(votes.cluster.max(), verdicts.cluster.max()))
    alone = people.solve(people.points)
    own = people.by_cluster(alone.inflation * (people.points - alone.chance), clusters)
    judge = people.by_cluster(alone.inflation * surprise, clusters)
    judge -= _by_cluster(verdicts.cluster, *_ordered(verdicts), echo, (clusters, votes.models))
    fold = np.random.default_rng(seed).permutation(clusters) % FOLDS
    shares = _shares(own @ alone.inverse, judge @ alone.inverse, fold)
    fused = people.solve(people.points - shares[fold[votes.cluster]] * surprise)
    rest = people.by_cluster(fused.inflation * (people.points - fused.chance), clusters)
    rest -= shares[fold][:, None] * judge
    return Fused(
        strength=fused.strength,
        covariance=fused.inverse @ (rest.T @ rest) @ fused.inverse,
        votes_strength=alone.strength,
        votes_covariance=alone.inverse @ (own.T @ own) @ alone.inverse,
        share=float(shares.mean()),
        doubly=int(np.count_nonzero(~np.isnan(verdict))),
        converged=alone.converged and fused.converged,
    )


@dataclass(frozen=True, slots=True)
class _Solution:
    """Strengths, inverse information, and for each vote the chance of `first` and 1 / (1 - leverage).

    The last makes up for residuals that are small because the fit followed them (MacKinnon and White 1985).
    """

    strength: Floats
    inverse: Floats
    chance: Floats
    inflation: Floats
    converged: bool


@dataclass(frozen=True, slots=True)
class _People:
    """Votes turned toward the first model of their pair, with weights of mean 1."""

    models: int
    placed: Cells
    pair: Ints
    cluster: Ints
    weight: Floats
    points: Floats
    start: Floats

    @classmethod
    def of(cls, votes: Votes) -> _People:
        assert votes.cluster is not None
        placed = cells(votes)
        weight = np.ones(len(votes.left)) if votes.weight is None else votes.weight / votes.weight.mean()
        start = fit(tally(votes, placed)).strength
        points = 1 - (placed.cell % 3) / 2
        return cls(votes.models, placed, placed.cell // 3, votes.cluster, weight, points, start)

    def solve(self, points: Floats) -> _Solution:
        """Maximum for points that may lie outside 0 .. 1; the likelihood stays concave."""
        first, second = self.placed.first, self.placed.second
        total = np.bincount(self.pair, self.weight, len(first))
        won = np.bincount(self.pair, self.weight * points, len(first))
        columns = np.column_stack([won, np.zeros(len(won)), total - won])
        table = Tally(models=self.models, first=first, second=second, weight=columns, square=columns, count=columns)

        def newton(gradient: Floats, hessian: Floats) -> Floats:
            return np.asarray(cho_solve(cho_factor(grounded(hessian, self.models)), gradient))

        found = climb(table, self.start, 0.0, newton)
        gap = found.strength[first] - found.strength[second]
        value = expit(gap) * expit(-gap)
        inverse: Floats = np.asarray(np.linalg.inv(grounded(laplacian(table, total * value), self.models)), dtype=float)
        own = np.diag(inverse)
        reach = value * (own[first] + own[second] - 2 * inverse[first, second])
        leverage = np.minimum(self.weight * reach[self.pair], MOST_LEVERAGE)
        return _Solution(
            strength=found.strength - found.strength.mean(),
            inverse=inverse,
            chance=expit(gap)[self.pair],
            inflation=1 / (1 - leverage),
            converged=found.converged,
        )

    def by_cluster(self, value: Floats, clusters: int) -> Floats:
        first, second = self.placed.first[self.pair], self.placed.second[self.pair]
        return _by_cluster(self.cluster, first, second, self.weight * value, (clusters, self.models))


def _by_cluster(cluster: Ints, first: Ints, second: Ints, value: Floats, shape: tuple[int, int]) -> Floats:
    """Sum by cluster of value * (e_first - e_second), shape (clusters, models)."""
    size = shape[0] * shape[1]
    summed = np.bincount(cluster * shape[1] + first, value, size)
    return np.asarray(summed - np.bincount(cluster * shape[1] + second, value, size)).reshape(shape)


def _ordered(votes: Votes) -> tuple[Ints, Ints]:
    return np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)


def _surprises(people: _People, verdicts: Votes, verdict: Floats) -> tuple[Floats, Floats]:
    """The judge's verdict on each vote's outputs less its mean on the pair; 0 where it said nothing.

    Beside it, for every verdict of the judge, its part in those means, summed over the votes that use them.
    """
    models, first, second = people.models, people.placed.first, people.placed.second
    low, high = _ordered(verdicts)
    code, size = low * models + high, models**2
    said = (1 + np.where(verdicts.left < verdicts.right, verdicts.outcome, -verdicts.outcome)) / 2
    own = np.ones(len(code)) if verdicts.weight is None else verdicts.weight
    mass = np.bincount(code, own, size)
    mean = np.divide(np.bincount(code, own * said, size), mass, out=np.full(size, np.nan), where=mass > 0)
    vote_code = (first * models + second)[people.pair]
    surprise = verdict - mean[vote_code]
    known = ~np.isnan(surprise)
    used = np.bincount(vote_code, people.weight * known, size)
    lever = np.divide(used, mass, out=np.zeros(size), where=mass > 0)
    return np.where(known, surprise, 0.0), own * lever[code] * (said - mean[code])


def _shares(people: Floats, judge: Floats, fold: Ints) -> Floats:
    """For each fold the variance-minimising share, fitted on the other folds; within 0 .. 1."""
    together, own = (people * judge).sum(axis=1), (judge**2).sum(axis=1)
    both = together.sum() - np.bincount(fold, together, FOLDS)
    whole = own.sum() - np.bincount(fold, own, FOLDS)
    return np.asarray(np.clip(np.divide(both, whole, out=np.zeros(FOLDS), where=whole > 0), 0.0, 1.0))
