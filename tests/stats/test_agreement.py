"""Agreement by hand and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from groundswell.stats import agreement


def value(statistic, clusters):
    return agreement.estimates({"it": statistic}, clusters, 0)["it"].value


def test_tau_b_over_pairs_by_hand():
    judge, person = np.array([1, 1, -1, 0, 1]), np.array([1, -1, -1, 1, 0])
    # two agree, one opposes; four untied each: 1 / 4
    assert value(agreement.tau_b(judge, person, np.arange(5)), 5) == pytest.approx(0.25)


def test_tau_b_of_a_whole_ranking_is_scipys():
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 5, 12), rng.integers(0, 5, 12)
    first, second = np.triu_indices(12, 1)
    ours = agreement.tau_b(np.sign(one[first] - one[second]), np.sign(two[first] - two[second]), np.zeros(66, int))
    assert value(ours, 1) == pytest.approx(stats.kendalltau(one, two).statistic)


def test_turning_a_comparison_round_changes_no_tau():
    judge, person = np.array([1, -1, 0, 1]), np.array([1, 1, 1, -1])
    flip = np.array([1, -1, -1, 1])
    clusters = np.arange(4)
    assert value(agreement.tau_b(judge * flip, person * flip, clusters), 4) == pytest.approx(
        value(agreement.tau_b(judge, person, clusters), 4)
    )


def test_alpha_is_one_for_full_agreement_and_known_for_a_small_table():
    units = np.repeat(np.arange(4), 2)
    clusters = np.arange(4)
    assert value(agreement.alpha(units, np.array([0, 0, 1, 1, 0, 0, 2, 2]), clusters, 3), 4) == pytest.approx(1)
    # values 00 11 01 00: observed disagreement 2 of 8, expected 2 * 5 * 3 / 7 of 8
    found = value(agreement.alpha(units, np.array([0, 0, 1, 1, 0, 1, 0, 0]), clusters, 2), 4)
    assert found == pytest.approx(1 - 2 / (2 * 5 * 3 / 7))


def test_a_unit_that_one_person_rated_says_nothing_of_agreement():
    alone = agreement.alpha(np.array([0, 1]), np.array([0, 1]), np.arange(2), 2)
    assert value(alone, 2) is None


def test_spearman_is_scipys_with_ties():
    rng = np.random.default_rng(1)
    one, two = rng.integers(0, 6, 40).astype(float), rng.integers(0, 6, 40).astype(float)
    assert value(agreement.spearman(one, two), 40) == pytest.approx(stats.spearmanr(one, two).statistic)


def test_spearman_ranks_rounding_noise_as_ties():
    noise = np.array([0.1 + 0.2, 0.3, 0.5])
    assert value(agreement.spearman(noise, np.array([1.0, 1.0, 2.0])), 3) == pytest.approx(1)


def test_an_interval_covers_its_value_and_a_constant_has_no_correlation():
    rng = np.random.default_rng(2)
    one = rng.normal(size=200)
    found = agreement.estimates({"it": agreement.spearman(one, one + rng.normal(size=200))}, 200, 0)["it"]
    assert found.low < found.value < found.high
    assert value(agreement.spearman(np.ones(5), np.arange(5.0)), 5) is None


def test_kendall_w_runs_from_one_for_equal_rankings_to_zero_for_opposite_ones():
    order = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    assert agreement.kendall_w(order) == pytest.approx(1)
    assert agreement.kendall_w(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])) == pytest.approx(0)
    assert agreement.kendall_w(order[:1]) is None


def test_kendall_w_corrects_for_ties():
    assert agreement.kendall_w(np.array([[1.0, 1.0, 2.0], [5.0, 5.0, 9.0]])) == pytest.approx(1)


def test_fishers_mean_is_taken_on_his_scale():
    assert agreement.fisher_mean([0.0, 0.8]) == pytest.approx(np.tanh(np.arctanh(0.8) / 2))
