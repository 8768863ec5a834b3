"""The arithmetic of LLaVA-Bench review files, on rows small enough to check by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.errors import UserError
from groundswell.suites import llava


def write(path: Path, *rows: dict) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def three_rows(tmp_path: Path) -> Path:
    return write(
        tmp_path / "reviews.jsonl",
        {"question_id": 1, "category": "llava_bench_conv", "content": "8 6\nfine", "tuple": [8, 6]},
        {"question_id": 2, "category": "llava_bench_conv", "content": "no idea", "tuple": [-1, -1]},
        {"question_id": 3, "category": "llava_bench_detail", "content": "9 9\nsame", "tuple": [9, 9]},
    )


def numbers(scores: dict) -> tuple:
    return tuple(scores[name] for name in ("ratio", "reference", "candidate", "scored", "wanted"))


def test_an_unreadable_pair_is_left_out_and_counted(three_rows: Path) -> None:
    scores = llava.score_reviews([three_rows])
    assert numbers(scores["all"]) == (88.2, 85.0, 75.0, 2, 3)
    assert numbers(scores["llava_bench_conv"]) == (75.0, 80.0, 60.0, 1, 2)
    assert numbers(scores["llava_bench_detail"]) == (100.0, 90.0, 90.0, 1, 1)
    assert scores["all"]["ratio_unrounded"] == pytest.approx(100 * 15 / 17)


def test_bounds_stand_where_a_pair_is_absent_and_only_there(three_rows: Path) -> None:
    scores = llava.score_reviews([three_rows])
    assert (scores["llava_bench_conv"]["worst"], scores["llava_bench_conv"]["best"]) == (38.9, 177.8)  # 7/18 and 16/9
    assert "worst" not in scores["llava_bench_detail"]


def test_compat_averages_the_unreadable_pair_in_as_the_released_code_did(three_rows: Path) -> None:
    scores = llava.score_reviews([three_rows], compat=True)
    assert numbers(scores["all"]) == (87.5, 53.3, 46.7, 3, 3)
    assert numbers(scores["llava_bench_conv"]) == (71.4, 35.0, 25.0, 2, 2)
    assert numbers(scores["llava_bench_detail"]) == (100.0, 90.0, 90.0, 1, 1)


def test_compat_rounds_each_mean_to_three_decimals_before_the_ratio(tmp_path: Path) -> None:
    rows = [{"question_id": n, "tuple": pair} for n, pair in enumerate([[9, 1], [9, 1], [9, 2]])]
    path = write(tmp_path / "r.jsonl", *rows)
    assert llava.score_reviews([path], compat=True)["all"]["ratio"] == 14.8
    assert llava.score_reviews([path])["all"]["ratio_unrounded"] == pytest.approx(100 * 4 / 27)


@pytest.mark.parametrize(
    ("reply", "pair"),
    [
        ("8 6\nfine", (8, 6)),
        ("8,6", (8, 6)),
        ("8.5 6\n", (8.5, 6)),
        ("8, 6", (-1, -1)),  # the comma becomes a second space
        ("8  6", (-1, -1)),
        ("Scores: 8 6", (-1, -1)),
        ("\n8 6", (-1, -1)),
        ("(8 6)", (-1, -1)),
        ("8 6\r\nfine", (8, 6)),
        ("", (-1, -1)),
    ],
)
def test_compat_reads_a_reply_as_the_released_code_did(tmp_path: Path, reply: str, pair: tuple) -> None:
    path = write(tmp_path / "r.jsonl", {"question_id": 1, "content": reply})
    scores = llava.score_reviews([path], compat=True)["all"]
    assert (scores["reference"], scores["candidate"]) == (pair[0] * 10, pair[1] * 10)


def test_by_default_a_reply_without_a_recorded_pair_is_read_strictly(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl",
        {"question_id": 1, "content": "8, 6\nboth fine"},
        {"question_id": 2, "text": "I solved it.\nAssistant 1: 10\nAssistant 2: 4"},
        {"question_id": 3, "content": "I cannot compare them."},
    )
    assert numbers(llava.score_reviews([path])["all"]) == (55.6, 90.0, 50.0, 2, 3)


def test_the_older_file_format_with_score_and_no_category_counts_in_all_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"review_id": "a", "question_id": 1, "text": "10 5", "score": [10.0, 5.0]})
    assert llava.score_reviews([path]).keys() == {"all"}
    assert numbers(llava.score_reviews([path])["all"]) == (50.0, 100.0, 50.0, 1, 1)


@pytest.mark.parametrize("text", ["2\n3\n", "2 3", "[2, 3]", '{"question_id": 2}\n{"question_id": 3}\n', "2,3"])
def test_questions_can_be_left_out_by_a_file_of_ids(three_rows: Path, tmp_path: Path, text: str) -> None:
    ids = tmp_path / "ids"
    ids.write_text(text)
    for compat in (False, True):
        scores = llava.score_reviews([three_rows], compat=compat, without_ids=ids)
        assert numbers(scores["all"]) == (75.0, 80.0, 60.0, 1, 1)


def test_several_files_are_reported_apart(three_rows: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", {"question_id": 1, "tuple": [10, 5]})
    files = llava.score_reviews([three_rows, other])["files"]
    assert files[str(three_rows)]["all"]["ratio"] == 88.2
    assert files[str(other)]["all"]["ratio"] == 50.0


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"question_id": 2}, "needs tuple, score, content or text"),
        ({"question_id": 2, "text": "a cat", "answer_id": "x"}, "file of answers"),
        ({"question_id": 1, "tuple": [5, 5]}, "reviewed twice (first in line 1)"),
        ({"question_id": 2, "tuple": ["8", 6]}, "Expected `float | null`"),
        ({"question_id": 2, "tuple": [8]}, "length"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(tmp_path: Path, row: dict, says: str) -> None:
    path = write(tmp_path / "r.jsonl", {"question_id": 1, "tuple": [8, 6]}, row)
    with pytest.raises(UserError) as caught:
        llava.score_reviews([path])
    assert str(caught.value).startswith(f"{path}:2: ")
    assert says in str(caught.value)


def test_a_category_without_any_score_has_no_ratio(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"question_id": 1, "tuple": [None, 7]})
    scores = llava.score_reviews([path])["all"]
    assert numbers(scores) == (None, None, None, 0, 1)
    assert (scores["worst"], scores["best"]) == (10.0, 1000.0)


def test_declined_answers_are_graded_and_the_score_is_shown_without_them_too() -> None:
    scores = llava.score_answers([("conv", (8, 1), True), ("conv", (8, 8), False), ("detail", None, False)])
    assert (scores["all"]["ratio"], scores["all"]["declined"]) == (56.2, 1)
    assert numbers(scores["conv"]["without_declined"]) == (100.0, 80.0, 80.0, 1, 1)
    assert "declined" not in scores["detail"]


def test_a_reply_that_the_released_script_could_not_read_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"question_id": 1, "content": "8, 6\nfine", "tuple": [-1, -1]})
    assert numbers(llava.score_reviews([path])["all"]) == (75.0, 80.0, 60.0, 1, 1)
    assert llava.score_reviews([path], compat=True)["all"]["reference"] == -10.0


GRADES = st.floats(1, 10)
PAIRS = st.lists(st.one_of(st.none(), st.tuples(GRADES, GRADES)), min_size=1)


@given(PAIRS, st.lists(st.tuples(GRADES, GRADES), min_size=60, max_size=60))
def test_the_bounds_hold_whatever_the_missing_pairs_would_have_been(pairs: list, fill: list) -> None:
    bounds = llava.summarise(pairs)
    filled = [made if pair is None else pair for pair, made in zip(pairs, fill, strict=False)]
    pairs = pairs[: len(filled)]
    if None in pairs and len(pairs) == bounds["wanted"]:
        ratio = llava.summarise(filled)["ratio"]
        assert bounds["worst"] - 0.1 <= ratio <= bounds["best"] + 0.1
