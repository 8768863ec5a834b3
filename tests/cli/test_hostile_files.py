"""Files that say something twice, say it under another name, or steer the terminal: refused or told, never counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.pictures import encode_png

REVIEW = {"question_id": 1, "category": "llava_bench_conv", "tuple": [8.0, 6.0]}
CASE = {"sample_index": 0, "id": "a", "subset": "general", "task": "add", "lang": "en", "scores": {"quality": 4}}
ASKED = {"name": "score", "low": 1, "high": 10}


def call(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def write(path: Path, *rows: dict) -> Path:
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


@pytest.mark.parametrize(
    ("command", "row", "words"),
    [
        ("score llava", {"qid": 1, "tuple": [8, 6]}, "question_id"),
        ("score cpi", {"id": "a", "subset": "general", "scores": {}}, "needs sample_index, subset, scores"),
        ("score echo", {"sample": "a", "model": "m", "rater": "j", "grade": 3}, "needs sample, model, judge, grade"),
        ("judge parse", {"answer": "[[7]]"}, "needs reply"),
    ],
)
def test_a_column_under_another_name_is_an_error_that_names_the_columns_wanted(
    command: str, row: dict, words: str, file: Path
) -> None:
    code, _, err = call(*command.split(), write(file, row))
    assert code == 2
    assert err.startswith(f"groundswell: {file}:1: ")
    assert words in err


@pytest.mark.parametrize("twin", [{"question_id": "1"}, {"category": "conv"}, {"question_id": "1", "category": "Conv"}])
def test_one_question_is_one_however_its_id_and_its_category_are_spelled(twin: dict, file: Path) -> None:
    code, _, err = call("score", "llava", write(file, REVIEW, REVIEW | twin))
    assert code == 2
    assert f"{file}:2: question 1 is reviewed twice (first in line 1)" in err


def test_two_spellings_of_a_category_are_counted_together(file: Path) -> None:
    _, out, _ = call("score", "llava", write(file, REVIEW, {**REVIEW, "question_id": 2, "category": "conv"}), "--json")
    scores = json.loads(out)
    assert list(scores) == ["all", "llava_bench_conv"]
    assert scores["llava_bench_conv"]["wanted"] == 2


def test_ids_to_leave_out_that_nothing_has_are_told(file: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("2 77")
    code, out, err = call(
        "score", "llava", write(file, REVIEW, REVIEW | {"question_id": 2}), "--without-ids", ids, "--json"
    )
    assert (code, json.loads(out)["all"]["wanted"]) == (0, 1)
    assert err == f"warning: {ids}: no review is of question 77\n"


def test_a_person_is_shown_the_bounds_of_a_score_with_gaps(file: Path) -> None:
    _, out, _ = call("score", "llava", write(file, REVIEW, REVIEW | {"question_id": 2, "tuple": [-1, -1]}))
    assert "worst" in out
    assert "177.8" in out  # (6 + 10) / (8 + 1)


def test_one_id_under_two_sample_indices_of_a_language_is_an_error(file: Path) -> None:
    code, _, err = call("score", "cpi", write(file, CASE, CASE | {"sample_index": 1}))
    assert code == 2
    assert f"{file}:2: id a has sample_index 1 here and 0 in line 1" in err
    assert call("score", "cpi", write(file, CASE, CASE | {"lang": "zh"}), "--json")[0] == 0


@pytest.mark.parametrize(
    ("dimension", "words"),
    [
        (ASKED | {"low": 10}, "low must be below high"),
        (ASKED | {"low": 11}, "low must be below high"),
        (ASKED | {"step": 0}, "the step of score is 0"),
        (ASKED | {"step": -1}, "the step of score is -1"),
        (ASKED | {"stpe": 1}, "stpe"),
        (ASKED | {"name": ""}, "no name"),
        (ASKED | {"name": " - "}, "no name"),
        (ASKED | {"name": "Score"}, "stands twice"),
    ],
)
def test_a_scale_on_which_no_number_can_lie_is_refused_with_its_line(dimension: dict, words: str, file: Path) -> None:
    asked = [dimension, ASKED] if dimension["name"] == "Score" else [dimension]
    write(file, {"reply": "[[7]]", "dimensions": [ASKED]}, {"reply": "[[7]]", "dimensions": asked})
    code, _, err = call("judge", "parse", file)
    assert code == 2
    assert err.startswith(f"groundswell: {file}:2: ")
    assert words in err


@pytest.mark.parametrize("name", ["gone.png", "folder", "empty.png"])
@pytest.mark.parametrize("side", ["--input", "--output"])
def test_a_picture_named_on_the_command_line_must_be_there(name: str, side: str, tmp_path: Path) -> None:
    good = tmp_path / "good.png"
    good.write_bytes(_png())
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.png").write_bytes(b"")
    other = "--output" if side == "--input" else "--input"
    code, out, err = call("metric", "color", side, tmp_path / name, other, good)
    assert (code, out) == (2, "")
    assert err.startswith(f"groundswell: {tmp_path / name}: ")


def test_a_picture_that_a_row_names_may_be_missing_but_its_column_may_not(file: Path, tmp_path: Path) -> None:
    (tmp_path / "good.png").write_bytes(_png())
    good = {"input": "good.png", "output": "good.png"}
    _, out, _ = call("metric", "color", "--pairs", write(file, good, good | {"input": "gone.png"}), "--json")
    first, second = json.loads(out)["pairs"]
    assert (first["value"], second["value"]) == (0.0, None)
    assert "gone.png" in second["why"]
    code, _, err = call("metric", "color", "--pairs", write(file, good, {"inptu": "good.png", "output": "good.png"}))
    assert code == 2
    assert f"{file}:2: missing columns: input (is it inptu?)" in err


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(("command", "name"), [("score echo", "g.jsonl"), ("rank", "v.csv")])
def test_utf_16_is_told_by_its_name(encoding: str, command: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes("\ufeffleft,right,winner\na,b,tie\n".encode(encoding))
    code, _, err = call(*command.split(), path)
    assert code == 2
    assert err == f"groundswell: {path}: this is UTF-16; save the file as UTF-8\n"


def test_a_row_of_a_table_with_too_many_fields_is_named(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\na,b,left\na,b,left,extra\n")
    code, _, err = call("rank", path)
    assert code == 2
    assert err.startswith(f"groundswell: {path}:3: this row has more fields than the header")


@pytest.mark.parametrize("words", [["rank", "--nope"], ["rnak"], ["rank"], ["rank", "x.csv", "--ties", "no"], ["--no"]])
def test_a_wrong_use_is_json_too_where_json_is_asked_for(words: list[str]) -> None:
    code, out, err = call(*words, "--json")
    assert code == 2
    assert json.loads(out)["error"] in err
    assert call(*words)[1] == ""


def test_votes_that_are_all_ties_have_no_interval_and_say_why(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\na,b,tie\nb,a,tie\n")
    data = json.loads(call("rank", path, "--json")[1])
    assert [(row["rating"], row["low"], row["high"]) for row in data["ratings"]] == [(1000, None, None)] * 2
    assert [(row["rank_low"], row["rank_high"]) for row in data["ratings"]] == [(1, 2)] * 2
    assert data["method"]["interval"] is None
    assert "variance is 0" in data["method"]["no_interval"]


def test_an_anchor_that_is_not_on_the_board_is_told(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\na,b,left\na,b,right\n")
    code, _, err = call("rank", path, "--anchor", "Nobody=1000")
    assert code == 0
    assert err == "warning: anchor Nobody is not on this board; mean of the ranked models = 1000\n"
    assert call("rank", path, "--anchor", "a=1000")[2] == ""


def test_a_name_cannot_steer_the_terminal(tmp_path: Path, file: Path) -> None:
    name = "\x1b[31mred\x07\r\x9b2J\u202eback"
    rows = [{"left": name, "right": "b", "winner": winner} for winner in ("left", "right")]
    _, out, _ = call("rank", write(file, *rows))
    assert "\\x1b[31mred\\x07\\r\\x9b2J\\u202eback" in out.replace("\n", "")
    _, _, err = call("rank", write(file, *rows), "--anchor", f"{name}x=1")
    assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e"} & set(out + err)
    _, _, err = call("score", "llava", write(file, REVIEW | {"question_id": name}, REVIEW | {"question_id": name}))
    assert "\\x1b[31m" in err
    assert "\x1b" not in err


def _png() -> bytes:
    import numpy as np

    return encode_png(np.full((8, 8, 3), 120, dtype=np.uint8))


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A workspace with two questions."""
    folder = tmp_path / "w"
    assert call("init", folder)[0] == 0
    rows = [{"id": n, "suite": "custom", "task": "chat", "prompts": {"en": f"Why {n}?"}} for n in (1, 2)]
    assert call("suite", "import", write(tmp_path / "s.jsonl", *rows), "--dir", folder)[0] == 0
    return folder


@pytest.mark.parametrize(
    ("row", "options", "words"),
    [
        ({"id": 2, "reslt": "so"}, [], ":2: this row has neither result nor text"),
        ({"id": 2, "result": "so"}, ["--model", " "], "--model is empty"),
        ({"id": 2, "result": "so"}, ["--lang", "fr"], "no prompt of this suite is in fr; it has en"),
    ],
)
def test_results_that_belong_to_nothing_are_refused(
    row: dict, options: list[str], words: str, chat: Path, file: Path
) -> None:
    write(file, {"id": 1, "result": "because"}, row)
    code, _, err = call("suite", "results", "custom", file, "--dir", chat, "--model", "m", *options)
    assert code == 2
    assert words in err


def test_a_result_that_is_no_picture_is_named_with_its_line(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "w"
    assert call("init", folder)[0] == 0
    rows = [{"id": n, "suite": "custom", "task": "t2i", "prompts": {"en": "A cat"}} for n in (1, 2)]
    rows[1]["prompts"] = {"en": "A dog"}
    assert call("suite", "import", write(tmp_path / "s.jsonl", *rows), "--dir", folder)[0] == 0
    (tmp_path / "good.png").write_bytes(_png())
    (tmp_path / "bad.png").write_text("no picture")
    write(file, {"id": 1, "result": "good.png"}, {"id": 2, "result": "bad.png"})
    code, _, err = call("suite", "results", "custom", file, "--dir", folder, "--model", "m")
    assert code == 2
    assert f"{file}:2: the result is not a picture" in err
