from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.editions.freezing import allocation, cell, compared, draw, frozen
from groundswell.errors import UserError
from groundswell.records import Sample


def _samples(sizes):
    return [
        Sample(suite="s", task="t2i", prompts={"en": f"{use} {n}"}, tags={"use_case": use, "capability": "layout"})
        for use, size in sizes.items()
        for n in range(size)
    ]


def test_every_cell_gives_equally_many_as_far_as_it_has_them():
    edition = frozen(_samples({"a": 10, "b": 10, "c": 2}), "s", "1", limit=12)
    assert Counter(edition.inclusion.values()) == {0.5: 10, 1.0: 2}


def test_a_draw_is_the_same_each_time_and_whatever_the_order():
    samples = _samples({"a": 10, "b": 5})
    assert draw(samples, 6, 0) == draw(samples[::-1], 6, 0)
    assert draw(samples, 6, 0) != draw(samples, 6, 1)


def test_what_cannot_be_run_is_not_frozen_and_nothing_at_all_is_an_error():
    broken = Sample(suite="s", task="edit", prompts={"en": "x"}, not_runnable="its input is missing")
    edition = frozen([*_samples({"a": 2}), broken], "s", "1")
    assert (len(edition.samples), broken.key in edition.samples) == (2, False)
    with pytest.raises(UserError, match="its input is missing"):
        frozen([broken], "s", "1")


def test_an_edition_keeps_the_order_of_its_samples():
    samples = _samples({"a": 4})
    assert frozen(samples, "s", "1").samples == tuple(sample.key for sample in samples)


@given(
    st.dictionaries(st.tuples(st.text(max_size=3)), st.integers(0, 30), max_size=6),
    st.integers(0, 100),
    st.integers(0, 9),
)
def test_an_allocation_uses_the_limit_and_never_more_than_there_is(sizes, limit, seed):
    shares = allocation(sizes, limit, np.random.default_rng(seed))
    assert sum(shares.given.values()) == min(limit, sum(sizes.values()))
    assert sum(shares.expected.values()) == pytest.approx(min(limit, sum(sizes.values())))
    assert all(shares.given[each] <= size for each, size in sizes.items())
    open_ = [shares.given[each] for each, size in sizes.items() if shares.given[each] < size]
    assert all(count <= min(open_) + 1 for count in shares.given.values()) if open_ else True


@pytest.mark.parametrize("limit", [2, 7])
def test_samples_are_drawn_as_often_as_their_probability_of_inclusion_says(limit):
    samples, drawn, said = _samples({"a": 7, "b": 3, "c": 1}), Counter(), {}
    for seed in range(1_000):
        edition = draw(samples, limit, seed)
        drawn.update(edition.keys())
        said |= edition
    assert len(said) == len(samples), "every sample can be drawn, even with fewer places than cells"
    worst = max(abs(drawn[key] / 1_000 - p) / max(0.01, (p * (1 - p) / 1_000) ** 0.5) for key, p in said.items())
    assert worst < 4, "standard errors"
    whole = np.mean([sum(1 / p for p in draw(samples, limit, seed).values()) for seed in range(1_000)])
    assert whole == pytest.approx(len(samples), rel=0.1), "weighted back, a draw stands for the pool"


def test_inclusion_probabilities_add_up_to_the_size_of_the_pool():
    samples = _samples({"a": 7, "b": 3})
    weights = [1 / p for p in draw(samples, 6, 0).values()]
    assert sum(weights) == pytest.approx(10)


def test_two_editions_are_compared_by_their_samples():
    samples = _samples({"a": 3})
    changed = compared(frozen(samples[:2], "s", "1"), frozen(samples[1:], "s", "2"))
    assert [len(each) for each in (changed.came, changed.went, changed.stayed)] == [1, 1, 1]
    assert cell(samples[0]) == ("t2i", "a", "layout")
