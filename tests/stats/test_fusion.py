"""Votes narrowed by a judge: what a judge can and cannot do to a rating."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.stats.fusion import draw_weights, fuse
from groundswell.stats.votes import Votes

MODELS, SAMPLES, VOTES = 5, 400, 600


def world(seed, says):
    """Votes on a few of all pairs and samples, and the verdicts of a judge `says(rng, right answers, first)` on all."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(0.8, -0.8, MODELS)
    first, second = np.triu_indices(MODELS, 1)
    truth = rng.random((SAMPLES, len(first))) < 1 / (1 + np.exp(strength[second] - strength[first]))
    verdict = says(rng, truth, first)
    pair, sample = rng.integers(len(first), size=VOTES), rng.integers(SAMPLES, size=VOTES)
    votes = Votes(
        models=MODELS,
        left=first[pair],
        right=second[pair],
        outcome=np.where(truth[sample, pair], 1, -1),
        cluster=sample,
    )
    everywhere = np.tile(np.arange(len(first)), SAMPLES)
    verdicts = Votes(
        models=MODELS,
        left=first[everywhere],
        right=second[everywhere],
        outcome=np.where(verdict.ravel(), 1, -1),
        cluster=np.repeat(np.arange(SAMPLES), len(first)),
    )
    return fuse(votes, verdicts, verdict[sample, pair].astype(float)), strength


def agreeing(share):
    return lambda rng, truth, first: np.where(rng.random(truth.shape) < share, truth, ~truth)


def width(covariance):
    return np.sqrt(np.diag(covariance)).mean()


def test_a_perfect_judge_gives_nearly_the_precision_of_all_samples():
    found, _ = world(0, agreeing(1.0))
    assert found.share > 0.9
    assert width(found.covariance) < 0.5 * width(found.votes_covariance)


def test_a_judge_that_agrees_nine_times_in_ten_narrows_by_a_quarter():
    found, _ = world(1, agreeing(0.9))
    assert width(found.covariance) < 0.75 * width(found.votes_covariance)


def test_a_useless_judge_changes_next_to_nothing():
    found, _ = world(2, lambda rng, truth, first: rng.random(truth.shape) < 0.5)
    assert found.share < 0.1
    assert width(found.covariance) == pytest.approx(width(found.votes_covariance), rel=0.02)


def test_a_judge_that_always_prefers_one_model_does_not_lift_it():
    found, strength = world(3, lambda rng, truth, first: np.where(first == 0, True, truth))
    spread = np.sqrt(np.diag(found.covariance))
    assert np.all(np.abs(found.strength - strength) < 3 * spread)


def test_a_judge_that_always_says_left_leaves_the_votes_alone():
    found, _ = world(4, lambda rng, truth, first: np.ones(truth.shape, dtype=bool))
    assert found.share == 0
    assert found.strength == pytest.approx(found.votes_strength)


def test_draw_weights_are_inverse_probabilities_cut_at_twenty():
    weight, cut = draw_weights(np.array([0.5, 0.25, 0.001]))
    assert weight.tolist() == [2.0, 4.0, 40.0]
    assert cut == 1
