"""Which two models to compare next: the pair whose vote is expected to tell most about the board's order.

A vote on (i, j) adds v x x' to the information, with x = e_i - e_j and v = p (1 - p), and so shrinks the covariance S
by v S x x' S / (1 + v x' S x). A pair's worth is how much that takes off the summed variance of the differences of
neighbours in rank (A-optimal design; Pukelsheim 2006). Models with few votes have wide variances, so that they are
drawn more often by themselves. Draws are random and every draw's probability is given, so that votes can be weighted
to another target later. What the models or the prompts are is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from groundswell.stats.prior import Belief as Belief
from groundswell.stats.prior import believe as believe
from groundswell.stats.votes import Floats, Ints

EXPLORE = 0.1
"""Share of draws that are uniform over pairs: no pair is drawn less than a tenth as often as by chance."""

ORDERS = 30
"""Orders drawn from the belief to learn who may neighbour whom."""

SHARPNESS = 20.0
"""Power of a pair's worth in its probability: 0 is uniform, infinity always the best pair."""


def worth(belief: Belief, rng: np.random.Generator) -> Floats:
    """By how much a vote on each pair is expected to shrink the summed variance of neighbour differences.

    Who neighbours whom is not known yet: it is averaged over ORDERS orders drawn from the belief. Shape
    (models, models), symmetric, 0 on the diagonal.
    """
    models = len(belief.strength)
    root = np.linalg.cholesky(belief.covariance)
    order = np.argsort(-(belief.strength + rng.standard_normal((ORDERS, models)) @ root.T), axis=1)
    met = np.zeros((models, models))
    np.add.at(met, (order[:, :-1], order[:, 1:]), 1 / ORDERS)
    met += met.T
    spread = belief.covariance @ (np.diag(met.sum(axis=1)) - met) @ belief.covariance
    gap = belief.strength[:, None] - belief.strength[None, :]
    value = expit(gap) * expit(-gap)
    return np.asarray(value * _of_difference(spread) / (1 + value * _of_difference(belief.covariance)))


def _of_difference(matrix: Floats) -> Floats:
    """x' M x for every pair, x = e_i - e_j."""
    own = np.diag(matrix)
    return np.asarray(np.maximum(own[:, None] + own[None, :] - 2 * matrix, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Every unordered pair (`first` < `second`) with the probability of drawing it; they add up to 1."""

    first: Ints
    second: Ints
    probability: Floats

    def draw(self, rng: np.random.Generator) -> tuple[int, int, float]:
        """A pair and the probability with which it was drawn. Sides are the caller's to toss."""
        place = min(int(np.searchsorted(np.cumsum(self.probability), rng.random())), len(self.first) - 1)
        return int(self.first[place]), int(self.second[place]), float(self.probability[place])


def pairs(belief: Belief, rng: np.random.Generator) -> Pairs:
    """Probabilities of the next pair: in proportion to a power of its worth, mixed with uniform draws."""
    first, second = np.triu_indices(len(belief.strength), 1)
    value = worth(belief, rng)[first, second]
    best = float(value.max())
    power = (value / best) ** SHARPNESS if best > 0 else np.ones(len(value))
    probability = (1 - EXPLORE) * power / power.sum() + EXPLORE / len(power)
    return Pairs(first=first, second=second, probability=probability)


def cells_evenly(votes: Floats) -> Floats:
    """Probabilities of the next taxonomy cell from the votes that each has: the emptier, the likelier."""
    behind = votes.max() - votes + 1.0
    return np.asarray((1 - EXPLORE) * behind / behind.sum() + EXPLORE / len(votes))
