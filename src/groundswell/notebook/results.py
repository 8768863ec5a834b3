"""Answers of the command line as objects: ratings, agreement and scores with their tables, and a page of their own.

An answer keeps the whole JSON of its command under `data`; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec
import polars as pl

from groundswell.notebook.frames import Table, cell, html_of, text_of
from groundswell.records import Rating, Unranked


class Answer:
    """What a command found: `data` is its JSON; the main table can be had as polars, pandas or Arrow."""

    title: ClassVar[str] = ""
    shown: ClassVar[tuple[str, ...]] = ()
    """Columns of the main table that are shown; the frames have all of them."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)

    def table(self) -> Table:
        """The main table."""
        raise NotImplementedError

    def to_polars(self) -> pl.DataFrame:
        """The main table as a polars frame."""
        return self.table().to_polars()

    def to_pandas(self) -> Any:
        """The main table as a pandas frame. Raises UserError where pandas is not installed."""
        return self.table().to_pandas()

    def to_arrow(self) -> Any:
        """The main table as a pyarrow table. Raises UserError where pyarrow is not installed."""
        return self.table().to_arrow()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that the command prints."""
        return self.data

    def notes(self) -> Iterator[str]:
        """What a reader must know beside the table, a line each."""
        yield from ()

    def __repr__(self) -> str:
        return "\n".join([text_of(self.title, *self._seen()), *self.notes()])

    def _repr_html_(self) -> str:
        from html import escape

        return html_of(self.title, *self._seen()) + "".join(f"<p>{escape(note)}</p>" for note in self.notes())

    def _seen(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        frame = self.table().to_polars()
        columns = [name for name in self.shown or frame.columns if name in frame.columns]
        return columns, frame.select(columns).rows()


class Ranking(Answer):
    """Ratings with ranks and intervals, the models that cannot be ranked with the reason, and what was left out."""

    title: ClassVar[str] = "ranking"

    @property
    def ratings(self) -> tuple[Rating, ...]:
        """The ranked models, best first; ratings are points, 400 of them odds of 10 to 1."""
        return tuple(msgspec.convert(row, Rating) for row in self.data["ratings"])

    @property
    def unranked(self) -> tuple[Unranked, ...]:
        """The models without a finite rating, each with the reason."""
        return tuple(msgspec.convert(row, Unranked) for row in self.data["unranked"])

    @property
    def left_out(self) -> dict[str, int]:
        """Comparisons that do not count, by reason."""
        return dict(self.data["left_out"])

    @property
    def method(self) -> dict[str, Any]:
        """How the ratings were made: model, ties, interval, anchor, seed, warnings."""
        return dict(self.data["method"])

    @property
    def not_carried(self) -> dict[str, int]:
        """What a foreign file says beyond its comparisons, with the number of rows that say it."""
        return dict(self.data.get("not_carried", {}))

    def __getitem__(self, model: str) -> Rating | Unranked:
        rows: list[Rating | Unranked] = [*self.ratings, *self.unranked]
        for row in rows:
            if row.model == model:
                return row
        raise KeyError(model)

    def table(self) -> Table:
        """One row a model, best first: model, rating, low, high, rank, rank_low, rank_high, games; then the unranked,
        whose rating is null and whose `why` says the reason."""
        schema = {
            "model": pl.String,
            "rating": pl.Float64,
            "low": pl.Float64,
            "high": pl.Float64,
            "rank": pl.Int64,
            "rank_low": pl.Int64,
            "rank_high": pl.Int64,
            "games": pl.Int64,
            "side": pl.String,
            "bound": pl.Float64,
            "why": pl.String,
        }
        rows = [{name: row.get(name) for name in schema} for row in (*self.data["ratings"], *self.data["unranked"])]
        return Table(pl.DataFrame(rows, schema=pl.Schema(schema)), self.title)

    def _seen(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        rows = [(_ranks(row), row.model, row.rating, _interval(row), row.games) for row in self.ratings]
        return ("rank", "model", "rating", "95 % interval", "games"), rows

    def notes(self) -> Iterator[str]:
        for row in self.unranked:
            bound = "" if row.bound is None else f" ({'above' if row.side == 'above' else 'below'} {row.bound:.1f})"
            yield f"not ranked: {cell(row.model)}{bound}: {row.why}"
        for why, count in self.left_out.items():
            yield f"left out: {count} {cell(why)}"
        for warning in self.method.get("warnings", ()):
            yield f"warning: {cell(warning)}"


def _ranks(row: Rating) -> str:
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


def _interval(row: Rating) -> str | None:
    return None if row.low is None or row.high is None else f"[{row.low:.1f}, {row.high:.1f}]"


class Agreement(Answer):
    """How far each judge agrees with people, and people among themselves."""

    title: ClassVar[str] = "judges against people"
    shown: ClassVar[tuple[str, ...]] = ("judge", "tau_b", "accuracy", "alpha", "spearman", "flip_rate", "votes_judged")

    @property
    def people(self) -> dict[str, Any]:
        """Kendall's W and Krippendorff's alpha of people among themselves, null where they cannot be told."""
        return dict(self.data["people"])

    def table(self) -> Table:
        """One row a judge: tau_b, accuracy, alpha and spearman with their 95 % intervals, flip_rate, votes."""
        return Table(pl.DataFrame(self.data["judges"], infer_schema_length=None), self.title)

    def notes(self) -> Iterator[str]:
        people = self.people
        w, alpha = cell(people["w"]), cell(people["alpha"])
        yield f"people among themselves: W {w}, alpha {alpha}, {people['raters']} raters"
        for why, count in self.data["left_out"].items():
            if count:
                yield f"left out: {count} {cell(why)}"


class Scores(Answer):
    """A suite's own arithmetic over a finished file: LLaVA-Bench, CPI-Bench or ECHO's win rates."""

    def __init__(self, data: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], title: str) -> None:
        super().__init__(data)
        self._rows = rows
        self._title = title

    def table(self) -> Table:
        """The scores, one row a category, group or model, as the command prints them."""
        return Table(pl.DataFrame([dict(row) for row in self._rows], infer_schema_length=None), self._title)

    def __repr__(self) -> str:
        return text_of(self._title, *self._seen())

    def _repr_html_(self) -> str:
        return html_of(self._title, *self._seen())


class Told(dict[str, Any]):
    """An answer as a dict that shows itself as the text that the command prints."""

    def __init__(self, data: Mapping[str, Any], text: str) -> None:
        super().__init__(data)
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text)}</pre>"
