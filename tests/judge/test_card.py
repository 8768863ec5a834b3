"""The report card of a judge."""

import math

import pytest

from groundswell.judge.card import ALONE, Mark, Plant, Tried, card, exact_interval
from groundswell.judge.rehearsal import rehearse

SCALE = (1, 10)


def tried(plant, *pairs):
    return [
        Tried(plant=plant, sample=str(number), honest=honest, planted=planted)
        for number, (honest, planted) in enumerate(pairs)
    ]


def finding(plant, *pairs):
    (found,) = card("j", tried(plant, *pairs), SCALE).findings
    return found


@pytest.mark.parametrize("plant", [Plant.BASELINE, Plant.SWAP, Plant.DEGRADED, Plant.COPY])
def test_what_must_lose_passes_when_it_loses_and_fails_when_it_does_not(plant):
    assert finding(plant, *[(8, 2)] * 30).mark is Mark.PASSED
    failed = finding(plant, *[(8, 8)] * 30)
    assert (failed.mark, failed.against, failed.rate) == (Mark.FAILED, 30, 1.0)


def test_a_copy_of_the_input_fails_an_edit_even_if_the_edit_is_graded_higher():
    assert finding(Plant.COPY, *[(9, 7)] * 30).mark is Mark.FAILED


def test_too_few_cases_decide_nothing():
    found = finding(Plant.BASELINE, *[(8, 8)] * 9)
    assert (found.mark, found.p) == (Mark.UNDECIDED, None)
    assert card("j", [], SCALE).mark is Mark.UNDECIDED


def test_what_was_not_read_is_no_case():
    found = finding(Plant.BASELINE, *[(8, 2)] * 20, (None, 3), (4, None))
    assert (found.cases, found.unread, found.against) == (20, 2, 0)


def test_repeats_may_differ_a_little():
    assert finding(Plant.REPEAT, *[(8, 7)] * 30).mark is Mark.PASSED
    assert finding(Plant.REPEAT, *[(8, 6)] * 30).mark is Mark.FAILED


def test_orders_agree_when_the_lead_has_the_same_sign():
    assert finding(Plant.ORDER, *[(2, 1), (-1, -3), (0, 0)] * 10).against == 0
    assert finding(Plant.ORDER, *[(2, -1)] * 30).mark is Mark.FAILED


def test_instructions_that_move_the_grade_their_way_are_told_from_noise():
    assert finding(Plant.INSTRUCTION, *[(6, 7), (6, 6)] * 15).mark is Mark.FAILED
    noisy = finding(Plant.INSTRUCTION, *[(6, 7), (7, 6)] * 15)
    assert (noisy.mark, noisy.moved) == (Mark.PASSED, 0.0)


def test_a_card_fails_with_any_kind_and_passes_only_with_all():
    good = [case for plant in ALONE for case in tried(plant, *[(8, 8 if plant in KEEPS else 2)] * 30)]
    assert card("j", good, SCALE).mark is Mark.PASSED
    without_copy = [case for case in good if case.plant is not Plant.COPY]
    partial = card("j", without_copy, SCALE)
    assert (partial.mark, partial.not_tried) == (Mark.UNDECIDED, (Plant.COPY,))
    bad = card("j", without_copy + tried(Plant.COPY, *[(8, 8)] * 30), SCALE)
    assert (bad.mark, bad.failures) == (Mark.FAILED, (Plant.COPY,))


KEEPS = {Plant.REPEAT, Plant.INSTRUCTION}


def test_the_exact_interval_is_clopper_and_pearsons():
    assert exact_interval(0, 10) == (0.0, pytest.approx(1 - 0.025 ** (1 / 10)))
    low, high = exact_interval(5, 10)
    assert math.isclose(low, 1 - high)
    assert low == pytest.approx(0.1871, abs=1e-4)


def test_biased_judges_are_caught_and_noisy_ones_are_not_accused():
    rates = {(rate.bias, rate.strength): rate for rate in rehearse(40, cases=40, seed=3, strengths=(0.9,))}
    assert rates[None, 0.0].failed <= 2
    caught = {bias: rate.failed for (bias, _), rate in rates.items() if bias is not None}
    assert min(caught.values()) >= 30
