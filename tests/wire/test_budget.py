import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.errors import BudgetExceeded
from groundswell.wire.budget import Budget


def test_what_is_reserved_cannot_be_reserved_again():
    budget = Budget(1.0)
    budget.reserve(0.6)
    with pytest.raises(BudgetExceeded, match=r"0\.5 USD more would pass the budget of 1 USD"):
        budget.reserve(0.5)


def test_settling_gives_back_what_was_not_spent():
    budget = Budget(1.0)
    budget.settle(budget.reserve(0.6), 0.1)
    assert (budget.spent, budget.reserved, budget.left) == (0.1, 0.0, 0.9)


def test_a_request_that_was_never_sent_costs_nothing():
    budget = Budget(1.0)
    budget.settle(budget.reserve(0.6), 0.0)
    assert budget.left == 1.0


def test_an_unknown_price_is_refused_under_a_limit():
    with pytest.raises(BudgetExceeded, match="--allow-unknown-price"):
        Budget(1.0).reserve(None)


def test_an_allowed_unknown_price_is_counted_and_never_taken_as_nothing():
    budget = Budget(1.0, allow_unknown=True)
    budget.settle(budget.reserve(None), None)
    assert (budget.spent, budget.unknown) == (0.0, 1)


def test_an_unknown_cost_is_taken_as_the_price_reserved():
    budget = Budget(1.0)
    budget.settle(budget.reserve(0.25), None)
    assert (budget.spent, budget.unknown) == (0.25, 0)


def test_without_a_limit_everything_fits_and_is_still_counted():
    budget = Budget(None)
    budget.settle(budget.reserve(None), 2.0)
    assert (budget.spent, budget.left) == (2.0, None)


def test_a_dearer_answer_than_expected_stops_the_next_one():
    budget = Budget(1.0)
    budget.settle(budget.reserve(0.5), 1.2)
    assert budget.left == 0.0
    with pytest.raises(BudgetExceeded):
        budget.reserve(0.0)


def test_earlier_runs_count():
    with pytest.raises(BudgetExceeded):
        Budget(1.0, spent=0.9).reserve(0.2)


def test_a_reservation_is_settled_once():
    budget = Budget(1.0)
    token = budget.reserve(0.5)
    budget.settle(token, 0.5)
    with pytest.raises(KeyError):
        budget.settle(token, 0.5)


@pytest.mark.parametrize("amount", [-0.1, float("nan"), float("inf")])
def test_what_is_not_an_amount_of_money_is_an_error(amount):
    with pytest.raises(ValueError, match="not an amount"):
        Budget(1.0).reserve(amount)


@given(st.lists(st.integers(0, 10_000), max_size=200))
def test_many_small_costs_add_up_exactly(cents):
    budget = Budget(None)
    for cent in cents:
        budget.settle(budget.reserve(None), cent / 100)
    assert budget.spent == sum(cents) / 100
