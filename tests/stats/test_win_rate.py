"""Win rate, majority and separation by hand."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.stats.votes import LEFT, RIGHT, TIE
from groundswell.stats.win_rate import majority, separation, win_rate


def test_win_rate_is_a_mean_over_opponents_and_not_over_games(games):
    found = win_rate(games(*[(0, 1, 1)] * 3, (0, 1, -1), (0, 2, -1)))
    # against 1: 3 of 4; against 2: 0 of 1
    assert found.over_opponents[0] == pytest.approx(0.375)
    assert found.pooled[0] == pytest.approx(0.6)


def test_a_tie_is_half_a_point_each(games):
    assert win_rate(games((0, 1, 0))).over_opponents.tolist() == [0.5, 0.5]


def test_a_model_without_a_game_has_no_win_rate(games):
    found = win_rate(games((0, 1, 1), models=3))
    assert np.isnan(found.over_opponents[2])
    assert np.isnan(found.pooled[2])


@pytest.mark.parametrize(
    ("verdicts", "panel"),
    [
        ([LEFT, RIGHT, RIGHT], RIGHT),
        ([LEFT, LEFT, RIGHT], LEFT),
        ([LEFT, RIGHT, TIE], TIE),
        ([LEFT, RIGHT], TIE),
        ([LEFT, TIE], TIE),
        ([LEFT, LEFT, RIGHT, TIE], TIE),
        ([LEFT], None),
        ([], None),
    ],
)
def test_the_panel_says_what_more_than_half_of_its_judges_say(verdicts, panel):
    assert majority(verdicts) == panel


def test_separation_is_the_lead_of_the_best_over_the_second():
    assert separation([0.5, 0.75, 0.6]) == pytest.approx(0.25)
    assert separation([0.5]) is None
    assert separation([0.5, 0.0]) is None
