"""Which format a file is in, by its content, and what it says: the one door to the readers of this room.

Our own files (rows with left, right and winner) are none of these formats.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from groundswell import files
from groundswell.errors import UserError
from groundswell.interchange import argilla, battles, inspect_logs, label_studio, mt_bench
from groundswell.interchange.bounded import document_bytes, is_archive
from groundswell.interchange.carried import Carried

HEAD = 4 << 20
"""Bytes of a JSON document within which its first row usually ends."""

NAMES = (battles.FORMAT, mt_bench.PAIR, mt_bench.SINGLE, inspect_logs.FORMAT, label_studio.FORMAT, argilla.FORMAT)
"""Formats that are known here."""


def recognise(path: Path) -> str | None:
    """The format of a file, None where it is none of these. Raises UserError where it cannot be read at all."""
    return _of_columns(path, columns_of(path))


def read(path: Path) -> Carried:
    """What a file in one of the formats says. Raises UserError with its place for every fault, and for another file."""
    columns = columns_of(path)
    match _of_columns(path, columns):
        case battles.FORMAT:
            return battles.read(path, columns)
        case mt_bench.PAIR | mt_bench.SINGLE:
            return mt_bench.read(path, columns)
        case inspect_logs.FORMAT:
            return inspect_logs.read(path)
        case label_studio.FORMAT:
            return label_studio.read(path)
        case argilla.FORMAT:
            return argilla.read(path)
    told = ", ".join(sorted(columns)[:12]) or "nothing that is known"
    raise UserError(f"this file is in none of the formats {', '.join(NAMES)}; its first row has {told}", where=path)


def read_folder(folder: Path) -> Carried:
    """The grades of all logs of inspect_ai in a folder: several models by one scorer, which can then be compared."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in {".eval", ".json"} and path.is_file())
    logs = [inspect_logs.read(path) for path in paths if recognise(path) == inspect_logs.FORMAT]
    if not logs:
        raise UserError("there is no log of inspect_ai in this folder", where=folder)
    return Carried(
        format=inspect_logs.FORMAT,
        frame=pl.concat([log.frame for log in logs]),
        graded=True,
        left_out=_summed(log.left_out for log in logs),
        lost=_summed(log.lost for log in logs),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def _of_columns(path: Path, columns: set[str]) -> str | None:
    if is_archive(path):
        return inspect_logs.FORMAT
    if battles.fits(columns):
        return battles.FORMAT
    if inspect_logs.fits(columns):
        return inspect_logs.FORMAT
    if label_studio.fits(columns):
        return label_studio.FORMAT
    if argilla.fits(columns):
        return argilla.FORMAT
    return mt_bench.fits(columns)


def columns_of(path: Path) -> set[str]:
    """The keys of the first row of a table, of JSONL or of a JSON list, or of a JSON object; empty for another file."""
    suffix = path.suffix.lower()
    if path.is_dir() or not path.exists() or path.stat().st_size == 0:
        files.read_bytes(path)
    if is_archive(path):
        return set()
    if suffix == ".parquet":
        try:
            return set(pl.read_parquet_schema(path))
        except (pl.exceptions.PolarsError, OSError):
            return set()
    if suffix in {".csv", ".tsv"}:
        _, line = next(files.lines(path))
        return {name.strip(' "') for name in line.decode(errors="replace").split("\t" if suffix == ".tsv" else ",")}
    first = _first_object(path)
    return set(first) if isinstance(first, dict) else set()


def _first_object(path: Path) -> Any:
    """The first row of JSONL or of a list, or the object of a document whose keys are asked for."""
    with path.open("rb") as stream:
        head = stream.read(HEAD).removeprefix(files.BOM).lstrip()
    if head.startswith(b"["):
        return _first_of_list(head, path)
    line = head.split(b"\n", 1)[0]
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        pass
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        return next(islice(files.read_rows(path), 1), (0, None))[1]
    data = document_bytes(path)
    try:
        return msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        pass
    try:  # logs of inspect_ai have NaN, which JSON does not know
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _first_of_list(head: bytes, path: Path) -> Any:
    decoder = json.JSONDecoder()
    for text in (head, None):
        whole = (document_bytes(path) if text is None else text).decode(errors="replace").lstrip()[1:].lstrip()
        try:
            return decoder.raw_decode(whole)[0]
        except (ValueError, RecursionError):
            continue
    return None
