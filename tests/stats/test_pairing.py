"""The next pair: what it favours, and that its probabilities are what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.stats.pairing import EXPLORE, believe, cells_evenly, pairs
from groundswell.stats.votes import Tally, tally


def test_probabilities_add_up_and_no_pair_is_starved(world):
    found = pairs(believe(tally(world(0))), np.random.default_rng(0))
    assert found.probability.sum() == pytest.approx(1)
    assert found.probability.min() >= EXPLORE / len(found.probability) * (1 - 1e-9)


def test_a_drawn_pair_comes_with_its_own_probability(world):
    rng = np.random.default_rng(1)
    found = pairs(believe(tally(world(1))), rng)
    first, second, probability = found.draw(rng)
    place = np.flatnonzero((found.first == first) & (found.second == second))[0]
    assert probability == found.probability[place]


def test_a_new_model_is_drawn_more_often_than_by_chance(games, world):
    votes = world(2, models=8, votes=4000)
    newcomer = games(*zip(votes.left, votes.right, votes.outcome, strict=True), models=9)
    found = pairs(believe(tally(newcomer)), np.random.default_rng(0))
    share = found.probability[(found.first == 8) | (found.second == 8)].sum()
    assert share > 3 * 2 / 9


def test_the_farthest_pair_is_drawn_less_often_than_neighbours(games):
    odds = {1: 76, 2: 91, 3: 97}
    votes = [
        (better, worse, outcome)
        for better in range(4)
        for worse in range(better + 1, 4)
        for outcome, times in ((1, odds[worse - better]), (-1, 100 - odds[worse - better]))
        for _ in range(times)
    ]
    found = pairs(believe(tally(games(*votes))), np.random.default_rng(0))
    chance = dict(zip(zip(found.first.tolist(), found.second.tolist(), strict=True), found.probability, strict=True))
    assert min(chance[0, 1], chance[1, 2], chance[2, 3]) > chance[0, 3]


def test_belief_is_finite_for_a_model_that_never_lost(games):
    belief = believe(tally(games(*[(0, 1, 1)] * 500, models=3)))
    assert np.isfinite(belief.strength).all()
    assert belief.strength[0] > belief.strength[2] > belief.strength[1]


def test_emptier_cells_come_next_and_full_ones_keep_a_chance():
    chance = cells_evenly(np.array([10.0, 0.0, 10.0]))
    assert chance.sum() == pytest.approx(1)
    assert chance[1] > 5 * chance[0] > 0


def neighbour_variance(strength, first, second, counts):
    """True summed variance of neighbour differences after some votes on every pair."""
    win = 1 / (1 + np.exp(strength[second] - strength[first]))
    information = np.zeros((len(strength), len(strength)))
    information[first, second] = information[second, first] = -counts * win * (1 - win)
    covariance = np.linalg.pinv(information - np.diag(information.sum(axis=1)))
    order = np.argsort(-strength)
    own, better, worse = np.diag(covariance), order[:-1], order[1:]
    return (own[better] + own[worse] - 2 * covariance[better, worse]).sum()


def test_on_a_wide_board_it_tells_as_much_as_uniform_pairing_with_two_thirds_of_the_votes():
    rng = np.random.default_rng(0)
    strength = rng.permutation(np.linspace(-2.5, 2.5, 12))
    first, second = np.triu_indices(12, 1)
    chance = 1 / (1 + np.exp(strength[second] - strength[first]))
    counts, wins, votes = np.zeros(66), np.zeros(66), 6000
    while counts.sum() < votes * 2 / 3:
        won = np.column_stack([wins, np.zeros(66), counts - wins])
        belief = believe(Tally(models=12, first=first, second=second, weight=won, square=won, count=won))
        drawn = rng.multinomial(100, pairs(belief, rng).probability)
        counts, wins = counts + drawn, wins + rng.binomial(drawn, chance)
    reached = neighbour_variance(strength, first, second, counts)
    assert reached < neighbour_variance(strength, first, second, np.full(66, votes / 66))
