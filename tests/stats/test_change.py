"""Rises and freshness gaps: noise is called noise, and a real one is seen."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.stats.change import change, freshness_gap
from groundswell.stats.elo import elo_history
from groundswell.stats.votes import Votes


def joined(one, two):
    """Two sets of votes, the clusters of the second after those of the first."""
    return Votes(
        models=one.models,
        left=np.concatenate([one.left, two.left]),
        right=np.concatenate([one.right, two.right]),
        outcome=np.concatenate([one.outcome, two.outcome]),
        cluster=np.concatenate([one.cluster, two.cluster + 1 + one.cluster.max()]),
    )


def favouring(votes, model, share, seed):
    """The votes, with a share of those of one model turned into its wins."""
    turn = np.random.default_rng(seed).random(votes.total) < share
    outcome = np.where(turn & (votes.left == model), 1, np.where(turn & (votes.right == model), -1, votes.outcome))
    return Votes(models=votes.models, left=votes.left, right=votes.right, outcome=outcome, cluster=votes.cluster)


def test_no_votes_since_then_is_no_change(world):
    votes = world(0, clusters=100)
    found = change(votes, votes)
    assert found.difference == pytest.approx(np.zeros(6))
    assert found.low == pytest.approx(np.zeros(6))


def test_more_votes_of_the_same_kind_are_noise_and_a_better_model_is_not(world):
    before = world(1, votes=1500, clusters=300, spread=0.3)
    quiet = world(1, votes=1500, clusters=300, spread=0.3)
    same = change(before, joined(before, quiet))
    assert np.all((same.low <= 0) & (same.high >= 0))
    risen = change(before, joined(before, favouring(quiet, 2, 0.6, 0)))
    assert risen.low[2] > 0


def test_a_model_that_is_not_ranked_before_is_not_compared(games, world):
    before = games((0, 1, 1), (0, 1, -1), models=3, cluster=np.arange(2))
    after = joined(before, games((0, 2, 1), (0, 2, -1), (1, 2, 1), cluster=np.arange(3)))
    assert change(before, after).models.tolist() == [0, 1]


def test_two_dates_without_a_common_ladder_cannot_be_compared(games):
    before = games((0, 1, 1), models=2, cluster=np.arange(1))
    assert change(before, before) is None


def test_a_model_better_on_old_prompts_has_a_gap_and_its_peers_do_not(world):
    new, old = world(4, votes=2000, clusters=200, spread=0.3), world(4, votes=2000, clusters=200, spread=0.3)
    votes = joined(new, favouring(old, 3, 0.5, 1))
    fresh = np.arange(4000) < 2000
    found = freshness_gap(votes, fresh, votes.cluster % 2)
    assert found.low[3] > 0
    peers = np.delete(found.difference, 3)
    assert np.all(peers < 0)
    clean = freshness_gap(joined(new, old), fresh, votes.cluster % 2)
    assert np.all((clean.low <= 0) & (clean.high >= 0))


def test_elo_moves_by_half_its_step_after_a_win_between_equals(games):
    history = elo_history(games((0, 1, 1), (0, 1, 0)), [0, 1, 2])
    assert history[0].tolist() == [1000, 1000]
    assert history[1].tolist() == [1002, 998]
    assert history[2, 0] < 1002
