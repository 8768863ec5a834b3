"""Bradley-Terry against numbers by hand, against other implementations, and its symmetries."""

from __future__ import annotations

from math import log

import choix
import evalica
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from groundswell.stats.bradley_terry import ELO, fit, ranked_set
from groundswell.stats.votes import Votes, tally

outcomes = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([1, 0, -1])).filter(
        lambda game: game[0] != game[1]
    ),
    min_size=8,
    max_size=60,
)


def strengths(votes, ties="half"):
    return fit(tally(votes), ties).strength


def connected(drawn, games):
    votes = games(*drawn, models=4)
    assume(ranked_set(tally(votes)).all())
    return votes


def test_three_wins_to_one_are_odds_of_three(games):
    one, two = strengths(games((0, 1, 1), (0, 1, 1), (1, 0, -1), (1, 0, 1)))
    assert one - two == pytest.approx(log(3))


def test_four_hundred_points_are_odds_of_ten(games):
    one, two = strengths(games(*[(0, 1, 1)] * 10, (0, 1, -1)))
    assert ELO * (one - two) == pytest.approx(400)


def test_a_tie_is_half_a_win_each(games):
    tied = strengths(games((0, 1, 0), (0, 1, 0), (0, 1, 1)))
    split = strengths(games((0, 1, 1), (0, 1, -1), (0, 1, 1)))
    assert tied == pytest.approx(split)


def test_a_weight_of_two_is_two_votes(games):
    once = games((0, 1, 1), (0, 1, -1), weight=np.array([2.0, 1.0]))
    assert strengths(once) == pytest.approx(strengths(games((0, 1, 1), (0, 1, 1), (0, 1, -1))))


def test_grouped_votes_give_the_same_as_single_ones(games):
    grouped = games((0, 1, 1), (0, 1, -1), times=np.array([5, 3]))
    assert strengths(grouped) == pytest.approx(strengths(games(*[(0, 1, 1)] * 5, *[(1, 0, 1)] * 3)))


def test_davidson_finds_the_share_of_ties_between_equals(games):
    found = fit(tally(games(*[(0, 1, 1)] * 4, *[(0, 1, -1)] * 4, *[(0, 1, 0)] * 2)), "davidson")
    # between equals a tie has probability nu / (2 + nu) = 2 / 10
    assert found.nu == pytest.approx(0.5)
    assert found.strength == pytest.approx([0, 0])


def test_davidson_without_a_tie_is_refused(games):
    with pytest.raises(ValueError, match="needs ties"):
        fit(tally(games((0, 1, 1), (1, 0, 1))), "davidson")


def test_models_that_are_not_connected_are_refused(games):
    with pytest.raises(ValueError, match="strongly connected"):
        fit(tally(games((0, 1, 1), (0, 1, 1))))


def test_a_weight_ratio_of_a_million_still_converges(games):
    found = fit(tally(games((0, 1, 1), (0, 1, -1), (1, 2, 1), (1, 2, -1), weight=np.array([1e6, 1.0, 1.0, 1e6]))))
    assert found.converged
    assert found.strength[0] - found.strength[1] == pytest.approx(log(1e6))


def test_evalica_agrees(world):
    votes = world(3)
    side = {1: evalica.Winner.X, -1: evalica.Winner.Y, 0: evalica.Winner.Draw}
    theirs = evalica.bradley_terry(
        votes.left.tolist(), votes.right.tolist(), [side[int(o)] for o in votes.outcome], tolerance=1e-12, limit=100_000
    )
    logs = np.log(theirs.scores.reindex(range(votes.models)).to_numpy())
    assert strengths(votes) == pytest.approx(logs - logs.mean(), abs=1e-6)


def test_choix_agrees(world):
    votes = world(4, ties=0.0)
    won = np.where(votes.outcome == 1, votes.left, votes.right)
    lost = np.where(votes.outcome == 1, votes.right, votes.left)
    theirs = choix.opt_pairwise(votes.models, list(zip(won.tolist(), lost.tolist(), strict=True)), tol=1e-10)
    assert strengths(votes) == pytest.approx(theirs - theirs.mean(), abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(drawn=outcomes, order=st.permutations(range(4)))
def test_relabelling_models_permutes_strengths(drawn, order, games):

    votes = connected(drawn, games)
    place = np.array(order)
    renamed = Votes(models=4, left=place[votes.left], right=place[votes.right], outcome=votes.outcome)
    assert strengths(renamed)[place] == pytest.approx(strengths(votes), abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(drawn=outcomes)
def test_swapping_sides_with_winners_changes_nothing_and_swapping_winners_negates(drawn, games):

    votes = connected(drawn, games)
    swapped = Votes(models=4, left=votes.right, right=votes.left, outcome=-votes.outcome)
    mirrored = Votes(models=4, left=votes.left, right=votes.right, outcome=-votes.outcome)
    assert strengths(swapped) == pytest.approx(strengths(votes), abs=1e-8)
    assert strengths(mirrored) == pytest.approx(-strengths(votes), abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(drawn=outcomes, factor=st.floats(0.01, 100))
def test_scaling_all_weights_changes_nothing(drawn, factor, games):

    votes = connected(drawn, games)
    scaled = Votes(
        models=4,
        left=votes.left,
        right=votes.right,
        outcome=votes.outcome,
        weight=np.full(len(votes.left), factor),
    )
    assert strengths(scaled) == pytest.approx(strengths(votes), abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(drawn=outcomes, loser=st.integers(1, 3))
def test_one_more_win_never_lowers_the_winners_lead_over_the_loser(drawn, loser, games):

    votes = connected(drawn, games)
    more = connected([*drawn, (0, loser, 1)], games)
    before, after = strengths(votes), strengths(more)
    assert after[0] - after[loser] >= before[0] - before[loser] - 1e-9
    assert np.all(after[0] - after >= before[0] - before - 1e-9)
