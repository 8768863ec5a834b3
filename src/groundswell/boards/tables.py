"""Comparisons from a file (CSV, JSONL, Parquet) or a frame as votes.

Columns are left, right, winner (left, right, tie, both_bad), and what the options name. Every row counts, is left out
for a stated reason, or stops the reading with its place; nothing is guessed. What the votes mean is not known here.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from groundswell.boards.options import RankOptions
from groundswell.errors import UserError
from groundswell.files import read_bytes, read_rows, read_table, reading_table, require_columns
from groundswell.records import Winner
from groundswell.stats.votes import LEFT, RIGHT, TIE, Ints, Votes

OUTCOMES: Mapping[str, int] = {
    Winner.LEFT: LEFT,
    Winner.RIGHT: RIGHT,
    Winner.TIE: TIE,
    Winner.BOTH_BAD: TIE,
}
"""How a winner enters the fit: both bad counts as a tie there, and is counted apart."""

MOST_SPAN = 1e12
"""Largest ratio of two weights: beyond it the lighter vote is lost in the rounding of the heavier."""

MOST_WEIGHT = 1e100
"""Beyond it the squares of weights are no numbers."""

IDENTITIES = ("ballot", "vote_id", "vote", "id")
"""Columns that name a vote, the surest first; together with the RATERS that stand beside them."""

SIDES = [pl.col(name).cast(pl.String) for name in ("left", "right", "winner")]

RATERS = ("rater", "worker", "session", "user", "voter", "judge", "by")

Rows = Iterable[tuple[int, Mapping[str, object]]]

Places = Callable[[], Rows]
"""Gives the rows again, each with its line or number, when one of them has to be found."""


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """Votes with the models' names (sorted), what was left out, and how often each winner was named.

    Where the votes came as records, `samples` names the clusters and `labels` numbers each vote's winner in the order
    of `Winner`.
    """

    votes: Votes
    names: tuple[str, ...]
    left_out: Mapping[str, int]
    winners: Mapping[str, int]
    samples: tuple[str, ...] = ()
    labels: Ints | None = None

    def part(self, places: Ints) -> Counted:
        """The votes at some places, over the models that they hold; nothing of them was left out."""
        votes = self.votes.at(places)
        present = votes.games() > 0
        labels = None if self.labels is None else self.labels[places]
        named = [0] * len(Winner) if labels is None else np.bincount(labels, minlength=len(Winner)).tolist()
        return Counted(
            votes=votes.among(present),
            names=tuple(name for name, here in zip(self.names, present, strict=True) if here),
            left_out={},
            winners=dict(zip(map(str, Winner), named, strict=True)),
            samples=self.samples,
            labels=labels,
        )


def read_votes(path: str | Path, options: RankOptions) -> Counted:
    """Votes of a file. Raises UserError with the line of the first row that cannot be understood."""
    path = Path(path)
    with reading_table(path):
        return _votes(_open(path), options, path, lambda: _places(path))


def frame_votes(frame: pl.DataFrame, options: RankOptions, where: str | Path) -> Counted:
    """Votes of a frame with the same columns; `where` is what a fault calls it, with the number of the row from 1."""
    return _votes(frame.lazy(), options, where, lambda: enumerate(frame.iter_rows(named=True), start=1))


def _votes(frame: pl.LazyFrame, options: RankOptions, where: str | Path, places: Places) -> Counted:
    schema = frame.collect_schema()
    present = schema.names()
    wanted = ["left", "right", "winner", *(name for name in (options.cluster, options.weights) if name)]
    require_columns(where, present, [*wanted, *dict(options.only)])
    if nested := next((name for name in (*wanted, *dict(options.only)) if schema[name].is_nested()), None):
        raise UserError(f"the column {nested} holds lists or objects; a row compares two names", where=where)
    if options.only:
        kept = dict(options.only)
        frame = frame.filter(*(pl.col(name).cast(pl.String) == value for name, value in kept.items()))
        return _votes(frame, msgspec.structs.replace(options, only=()), where, lambda: _among(places(), kept))
    rows, repeated = _without_repeats(frame, present, wanted)
    kinds = rows.select(SIDES).group_by(pl.all()).agg(pl.len().alias("times")).collect(engine="streaming")
    if kinds.height == 0:
        raise UserError("there are no votes in this file", where=where)
    if not kinds.select(_labelled().all()).item():
        raise _first_fault(where, options, places)
    table = kinds
    if options.cluster or options.weights:
        table = _with_columns(rows, kinds, options)
        if not table.select(_usable(table.columns).all()).item():
            raise _first_fault(where, options, places)
    counted = _counted(table, {"repeated vote": repeated} if repeated else {})
    weight = counted.votes.weight
    if weight is not None and len(weight) == 0:
        raise UserError(f"no vote has a weight above 0 in {options.weights}", where=where)
    if weight is not None and weight.max() / weight.min() > MOST_SPAN:
        raise UserError(f"weights span a factor of more than {MOST_SPAN:g}; no fit can hold that", where=where)
    if weight is not None and weight.max() > MOST_WEIGHT:
        raise UserError(f"a weight is above {MOST_WEIGHT:g}; divide them all by one number", where=where)
    return counted


def _among(rows: Rows, kept: Mapping[str, str]) -> Rows:
    """Rows in which the named columns have their value."""
    return ((place, row) for place, row in rows if all(str(row.get(name)) == value for name, value in kept.items()))


def _with_columns(rows: pl.LazyFrame, kinds: pl.DataFrame, options: RankOptions) -> pl.DataFrame:
    """Every vote with its weight and cluster, names as numbers, or votes of equal weight together without clusters."""
    names = pl.Enum(pl.concat([kinds["left"], kinds["right"]]).unique().sort())
    winners = pl.Enum([str(winner) for winner in Winner])
    chosen = [side.cast(kind) for side, kind in zip(SIDES, (names, names, winners), strict=True)]
    if options.weights:
        chosen.append(pl.col(options.weights).cast(pl.Float64, strict=False).alias("weight"))
    if options.cluster:
        return rows.select(*chosen, pl.col(options.cluster).alias("cluster")).collect(engine="streaming")
    return rows.select(chosen).group_by(pl.all()).agg(pl.len().alias("times")).collect(engine="streaming")


def _open(path: Path) -> pl.LazyFrame:
    """The file as a lazy frame; only Parquet can be read without holding all of it."""
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return read_table(path, {}).lazy()
    if path.stat().st_size == 0:
        read_bytes(path)
    try:
        frame = pl.scan_parquet(path)
        frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"cannot be read as parquet ({str(error).splitlines()[0]})", where=path) from None
    return frame


def _without_repeats(frame: pl.LazyFrame, present: list[str], wanted: list[str]) -> tuple[pl.LazyFrame, int]:
    """The first row of every vote that the file names, and how many rows repeat one."""
    identity = next((name for name in IDENTITIES if name in present), None)
    if identity is None:
        return frame, 0
    key = [identity, *(name for name in RATERS if name in present)]
    rows = frame.select(list(dict.fromkeys([*wanted, *key]))).collect()
    first = rows.select(pl.struct(key).is_first_distinct() | pl.col(identity).is_null()).to_series()
    return rows.filter(first).lazy(), rows.height - int(first.sum())


def _labelled() -> pl.Expr:
    """Whether a row compares two named models with a known winner."""
    named = pl.all_horizontal(pl.col("left", "right").is_not_null() & (pl.col("left", "right") != ""))
    known = pl.col("winner").is_in([str(winner) for winner in Winner])
    return (named & known & (pl.col("left") != pl.col("right"))).fill_null(False)


def _usable(columns: list[str]) -> pl.Expr:
    """Whether a row's weight and cluster can be counted with."""
    good = pl.lit(True)
    if "weight" in columns:
        good &= (pl.col("weight").is_finite() & (pl.col("weight") >= 0)).fill_null(False)
    if "cluster" in columns:
        good &= pl.col("cluster").is_not_null()
    return good


def _first_fault(where: str | Path, options: RankOptions, places: Places) -> UserError:
    """What to tell of the first row that is not a comparison: by its line, by its number where it has none."""
    lined = isinstance(where, Path) and where.suffix.lower() != ".parquet"
    for place, row in places():
        if (fault := _fault(row, options)) is not None:
            return UserError(fault if lined else f"row {place}: {fault}", where=where, line=place if lined else None)
    return UserError("some row is not a comparison; compare it with the format in the manual", where=where)


def _places(path: Path) -> list[tuple[int, Mapping[str, object]]]:
    """Rows of the file with the line where each ends (its number from 1 for Parquet)."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return list(enumerate(pl.read_parquet(path).iter_rows(named=True), start=1))
    if suffix in {".csv", ".tsv"}:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            reader = csv.DictReader(stream, delimiter="\t" if suffix == ".tsv" else ",")
            return [(reader.line_num, {k: v or None for k, v in row.items()}) for row in reader]
    return list(read_rows(path))


def _fault(row: Mapping[str, object], options: RankOptions) -> str | None:
    """What is wrong with a row, with the remedy; None = nothing."""
    left, right, winner = (row.get(name) for name in ("left", "right", "winner"))
    if left in (None, "") or right in (None, ""):
        return "a model's name is missing; fill in left and right"
    if str(left) == str(right):
        return f"{left} is compared with itself; remove the row"
    if winner not in list(Winner):
        return f"winner {winner!r} is not left, right, tie or both_bad"
    if options.weights:
        weight = row.get(options.weights)
        try:
            number = float(str(weight))
        except ValueError:
            number = float("nan")
        if not np.isfinite(number) or number < 0:
            return f"weight {weight!r} is not a number of at least 0"
    if options.cluster and row.get(options.cluster) is None:
        return f"{options.cluster} is missing; a clustered interval needs it in every row"
    return None


def _counted(table: pl.DataFrame, left_out: dict[str, int]) -> Counted:
    if "times" not in table.columns:
        table = table.with_columns(pl.lit(1, dtype=pl.UInt32).alias("times"))
    if "weight" in table.columns:
        weightless = int(table.filter(pl.col("weight") == 0)["times"].sum())
        if weightless:
            left_out["weight 0"] = weightless
            table = table.filter(pl.col("weight") > 0)
    names = tuple(sorted(pl.concat([table[side].unique().cast(pl.String) for side in ("left", "right")]).unique()))
    winners = dict(table.group_by(pl.col("winner").cast(pl.String)).agg(pl.col("times").sum()).iter_rows())
    model = pl.Enum(names)
    clustered = "cluster" in table.columns
    left, right = (table[side].cast(model).to_physical().to_numpy().astype(np.int64) for side in ("left", "right"))
    return Counted(
        votes=Votes(
            models=len(names),
            left=left,
            right=right,
            outcome=table["winner"].replace_strict(OUTCOMES, return_dtype=pl.Int64).to_numpy(),
            weight=table["weight"].to_numpy() if "weight" in table.columns else None,
            cluster=_numbered(table["cluster"]) if clustered else None,
            times=None if clustered else table["times"].to_numpy().astype(np.int64),
        ),
        names=names,
        left_out=left_out,
        winners={str(winner): int(winners.get(str(winner), 0)) for winner in Winner},
    )


def _numbered(cluster: pl.Series) -> Ints:
    """Clusters numbered from 0 in the order of their values."""
    return (cluster.rank("dense") - 1).to_numpy().astype(np.int64)
