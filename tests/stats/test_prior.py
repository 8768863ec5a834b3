"""Ratings under a prior: finite for everybody, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from groundswell.stats.bradley_terry import ELO, fit
from groundswell.stats.prior import believe
from groundswell.stats.ranking import Plan, rank
from groundswell.stats.unranked import Side
from groundswell.stats.votes import tally


def test_the_peak_is_that_of_the_penalised_likelihood(world):
    votes, error = world(0), 0.7

    def loss(strength):
        gap = np.where(votes.outcome == 0, 0.0, votes.outcome) * (strength[votes.left] - strength[votes.right])
        halves = np.logaddexp(0, strength[votes.left] - strength[votes.right]) + np.logaddexp(
            0, strength[votes.right] - strength[votes.left]
        )
        each = np.where(votes.outcome == 0, halves / 2, np.logaddexp(0, -gap))
        return each.sum() + (strength**2).sum() / (2 * error**2)

    found = minimize(loss, np.zeros(votes.models), tol=1e-12).x
    assert believe(tally(votes), error).strength == pytest.approx(found, abs=1e-5)


def test_a_wide_prior_changes_nothing(world):
    tallied = tally(world(1))
    assert believe(tallied, 1e4).strength == pytest.approx(fit(tallied).strength, abs=1e-5)


def test_an_undefeated_model_is_ranked_with_a_wide_interval(games):
    votes = games((0, 1, 1), (0, 1, -1), (2, 0, 1), (2, 1, 1))
    assert rank(votes, Plan()).side == {2: Side.ABOVE}
    found = rank(votes, Plan(prior=350 / ELO))
    assert found.order[0] == 2
    assert found.side == {}
    assert found.strength.sum() == pytest.approx(0)
    # two wins say little: nearly the prior's own error, and surely no zero
    assert found.high[0] - found.low[0] > 1.96 * 350 / ELO


def test_models_that_no_vote_connects_are_not_put_on_one_ladder_by_a_prior(games):
    votes = games((0, 1, 1), (1, 2, 1), (3, 4, 1))
    found = rank(votes, Plan(prior=1.0))
    assert found.order.tolist() == [0, 1, 2]
    assert found.side == {3: Side.APART, 4: Side.APART}
