"""Models without a finite rating: who they are, on which side, and how far at least."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from groundswell.stats.ranking import Plan, rank
from groundswell.stats.unranked import ONE_SIDED, Side

EVEN = ((0, 1, 1), (0, 1, -1))


def test_an_undefeated_model_is_above_with_a_lower_bound(games):
    found = rank(games(*EVEN, *[(2, 0, 1)] * 5, *[(2, 1, 1)] * 5), Plan())
    assert found.side == {2: Side.ABOVE}
    # ten wins against two models at 0: 10 log(sigma(b)) = -1.3528
    assert found.bound[2] == pytest.approx(log(1 / (exp(ONE_SIDED / 20) - 1)), abs=1e-6)
    assert 2 not in found.order


def test_a_winless_model_is_below_with_the_mirrored_bound(games):
    above = rank(games(*EVEN, *[(2, 0, 1)] * 5, *[(2, 1, 1)] * 5), Plan())
    below = rank(games(*EVEN, *[(2, 0, -1)] * 5, *[(2, 1, -1)] * 5), Plan())
    assert below.side == {2: Side.BELOW}
    assert below.bound[2] == pytest.approx(-above.bound[2], abs=1e-6)


def test_more_wins_raise_the_bound(games):
    bounds = [rank(games(*EVEN, *[(2, 0, 1)] * wins), Plan()).bound[2] for wins in (1, 5, 50)]
    assert bounds == sorted(bounds)


def test_models_that_never_met_the_ranked_ones_are_apart_without_a_bound(games):
    found = rank(games(*EVEN, *EVEN, (2, 3, 1), (3, 2, 1), (2, 3, 1)), Plan())
    assert sorted(found.order) == [0, 1]
    assert found.side == {2: Side.APART, 3: Side.APART}
    assert found.bound == {}


def test_two_sets_equal_in_models_and_votes_leave_nobody_ranked(games):
    found = rank(games((0, 1, 1), (1, 0, 1), (2, 3, 1), (3, 2, 1)), Plan())
    assert len(found.order) == 0
    assert set(found.side.values()) == {Side.APART}


def test_one_vote_ranks_nobody(games):
    assert len(rank(games((0, 1, 1)), Plan()).order) == 0


def test_a_chain_of_undefeated_models_rises_step_by_step(games):
    found = rank(games(*EVEN, *[(2, 0, 1)] * 8, *[(3, 2, 1)] * 8), Plan())
    assert found.side == {2: Side.ABOVE, 3: Side.ABOVE}
    assert found.bound[3] > found.bound[2]


def test_davidsons_model_bounds_as_well(games):
    found = rank(games(*EVEN, (0, 1, 0), *[(2, 0, 1)] * 9), Plan(ties="davidson"))
    assert np.isfinite(found.bound[2])
