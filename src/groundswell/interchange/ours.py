"""Rows of ours as opinions and grades, and back.

Opinions are rows {sample, left, right, winner, judge | rater}, grades {sample, model, judge, grade}. A column that rows
do not have is null, or says that nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from groundswell import files
from groundswell.errors import UserError
from groundswell.interchange import reading
from groundswell.interchange.carried import GRADES, OPINIONS, WINNERS, Carried


def rows_of(carried: Carried) -> Iterator[dict[str, Any]]:
    """Rows of ours: `by` as judge or rater, grades with their dimension where there are several."""
    for row in carried.frame.iter_rows(named=True):
        if carried.graded:
            yield {name: value for name, value in row.items() if name != "dimension" or value}
        else:
            who = "judge" if row["who"] == "judge" else "rater"
            told = {name: row[name] for name in ("sample", "left", "right", "winner")}
            extra = {name: row[name] for name in ("id", "time") if row[name] is not None}
            yield {**told, who: row["by"], **extra}


def read(path: Path) -> pl.DataFrame:
    """Our own rows, or those of a format that is known here, as opinions or grades. Raises UserError with the place."""
    if reading.recognise(path) is not None:
        return reading.read(path).frame
    return of_frame(files.read_table(path, {}), path)


def of_frame(frame: pl.DataFrame, path: Path | str) -> pl.DataFrame:
    """Our own rows as opinions or grades; `path` is what a fault calls them."""
    if {"model", "judge", "grade"} <= set(frame.columns):
        return _whole(frame, GRADES, {"dimension": pl.lit("")}, path)
    files.require_columns(path, frame.columns, ("left", "right", "winner"))
    named = [
        pl.col(name).cast(pl.String) for name in ("by", "judge", "rater", "session", "user") if name in frame.columns
    ]
    judged = "judge" in frame.columns and "rater" not in frame.columns
    missing = {
        "sample": pl.concat_str(pl.lit("row "), pl.int_range(pl.len()).cast(pl.String)),
        "by": pl.coalesce([*named, pl.lit("unknown")]),
        "who": pl.lit("judge" if judged else "person"),
        "id": pl.lit(None),
        "time": pl.lit(None),
    }
    return _whole(frame, OPINIONS, missing, path)


def _whole(
    frame: pl.DataFrame, schema: Mapping[str, Any], missing: Mapping[str, pl.Expr], where: Path | str
) -> pl.DataFrame:
    """A frame with exactly the columns of a schema. Raises UserError for a winner that is none, and a missing name."""
    chosen = [
        (pl.col(name) if name in frame.columns else missing[name]).cast(kind, strict=False).alias(name)
        for name, kind in schema.items()
    ]
    found = frame.select(chosen)
    for name in {"sample", "left", "right", "model", "judge"} & set(schema):
        nameless = found[name].is_null() | (found[name] == "")
        if nameless.any():
            raise UserError(f"row {int(nameless.arg_max() or 0) + 1}: it has no {name}; fill it in", where=where)
    if "winner" in schema:
        bad = found.filter(~pl.col("winner").is_in(list(WINNERS)))
        if bad.height:
            raise UserError(f"winner {bad['winner'][0]!r} is none of {', '.join(sorted(WINNERS))}", where=where)
    return found
