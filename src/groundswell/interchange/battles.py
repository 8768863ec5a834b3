"""Battles of LMArena and its kin: rows with `model_a`, `model_b` and who won.

Read are the rows that FastChat's `clean_battle_data` writes (2023 on), the Hub's sets (`chatbot_arena_conversations`,
`arena-human-preference-55k` with one column a winner, `-100k`, `-140k`, MT-bench's human judgments), as JSON, JSONL,
CSV or Parquet. A battle in which the voter saw the names (`anony` false) is left out, as the arena itself does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from groundswell import files
from groundswell.errors import UserError
from groundswell.interchange.bounded import check_size, document_bytes
from groundswell.interchange.carried import OPINIONS, Carried

FORMAT = "lmarena"

SIDES = frozenset({"model_a", "model_b"})
ONE_HOT = {"winner_model_a": "left", "winner_model_b": "right", "winner_tie": "tie"}
"""Columns of the set of 55k, one for each winner."""

WINNERS = {
    "model_a": "left",
    "model_b": "right",
    "tie": "tie",
    "tie (bothbad)": "both_bad",
    "both_bad": "both_bad",
    "bothbad": "both_bad",
}
"""The arena's words, older and newer, and ours."""

THEIRS = {"left": "model_a", "right": "model_b", "tie": "tie", "both_bad": "tie (bothbad)"}
"""Our words as FastChat's own tools read them."""

NAMED = "the voter saw the models' names (anony is false)"

READ = ("model_a", "model_b", "winner", *ONE_HOT, "question_id", "id", "turn", "judge", "judge_hash", "anony", "tstamp")
"""Columns that are read."""


class Battle(msgspec.Struct, frozen=True):
    """The columns of a row that are read, as they come; the conversations are skipped without being built."""

    model_a: str | None = None
    model_b: str | None = None
    winner: Any = None
    winner_model_a: Any = None
    winner_model_b: Any = None
    winner_tie: Any = None
    question_id: str | int | None = None
    id: str | int | None = None
    turn: int | None = None
    judge: str | int | list[str] | None = None
    judge_hash: str | int | None = None
    anony: bool | None = None
    tstamp: float | None = None


def fits(columns: set[str]) -> bool:
    """Whether rows with these columns are battles."""
    return columns >= SIDES and ("winner" in columns or set(ONE_HOT) <= columns)


def read(path: Path, columns: set[str]) -> Carried:
    """Battles of a file. Raises UserError with the line or row of the first that cannot be understood."""
    suffix = path.suffix.lower()
    if suffix in {".csv", ".tsv", ".parquet"}:
        check_size(path)
        frame = pl.read_parquet(path, columns=sorted(columns & set(READ))) if suffix == ".parquet" else None
        found = files.read_table(path, {}) if frame is None else frame
    else:
        found = _frame(_structs(path))
    return of_frame(found, columns, path, lines=suffix in {".jsonl", ".ndjson"})


def _structs(path: Path) -> Iterable[tuple[int, Battle]]:
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        return files.read_structs(path, Battle)
    try:
        return enumerate(msgspec.json.decode(document_bytes(path), type=list[Battle]), start=1)
    except msgspec.ValidationError as error:
        raise UserError(f"a row is no battle: {error}", where=path) from None
    except msgspec.DecodeError as error:
        raise UserError(f"this is not JSON ({error}); was it written completely?", where=path) from None


def _frame(battles: Iterable[tuple[int, Battle]]) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {name: [] for name in ("place", *READ)}
    for place, battle in battles:
        columns["place"].append(place)
        for name in READ:
            value = getattr(battle, name)
            columns[name].append(" ".join(value) if isinstance(value, list) else value)
    texts = {"question_id", "id", "judge", "judge_hash"}
    return pl.DataFrame(
        [pl.Series(name, _texts(each) if name in texts else each, strict=False) for name, each in columns.items()]
    )


def _texts(values: Iterable[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def of_frame(frame: pl.DataFrame, columns: set[str], where: str | Path, *, lines: bool = False) -> Carried:
    """Battles of a frame; `columns` are those of the rows, of which the frame may hold fewer. `where` names it."""
    if nested := next((name for name in READ if name in frame.columns and frame[name].dtype.is_nested()), None):
        raise UserError(
            f"the column {nested} holds lists or objects; a battle has a text or a number there", where=where
        )
    if "place" not in frame.columns:
        frame = frame.with_row_index("place", offset=1)
    asked = frame.with_columns(_winner(frame.columns).alias("said"))
    blind = pl.lit(True)
    if "anony" in frame.columns:
        said = pl.col("anony").cast(pl.String).str.strip_chars().str.to_lowercase()
        blind = ~said.is_in(["false", "0", "0.0"]).fill_null(False)
    named = asked.filter(~blind).height
    asked = asked.filter(blind)
    _refuse(asked, where, lines)
    opinions = asked.select(
        _sample(frame.columns).alias("sample"),
        pl.col("model_a").cast(pl.String).alias("left"),
        pl.col("model_b").cast(pl.String).alias("right"),
        pl.col("said").replace_strict(WINNERS, return_dtype=pl.String).alias("winner"),
        _first(frame.columns, ("judge", "judge_hash")).fill_null("unknown").alias("by"),
        pl.lit("person").alias("who"),
        _first(frame.columns, ("id",)).alias("id"),
        _number(frame.columns, "tstamp").alias("time"),
    )
    lost = {f"the column {name}": frame.height for name in sorted(columns - set(READ))}
    return Carried(
        format=FORMAT, frame=opinions.cast(pl.Schema(OPINIONS)), left_out={NAMED: named} if named else {}, lost=lost
    )


def _winner(columns: list[str]) -> pl.Expr:
    """The arena's word for the winner, in lower case; the name of the set column where there is one a winner."""
    said = pl.lit(None, dtype=pl.String)
    if set(ONE_HOT) <= set(columns):
        chosen = {name: pl.col(name).cast(pl.String).is_in(["1", "1.0", "true"]).fill_null(False) for name in ONE_HOT}
        one = sum((each.cast(pl.Int8) for each in chosen.values()), pl.lit(0, dtype=pl.Int8)) == 1
        for name, each in chosen.items():
            said = pl.when(one & each).then(pl.lit(name.removeprefix("winner_"))).otherwise(said)
    if "winner" not in columns:
        return said
    return pl.coalesce(pl.col("winner").cast(pl.String).str.strip_chars().str.to_lowercase(), said)


def _sample(columns: list[str]) -> pl.Expr:
    """What the voter was asked: the question, and its turn where the file names both; else the vote itself."""
    question = _first(columns, ("question_id", "id"))
    if "question_id" in columns and "turn" in columns:
        turned = pl.concat_str(question, pl.lit("/"), pl.col("turn").cast(pl.String))
        question = pl.coalesce(turned, question)
    return pl.coalesce(question, pl.concat_str(pl.lit("row "), pl.col("place").cast(pl.String)))


def _first(columns: list[str], names: Iterable[str]) -> pl.Expr:
    """The first of some columns that says something, as text."""
    there = [pl.col(name).cast(pl.String) for name in names if name in columns]
    return pl.coalesce(there) if there else pl.lit(None, dtype=pl.String)


def _number(columns: list[str], name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Float64, strict=False) if name in columns else pl.lit(None, dtype=pl.Float64)


def _refuse(asked: pl.DataFrame, where: str | Path, lines: bool) -> None:
    """Raise UserError at the first row without two names or with a winner that nobody knows."""
    known = pl.col("said").is_in(list(WINNERS)).fill_null(False)
    named = pl.all_horizontal(pl.col("model_a", "model_b").cast(pl.String).fill_null("") != "")
    bad = asked.filter(~(known & named)).head(1)
    if not bad.height:
        return
    row = bad.row(0, named=True)
    fault = (
        f"the winner {row['said']!r} is none of {', '.join(WINNERS)}"
        if row["model_a"] and row["model_b"]
        else "a model's name is missing; fill in model_a and model_b"
    )
    message = fault if lines else f"row {row['place']}: {fault}"
    raise UserError(message, where=where, line=row["place"] if lines else None)


def rows(opinions: pl.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Battles as FastChat writes them, one for each opinion with a winner; `turn` where the sample ends in one."""
    for row in opinions.filter(pl.col("winner").is_not_null()).iter_rows(named=True):
        question, slash, turn = row["sample"].rpartition("/")
        turned = bool(slash) and turn.isdecimal()
        battle = {
            "question_id": question if turned else row["sample"],
            "model_a": row["left"],
            "model_b": row["right"],
            "winner": THEIRS[row["winner"]],
            "judge": row["by"],
            **({"turn": int(turn)} if turned else {}),
            "anony": True,
            "tstamp": row["time"],
        }
        yield {**battle, "id": row["id"]} if row["id"] is not None else battle
