"""What a foreign file gives: opinions (who said which of two is better) or grades (what a judge gave one output).

Both are frames with fixed columns. Grades become opinions by the rule of ECHO: of two outputs of a sample the higher
grade wins, equal grades are a tie, and a grade that is missing decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl

from groundswell.errors import UserError
from groundswell.records import Winner

Who = Literal["person", "judge"]

OPINIONS: Mapping[str, Any] = {
    "sample": pl.String,
    "left": pl.String,
    "right": pl.String,
    "winner": pl.String,
    "by": pl.String,
    "who": pl.String,
    "id": pl.String,
    "time": pl.Float64,
}
"""Columns of opinions. `winner` is left, right, tie, both_bad, or null where a verdict could not be read; `who` is
person or judge; `id` names the vote and `time` its second since 1970, null where the file does not say."""

GRADES: Mapping[str, Any] = {
    "sample": pl.String,
    "model": pl.String,
    "judge": pl.String,
    "dimension": pl.String,
    "grade": pl.Float64,
}
"""Columns of grades; `grade` is null where none could be read. `dimension` is empty where there is only one."""

WINNERS = frozenset(map(str, Winner))


SIDES = (("left", "right"), ("model_a", "model_b"), ("left_model", "right_model"))
"""Names under which a task or record of an annotation tool may say whose outputs it shows."""

WORDS = {
    "left": Winner.LEFT,
    "right": Winner.RIGHT,
    "model_a": Winner.LEFT,
    "model_b": Winner.RIGHT,
    "a": Winner.LEFT,
    "b": Winner.RIGHT,
    "tie": Winner.TIE,
    "both_bad": Winner.BOTH_BAD,
    "tie (bothbad)": Winner.BOTH_BAD,
}
"""Answers of annotators that are understood, in small letters."""


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """A foreign file as opinions or grades, with what was left out and what was not carried over."""

    format: str
    frame: pl.DataFrame
    graded: bool = False
    """The frame holds grades, not opinions."""
    both_orders: bool = False
    """A judge may have seen a pair in both orders: its two opinions are one verdict."""
    left_out: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Rows that are no opinion, by reason."""
    lost: Mapping[str, int] = msgspec.field(default_factory=dict)
    """What the rows say beyond the columns here, with the number of rows that say it."""

    @property
    def opinions(self) -> pl.DataFrame:
        """The opinions; of grades the pairs that they decide."""
        return pairs(self.frame) if self.graded else self.frame


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """One row of OPINIONS."""

    sample: str
    left: str
    right: str
    winner: Winner | None
    by: str
    who: Who
    id: str | None = None
    time: float | None = None


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """One row of GRADES."""

    sample: str
    model: str
    judge: str
    dimension: str = ""
    grade: float | None = None


def frame_of(rows: Sequence[Opinion]) -> pl.DataFrame:
    """Opinions as a frame with the columns OPINIONS."""
    return _frame(rows, OPINIONS)


def grades_of(rows: Sequence[Grade]) -> pl.DataFrame:
    """Grades as a frame with the columns GRADES."""
    return _frame(rows, GRADES)


def _frame(rows: Sequence[Opinion] | Sequence[Grade], schema: Mapping[str, Any]) -> pl.DataFrame:
    columns = {
        name: [None if (value := getattr(row, name)) is None else str(value) for row in rows]
        if kind is pl.String
        else [getattr(row, name) for row in rows]
        for name, kind in schema.items()
    }
    return pl.DataFrame(columns, schema=schema)


def pairs(grades: pl.DataFrame) -> pl.DataFrame:
    """The opinions that grades decide: of every sample, judge and dimension each two models, in the order of names.

    A judge that gave a model several grades (epochs) is taken by their mean.
    """
    keys = ["sample", "judge", "dimension"]
    means = grades.group_by([*keys, "model"], maintain_order=True).agg(pl.col("grade").mean())
    met = means.join(means, on=keys, suffix="_right", maintain_order="left_right").filter(
        pl.col("model") < pl.col("model_right")
    )
    ahead = pl.col("grade") - pl.col("grade_right")
    winner = pl.when(ahead > 0).then(pl.lit("left")).when(ahead < 0).then(pl.lit("right")).when(ahead == 0)
    dimension = pl.when(pl.col("dimension") == "").then(pl.lit("")).otherwise(pl.concat_str(pl.lit(" "), "dimension"))
    return met.select(
        pl.col("sample"),
        pl.col("model").alias("left"),
        pl.col("model_right").alias("right"),
        winner.then(pl.lit("tie")).otherwise(None).alias("winner"),
        pl.concat_str("judge", dimension).alias("by"),
        pl.lit("judge").alias("who"),
        pl.lit(None, dtype=pl.String).alias("id"),
        pl.lit(None, dtype=pl.Float64).alias("time"),
    )


def winner_named(word: object, names: Mapping[str, Winner], where: Path, place: str | int) -> Winner | None:
    """The winner that a format's word means; None = an unread verdict. Raises UserError at a word it does not know;
    `place` is a line, or words."""
    if word is None:
        return None
    known = names.get(str(word).strip().lower())
    if known is None:
        fault = f"the winner {word!r} is none of {', '.join(names)}"
        if isinstance(place, int):
            raise UserError(fault, where=where, line=place)
        raise UserError(f"{place}: {fault}", where=where)
    return known
