"""Published results that a report shows beside a run, as data with their source (`history.json`).

They were made by other judges on other days: a history stands beside our numbers and is never mixed with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One published table."""

    suite: str
    title: str
    source: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]
    """Values by model in the order of `columns`; None = the source gives none."""
    note: str = ""

    def value(self, model: str, column: str) -> float | None:
        """One cell; None where the source has none. Raises KeyError for an unknown model."""
        return self.rows[model][self.columns.index(column)]


@cache
def tables(suite: str | None = None) -> tuple[Table, ...]:
    """The published tables of a suite, or all of them."""
    text = Path(__file__).with_name("history.json").read_bytes()
    found = msgspec.json.decode(text, type=tuple[Table, ...])
    return tuple(table for table in found if suite in (None, table.suite))
