"""Forests over arrays: small ones by hand, any ones by law, both engines alike."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.ingest.forest import link, number

ENGINES = [
    "numpy",
    pytest.param("numba", marks=pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="numba")),
]
FIELDS = ("parent", "root", "depth", "order", "starts", "cut")


@st.composite
def parents(draw, most=40):
    n = draw(st.integers(0, most))
    return np.array(draw(st.lists(st.integers(0, max(n - 1, 0)), min_size=n, max_size=n)), np.int64)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_forest_of_two_trees_is_laid_out_tree_by_tree_and_level_by_level(engine):
    forest = link(np.array([0, 4, 0, 2, 4]), engine=engine)
    assert forest.root.tolist() == [0, 4, 0, 0, 4]
    assert forest.depth.tolist() == [0, 1, 1, 2, 0]
    assert forest.order.tolist() == [0, 2, 3, 4, 1]
    assert forest.starts.tolist() == [0, 3, 5]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_cycle_is_cut_once_at_its_smallest_node(engine):
    forest = link(np.array([2, 1, 3, 0, 3]), engine=engine)
    assert forest.cut.tolist() == [0]
    assert forest.parent.tolist() == [0, 1, 3, 0, 3]
    assert forest.depth.tolist() == [0, 0, 2, 1, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_chain_of_a_million_is_no_deeper_than_the_stack(engine):
    n = 1_000_000
    forest = link(np.maximum(np.arange(n) - 1, 0), engine=engine)
    assert (int(forest.depth[-1]), len(forest.starts)) == (n - 1, 2)


def test_a_parent_that_is_no_node_is_an_error():
    with pytest.raises(ValueError, match="no node"):
        link(np.array([0, 2]))


@pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="numba")
@given(parents())
def test_both_engines_give_the_same_forest(parent):
    one, two = link(parent, engine="numpy"), link(parent, engine="numba")
    assert all(np.array_equal(getattr(one, field), getattr(two, field)) for field in FIELDS)


@given(parents())
def test_a_forest_keeps_every_edge_that_is_not_cut_and_parents_come_before_children(parent):
    forest = link(parent, engine="numpy")
    n = np.arange(len(parent))
    changed = np.flatnonzero(forest.parent != parent)
    assert changed.tolist() == forest.cut.tolist()
    assert np.array_equal(np.sort(forest.order), n)
    place = np.argsort(forest.order)
    inner = forest.parent != n
    assert np.all(place[forest.parent[inner]] < place[inner])
    assert np.array_equal(forest.depth[inner], forest.depth[forest.parent[inner]] + 1)
    assert np.array_equal(forest.root, forest.root[forest.parent])


def test_posts_are_numbered_by_id_with_a_placeholder_for_a_missing_parent():
    ids, up = np.array([30, 10, 20, 40], np.uint64), np.array([10, 0, 25, 40], np.uint64)
    numbered = number(ids, up, np.array([True, False, True, True]))
    assert numbered.ids.tolist() == [10, 20, 25, 30, 40]
    assert numbered.parent.tolist() == [0, 2, 2, 0, 4]
    assert numbered.row.tolist() == [1, 2, 4, 0, 3]
    assert numbered.self_parents.tolist() == [4]


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 20), st.booleans()), max_size=20), st.randoms())
def test_numbering_does_not_depend_on_the_order_of_rows_and_agrees_with_a_dictionary(rows, random):
    def numbered(rows):
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        return number(*(np.array(c, t) for c, t in zip(columns, (np.uint64, np.uint64, np.bool_), strict=True)))

    one = numbered(rows)
    up = {}
    for id, parent, has in rows:
        if has and parent != id:
            up[id] = min(parent, up.get(id, parent))
    ids = sorted({id for id, _, _ in rows} | {parent for _, parent, has in rows if has})
    assert one.ids.tolist() == ids
    assert [ids[parent] for parent in one.parent.tolist()] == [up.get(id, id) for id in ids]
    random.shuffle(rows)
    two = numbered(rows)
    assert (one.ids.tolist(), one.parent.tolist()) == (two.ids.tolist(), two.parent.tolist())
