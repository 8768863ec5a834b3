"""Strengths under a normal prior: finite for every model, also for one that never lost or has no votes.

The votes of a model without defeats say only how far up it must be at least; where it then stands is the prior's word.
So what is computed here is for choosing pairs, and for rankings that say on their face that they have a prior. Ties
are half a win each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from groundswell.stats.bradley_terry import ELO, laplacian
from groundswell.stats.votes import Floats, Tally

ERROR = 350 / ELO
"""Standard error of a model without votes where pairs are chosen, in units of strength."""

MOST_STEPS, TOLERANCE = 100, 1e-8


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """Strengths (models,) at the posterior's peak, their covariance there, and how Newton's method found it."""

    strength: Floats
    covariance: Floats
    steps: int
    last: float
    """Largest change of the last step."""

    @property
    def converged(self) -> bool:
        return self.last < TOLERANCE


def believe(tallied: Tally, error: float = ERROR) -> Belief:
    """Peak and curvature of the posterior; every strength has the prior N(0, `error`^2), in units of strength.

    The covariance is that of Laplace's approximation. Strengths have mean 0 by themselves.
    """
    prior = np.eye(tallied.models) / error**2
    strength = np.zeros(tallied.models)
    steps, largest = 0, np.inf
    while largest >= TOLERANCE and steps < MOST_STEPS:
        win = expit(strength[tallied.first] - strength[tallied.second])
        information = laplacian(tallied, tallied.total * win * (1 - win)) + prior
        toward = tallied.points - tallied.total * win
        gradient = np.bincount(tallied.first, toward, tallied.models)
        gradient -= np.bincount(tallied.second, toward, tallied.models)
        step = np.linalg.solve(information, gradient - strength / error**2)
        largest = float(np.abs(step).max())
        # a step of many units would leave the region where the quadratic holds
        strength = strength + step / max(1.0, largest)
        steps += 1
    covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
    return Belief(strength=strength, covariance=covariance, steps=steps, last=largest)
