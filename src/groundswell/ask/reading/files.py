"""Reading a file of replies: what `groundswell judge parse` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from groundswell import files
from groundswell.ask.reading.replies import read
from groundswell.errors import UserError
from groundswell.records import Dimension


class Row(msgspec.Struct, frozen=True):
    """One reply and the scales that were asked."""

    reply: str
    dimensions: tuple[Dimension, ...] = ()


def parse_file(path: str | Path) -> list[dict[str, Any]]:
    """For each row `{"reply", "dimensions"}` of a JSONL file, in order: `{"scores": {...} | None, "why": str | None}`.

    Scores stand only where every dimension was read; a row without dimensions has none to read. Raises UserError with
    file and line for a row that is not one, and for a file in which no row has dimensions.
    """
    rows = [row for _, row in files.read_structs(path, Row)]
    if not any(row.dimensions for row in rows):
        raise UserError('no row asks for anything; give "dimensions" as [{"name", "low", "high"}]', where=path)
    results: list[dict[str, Any]] = []
    for row in rows:
        if not row.dimensions:
            results.append({"scores": None, "why": "no dimensions were asked for"})
            continue
        what = read(row.reply, row.dimensions)
        scores = what.scores if what.why is None else None
        results.append({"scores": scores, "why": None if what.why is None else str(what.why)})
    return results
