"""Rows of a table with pictures in its cells: Parquet files, a data set that `datasets` saved to disk, one of the Hub.

Rows are read in slices, because their pictures may not fit into memory together. What a column means is not known here.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from groundswell import files
from groundswell.errors import UserError
from groundswell.suites.sources import Options, file_bytes, named_file

SAVED = ("state.json", "dataset_dict.json")
"""What `datasets` writes into the folder of a data set, or of several splits, that it saves."""

HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")

FILES = frozenset({".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".txt"})

ROWS_AT_ONCE = 32

Row = Mapping[str, Any]
Placed = tuple[Path, int, Row]
"""A row with its file and its place in it, counted from 0."""


def is_saved(source: Path) -> bool:
    """Whether `datasets` saved this folder."""
    return any((source / name).exists() for name in SAVED)


def is_hub_id(source: str | Path) -> bool:
    """Whether this is `owner/name`: nothing that is here, and no file's name that was merely mistyped."""
    path = Path(source)
    named = HUB_ID.fullmatch(str(source)) is not None and path.suffix.lower() not in FILES
    return named and not path.exists() and not path.parent.exists()


def parquet_columns(path: Path) -> dict[str, Any]:
    """Names and types of a Parquet file's columns; empty where it is none."""
    import polars as pl

    try:
        return dict(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return {}


def parquet_rows(paths: Sequence[Path], columns: Iterable[str]) -> Iterator[Placed]:
    """Rows of Parquet files that have these columns. Raises UserError naming the file."""
    import polars as pl

    for path in paths:
        if path.is_dir() or not path.exists() or path.stat().st_size == 0:
            files.read_bytes(path)
        try:
            frame = pl.scan_parquet(path)
            files.require_columns(path, frame.collect_schema().names(), columns)
            if not frame.select(pl.len()).collect().item():
                raise UserError("this file has no rows", where=path)
            start = 0
            while (part := frame.slice(start, ROWS_AT_ONCE).collect()).height:
                yield from ((path, start + place, row) for place, row in enumerate(part.iter_rows(named=True)))
                start += part.height
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise UserError(f"cannot be read as Parquet ({str(error).splitlines()[0]})", where=path) from None


def saved(source: Path) -> Any:
    """The table that `datasets` saved in a folder: of several splits the first. Raises UserError."""
    return _opened(source, lambda datasets: datasets.load_from_disk(str(source)))


def of_hub(name: str, configuration: str | None = None) -> Any:
    """The table of a data set of the Hub (`owner/name`): its split `train`, or the first one. Raises UserError."""
    return _opened(Path(name), lambda datasets: datasets.load_dataset(name, configuration))


def _opened(where: Path, load: Callable[[Any], Any]) -> Any:
    try:
        import datasets
    except ImportError:
        raise UserError(
            "reading data sets of the Hub needs a package: pip install 'groundswell[exchange]'", where=where
        ) from None
    try:
        table = load(datasets)
    except (OSError, ValueError, RuntimeError) as error:
        raise UserError(
            f"nothing of that name is here, or the data set cannot be loaded ({str(error).splitlines()[0]})",
            where=where,
        ) from None
    return table.get("train", next(iter(table.values()))) if isinstance(table, dict) else table


def dataset_rows(where: Path, table: Any, columns: Iterable[str]) -> Iterator[Placed]:
    """Rows of a table of the package `datasets`, its pictures left as the bytes that they are."""
    import datasets

    files.require_columns(where, table.column_names, columns)
    for name, kind in table.features.items():
        if isinstance(kind, datasets.Image):
            table = table.cast_column(name, datasets.Image(decode=False))
        elif isinstance(getattr(kind, "feature", None), datasets.Image):
            table = table.cast_column(name, datasets.List(datasets.Image(decode=False)))
    yield from ((where, place, row) for place, row in enumerate(table))


def picture_bytes(cell: Any, options: Options, path: Path, where: str) -> bytes:
    """Bytes of a picture as a struct {bytes, path}, as raw bytes, or as base64 with or without a data: prefix."""
    if isinstance(cell, Mapping):
        data, name = cell.get("bytes"), cell.get("path")
        if data is None and name:
            folder = path if path.is_dir() else path.parent
            return file_bytes(named_file(str(name), folder, options, path, where), path, where)
        cell = data
    if isinstance(cell, bytes):
        return cell
    if isinstance(cell, str):
        try:
            return base64.b64decode(re.sub(r"^data:[^,]*,|\s", "", cell), validate=True)
        except binascii.Error:
            pass
    raise UserError(f"{where}: a source picture is neither bytes nor base64 nor a struct of bytes and path", where=path)
