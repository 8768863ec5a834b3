"""Which gradings to buy next, and when to stop: bounds that hold at every look, choices that rest on the past alone."""

import numpy as np
import pytest

from groundswell.judge.adaptive import (
    FIRST,
    WHOLE,
    Design,
    Look,
    critical,
    design,
    everything,
    look,
    pairings,
    points_of,
    split,
)

MODELS = 4


def matrix(seed, samples=200, quality=(8, 6, 5.9, 3)):
    rng = np.random.default_rng(seed)
    return np.clip(np.round(np.array(quality) + rng.normal(0, 1.5, (samples, len(quality)))), 1, 10)


def seen(grades, most=200):
    found = split(grades, points_of(grades))
    return found, look(found, most)


def rates_of(grades):
    pairs = pairings(grades.shape[1])
    return pairs.to_rates @ points_of(grades).mean(axis=0) + np.bincount(pairs.second, minlength=MODELS) / (MODELS - 1)


def test_points_are_a_win_a_loss_or_half_and_a_missing_grade_gives_none():
    points = points_of(np.array([[3.0, 5.0, 5.0], [9.0, np.nan, 1.0]]))
    assert points.tolist()[0] == [0.0, 0.0, 0.5]
    assert np.isnan(points[1]).tolist() == [True, False, True]


def test_with_every_grade_the_rates_are_the_plain_win_rates():
    grades = matrix(0)
    assert seen(grades)[1].rates == pytest.approx(rates_of(grades))


def test_nothing_is_said_before_every_two_models_met_often_enough():
    grades = matrix(0, samples=FIRST)
    grades[0, 1] = np.nan
    assert split(grades, points_of(grades)) is None


def test_grades_of_one_model_alone_narrow_its_lead_and_do_not_move_the_truth():
    errors = []
    for seed in range(40):
        grades = matrix(seed, samples=400)
        few = np.where(np.arange(400)[:, None] < 80, grades, np.nan)
        more = few.copy()
        more[:, :2] = grades[:, :2]
        whole, (_, short), (_, wider) = rates_of(grades), seen(few, 400), seen(more, 400)
        errors.append((short.error[0, 1], wider.error[0, 1], wider.lead[0, 1] - (whole[0] - whole[1])))
    short, wider, off = np.array(errors).T
    assert (wider < short).all()
    assert abs(off.mean()) < 3 * off.std() / np.sqrt(len(off))


def test_exchanging_models_exchanges_what_is_said_of_them():
    grades = matrix(3)
    one, other = seen(grades)[1], seen(grades[:, ::-1])[1]
    assert other.rates[::-1] == pytest.approx(one.rates)
    assert other.error[::-1, ::-1] == pytest.approx(one.error)


def test_the_critical_value_is_kept_by_a_random_walk_whenever_one_stops():
    ratio, steps = 30.0, 250
    times = np.geomspace(1, ratio, steps)
    rng = np.random.default_rng(1)
    walks = np.cumsum(rng.normal(0, np.sqrt(np.diff(times, prepend=0)), (4000, steps)), axis=1)
    strayed = (np.abs(walks) / np.sqrt(times) > critical(0.05, ratio)).any(axis=1).mean()
    assert 0.02 < strayed <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 4000)


def test_tiers_part_where_everybody_above_is_surely_above_everybody_below():
    rates = np.array([0.9, 0.5, 0.45, 0.1])
    lead = rates[:, None] - rates[None, :]
    said = Look(rates=rates, lead=lead, error=np.full((4, 4), 0.05), critical=4.0)
    assert said.tiers() == [[0], [1, 2], [3]]


def test_models_that_have_parted_are_graded_less():
    found, said = seen(matrix(1, samples=150, quality=(9.5, 6, 5.8, 2)))
    assert said.tiers() == [[0], [1, 2], [3]]
    assert design(found, said, tiers=4).models == (1, 2)


def test_models_are_drawn_with_the_probabilities_that_are_logged():
    plan = Design(models=(1, 2), of=4)
    assert plan.probability().tolist() == [WHOLE, 1.0, 1.0, WHOLE]
    drawn = plan.draw(4000, np.random.default_rng(0)).mean(axis=0)
    assert drawn == pytest.approx(plan.probability(), abs=0.03)
    assert everything(3).draw(5, np.random.default_rng(0)).all()


def test_where_nothing_is_left_to_part_all_models_are_graded():
    found, said = seen(matrix(2, quality=(9.5, 7, 4, 1.5)))
    assert design(found, said, tiers=2).models == (0, 1, 2, 3)
