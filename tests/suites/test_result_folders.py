"""Results in a folder: files named by the sample they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundswell.errors import UserError
from groundswell.records import Sample
from groundswell.suites.exchange import read_results


def samples(*labels: str, task: str = "t2i") -> list[Sample]:
    return [Sample(suite="s", task=task, prompts={"en": f"Prompt {label}"}, label=label) for label in labels]


def folder(place: Path, *names: str) -> Path:
    for name in names:
        (place / name).write_text("an answer")
    return place


def found(place: Path, wanted: list[Sample]):
    results = read_results(place, wanted)
    return {sample.label: path.name for sample, path in results.pictures}, [each.label for each in results.missing]


def test_files_named_by_id_are_the_results_of_these_samples(tmp_path: Path) -> None:
    assert found(folder(tmp_path, "kite.png", "door.webp"), samples("kite", "door", "cat")) == (
        {"kite": "kite.png", "door": "door.webp"},
        ["cat"],
    )


def test_files_named_by_row_are_the_results_of_these_rows(tmp_path: Path) -> None:
    assert found(folder(tmp_path, "000000.png", "000002.png"), samples("kite", "door", "cat")) == (
        {"kite": "000000.png", "cat": "000002.png"},
        ["door"],
    )


def test_names_that_are_ids_and_rows_are_not_guessed_at(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="ids and rows"):
        found(folder(tmp_path, "1.png"), samples("1", "2", "3"))


@pytest.mark.parametrize(
    ("names", "why"),
    [(("fox.png",), "fox.png: no sample"), (("kite.png", "kite.jpg"), "two results"), ((), "no result in this folder")],
)
def test_what_belongs_to_no_sample_or_to_one_twice_is_named(tmp_path: Path, names: tuple[str, ...], why: str) -> None:
    with pytest.raises(UserError, match=why):
        found(folder(tmp_path, *names), samples("kite", "door"))


def test_answers_of_a_chat_are_read_as_text(tmp_path: Path) -> None:
    results = read_results(folder(tmp_path, "q1.txt"), samples("q1", task="chat"))
    assert [text for _, text in results.texts] == ["an answer"]
