"""Files of strangers that would fill the memory, break a parser or steer a terminal."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from groundswell import files
from groundswell.cli import main
from groundswell.errors import UserError
from groundswell.interchange import bounded, ours, reading

HEADER = json.dumps({"version": 2, "eval": {"task": "t", "model": "m"}, "status": "success"})


def archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name.replace("__", "/") + ".json", data)
    return path


def test_an_archive_that_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MOST_MEMBER", 1 << 20)
    path = archive(tmp_path / "bomb.eval", header=HEADER.encode(), samples__1_epoch_1=b" " * (8 << 20))
    assert path.stat().st_size < 20_000
    with pytest.raises(UserError, match="unpacks to more than a real log has"):
        reading.read(path)


def test_many_files_that_are_small_each_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MOST_UNPACKED", 10_000)
    sample = json.dumps({"id": 1, "epoch": 1, "scores": {}, "pad": "x" * 3000}).encode()
    path = archive(
        tmp_path / "many.eval", header=HEADER.encode(), **{f"samples__{n}_epoch_1": sample for n in range(9)}
    )
    with pytest.raises(UserError, match="is this a bomb"):
        reading.read(path)


@pytest.mark.parametrize("data", [b"PK\x03\x04rubbish", b"PK\x03\x04"])
def test_a_torn_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "torn.eval"
    path.write_bytes(data)
    with pytest.raises(UserError, match="this archive is damaged"):
        reading.read(path)


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no log of inspect_ai"):
        reading.read(archive(tmp_path / "x.eval", word=b"{}"))


def test_a_line_without_end_and_a_document_without_measure_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    path = tmp_path / "b.jsonl"
    path.write_text('{"question_id": 1, "model": "m", "judge": "j", "score": 1}\n' + '{"a": "' + "x" * 2000 + '"}\n')
    with pytest.raises(UserError, match=r"b\.jsonl:2: a line of more than"):
        reading.read(path)
    monkeypatch.setattr(bounded, "MOST_DOCUMENT", 1000)
    with pytest.raises(UserError, match="a document of more than"):
        bounded.document(path)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '[{"data": ', "nonsense", "[1, 2]", '"text"', "null"]
)
def test_deep_torn_and_foreign_json_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(UserError):
        reading.read(path)


def test_names_of_strangers_cannot_steer_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b[2Jmodel\u202e"
    rows = [
        {"model_a": evil, "model_b": "b", "winner": word, "question_id": str(n), "\x1b[31mred": 1}
        for n, word in enumerate(["model_a", "model_b", "tie"])
    ]
    path = tmp_path / "b.json"
    path.write_text(json.dumps(rows))
    for words in (["rank", str(path)], ["exchange", "import", str(path), str(tmp_path / "out.jsonl")]):
        result = CliRunner().invoke(main, words, catch_exceptions=False)
        assert result.exit_code == 0
        assert "\x1b" not in result.output
        assert "\u202e" not in result.output


@pytest.mark.parametrize("choices", [{"a": 1}, 5, "left", ["left", "right"]])
def test_a_choice_that_is_not_one_choice_is_refused_and_not_guessed(tmp_path: Path, choices: object) -> None:
    path = tmp_path / "tasks.json"
    result = [{"type": "choices", "value": {"choices": choices}}]
    path.write_text(json.dumps([{"id": 4, "data": {"left": "a", "right": "b"}, "annotations": [{"result": result}]}]))
    with pytest.raises(UserError, match="task 4: a comparison is a list of one choice"):
        reading.read(path)


@pytest.mark.parametrize("named", ["False", " false", "0"])
def test_a_vote_with_names_is_left_out_however_false_is_written(tmp_path: Path, named: str) -> None:
    path = tmp_path / "battles.csv"
    path.write_text(f"model_a,model_b,winner,anony\na,b,model_a,{named}\na,b,model_b,1\n")
    assert reading.read(path).frame["winner"].to_list() == ["right"]


@pytest.mark.parametrize("lacking", ["sample", "left", "right"])
def test_rows_of_ours_without_a_name_are_refused_with_their_row(lacking: str) -> None:
    whole = {"sample": "1", "left": "a", "right": "b", "winner": "tie"}
    with pytest.raises(UserError, match=f"row 2: it has no {lacking}"):
        ours.of_frame(pl.DataFrame([whole, {**whole, lacking: None}]), "votes.jsonl")


@pytest.mark.parametrize(
    "words", [["exchange", "import"], ["exchange", "export", "--to", "argilla"], ["duplicates", "--out"]]
)
def test_no_command_writes_over_the_file_that_it_reads(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "battles.jsonl"
    path.write_text('{"model_a":"a","model_b":"b","winner":"tie","prompt":"p"}\n')
    before = path.read_bytes()
    ended = CliRunner().invoke(main, [*words, str(path), str(path)])
    assert (ended.exit_code, path.read_bytes()) == (2, before)
    assert "name another" in ended.output
