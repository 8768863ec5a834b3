"""The panel's verdict, the panel without some of its judges, and how far its judges agree."""

from hypothesis import given
from hypothesis import strategies as st

from groundswell.judge.leave_out import agreements, leave_family_out, leave_one_out
from groundswell.judge.panel import Grade, decided, majority, said
from groundswell.records import Winner

LEFT, RIGHT, TIE = Winner.LEFT, Winner.RIGHT, Winner.TIE


def grades(table, sample="s"):
    """{judge: {model: grade}} as grades of one sample."""
    return [
        Grade(sample=sample, model=model, output=f"{sample}-{model}", judge=judge, value=value)
        for judge, models in table.items()
        for model, value in models.items()
    ]


def test_a_b_b_gives_b():
    assert majority([LEFT, RIGHT, RIGHT]) is RIGHT
    table = {"one": {"a": 9, "b": 3}, "two": {"a": 4, "b": 6}, "three": {"a": 5, "b": 7}}
    assert [comparison.winner for comparison in decided(said(grades(table))).comparisons] == [RIGHT]


def test_without_a_majority_it_is_a_tie_and_below_the_quorum_nothing():
    assert majority([LEFT, RIGHT, TIE]) is TIE
    assert majority([LEFT, RIGHT]) is TIE
    assert majority([LEFT]) is None
    assert decided(said(grades({"one": {"a": 9, "b": 3}}))).left_out == {"below the quorum": 1}


@given(st.lists(st.sampled_from([LEFT, RIGHT, TIE]), min_size=2, max_size=7))
def test_exchanging_the_sides_exchanges_the_verdict(verdicts):
    turned = {LEFT: RIGHT, RIGHT: LEFT, TIE: TIE}
    assert majority([turned[verdict] for verdict in verdicts]) is turned[majority(verdicts)]


def test_each_judge_can_be_left_out():
    table = {"one": {"a": 9, "b": 3}, "two": {"a": 4, "b": 6}, "three": {"a": 5, "b": 7}}
    boards = leave_one_out(said(grades(table)))
    winners = {judge: [comparison.winner for comparison in board.comparisons] for judge, board in boards.items()}
    assert winners == {"one": [RIGHT], "two": [TIE], "three": [TIE]}


def test_the_judges_of_a_family_that_has_a_model_on_the_board_are_left_out_together():
    table = {"gpt-x": {"a": 9, "b": 3}, "gpt-y": {"a": 9, "b": 3}, "other": {"a": 4, "b": 6}}
    families = {"gpt-x": "openai", "gpt-y": "openai", "other": "google"}
    boards = leave_family_out(said(grades(table)), families, {"a": "openai", "b": "bfl"})
    assert list(boards) == ["openai"]
    assert [comparison.winner for comparison in boards["openai"].comparisons] == [RIGHT]


def test_agreement_of_judges_counts_the_pairs_that_both_judged():
    rows = []
    for number in range(20):
        up = {"a": 9, "b": 3} if number % 2 else {"a": 3, "b": 9}
        rows += grades({"one": up, "two": up, "three": {"a": 9, "b": 3}}, sample=f"s{number}")
    found = {(each.one, each.other): each for each in agreements(said(rows))}
    assert found["one", "two"].same.value == 1.0
    assert found["one", "two"].alpha.value == 1.0
    assert found["one", "three"].same.value == 0.5
    assert (found["one", "three"].pairs, found["one", "three"].same.low < 0.5) == (20, True)
