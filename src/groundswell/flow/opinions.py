"""Ranking and agreement of comparisons from anywhere: our own rows, a foreign format told by its content, a frame.

The arithmetic is that of `boards`; here it is only decided how the rows come in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl

from groundswell.boards import RankOptions, agree_files, rank_file
from groundswell.boards.agreement import Opinion, agree_opinions, opinions_in, read_opinions, settle
from groundswell.boards.ranking import rank_frame
from groundswell.errors import UserError
from groundswell.interchange import battles, reading
from groundswell.interchange.carried import OPINIONS, Carried
from groundswell.records import Winner

Source = Path | pl.DataFrame
"""A file, or its rows."""

UNREAD = "a verdict that could not be read"
AGAINST_ITSELF = "a model against itself"
WHERE = "these rows"
"""What a fault calls a frame, which has no name."""


def rank(source: Source, options: RankOptions) -> dict[str, Any]:
    """The answer of `groundswell rank`: for foreign formats with `format` and `not_carried` beside it.

    A judge that saw a pair in both orders is counted once, by the rule of `agree`. Raises UserError.
    """
    carried = carried_of(source)
    if carried is None:
        return (
            rank_frame(source, options, where=WHERE) if isinstance(source, pl.DataFrame) else rank_file(source, options)
        )
    frame, left_out = _countable(carried)
    if not frame.height:
        raise UserError("there are no votes in this file", where=_where(source))
    answer = rank_frame(frame, options, where=_where(source))
    answer["left_out"] = {**left_out, **answer["left_out"]}
    return {**answer, "format": carried.format, "not_carried": dict(carried.lost)}


def agree(judgments: Source, votes: Source, *, seed: int = 0) -> dict[str, Any]:
    """The answer of `groundswell agree`; where a file holds people and judges, each side takes its own."""
    theirs, ours = carried_of(judgments), carried_of(votes)
    if theirs is None and ours is None and isinstance(judgments, Path) and isinstance(votes, Path):
        return agree_files(judgments, votes, seed=seed)
    said = _opinions(judgments, theirs, "judge")
    answer = agree_opinions(said, _opinions(votes, ours, "rater"), seed=seed)
    left_out: Counter[str] = Counter(answer["left_out"])
    for carried in (theirs, ours):
        left_out.update({} if carried is None else carried.left_out)
    return {**answer, "left_out": dict(left_out)}


def carried_of(source: Source) -> Carried | None:
    """What a source in a foreign format says; None where its rows are our own."""
    if isinstance(source, pl.DataFrame):
        columns = set(source.columns)
        return battles.of_frame(source, columns, WHERE) if battles.fits(columns) else None
    if source.is_dir():
        return reading.read_folder(source)
    return None if reading.recognise(source) is None else reading.read(source)


def _where(source: Source) -> str:
    return WHERE if isinstance(source, pl.DataFrame) else str(source)


def _countable(carried: Carried) -> tuple[pl.DataFrame, dict[str, int]]:
    """The opinions that can be counted, with a vote's id where it has one, and how many were left out for what."""
    opinions = carried.opinions
    left_out = dict(carried.left_out)
    for why, bad in ((UNREAD, pl.col("winner").is_null()), (AGAINST_ITSELF, pl.col("left") == pl.col("right"))):
        if count := opinions.filter(bad).height:
            left_out[why] = count
        opinions = opinions.filter(~bad)
    if carried.both_orders:
        opinions = _settled(opinions)
    whole = opinions["id"].null_count() == 0
    return opinions.drop("who", "time", *([] if whole else ["id"])), left_out


def _settled(opinions: pl.DataFrame) -> pl.DataFrame:
    """One row for each judge and pair: a judge that changed its mind with the order said tie."""
    rows: dict[str, list[Opinion]] = defaultdict(list)
    for opinion in _rows(opinions):
        rows[opinion.by].append(opinion)
    settled = [
        {"sample": sample, "left": left, "right": right, "winner": str(winner), "by": judge, "who": "judge"}
        for judge, given in rows.items()
        for (sample, left, right), winner in settle(given).verdicts.items()
    ]
    return pl.DataFrame(settled, schema=pl.Schema(OPINIONS))


def _opinions(source: Source, carried: Carried | None, who: Literal["judge", "rater"]) -> Iterable[Opinion]:
    if carried is not None:
        opinions = carried.opinions.filter(pl.col("left") != pl.col("right"))
        kind = "judge" if who == "judge" else "person"
        if opinions["who"].n_unique() > 1:
            opinions = opinions.filter(pl.col("who") == kind)
        return _rows(opinions)
    if isinstance(source, Path):
        return read_opinions(source, who)
    return opinions_in(enumerate(map(_plain, source.iter_rows(named=True)), start=1), who, WHERE)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a frame without the columns that other rows have."""
    return {name: value for name, value in row.items() if value is not None or name == "winner"}


def _rows(opinions: pl.DataFrame) -> Iterator[Opinion]:
    for row in opinions.iter_rows(named=True):
        winner = None if row["winner"] is None else Winner(row["winner"])
        yield Opinion(sample=row["sample"], left=row["left"], right=row["right"], winner=winner, by=row["by"])
