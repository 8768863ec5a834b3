"""Intervals and ranks: hand numbers, agreement of the two kinds, and what is refused."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from groundswell.stats import intervals
from groundswell.stats.bradley_terry import fit
from groundswell.stats.ranking import Plan, rank
from groundswell.stats.votes import Votes, cells, tally


def covariance(votes, ties="half"):
    placed = cells(votes)
    tallied = tally(votes, placed)
    return intervals.covariance(votes, placed, tallied, fit(tallied, ties))


def test_the_sandwich_of_an_even_pair_is_one_over_the_information(games):
    votes = games(*[(0, 1, 1)] * 8, *[(0, 1, -1)] * 8)
    # difference: variance 1 / (16 / 4); each model about the mean: a quarter of it
    assert covariance(votes) == pytest.approx(np.array([[1, -1], [-1, 1]]) / 16)


def test_ties_narrow_the_sandwich_since_they_vary_less(games):
    assert covariance(games(*[(0, 1, 0)] * 8, (0, 1, 1), (0, 1, -1)))[0, 0] < 1 / 10


def test_every_vote_its_own_cluster_is_the_same_as_none(world):
    votes = world(1)
    single = Votes(
        models=votes.models,
        left=votes.left,
        right=votes.right,
        outcome=votes.outcome,
        cluster=np.arange(votes.total),
    )
    assert covariance(single) == pytest.approx(covariance(votes))
    assert covariance(single, "davidson") == pytest.approx(covariance(votes, "davidson"))


def test_a_vote_copied_within_its_cluster_adds_no_certainty(world):
    votes = world(2)
    twice = Votes(
        models=votes.models,
        left=np.tile(votes.left, 2),
        right=np.tile(votes.right, 2),
        outcome=np.tile(votes.outcome, 2),
        cluster=np.tile(np.arange(votes.total), 2),
    )
    assert covariance(twice) == pytest.approx(covariance(votes))


def test_blocks_of_clusters_add_up(monkeypatch, world):
    votes = world(5, clusters=60)
    whole = covariance(votes)
    monkeypatch.setattr(intervals, "BLOCK", 7 * votes.models)
    assert covariance(votes) == pytest.approx(whole)


@pytest.mark.parametrize("clusters", [None, 150])
@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_bootstrap_and_sandwich_agree_on_many_votes(clusters, ties, world):
    votes = world(7, votes=4000, clusters=clusters)
    sandwich, drawn = rank(votes, Plan(ties=ties)), rank(votes, Plan(ties=ties, draws=1000))
    ratio = (drawn.high - drawn.low) / (sandwich.high - sandwich.low)
    assert np.all(np.abs(ratio - 1) < 0.15)


def test_weights_enter_the_bootstrap_exactly(world):
    votes = world(8, votes=3000)
    weighted = Votes(
        models=votes.models,
        left=votes.left,
        right=votes.right,
        outcome=votes.outcome,
        weight=np.where(np.arange(3000) % 2 == 0, 1.0, 3.0),
    )
    sandwich, drawn = rank(weighted, Plan()), rank(weighted, Plan(draws=1000))
    ratio = (drawn.high - drawn.low) / (sandwich.high - sandwich.low)
    assert np.all(np.abs(ratio - 1) < 0.15)


def test_a_seed_gives_the_same_draws_again(world):
    votes = world(9)
    assert np.array_equal(rank(votes, Plan(draws=150, seed=5)).low, rank(votes, Plan(draws=150, seed=5)).low)
    assert not np.array_equal(rank(votes, Plan(draws=150, seed=5)).low, rank(votes, Plan(draws=150, seed=6)).low)


def test_too_many_draws_without_a_maximum_leave_no_bootstrap_interval(games):
    found = rank(games((0, 1, 1), (0, 1, -1), (0, 1, 1), (0, 1, 1)), Plan(draws=400))
    assert found.low is None
    # all four alike: (3/4)^4 + (1/4)^4 = 32 %
    assert found.draws.without / 400 == pytest.approx(0.32, abs=0.08)
    assert "have no maximum" in found.why_none


def test_one_step_draws_have_nearly_the_spread_of_full_ones(monkeypatch, world):
    votes = world(10, models=8, votes=6000)
    full = rank(votes, Plan(draws=1000))
    monkeypatch.setattr(intervals, "ONE_STEP_ABOVE", 2)
    step = rank(votes, Plan(draws=1000))
    assert step.draws.one_step
    spread = step.draws.strength.std(axis=0) / full.draws.strength.std(axis=0)
    assert np.all(np.abs(spread - 1) < 0.08)


def test_fewer_clusters_than_models_give_no_interval_and_say_so(world):
    found = rank(world(11, models=6, clusters=4), Plan())
    assert found.low is None
    assert "4 clusters are fewer than the 6 ranked models" in found.why_none
    assert found.rank_low.tolist() == [1] * 6
    assert found.rank_high.tolist() == [6] * 6


def test_rank_counts_models_that_are_better_beyond_chance(games):
    clear = rank(games(*[(0, 1, 1)] * 90, *[(0, 1, -1)] * 10), Plan())
    assert (clear.rank_low.tolist(), clear.rank_high.tolist()) == ([1, 2], [1, 2])
    unclear = rank(games(*[(0, 1, 1)] * 6, *[(0, 1, -1)] * 4), Plan())
    assert (unclear.rank_low.tolist(), unclear.rank_high.tolist()) == ([1, 1], [2, 2])


def test_simultaneous_ranges_are_at_least_as_wide_as_pointwise_ones(world):
    votes = world(12, models=8, votes=800)
    point, joint = rank(votes, Plan()), rank(votes, Plan(simultaneous=True))
    assert joint.critical > point.critical == pytest.approx(1.96, abs=1e-3)
    assert np.all(joint.rank_low <= point.rank_low)
    assert np.all(joint.rank_high >= point.rank_high)


def test_the_simultaneous_value_of_two_models_is_the_pointwise_one():
    even = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert intervals.simultaneous(even, seed=0) == pytest.approx(1.96, abs=0.15)


def test_the_interval_of_a_pair_covers_the_truth(world):
    hits = 0
    for seed in range(200):
        votes = world(seed, models=4, votes=300, spread=0.0)
        found = rank(votes, Plan())
        hits += int(((found.low < 0) & (found.high > 0)).sum())
    assert hits / 800 == pytest.approx(0.95, abs=3 * sqrt(0.05 * 0.95 / 800) + 0.01)
