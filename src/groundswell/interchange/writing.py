"""Opinions and grades in the formats of others, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from groundswell import files
from groundswell.errors import UserError
from groundswell.interchange import argilla, battles, label_studio, mt_bench
from groundswell.interchange.carried import GRADES, OPINIONS

FORMATS = (battles.FORMAT, mt_bench.PAIR, mt_bench.SINGLE, label_studio.FORMAT, argilla.FORMAT)
"""Formats that can be written."""


def write(path: Path, frame: pl.DataFrame, to: str) -> int:
    """Write opinions (or for MT-bench's single file grades) in a format; gives the number of rows.

    Battles are JSONL, or one JSON list where the path ends in `.json`; MT-bench is JSONL; Label Studio and Argilla are
    JSON, Label Studio with its labelling interface beside it (`.xml`). Raises UserError for an unknown format, and for
    opinions where grades are wanted.
    """
    if to == mt_bench.SINGLE:
        _require(frame, GRADES, path)
        return _rows(path, mt_bench.single_rows(frame))
    _require(frame, OPINIONS, path)
    match to:
        case battles.FORMAT:
            rows = list(battles.rows(frame))
            return _list(path, rows) if path.suffix.lower() == ".json" else _rows(path, rows)
        case mt_bench.PAIR:
            return _rows(path, mt_bench.pair_rows(frame))
        case label_studio.FORMAT:
            files.write_text(path.with_suffix(".xml"), label_studio.CONFIG)
            return _list(path, label_studio.tasks(frame))
        case argilla.FORMAT:
            return _list(path, argilla.records(frame))
    raise UserError(f"there is no format {to}; there are {', '.join(FORMATS)}")


def _require(frame: pl.DataFrame, columns: Iterable[str], path: Path) -> None:
    if not set(columns) <= set(frame.columns):
        raise UserError(f"this format holds {', '.join(columns)}, and these rows do not", where=path)


def _rows(path: Path, rows: Iterable[Any]) -> int:
    written = list(rows)
    files.write_rows(path, written)
    return len(written)


def _list(path: Path, rows: list[Any]) -> int:
    files.write_bytes(path, msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")
    return len(rows)
