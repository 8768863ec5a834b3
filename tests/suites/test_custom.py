"""A person's own rows become samples, and files are known by their columns."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from groundswell.errors import UserError
from groundswell.suites import custom, history, registry
from groundswell.suites.sources import Options


def row(**columns: object) -> dict:
    return {"id": "a", "suite": "mine", "task": "t2i", "prompts": {"en": "A red kite"}} | columns


def write(path: Path, *rows: dict) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), encoding="utf-8")
    return path


def test_a_row_becomes_a_sample_with_everything_it_says(tmp_path: Path, shelf, photographs: list[bytes]) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "in.jpg").write_bytes(photographs[0])
    path = write(
        tmp_path / "mine.jsonl",
        row(
            task="edit",
            prompts={"en": "Make it gray", "zh": "变成灰色"},
            inputs=["pictures/in.jpg"],
            context="only the judge reads this",
            reference="gray",
            tags={"use_case": "consumer", "capability": "lighting", "style": ["photo"], "own": 1},
            checks=[{"kind": "gray", "tolerance": 2}],
        ),
    )
    (sample,) = custom.samples(path, shelf.keep)
    assert (sample.suite, sample.label, sample.task) == ("mine", "a", "edit")
    assert shelf[sample.inputs[0].digest] == photographs[0]
    assert sample.prompts["zh"] == "变成灰色"
    assert (sample.checks[0].name, sample.checks[0].args) == ("gray", {"tolerance": 2})
    assert sample.tags["own"] == 1


@pytest.mark.parametrize("name", ["../in.jpg", "pictures/../../in.jpg", "linked.jpg", "within/in.jpg"])
def test_a_picture_outside_the_folder_of_the_rows_is_refused_unless_the_person_allows_it(
    tmp_path: Path, shelf, photographs: list[bytes], name: str
) -> None:
    (tmp_path / "in.jpg").write_bytes(photographs[0])
    rows = tmp_path / "rows"
    (rows / "pictures").mkdir(parents=True)
    (rows / "linked.jpg").symlink_to(tmp_path / "in.jpg")
    (rows / "within").symlink_to(tmp_path)
    path = write(rows / "m.jsonl", row(task="edit", inputs=[name]))
    with pytest.raises(UserError, match=r"m\.jsonl:1: .* is a file outside .*--allow-outside"):
        list(custom.samples(path, shelf.keep))
    (sample,) = custom.samples(path, shelf.keep, Options(outside=True))
    assert shelf[sample.inputs[0].digest] == photographs[0]


def test_a_whole_path_names_any_picture_of_this_disk(tmp_path: Path, shelf, photographs: list[bytes]) -> None:
    (tmp_path / "in.jpg").write_bytes(photographs[0])
    (tmp_path / "rows").mkdir()
    path = write(tmp_path / "rows" / "m.jsonl", row(task="edit", inputs=[str(tmp_path / "in.jpg")]))
    assert len(list(custom.samples(path, shelf.keep))) == 1


def test_a_link_within_the_folder_is_the_folders_own(tmp_path: Path, shelf, photographs: list[bytes]) -> None:
    (tmp_path / "in.jpg").write_bytes(photographs[0])
    (tmp_path / "also.jpg").symlink_to("in.jpg")
    names = ["in.jpg", "also.jpg", "./in.jpg"]
    path = write(tmp_path / "m.jsonl", *(row(id=n, task="edit", inputs=[n], prompts={"en": n}) for n in names))
    assert len(list(custom.samples(path, shelf.keep))) == 3


def test_rows_of_a_stranger_that_name_a_loop_of_links_or_a_nul_are_refused(tmp_path: Path, shelf) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for name in ("loop", "a\0b"):
        with pytest.raises(UserError, match=r"m\.jsonl:1: "):
            list(custom.samples(write(tmp_path / "m.jsonl", row(task="edit", inputs=[name])), shelf.keep))


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"id": "first"}, "the id first stands twice (first in line 1)"),
        ({"prompts": {"en": "A blue kite"}}, "this row asks the same as line 1"),
        ({"prompts": {}}, "prompts needs a text for each language"),
        ({"prompts": {"en": " "}}, "prompts needs a text for each language"),
        ({"prompts": "A kite"}, "Expected `object`"),
        ({"task": "edit"}, "an edit needs at least one path in inputs"),
        ({"inputs": ["x.png"]}, "a t2i row takes no inputs"),
        ({"task": "edit", "inputs": ["x.png"]}, "x.png is not there"),
        ({"task": "edit", "inputs": ["m.jsonl"]}, "its picture cannot be read"),
        ({"task": "video"}, "Invalid enum value 'video'"),
        ({"input": ["x.png"]}, "unknown field `input`"),
        ({"checks": [{"name": "gray"}]}, "each of checks needs a kind"),
        ({"tags": {"style": "photo"}}, "tags do not fit"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(tmp_path: Path, shelf, columns: dict, says: str) -> None:
    path = write(tmp_path / "m.jsonl", row(id="first", prompts={"en": "A blue kite"}), row() | columns)
    with pytest.raises(UserError) as caught:
        list(custom.samples(path, shelf.keep))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert says in str(caught.value)


def test_a_source_is_known_by_its_columns(tmp_path: Path) -> None:
    columns = {"id": ["a"], "a_to_b_instructions": ["b"], "a_to_b_instructions_eng": ["c"], "source": [[b"d"]]}
    pl.DataFrame(columns | {"task": ["add"]}).write_parquet(tmp_path / "one.parquet")
    pl.DataFrame(columns | {"task": ["add"]}).write_parquet(tmp_path / "CPI_practical-0.parquet")
    pl.DataFrame(columns | {"expert_domain": ["x-y"]}).write_parquet(tmp_path / "two.parquet")
    found = [registry.detect(tmp_path / name) for name in ("one.parquet", "CPI_practical-0.parquet", "two.parquet")]
    assert found == ["cpi-general", "cpi-practical", "cpi-intelligent"]
    assert registry.detect(write(tmp_path / "m.jsonl", row())) == "custom"
    assert registry.detect(write(tmp_path / "q.jsonl", {"question_id": 1, "text": "?", "category": "conv"})) == "llava"


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"question_id": 1, "text": "x", "answer_id": "a"}, "these are results"),
        ({"question_id": 1, "tuple": [1, 2], "content": "1 2"}, "these are reviews"),
        ({"id": "1", "caption": "x"}, "these are contexts"),
        ({"left": "a", "right": "b"}, "the columns left, right are none of a suite's"),
    ],
)
def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path, columns: dict, says: str) -> None:
    with pytest.raises(UserError, match=says):
        registry.detect(write(tmp_path / "x.jsonl", columns))


def test_a_file_of_another_format_is_refused_by_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right\na,b\n")
    with pytest.raises(UserError, match=r"votes\.csv: these are no prompts"):
        registry.detect(path)
    path.rename(tmp_path / "votes.xlsx")
    with pytest.raises(UserError, match=r"votes\.xlsx: name a \.jsonl, \.json, \.csv or \.parquet file"):
        registry.detect(tmp_path / "votes.xlsx")
    with pytest.raises(UserError, match="there is no such file"):
        registry.detect(tmp_path / "none.txt")


def test_every_name_loads_and_an_unknown_one_lists_them(tmp_path: Path, shelf) -> None:
    path = write(tmp_path / "m.jsonl", row())
    assert [sample.label for sample in registry.load("custom", path, shelf.keep)] == ["a"]
    assert {"llava", "cpi-general", "cpi-practical", "cpi-intelligent", "custom"} <= set(registry.names())
    with pytest.raises(UserError, match="there is no suite llama; there are llava"):
        registry.load("llama", path, shelf.keep)


def test_published_tables_stand_with_their_source() -> None:
    whole, without_people = history.tables("llava")
    assert whole.value("Bard-0718", "all") == 77.8
    assert without_people.value("LLaVA-13B (beam 5)", "complex") == 85.0
    site, paper = history.tables("echo")
    assert (site.value("4o", "face"), paper.value("4o", "face")) == (0.255, 0.277)
    assert paper.value("LLM+Diffusion", "face") is None
    assert all(table.source and len(set(map(len, table.rows.values()))) == 1 for table in history.tables())
