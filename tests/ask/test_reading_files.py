"""Reading a file of replies."""

import pytest

from groundswell.ask.reading import parse_file
from groundswell.errors import UserError

ROW = '{"reply": "Score: 7", "dimensions": [{"name": "score", "low": 0, "high": 10}]}\n'


def test_a_row_without_dimensions_has_nothing_to_read_and_a_file_of_them_is_refused(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text(ROW + '{"reply": "[[A>B]]"}\n', "utf-8")
    assert parse_file(path)[1] == {"scores": None, "why": "no dimensions were asked for"}
    path.write_text('{"reply": "[[A>B]]"}\n', "utf-8")
    with pytest.raises(UserError, match="no row asks for anything"):
        parse_file(path)


def test_each_row_gives_scores_or_a_reason_in_order(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text(ROW + ROW.replace("7", "11") + ROW.replace("Score: 7", ""), "utf-8")
    assert parse_file(path) == [
        {"scores": {"score": 7.0}, "why": None},
        {"scores": None, "why": "range"},
        {"scores": None, "why": "empty"},
    ]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ('{"reply": "7", "dimensions": [{"low": 0, "high": 1}]}', 2),
        ('{"repl', 2),
    ],
)
def test_a_row_that_is_none_is_named_with_its_line(tmp_path, row, line):
    path = tmp_path / "replies.jsonl"
    path.write_text(ROW + row + "\n", "utf-8")
    with pytest.raises(UserError, match=f"replies.jsonl:{line}"):
        parse_file(path)
