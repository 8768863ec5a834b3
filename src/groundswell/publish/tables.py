"""Facts as Parquet and as one SQLite file: what people filter by as columns, the whole record as JSON in `body`.

It knows the records' field names and nothing of what they are for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import polars as pl

from groundswell import files
from groundswell.records import Record

R = TypeVar("R", bound=Record)

COLUMNS: Final[Mapping[str, Mapping[str, Any]]] = {
    "samples": {"suite": pl.String, "task": pl.String, "label": pl.String, "about": pl.String, "quality": pl.String},
    "outcomes": {
        "sample": pl.String,
        "endpoint": pl.String,
        "draw": pl.Int64,
        "language": pl.String,
        "started": pl.Datetime("us", "UTC"),
        "seconds": pl.Float64,
        "cost": pl.Float64,
        "reason": pl.String,
    },
    "verdicts": {"sample": pl.String, "judge": pl.String, "rubric": pl.String, "repeat": pl.Int64, "why": pl.String},
    "measured": {
        "output": pl.String,
        "sample": pl.String,
        "metric": pl.String,
        "version": pl.Int64,
        "backend": pl.String,
        "value": pl.Float64,
        "why": pl.String,
    },
    "comparisons": {
        "sample": pl.String,
        "left": pl.String,
        "right": pl.String,
        "winner": pl.String,
        "by": pl.String,
        "probability": pl.Float64,
    },
    "timings": {
        "endpoint": pl.String,
        "start": pl.Datetime("us", "UTC"),
        "seconds": pl.Float64,
        "submit": pl.Float64,
        "wait": pl.Float64,
        "fetch": pl.Float64,
        "failure": pl.String,
    },
    "posts": {"platform": pl.String, "id": pl.String, "url": pl.String, "time": pl.Datetime("us", "UTC")},
    "threads": {"root": pl.String, "main": pl.String},
}
"""By table, the fields that become columns, with their types; `key`, `kind` and `body` stand in every table."""

_encode = msgspec.json.Encoder(order="sorted").encode


def write_table(path: Path, name: str, records: Mapping[str, Record]) -> None:
    """Write records as the table `name`, in their order; the same records give the same bytes."""
    columns = COLUMNS[name]
    rows: dict[str, list[Any]] = {"key": [], "kind": [], **{column: [] for column in columns}, "body": []}
    for key, record in records.items():
        rows["key"].append(key)
        rows["kind"].append(type(record).__name__.lower())
        for column in columns:
            rows[column].append(getattr(record, column, None))
        rows["body"].append(_encode(record).decode())
    schema = {"key": pl.String, "kind": pl.String, **columns, "body": pl.String}
    out = BytesIO()
    pl.DataFrame(rows, schema=schema).write_parquet(out, compression="zstd", statistics=False)
    files.write_bytes(path, out.getvalue())


def write_database(path: Path, tables: Mapping[str, Mapping[str, Record]]) -> None:
    """The same tables in one SQLite file, for people who ask in SQL; the same records give the same bytes."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    try:
        with connection:
            for name, records in tables.items():
                columns = ["key", "kind", *COLUMNS[name], "body"]
                named = ", ".join(f'"{column}"' for column in columns)
                connection.execute(f'CREATE TABLE "{name}" ({named}, PRIMARY KEY ("key")) WITHOUT ROWID')
                marks = ", ".join("?" * len(columns))
                connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', _rows(name, records))
    finally:
        connection.close()


def _rows(name: str, records: Mapping[str, Record]) -> Iterator[tuple[Any, ...]]:
    for key, record in records.items():
        values = [getattr(record, column, None) for column in COLUMNS[name]]
        plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
        yield (key, type(record).__name__.lower(), *plain, _encode(record).decode())


def read_table(path: Path, kind: type[R]) -> Iterator[tuple[str, R]]:
    """Keys and records of a table, in its order."""
    decode = msgspec.json.Decoder(kind).decode
    frame = files.read_table(path, {"key": True, "body": True})
    for key, body in zip(frame["key"], frame["body"], strict=True):
        yield key, decode(body)
