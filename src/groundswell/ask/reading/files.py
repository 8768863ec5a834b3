"""Reading a file of replies: what `groundswell judge parse` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from groundswell import files
from groundswell.ask.reading.labels import folded
from groundswell.ask.reading.replies import read
from groundswell.errors import UserError
from groundswell.records import Dimension


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scale of a row."""

    name: str
    low: float
    high: float
    step: float | None = None
    weight: float | None = None


class Row(msgspec.Struct, frozen=True):
    """One reply and the scales that were asked."""

    reply: str
    dimensions: tuple[Asked, ...] = ()


def parse_file(path: str | Path) -> list[dict[str, Any]]:
    """For each row `{"reply", "dimensions"}` of a JSONL file, in order: `{"scores": {...} | None, "why": str | None}`.

    Scores stand only where every dimension was read; a row without dimensions has none to read. Raises UserError with
    file and line for a row that is not one, and for a file in which no row has dimensions.
    """
    rows = [(row.reply, _dimensions(row, path, line)) for line, row in files.read_structs(path, Row)]
    if not any(dimensions for _, dimensions in rows):
        raise UserError('no row asks for anything; give "dimensions" as [{"name", "low", "high"}]', where=path)
    results: list[dict[str, Any]] = []
    for reply, dimensions in rows:
        if not dimensions:
            results.append({"scores": None, "why": "no dimensions were asked for"})
            continue
        what = read(reply, dimensions)
        scores = what.scores if what.why is None else None
        results.append({"scores": scores, "why": None if what.why is None else str(what.why)})
    return results


def _dimensions(row: Row, path: str | Path, line: int) -> tuple[Dimension, ...]:
    """The scales of a row. Raises UserError for one that no number could lie on, or that nothing could name."""
    names: set[str] = set()
    for asked in row.dimensions:
        wrong = None
        if not folded(asked.name):
            wrong = "a dimension has no name; give it the word that the reply calls it by"
        elif folded(asked.name) in names:
            wrong = f"the dimension {asked.name} stands twice; give each its own name"
        elif asked.low >= asked.high:
            wrong = f"the scale of {asked.name} goes from {asked.low:g} to {asked.high:g}; low must be below high"
        elif asked.step is not None and not 0 < asked.step <= asked.high - asked.low:
            wrong = f"the step of {asked.name} is {asked.step:g}; leave it out, or let it lead from low to high"
        if wrong is not None:
            raise UserError(wrong, where=path, line=line)
        names.add(folded(asked.name))
    return tuple(Dimension(name=one.name, low=one.low, high=one.high, step=one.step) for one in row.dimensions)
