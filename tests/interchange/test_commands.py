"""The commands `rank`, `agree`, `exchange` and `suite import` on files in the formats of others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from groundswell.cli import main

BATTLES = [
    {
        "question_id": f"q{n}",
        "model_a": "ab"[n % 2],
        "model_b": "c",
        "winner": ("model_a", "model_b", "tie")[n % 3],
        "judge": f"u{n % 4}",
    }
    for n in range(36)
]


def call(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def told(*words: object) -> dict:
    code, out, err = call(*words, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.fixture
def battles(tmp_path: Path) -> Path:
    path = tmp_path / "battles.json"
    path.write_text(json.dumps(BATTLES))
    return path


def test_rank_reads_battles_as_it_reads_the_same_rows_of_ours(battles: Path, tmp_path: Path) -> None:
    rows = tmp_path / "votes.jsonl"
    assert told("exchange", "import", battles, rows)["rows"] == 36
    theirs, ours = told("rank", battles), told("rank", rows)
    assert theirs["ratings"] == ours["ratings"]
    assert (theirs["format"], theirs["left_out"], ours["method"]["votes"]) == ("lmarena", {}, 36)


def test_a_judge_of_mt_bench_that_changes_its_mind_with_the_order_said_tie_once(tmp_path: Path) -> None:
    path = tmp_path / "gpt-4_pair.jsonl"
    rows = [
        {
            "question_id": n,
            "model_1": "a",
            "model_2": "b",
            "judge": ["gpt-4", "pair-v2"],
            "g1_winner": first,
            "g2_winner": second,
        }
        for n, (first, second) in enumerate(
            [("model_1", "model_1"), ("model_2", "model_2"), ("model_1", "model_2"), ("error", "error")]
        )
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answer = told("rank", path)
    assert answer["method"]["winners"] == {"left": 1, "right": 1, "tie": 1, "both_bad": 0}
    assert answer["left_out"] == {"a verdict that could not be read": 2}


def test_agree_takes_judges_and_people_from_one_file_of_argilla(tmp_path: Path) -> None:
    path = tmp_path / "argilla.json"
    records = [
        {
            "id": str(n),
            "fields": {},
            "metadata": {"sample": str(n), "left": "a", "right": "b"},
            "responses": {"winner": [{"value": "left", "user_id": "u"}]},
            "suggestions": {"winner": {"value": "left" if n % 4 else "right", "agent": "gpt-4o"}},
        }
        for n in range(20)
    ]
    path.write_text(json.dumps(records))
    (judge,) = told("agree", path, path)["judges"]
    assert (judge["judge"], judge["accuracy"], judge["votes"]) == ("gpt-4o", 0.75, 20)


@pytest.mark.parametrize("form", ["lmarena", "label-studio", "argilla", "mt-bench-pair"])
def test_our_rows_go_out_and_come_back(battles: Path, tmp_path: Path, form: str) -> None:
    rows, there, back = (
        tmp_path / "ours.jsonl",
        tmp_path / f"theirs.json{'l' if 'mt' in form else ''}",
        tmp_path / "back.jsonl",
    )
    told("exchange", "import", battles, rows)
    assert told("exchange", "export", rows, there, "--to", form)["format"] == form
    assert told("exchange", "import", there, back)["format"] == form
    assert told("rank", back)["ratings"] == told("rank", rows)["ratings"]


def test_screenshots_go_out_as_coco_and_come_back_as_rows(tmp_path: Path) -> None:
    (tmp_path / "shots").mkdir()
    Image.new("RGB", (80, 60), "white").save(tmp_path / "shots" / "plain.png")
    assert told("exchange", "export", tmp_path / "shots", tmp_path / "coco.json", "--to", "coco")["rows"] == 0
    assert told("exchange", "import", tmp_path / "coco.json", tmp_path / "rows.jsonl")["what"] == "pictures"
    assert json.loads((tmp_path / "rows.jsonl").read_text()) == {"file": "plain.png", "prompt": None, "boxes": []}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("exchange", "export", "{b}", "x.json", "--to", "nowhere"), "there is no format nowhere; there are lmarena"),
        (("exchange", "export", "{b}", "x.json", "--to", "mt-bench-single"), "this format holds sample, model, judge"),
        (("exchange", "export", "{b}", "x.json", "--to", "coco"), "for coco, name a folder of screenshots"),
        (("exchange", "import", "none.json", "x.jsonl"), "none.json: there is no such file"),
    ],
)
def test_what_cannot_be_written_or_read_is_said_in_one_line(battles: Path, words: tuple, said: str) -> None:
    code, _, err = call(*(str(word).format(b=battles) for word in words))
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_a_suite_of_a_stranger_is_confined_and_the_persons_own_may_be_allowed(tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "secret.png")
    (tmp_path / "theirs").mkdir()
    rows = tmp_path / "theirs" / "suite.jsonl"
    row = {"id": "a", "suite": "theirs", "task": "edit", "prompts": {"en": "Show it"}, "inputs": ["../secret.png"]}
    rows.write_text(json.dumps(row) + "\n")
    bench = tmp_path / "bench"
    told("init", bench)
    code, _, err = call("suite", "import", rows, "--dir", bench)
    assert code == 2
    assert "suite.jsonl:1: '../secret.png' is a file outside" in err
    assert told("suite", "import", rows, "--allow-outside", "--dir", bench)["samples"] == 1


def test_a_suite_in_the_workspace_file_is_confined_unless_it_says_so(tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "secret.png")
    told("init", tmp_path / "bench")
    row = {"id": "a", "suite": "custom", "task": "edit", "prompts": {"en": "Show it"}, "inputs": ["../secret.png"]}
    (tmp_path / "bench" / "suite.jsonl").write_text(json.dumps(row) + "\n")
    table = '[[suite]]\nname = "custom"\nsource = "suite.jsonl"\n'
    place = tmp_path / "bench" / "groundswell.toml"
    place.write_text(table)
    code, _, err = call("status", "--dir", tmp_path / "bench")
    assert (code, "is a file outside" in err) == (2, True)
    place.write_text(table + "allow_outside = true\n")
    assert call("status", "--dir", tmp_path / "bench")[0] == 0


def test_what_a_prompt_set_says_beyond_a_sample_is_listed_when_it_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "evaluation_metadata.jsonl"
    path.write_text(
        json.dumps({"tag": "colors", "include": [{"class": "cup", "count": 1, "color": "red"}], "prompt": "a red cup"})
        + "\n"
    )
    told("init", tmp_path / "bench")
    code, out, _ = call("suite", "import", path, "--dir", tmp_path / "bench")
    assert code == 0
    assert "not carried over: the colour of a thing: no check measures it (tags.include) (1 rows)" in out


def test_judges_of_mt_bench_meet_its_human_judgments_on_question_and_turn(tmp_path: Path) -> None:
    games = [
        {
            "question_id": n,
            "model_1": "a",
            "model_2": "b",
            "judge": ["gpt-4", "pair-v2"],
            "g1_winner": "model_1",
            "g2_winner": "model_1",
            "turn": turn,
        }
        for n in range(10)
        for turn in (1, 2)
    ]
    people = [
        {
            "question_id": n,
            "model_a": "b",
            "model_b": "a",
            "winner": "model_b" if turn == 1 else "tie",
            "judge": ["expert_1"],
            "turn": turn,
        }
        for n in range(10)
        for turn in (1, 2)
    ]
    for name, rows in (("pair", games), ("human", people)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (judge,) = told("agree", tmp_path / "pair.jsonl", tmp_path / "human.jsonl")["judges"]
    assert (judge["votes_judged"], judge["accuracy"], judge["flip_rate"], judge["both_orders"]) == (20, 0.5, 0.0, 20)
