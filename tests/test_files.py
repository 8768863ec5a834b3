"""Files are read with the place of every fault and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundswell import files
from groundswell.errors import UserError

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), lambda inner: st.lists(inner, max_size=3)
)


@given(st.lists(st.dictionaries(st.text(), json_values, max_size=3), min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_written_are_the_rows_read(tmp_path: Path, rows: list[dict]) -> None:
    files.write_rows(tmp_path / "rows.jsonl", rows)
    assert [row for _, row in files.read_rows(tmp_path / "rows.jsonl")] == rows


def test_lines_are_numbered_as_an_editor_numbers_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\r\n{"a":"x\xe2\x80\xa8y"}\n')
    assert list(files.read_rows(path)) == [(1, {"a": 1}), (3, {"a": "x\u2028y"})]


class Row(msgspec.Struct):
    name: str
    size: int


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"name": "a"}', "missing required field `size`"),
        (b'{"name": "a", "size": "3"}', "Expected `int`, got `str` - at `$.size`"),
        (b'{"name": "a", "si', "not a whole JSON object"),
    ],
)
def test_a_row_that_does_not_fit_names_line_and_column(tmp_path: Path, line: bytes, words: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"name": "b", "size": 1}\n' + line)
    with pytest.raises(UserError) as caught:
        list(files.read_structs(path, Row))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_table_names_its_missing_columns_and_the_nearest_that_are_there(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"votes{suffix}"
    frame = pl.DataFrame({"left": ["a"], "right": ["b"], "winer": ["left"]})
    {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[suffix](path)
    with pytest.raises(UserError, match=r"missing columns: winner \(is it winer\?\); the file has left, right, winer"):
        files.read_table(path, {"left": True, "right": True, "winner": True, "weight": False})


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    files.write_rows(path, [{"a": 1}])

    def torn():
        yield {"a": 2}
        raise RuntimeError("killed here")

    with pytest.raises(RuntimeError):
        files.write_rows(path, torn())
    assert path.read_bytes() == b'{"a":1}\n'
    assert os.listdir(tmp_path) == ["out.jsonl"]
