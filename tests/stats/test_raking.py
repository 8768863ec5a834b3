"""Raked weights: equal margins, the cut, and what the cut leaves."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.stats.raking import rake


def test_raked_margins_are_equal():
    row = np.array([0] * 30 + [1] * 10)
    column = np.array([0] * 20 + [1] * 10 + [0] * 4 + [1] * 6)
    raked = rake(row, column)
    assert raked.weight[row == 0].sum() == pytest.approx(20)
    assert raked.weight[column == 0].sum() == pytest.approx(20)
    assert raked.residual < 1e-9
    assert raked.cut == 0


def test_effective_votes_by_hand():
    raked = rake(np.array([0, 0, 0, 1]), np.zeros(4, dtype=int))
    # weights 1, 1, 1, 3: 36 / 12
    assert raked.effective == pytest.approx(3)


def test_even_votes_keep_their_weight():
    raked = rake(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    assert raked.weight == pytest.approx(np.ones(4))
    assert raked.effective == pytest.approx(4)


def test_no_weight_exceeds_twenty_times_the_smallest_and_the_error_is_published():
    raked = rake(np.array([0] * 100 + [1]), np.zeros(101, dtype=int))
    assert raked.weight.max() / raked.weight.min() == pytest.approx(20)
    assert raked.cut == 1
    # 100 against 20 of 120 where 60 each are wanted
    assert raked.residual == pytest.approx(2 / 3)


def test_absent_categories_take_no_share():
    raked = rake(np.array([0, 0, 7]), np.array([3, 3, 3]))
    assert raked.weight[2] == pytest.approx(1.5)
