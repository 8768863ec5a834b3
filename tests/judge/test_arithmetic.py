"""One grade or verdict from a judgment's scores."""

from pathlib import Path

import pytest

import groundswell.judge
from groundswell.ask import rubrics
from groundswell.errors import UserError
from groundswell.judge.arithmetic import Duel, both_orders, duels, grade, pair_verdict
from groundswell.records import Dimension, Judgment, Rubric, Winner

OURS = Path(groundswell.judge.__file__).parent / "rubrics"
LEFT, RIGHT, TIE = Winner.LEFT, Winner.RIGHT, Winner.TIE


def duel(forward, backward, judge="j"):
    return Duel(sample="s", left="a", right="b", judge=judge, forward=forward, backward=backward)


@pytest.mark.parametrize("path", sorted(OURS.glob("*.md")), ids=lambda path: path.stem)
def test_our_rubrics_load_and_have_a_place_for_the_instruction(path):
    rubric = rubrics.load(path)
    assert "<<<instruction" in rubrics.render(rubric, instruction="make it blue")
    if rubric.rules["mode"] != "pair":
        scores = {dimension.name: dimension.high for dimension in rubric.dimensions}
        assert grade(rubric, scores) == rubric.dimensions[0].high


def test_viescore_is_the_geometric_mean_of_the_lowest_of_each_group():
    rubric = rubrics.load(OURS / "viescore.md")
    scores = {"Task Done": 9, "Input Kept": 4, "Natural Look": 9, "Free of Artifacts": 10}
    assert grade(rubric, scores) == 6.0  # sqrt(4 * 9)


def test_a_checklist_is_the_share_of_yes():
    rubric = rubrics.load(OURS / "checklist.md")
    assert grade(rubric, dict(zip((d.name for d in rubric.dimensions), (1, 1, 0, 1), strict=True))) == 0.75


def test_weights_count_in_the_mean_and_the_lowest_dimension_can_decide_alone():
    dimensions = (Dimension(name="a", low=0, high=10, weight=3), Dimension(name="b", low=0, high=10))
    assert grade(Rubric(name="r", text="t", dimensions=dimensions), {"a": 8, "b": 4}) == 7.0
    lowest = Rubric(name="r", text="t", dimensions=dimensions, rules={"arithmetic": "lowest"})
    assert grade(lowest, {"a": 8, "b": 4}) == 4


def test_an_arithmetic_that_does_not_exist_names_the_nearest():
    with pytest.raises(UserError, match="did you mean 'checklist'"):
        grade(Rubric(name="r", text="t", rules={"arithmetic": "cheklist"}), {})


def test_the_higher_score_of_a_pair_wins_by_place():
    dimensions = rubrics.load(OURS / "pair.md").dimensions
    judgment = Judgment(
        outputs=("x", "y"), judge="j", rubric="r", sample="s", scores={"Result 1": 4.0, "Result 2": 7.0}
    )
    assert pair_verdict(judgment, dimensions) is RIGHT


@pytest.mark.parametrize(
    ("forward", "backward", "winner", "flipped"),
    [(LEFT, RIGHT, LEFT, False), (RIGHT, LEFT, RIGHT, False), (TIE, TIE, TIE, False), (LEFT, LEFT, TIE, True),
     (RIGHT, RIGHT, TIE, True), (LEFT, TIE, TIE, True)],
)  # fmt: skip
def test_a_verdict_that_flips_with_the_order_is_a_tie(forward, backward, winner, flipped):
    settled = both_orders(forward, backward)
    assert (settled.winner, settled.flipped) == (winner, flipped)


def test_the_flip_rate_counts_pairs_read_in_both_orders_only():
    found = duels([duel(LEFT, RIGHT), duel(LEFT, LEFT), duel(LEFT, None), duel(None, None)])
    assert [comparison.winner for comparison in found.comparisons] == [LEFT, TIE]
    assert found.flips == {"j": (1, 2)}
    assert found.left_out == {"read in one order only": 1, "read in neither order": 1}
