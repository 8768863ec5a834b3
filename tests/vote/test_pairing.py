from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.vote.pairing import Counts, Entry, chances, draw, pair_of, pool_of

from .conftest import entry


def _wanted(pool, counts, rng):
    return {cell[0]: chances(counts.belief(cell[0]), rng) for cell in pool.cells}


def _draws(pool, counts, n, rng, seen=lambda key: ()):
    wanted = _wanted(pool, counts, rng)
    return [draw(pool, counts, wanted, seen, rng) for _ in range(n)]


def test_the_probability_of_a_draw_is_how_often_it_comes():
    rng = np.random.default_rng(1)
    pool = pool_of([entry(0), entry(1, cell=("t2i", "frontier", "physics"))])
    counts = Counts(3)
    wanted = _wanted(pool, counts, rng)
    drawn = [draw(pool, counts, wanted, lambda key: (), rng) for _ in range(6_000)]
    said = {(each.entry.sample.key, frozenset((each.left.model, each.right.model))): each.probability for each in drawn}
    came = Counter((each.entry.sample.key, frozenset((each.left.model, each.right.model))) for each in drawn)
    assert sum(said.values()) == pytest.approx(1)
    for pair, probability in said.items():
        assert came[pair] / 6_000 == pytest.approx(probability, abs=0.03)


def test_sides_are_tossed():
    rng = np.random.default_rng(2)
    drawn = _draws(pool_of([entry(0)]), Counts(3), 2_000, rng)
    left = sum(each.left.model < each.right.model for each in drawn)
    assert 900 < left < 1_100


def test_cells_are_drawn_evenly_however_many_prompts_they_have():
    many = [entry(place) for place in range(9)]
    few = [entry(9, cell=("t2i", "frontier", "physics"))]
    drawn = _draws(pool_of(many + few), Counts(3), 2_000, np.random.default_rng(3))
    share = sum(each.entry.cell[1] == "frontier" for each in drawn) / 2_000
    assert share == pytest.approx(0.5, abs=0.05)


def test_the_emptier_cell_is_drawn_more_often():
    counts = Counts(3)
    for _ in range(50):
        counts.add(("t2i", "consumer", "layout"), 0, 1, 1.0)
    pool = pool_of([entry(0), entry(1, cell=("t2i", "frontier", "physics"))])
    drawn = _draws(pool, counts, 500, np.random.default_rng(4))
    assert sum(each.entry.cell[1] == "frontier" for each in drawn) > 400


def test_a_new_model_is_drawn_more_often():
    counts = Counts(4)
    cell = ("t2i", "consumer", "layout")
    for first, second in ((0, 1), (0, 2), (1, 2)) * 40:
        counts.add(cell, first, second, 1.0)
        counts.add(cell, first, second, 0.0)
    pool = pool_of([entry(place, models=("ada", "bob", "cyd", "new")) for place in range(3)])
    drawn = _draws(pool, counts, 1_000, np.random.default_rng(5))
    assert sum("new" in (each.left.model, each.right.model) for each in drawn) > 800


def test_a_session_is_never_asked_the_same_pair_again_and_is_told_when_it_has_seen_all():
    rng = np.random.default_rng(6)
    pool, counts, seen = pool_of([entry(0), entry(1)]), Counts(3), {}
    wanted = _wanted(pool, counts, rng)
    pairs = set()
    while (drawn := draw(pool, counts, wanted, lambda key: seen.get(key, ()), rng)) is not None:
        pair = pair_of(drawn.left.output, drawn.right.output)
        assert pair not in pairs
        pairs.add(pair)
        seen.setdefault(drawn.entry.sample.key, set()).add(pair)
    assert len(pairs) == 6


def test_one_ballot_in_ten_is_a_golden_pair_where_there_are_decoys():
    pool = pool_of([entry(place, decoys=("blank",)) for place in range(5)])
    drawn = _draws(pool, Counts(3), 2_000, np.random.default_rng(7))
    golden = [each for each in drawn if each.golden]
    assert len(golden) / 2_000 == pytest.approx(0.1, abs=0.025)
    assert all("blank" in (each.left.model, each.right.model) for each in golden)


def test_equal_pictures_and_lonely_outputs_are_not_in_the_pool():
    alone, twice = entry(0, models=("ada",)), entry(1, models=("ada", "bob"))
    same = Entry(
        sample=twice.sample,
        cell=twice.cell,
        outputs=tuple(type(each)(model=each.model, output=each.output, digest="same") for each in twice.outputs),
    )
    assert pool_of([alone, same]).entries == ()


@given(st.permutations(["ada", "bob", "cyd", "dan"]))
def test_chances_are_a_distribution_over_pairs(names):
    counts = Counts(4)
    for place, _ in enumerate(names[:3]):
        counts.add(("t2i", "", ""), place, place + 1, 1.0)
    matrix = chances(counts.belief("t2i"), np.random.default_rng(0))
    assert np.triu(matrix).sum() == pytest.approx(1)
    assert np.allclose(matrix, matrix.T)
    assert matrix[np.triu_indices(4, 1)].min() > 0
