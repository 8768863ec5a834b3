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

    Scores stand only where every dimension was read. Raises UserError with file and line for a row that is not one.
    """
    results: list[dict[str, Any]] = []
    for line, row in files.read_structs(path, Row):
        if not row.dimensions:
            raise UserError(
                'the row asks for nothing; give "dimensions" as [{"name", "low", "high"}]', where=path, line=line
            )
        what = read(row.reply, row.dimensions)
        scores = what.scores if what.why is None else None
        results.append({"scores": scores, "why": None if what.why is None else str(what.why)})
    return results
