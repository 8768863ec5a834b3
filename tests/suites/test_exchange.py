"""Samples go out to inference elsewhere and results come back to the sample they belong to."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from groundswell.errors import UserError
from groundswell.records import Sample
from groundswell.suites import cpi_sets, exchange


@pytest.fixture
def edits(tmp_path: Path, shelf, photographs: list[bytes]) -> list[Sample]:
    """Three samples of a CPI-shaped Parquet file; the second has two pictures, the third has none."""
    rows = [
        {
            "id": f"s{n}",
            "expert_domain": "physics-optics",
            "a_to_b_instructions": "改",
            "a_to_b_instructions_eng": f"Change {n}",
            "rationale": "Light bends." if n else "",
            "target_resolution": "1024x1024",
            "source": pictures,
        }
        for n, pictures in enumerate([photographs[:1], photographs[2:4], []])
    ]
    pl.DataFrame(rows, strict=False).write_parquet(tmp_path / "x.parquet")
    return list(cpi_sets.samples(tmp_path / "x.parquet", "intelligent", shelf.keep))


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path: Path, *rows: dict) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_export_holds_pictures_rows_and_a_template_to_fill(edits, shelf, photographs, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert exchange.export(edits, folder, shelf.__getitem__, "en") == 2
    assert read(folder / "samples.jsonl") == [
        {
            "sample_index": 0, "id": "s0", "task": "physics-optics", "instruction": "Change 0",
            "source_images": ["source_images/000000_0.jpg"],
        },
        {
            "sample_index": 1, "id": "s1", "task": "physics-optics", "instruction": "Change 1",
            "rationale": "Light bends.", "source_images": ["source_images/000001_0.jpg", "source_images/000001_1.png"],
        },
    ]  # fmt: skip
    assert read(folder / "result_template.jsonl") == [{"sample_index": n, "result": ""} for n in (0, 1)]
    assert (folder / "source_images" / "000001_1.png").read_bytes() == photographs[3]
    assert "CC-BY-NC-ND-4.0" in (folder / "LICENCE.txt").read_text()


def test_a_language_that_a_sample_lacks_is_named(edits, shelf, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="sample s0 has no prompt in fr; it has zh, en"):
        exchange.export(edits, tmp_path / "out", shelf.__getitem__, "fr")
    assert not (tmp_path / "out").exists()


def test_a_suite_of_which_nothing_can_be_run_is_not_exported(edits, shelf, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no sample of this suite can be run: it has no source picture"):
        exchange.export(edits[2:], tmp_path / "out", shelf.__getitem__, "en")


def test_a_filled_template_gives_pictures_and_says_what_is_missing(edits, tmp_path: Path, photographs) -> None:
    (tmp_path / "made.png").write_bytes(photographs[0])
    path = write(tmp_path / "r.jsonl", {"sample_index": 1, "result": "made.png"}, {"sample_index": 0, "result": ""})
    results = exchange.read_results(path, edits)
    assert results.pictures == [(edits[1], tmp_path / "made.png")]
    assert results.missing == [edits[0], edits[2]]


def test_results_may_name_samples_by_id(edits, tmp_path: Path) -> None:
    (tmp_path / "made.png").write_bytes(b"a picture")
    results = exchange.read_results(write(tmp_path / "r.jsonl", {"id": "s1", "result": "made.png"}), edits)
    assert [sample.label for sample, _ in results.pictures] == ["s1"]


def chat(number: int) -> Sample:
    return Sample(suite="llava", task="chat", prompts={"en": f"What is {number}?"}, label=str(number))


def test_an_answer_file_of_llava_gives_texts(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"question_id": 1, "prompt": "What is 1?", "text": "One.", "answer_id": "x", "model_id": "m", "metadata": {}},
    )
    results = exchange.read_results(path, [chat(0), chat(1)])
    assert [(sample.label, text) for sample, text in results.texts] == [("1", "One.")]
    assert [sample.label for sample in results.missing] == ["0"]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"sample_index": 7, "result": "x"}, "sample_index 7 is not in this suite, which has 3 samples"),
        ({"id": "s9", "result": "x"}, "id s9 is not in this suite"),
        ({"sample_index": 0, "result": "x"}, "sample s0 has a result already in line 1"),
        ({"sample_index": 1, "result": "nowhere.png"}, "nowhere.png is not there"),
        ({"result": "x"}, "needs sample_index, id or question_id"),
        ({"sample_index": "1", "result": "x"}, "Expected `int | null`"),
    ],
)
def test_a_wrong_result_is_named_with_its_line(edits, tmp_path: Path, row: dict, says: str) -> None:
    (tmp_path / "made.png").write_bytes(b"a picture")
    path = write(tmp_path / "r.jsonl", {"sample_index": 0, "result": "made.png"}, row)
    with pytest.raises(UserError) as caught:
        exchange.read_results(path, edits)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert says in str(caught.value)


def test_answers_to_another_set_are_refused_by_their_prompt(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"question_id": 1, "prompt": "Where is Diamond Head?", "text": "There."})
    with pytest.raises(UserError, match="the prompt of id 1 is not this suite's"):
        exchange.read_results(path, [chat(1)])


def test_a_template_that_nobody_filled_is_an_error(edits, tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"sample_index": 0, "result": None})
    with pytest.raises(UserError, match="no row of this file has a result"):
        exchange.read_results(path, edits)
