"""What is written in a format of others and read again is the same on the columns that both carry."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundswell.interchange import reading, writing
from groundswell.interchange.carried import GRADES, Grade, Opinion, frame_of, grades_of
from groundswell.records import Winner

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)
COLUMNS = ["sample", "left", "right", "winner", "by"]


@st.composite
def opinions(draw: st.DrawFn, winners: tuple[Winner | None, ...] = tuple(Winner), who: str = "person") -> pl.DataFrame:
    """Opinions of a few people on a few samples; nobody says two things of one pair in one order."""
    rows = {}
    for _ in range(draw(st.integers(1, 8))):
        left, right = draw(st.lists(names, min_size=2, max_size=2, unique=True))
        sample, by = draw(names), draw(names)
        row = Opinion(
            sample=sample,
            left=left,
            right=right,
            winner=draw(st.sampled_from(winners)),
            by=by,
            who=who,
            id=draw(st.none() | names),
            time=draw(st.none() | st.floats(0, 2e9)),
        )
        rows[sample, left, right, by] = row
    return frame_of(list(rows.values()))


def there_and_back(tmp: Path, frame: pl.DataFrame, to: str, ending: str) -> pl.DataFrame:
    path = tmp / f"rows.{ending}"
    writing.write(path, frame, to)
    carried = reading.read(path)
    assert (carried.format, carried.left_out) == (to, {})
    return carried.frame


def same(one: pl.DataFrame, other: pl.DataFrame, columns: list[str]) -> bool:
    return one.select(columns).sort(columns).equals(other.select(columns).sort(columns))


@settings(max_examples=40, deadline=None)
@given(opinions(), st.sampled_from(["json", "jsonl"]))
def test_battles(tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame, ending: str) -> None:
    back = there_and_back(tmp_path_factory.mktemp("a"), frame, "lmarena", ending)
    assert same(frame, back, [*COLUMNS, "id", "time"])


@settings(max_examples=40, deadline=None)
@given(opinions(), st.sampled_from(["label-studio", "argilla"]))
def test_votes_of_people(tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame, to: str) -> None:
    assert same(frame, there_and_back(tmp_path_factory.mktemp("a"), frame, to, "json"), [*COLUMNS, "who"])


@settings(max_examples=40, deadline=None)
@given(opinions(who="judge"))
def test_judges_in_argilla(tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame) -> None:
    assert same(frame, there_and_back(tmp_path_factory.mktemp("a"), frame, "argilla", "json"), [*COLUMNS, "who"])


@settings(max_examples=40, deadline=None)
@given(opinions((None, Winner.LEFT, Winner.RIGHT, Winner.TIE), who="judge"))
def test_pairs_of_mt_bench(tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame) -> None:
    frame = frame.with_columns(pl.concat_str("sample", pl.lit("/1")))
    assert same(frame, there_and_back(tmp_path_factory.mktemp("a"), frame, "mt-bench-pair", "jsonl"), COLUMNS)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(names, names, names, st.none() | st.floats(1, 10)), min_size=1, max_size=6))
def test_grades_of_mt_bench(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    frame = grades_of([Grade(sample=f"{sample}/2", model=m, judge=j, grade=grade) for sample, m, j, grade in rows])
    back = there_and_back(tmp_path_factory.mktemp("a"), frame, "mt-bench-single", "jsonl")
    assert same(frame, back, list(GRADES))
