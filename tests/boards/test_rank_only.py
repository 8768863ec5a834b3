"""`rank --only`: some rows of a file that holds more."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundswell.boards import RankOptions, rank_file
from groundswell.errors import UserError

ROWS = """left,right,winner,by
a,b,left,panel
b,a,left,panel
a,b,right,s1
b,c,nonsense,s1
"""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(ROWS)
    return path


def test_only_the_rows_with_the_value_count_and_the_others_are_not_left_out(votes: Path) -> None:
    found = rank_file(votes, RankOptions(only=(("by", "panel"),)))
    assert {row["model"]: row["games"] for row in found["ratings"]} == {"a": 2, "b": 2}
    assert found["left_out"] == {}


def test_a_fault_among_the_rows_that_count_is_still_named_with_its_line(votes: Path) -> None:
    with pytest.raises(UserError, match=r"votes\.csv:5"):
        rank_file(votes, RankOptions(only=(("by", "s1"),)))


def test_a_column_that_is_not_there_is_named(votes: Path) -> None:
    with pytest.raises(UserError, match="judge"):
        rank_file(votes, RankOptions(only=(("judge", "x"),)))


@pytest.mark.parametrize(
    "choice",
    [{"ties": "all"}, {"seed": -1}, {"bootstrap": -1}, {"bootstrap": 1.5}, {"prior": float("nan")}, {"prior": 1e-9}],
)
def test_a_choice_without_a_meaning_is_refused(choice: dict) -> None:
    with pytest.raises(UserError, match="not"):
        RankOptions(**choice)


def test_weights_whose_squares_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "heavy.csv"
    path.write_text("left,right,winner,w\na,b,left,1e300\nb,a,left,1e300\n")
    with pytest.raises(UserError, match="above 1e\\+100"):
        rank_file(path, RankOptions(weights="w"))
