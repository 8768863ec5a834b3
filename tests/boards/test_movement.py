"""How a board moved between two editions: differences that can be checked, noise that is called noise."""

import numpy as np
import pytest

from groundswell.boards import Anchor, RankOptions
from groundswell.boards.making import Fitted, board_of, counted
from groundswell.boards.movement import movement, not_comparable
from groundswell.records import Comparison, Winner

MODELS = ("ada", "bob", "cyd", "dan")
STRENGTH = np.array([0.6, 0.2, -0.2, -0.6])


def _said(rng, prompts, strength, votes=12, models=MODELS):
    """Comparisons on some prompts, each of which has a taste of its own."""
    found = []
    for prompt in prompts:
        taste = strength + np.random.default_rng(prompt).normal(0, 0.4, len(models))
        for place in range(votes):
            one, other = rng.choice(len(models), 2, replace=False)
            left = rng.random() < 1 / (1 + np.exp(taste[other] - taste[one]))
            found.append(
                Comparison(
                    sample=f"p{prompt}",
                    left=models[one],
                    right=models[other],
                    winner=Winner.LEFT if left else Winner.RIGHT,
                    by=f"{prompt}-{place}",
                )
            )
    return found


def _fitted(comparisons, anchor=None, **said):
    votes = counted(comparisons, {})
    board = board_of(votes, name="arena-t2i", modality="t2i", options=RankOptions(anchor=anchor and Anchor(anchor)))
    board = type(board)(
        **{name: getattr(board, name) for name in board.__struct_fields__} | {"method": board.method | said}
    )
    return Fitted(board=board, votes=votes)


def test_on_the_same_anchor_the_difference_is_that_of_the_ratings_shown():
    rng = np.random.default_rng(0)
    before, after = (_fitted(_said(rng, prompts, STRENGTH), "bob") for prompts in (range(60), range(20, 80)))
    found = movement(before, after)
    assert found.about == "the anchor bob"
    for row in found.models:
        assert row.difference == pytest.approx(row.after.rating - row.before.rating, abs=1e-6)
    (anchor,) = (row for row in found.models if row.model == "bob")
    assert (anchor.difference, anchor.moved, anchor.why) == (0.0, False, "the anchor, which does not move")


def test_differences_without_an_anchor_add_up_to_nothing():
    rng = np.random.default_rng(1)
    found = movement(_fitted(_said(rng, range(50), STRENGTH)), _fitted(_said(rng, range(50, 100), STRENGTH)))
    assert sum(row.difference for row in found.models) == pytest.approx(0, abs=1e-9)


def test_noise_is_called_movement_in_at_most_one_board_of_twenty_or_so():
    called = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        prompts = rng.permutation(10_000)[:90]
        shared = _said(rng, prompts[30:60], STRENGTH)
        before = _fitted(_said(rng, prompts[:30], STRENGTH) + shared)
        after = _fitted(shared + _said(rng, prompts[60:], STRENGTH))
        called += any(row.moved for row in movement(before, after).models)
    assert called <= 8, "binomial 60 x 0.05 exceeds 8 once in two hundred"


def test_a_model_that_became_better_moved_beyond_noise_and_the_others_are_where_they_were():
    rng = np.random.default_rng(2)
    better = STRENGTH + np.array([0, 0, 0, 1.5])
    found = movement(
        _fitted(_said(rng, range(80), STRENGTH), "ada"), _fitted(_said(rng, range(80, 160), better), "ada")
    )
    assert [row.model for row in found.models if row.moved] == ["dan"]


def test_models_that_came_and_went_are_named_and_have_no_difference():
    rng = np.random.default_rng(3)
    before = _fitted(_said(rng, range(40), STRENGTH))
    after = _fitted(_said(rng, range(40), STRENGTH, models=("ada", "bob", "cyd", "eve")))
    found = movement(before, after)
    assert (found.came, found.went) == (("eve",), ("dan",))
    assert {row.model: row.difference for row in found.models if row.model in ("eve", "dan")} == {
        "eve": None,
        "dan": None,
    }
    assert [row.why for row in found.models if row.model == "dan"] == ["ranked only before"]


def test_the_same_votes_did_not_move():
    rng = np.random.default_rng(4)
    said = _said(rng, range(40), STRENGTH)
    found = movement(_fitted(said), _fitted(said))
    assert {(row.difference, row.moved, row.why) for row in found.models} == {
        (0.0, False, "nothing that it rests on differs")
    }


def test_boards_of_another_anchor_or_methodology_are_refused_with_the_reason():
    rng = np.random.default_rng(5)
    said = _said(rng, range(40), STRENGTH)
    found = movement(_fitted(said, "ada"), _fitted(said, "bob"))
    assert (found.why_not, found.models) == ("they differ in the anchor: ada 1000 before, bob 1000 after", ())
    found = movement(_fitted(said, methodology="2026-11"), _fitted(said, methodology="2026-12"))
    assert found.why_not == "they differ in the methodology of the votes: 2026-11 before, 2026-12 after"
    panels = {"judges": ["a", "b"]}, {"judges": ["a"]}
    assert not_comparable(*panels) == "they differ in the judges: a, b before, a after"
