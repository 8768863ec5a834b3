"""Claims in Markdown tables: one dimension a row, or one a column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from groundswell.ask.reading.claims import Claim, Firmness, Number, claim
from groundswell.ask.reading.labels import Labels
from groundswell.ask.reading.tokens import number_in

_RULE = re.compile(r"[\s|:+-]+")
_NUMBERING = re.compile(r"^\s*(?:\d{1,2}[.)]\s*(?=\D))?")
_REMARK = re.compile(r"\([^()]{0,60}\)")

Row = list[str]


def table_claims(lines: Sequence[str], labels: Labels) -> tuple[list[Claim], set[int]]:
    """Claims of all tables among the lines, and the numbers of the lines that gave one."""
    claims: list[Claim] = []
    used: set[int] = set()
    for start, rows in _tables(lines):
        found = _by_column(rows, labels) or _by_row(rows, labels)
        for row, index, number in found:
            claims.append(claim(labels.dimensions, index, number, Firmness.STATED, start + row))
            used.add(start + row)
    return claims, used


def _tables(lines: Sequence[str]) -> Iterator[tuple[int, list[Row]]]:
    start = 0
    rows: list[Row] = []
    for place, line in enumerate([*lines, ""]):
        if line.count("|") >= (2 if line.lstrip().startswith("|") else 1) and line.strip():
            if not rows:
                start = place
            rows.append([] if _RULE.fullmatch(line) else [cell.strip() for cell in line.strip().strip("|").split("|")])
        elif rows:
            yield start, rows
            rows = []


def _name(cell: str) -> str:
    return _REMARK.sub("", _NUMBERING.sub("", cell)).strip(" :")


def _by_column(rows: list[Row], labels: Labels) -> list[tuple[int, int, Number]]:
    """Header cells are dimensions, numbers stand below them."""
    columns = {column: index for column, cell in enumerate(rows[0]) if (index := labels.exact(_name(cell))) is not None}
    if labels.single and not columns:
        return []
    found = []
    for place, row in enumerate(rows[1:], start=1):
        for column, index in columns.items():
            if column < len(row) and (number := number_in(row[column], labels.yes_no)) is not None:
                found.append((place, index, number))
    if labels.single and len(found) > 1:
        whole = [one for one in found if labels.is_general(_name(rows[one[0]][0]))]
        return whole or found
    return found


def _by_row(rows: list[Row], labels: Labels) -> list[tuple[int, int, Number]]:
    """The first cell is a dimension; the score stands in the column that says so, or is the only number."""
    column = next((place for place, cell in enumerate(rows[0]) if place and labels.is_general(_name(cell))), None)
    found = []
    for place, row in enumerate(rows):
        index = labels.exact(_name(row[0])) if row else None
        if index is None:
            continue
        top = labels.dimensions[index].high
        cells = row[1:] if column is None else row[column : column + 1]
        numbers = [
            number
            for cell in cells
            if (number := number_in(cell, labels.yes_no)) is not None and not _is_scale(cell, top)
        ]
        if len(numbers) == 1:
            found.append((place, index, numbers[0]))
        elif numbers:
            found.append((place, index, Number(numbers[0].value, choice=True)))
    return found


def _is_scale(cell: str, top: float) -> bool:
    """Whether a cell says `1-5` for a scale that ends at 5."""
    ends = re.findall(r"\d+(?:\.\d+)?", cell)[:3]
    return len(ends) == 2 and float(ends[1]) == top and "/" not in cell
