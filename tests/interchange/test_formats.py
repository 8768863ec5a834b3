"""Files in the formats of others say what they say: who won, by whom, what could not be read, what was left behind."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl
import pytest

from groundswell.errors import UserError
from groundswell.interchange import inspect_logs, reading

HERE = Path(__file__).parent


def write(path: Path, rows: object) -> Path:
    text = json.dumps(rows) if path.suffix == ".json" else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def told(path: Path) -> list[tuple]:
    opinions = reading.read(path).opinions
    return [tuple(row) for row in opinions.select("sample", "left", "right", "winner", "by").rows()]


# --- LMArena ------------------------------------------------------------------------------------------------------

CLASSIC = {
    "question_id": "q1",
    "model_a": "gpt-4",
    "model_b": "vicuna",
    "winner": "tie (bothbad)",
    "judge": "arena_user_3",
    "conversation_a": [{"role": "user", "content": "hi"}],
    "turn": 1,
    "anony": True,
    "language": "English",
    "tstamp": 1682351591.1,
}
NEWER = {
    "id": "7f3",
    "model_a": "gpt-4",
    "model_b": "vicuna",
    "winner": "both_bad",
    "evaluation_session_id": "e",
    "evaluation_order": 1,
    "is_code": False,
}
ONE_HOT = {
    "id": 30192,
    "model_a": "gpt-4",
    "model_b": "vicuna",
    "prompt": "[]",
    "winner_model_a": 0,
    "winner_model_b": 1,
    "winner_tie": 0,
}


@pytest.mark.parametrize(
    ("row", "opinion"),
    [
        (CLASSIC, ("q1/1", "gpt-4", "vicuna", "both_bad", "arena_user_3")),
        (CLASSIC | {"winner": "model_b"}, ("q1/1", "gpt-4", "vicuna", "right", "arena_user_3")),
        (NEWER, ("7f3", "gpt-4", "vicuna", "both_bad", "unknown")),
        (ONE_HOT, ("30192", "gpt-4", "vicuna", "right", "unknown")),
    ],
)
@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "parquet"])
def test_a_battle_is_read_in_every_shape_and_file(tmp_path: Path, row: dict, opinion: tuple, ending: str) -> None:
    path = tmp_path / f"battles.{ending}"
    flat = {name: value for name, value in row.items() if not isinstance(value, list)}
    match ending:
        case "csv":
            pl.DataFrame([flat]).write_csv(path)
        case "parquet":
            pl.DataFrame([row]).write_parquet(path)
        case _:
            write(path, [row])
    assert reading.recognise(path) == "lmarena"
    assert told(path) == [opinion]


def test_a_voter_who_saw_the_names_is_left_out_and_columns_left_behind_are_counted(tmp_path: Path) -> None:
    carried = reading.read(write(tmp_path / "b.json", [CLASSIC, CLASSIC | {"anony": False}]))
    assert carried.left_out == {"the voter saw the models' names (anony is false)": 1}
    assert carried.lost == {"the column conversation_a": 2, "the column language": 2}
    assert carried.frame["time"].to_list() == [1682351591.1]


@pytest.mark.parametrize(
    ("ending", "row", "words"),
    [
        ("jsonl", CLASSIC | {"winner": "maybe"}, r"b\.jsonl:2: the winner 'maybe' is none of model_a"),
        ("json", CLASSIC | {"winner": "maybe"}, r"b\.json: row 2: the winner 'maybe'"),
        ("jsonl", CLASSIC | {"model_b": ""}, r"b\.jsonl:2: a model's name is missing"),
        ("json", CLASSIC | {"model_b": 3}, r"b\.json: a row is no battle: .*\$\[1\]\.model_b"),
        ("jsonl", ONE_HOT | {"winner_tie": 1}, r"b\.jsonl:2: the winner None"),
    ],
)
def test_a_row_that_is_no_battle_is_named_with_its_place(tmp_path: Path, ending: str, row: dict, words: str) -> None:
    with pytest.raises(UserError, match=words):
        reading.read(write(tmp_path / f"b.{ending}", [CLASSIC, row]))


# --- MT-bench -----------------------------------------------------------------------------------------------------

PAIR = {
    "question_id": 81,
    "model_1": "alpaca",
    "model_2": "vicuna",
    "g1_winner": "model_2",
    "g2_winner": "model_1",
    "judge": ["gpt-4", "pair-v2"],
    "g1_judgment": "[[B]]",
    "turn": 2,
}


def test_two_games_of_mt_bench_are_two_opinions_each_with_its_sides_as_the_judge_saw_them(tmp_path: Path) -> None:
    path = write(tmp_path / "gpt-4_pair.jsonl", [PAIR, PAIR | {"turn": 1, "g1_winner": "error", "g2_winner": "tie"}])
    assert reading.recognise(path) == "mt-bench-pair"
    assert told(path) == [
        ("81/2", "alpaca", "vicuna", "right", "gpt-4"),
        ("81/2", "vicuna", "alpaca", "right", "gpt-4"),
        ("81/1", "alpaca", "vicuna", None, "gpt-4"),
        ("81/1", "vicuna", "alpaca", "tie", "gpt-4"),
    ]


def test_a_score_of_minus_one_is_missing_and_decides_no_pair(tmp_path: Path) -> None:
    rows = [
        {
            "question_id": 81,
            "model": model,
            "judge": ["gpt-4", "single-v1"],
            "score": score,
            "turn": 1,
            "judgment": "...",
        }
        for model, score in (("alpaca", 5), ("vicuna", 8.5), ("llama", -1))
    ]
    carried = reading.read(write(tmp_path / "gpt-4_single.jsonl", rows))
    assert carried.graded
    assert carried.frame["grade"].to_list() == [5.0, 8.5, None]
    pairs = {(row[1], row[2]): row[3] for row in told(tmp_path / "gpt-4_single.jsonl")}
    assert pairs == {("alpaca", "vicuna"): "right", ("alpaca", "llama"): None, ("llama", "vicuna"): None}


@pytest.mark.parametrize(
    "row", [PAIR | {"g1_winner": "model_3"}, {"question_id": 1, "model_1": "a", "model_2": 2, "judge": "j"}]
)
def test_a_row_of_mt_bench_with_a_foreign_winner_or_name_is_named_with_its_line(tmp_path: Path, row: dict) -> None:
    with pytest.raises(UserError, match=r"pair\.jsonl:2: "):
        reading.read(write(tmp_path / "pair.jsonl", [PAIR, row]))


# --- inspect_ai ---------------------------------------------------------------------------------------------------


def test_a_log_that_inspect_ai_wrote_gives_what_its_scorers_said() -> None:
    pytest.importorskip("backports.zstd")
    carried = reading.read(HERE / "tiny.eval")
    assert carried.format == "inspect_ai"
    rows = set(carried.frame.rows())
    assert ("tiny/a/1", "mockllm/model", "dims", "follow", 3.5) in rows
    assert ("tiny/a/1", "mockllm/model", "includes", "", 1.0) in rows
    assert ("tiny/2", "mockllm/model", "includes", "", 0.0) in rows
    assert len(rows) == 6


def log(model: str, scores: dict, **more: object) -> dict:
    sample = {"id": 1, "epoch": 1, "input": "?", "target": "!", "scores": {n: {"value": v} for n, v in scores.items()}}
    scorers = [{"name": "inspect_ai/model_graded_qa", "options": {"model": {"model": "openai/gpt-4o"}}}]
    spec = {"task": "t", "model": model, "scorers": scorers}
    return {"version": 2, "status": "success", "eval": spec, "samples": [sample | more]}


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        ("C", 1.0),
        ("P", 0.5),
        ("I", 0.0),
        ("N", 0.0),
        (7, 7.0),
        ("3.5", 3.5),
        (True, 1.0),
        (float("nan"), None),
        ("well", None),
    ],
)
def test_a_score_counts_as_inspect_ai_counts_it_and_what_is_no_number_is_missing(
    tmp_path: Path, value: object, grade: float | None
) -> None:
    carried = reading.read(write(tmp_path / "log.json", log("m", {"model_graded_qa": value})))
    assert carried.frame.rows() == [("t/1", "m", "model_graded_qa@openai/gpt-4o", "", grade)]


def test_logs_of_several_models_in_a_folder_are_compared_by_each_scorer(tmp_path: Path) -> None:
    for model, value in (("a", 4), ("b", 9)):
        write(tmp_path / f"{model}.json", log(model, {"quality": value}))
    write(tmp_path / "c.json", log("c", {"quality": 1}, error={"message": "no"}))
    carried = reading.read_folder(tmp_path)
    assert carried.opinions.select("left", "right", "winner", "by").rows() == [("a", "b", "right", "quality")]
    assert carried.left_out == {"the sample ended in an error": 1}


def test_a_log_of_a_schema_that_is_not_known_yet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a log of schema 3; the newest that can be read is 2"):
        inspect_logs.read(write(tmp_path / "log.json", log("m", {}) | {"version": 3}))


# --- Label Studio and Argilla -------------------------------------------------------------------------------------


def task(**result: object) -> dict:
    annotation = {"completed_by": {"id": 10, "email": "a@b.c"}, "was_cancelled": False, "result": [result]}
    return {"id": 5, "data": {"sample": "s1", "left": "flux", "right": "sdxl"}, "annotations": [annotation]}


@pytest.mark.parametrize(
    ("result", "winner"),
    [
        ({"type": "pairwise", "value": {"selected": "left"}}, "left"),
        ({"type": "choices", "value": {"choices": ["both_bad"]}}, "both_bad"),
        ({"type": "choices", "value": {"choices": ["B"]}}, "right"),
    ],
)
def test_a_choice_in_label_studio_is_a_vote_of_a_number_not_of_an_address(
    tmp_path: Path, result: dict, winner: str
) -> None:
    assert told(write(tmp_path / "ls.json", [task(**result)])) == [("s1", "flux", "sdxl", winner, "10")]


def test_a_ranking_in_label_studio_is_its_pairs_and_skipped_tasks_are_counted(tmp_path: Path) -> None:
    ranked = task(type="ranker", value={"ranker": ["flux", "sdxl", "imagen"]})
    skipped = task(type="pairwise", value={"selected": "left"})
    skipped["annotations"][0]["was_cancelled"] = True
    carried = reading.read(write(tmp_path / "ls.json", [ranked, skipped]))
    assert carried.frame.select("left", "right", "winner").rows() == [
        ("flux", "sdxl", "left"),
        ("flux", "imagen", "left"),
        ("sdxl", "imagen", "left"),
    ]
    assert carried.left_out == {"a skipped task": 1}


def test_a_task_without_names_and_a_ranking_in_buckets_are_refused_by_task(tmp_path: Path) -> None:
    nameless = task(type="pairwise", value={"selected": "left"}) | {"data": {"text1": "x", "text2": "y"}}
    with pytest.raises(UserError, match="task 5: its data does not say whose outputs these are"):
        reading.read(write(tmp_path / "ls.json", [nameless]))
    with pytest.raises(UserError, match="task 5: a ranking in buckets has no order"):
        reading.read(write(tmp_path / "ls.json", [task(type="ranker", value={"ranker": {"best": ["flux"]}})]))


def test_argillas_responses_are_peoples_and_its_suggestions_judges(tmp_path: Path) -> None:
    record = {
        "id": "r1",
        "fields": {"prompt": "a kite"},
        "metadata": {"sample": "s1", "left": "flux", "right": "sdxl"},
        "responses": {
            "winner": [{"value": "left", "user_id": "u1"}, {"value": "tie", "user_id": "u2", "status": "draft"}]
        },
        "suggestions": {"winner": {"value": "right", "agent": "gpt-4o", "score": None}},
        "vectors": {},
    }
    ranking = record | {
        "responses": {"order": [{"value": [{"value": "a", "rank": 1}, {"value": "b", "rank": 1}], "user_id": "u1"}]},
        "suggestions": {"why": {"value": "nice", "agent": "gpt-4o"}},
    }
    carried = reading.read(write(tmp_path / "argilla.json", [record, ranking]))
    assert carried.frame.select("left", "right", "winner", "by", "who").rows() == [
        ("flux", "sdxl", "left", "u1", "person"),
        ("flux", "sdxl", "right", "gpt-4o", "judge"),
        ("a", "b", "tie", "u1", "person"),
    ]
    assert carried.left_out == {"a response that is draft": 1}
    assert carried.lost == {"answers to why": 1}


def test_a_file_of_ours_and_one_of_nobodys_are_none_of_these_formats(tmp_path: Path) -> None:
    assert reading.recognise(write(tmp_path / "votes.jsonl", [{"left": "a", "right": "b", "winner": "left"}])) is None
    with pytest.raises(UserError, match=r"in none of the formats .*its first row has mood"):
        reading.read(write(tmp_path / "x.json", [{"mood": 1}]))


def test_a_log_packed_with_zstandard_names_the_package_that_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("Python reads it")
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    with pytest.raises(UserError, match=r"pip install 'groundswell\[exchange\]'"):
        reading.read(HERE / "tiny.eval")
