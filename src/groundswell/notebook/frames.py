"""Rows as people hold them in memory, in and out: polars, pandas and Arrow tables, lists and dicts.

pandas and pyarrow are used where the reader has them and are never needed. What a column means is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from groundswell.errors import UserError
from groundswell.publish.wording import clean

MOST_SHOWN = 20
"""Rows that a table shows of itself."""

WIDEST = 60
"""Characters of a cell that are shown."""


def frame_of(rows: Any) -> pl.DataFrame:
    """A polars frame of rows: a frame of polars or pandas, anything with Arrow's PyCapsule interface, a list of dicts,
    or a dict of lists. Raises UserError for anything else."""
    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, pl.LazyFrame):
        return rows.collect()
    if isinstance(rows, Table):
        return rows.to_polars()
    try:
        if _is_pandas(rows):
            return _of_pandas(rows)
        if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__"):
            return pl.DataFrame(rows)
        if isinstance(rows, Mapping):
            return pl.DataFrame(dict(rows), strict=False)
        if isinstance(rows, Iterable) and not isinstance(rows, str | bytes):
            return pl.DataFrame(list(rows), infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise UserError(f"these rows are no table ({str(error).splitlines()[0]})") from None
    raise UserError(f"rows are a data frame, an Arrow table, a list of dicts or a path, not {type(rows).__name__}")


def _is_pandas(rows: object) -> bool:
    return type(rows).__module__.partition(".")[0] == "pandas"


def _of_pandas(rows: Any) -> pl.DataFrame:
    """A pandas frame, without pyarrow too; its index is not a column, and NaN among texts is an absence."""
    if not rows.columns.is_unique:
        raise UserError("these rows have two columns of one name; rename one")
    columns = {str(name): [None if _is_nan(value) else value for value in rows[name].tolist()] for name in rows.columns}
    return pl.DataFrame(columns, strict=False)


def _is_nan(value: object) -> bool:
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in {"NAType", "NaTType"}
    )


class Table:
    """Rows that can be had as polars, pandas or Arrow, and show themselves in a notebook.

    It has Arrow's PyCapsule interface, so that `polars.DataFrame(table)`, `pyarrow.table(table)` and DuckDB read it.
    """

    def __init__(self, frame: pl.DataFrame, title: str = "") -> None:
        self._frame = frame
        self.title = title

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return self._frame.columns

    def __len__(self) -> int:
        return self._frame.height

    def to_polars(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        return self._frame

    def to_pandas(self) -> Any:
        """The rows as a pandas frame. Raises UserError where pandas is not installed."""
        try:
            import pandas as pd
        except ImportError:
            raise UserError("pandas is not installed; pip install pandas, or use to_polars()") from None
        return pd.DataFrame(self._frame.to_dict(as_series=False), columns=self._frame.columns)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow table. Raises UserError where pyarrow is not installed."""
        try:
            return self._frame.to_arrow()
        except ImportError:
            raise UserError("pyarrow is not installed; pip install pyarrow, or use to_polars()") from None

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return self._frame.to_dicts()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return text_of(self.title, self.columns, self._shown(), len(self))

    def _repr_html_(self) -> str:
        return html_of(self.title, self.columns, self._shown(), len(self))

    def _shown(self) -> list[tuple[Any, ...]]:
        return self._frame.head(MOST_SHOWN).rows()


def path_of(rows: object) -> Path | None:
    """The path that was given in place of rows; None where they are rows."""
    return Path(rows) if isinstance(rows, str | Path) else None


# --- showing ------------------------------------------------------------------------------------------------------


def text_of(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], count: int | None = None) -> str:
    """A table in columns, as a terminal shows it; strangers' text cannot steer the terminal."""
    cells = [list(columns), *([cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)] if columns else []
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    if columns:
        lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([*([clean(title)] if title else []), *lines, *_more(rows, count)])


def html_of(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], count: int | None = None) -> str:
    """The same as an HTML table; every text is escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell(value))}</td>" for value in row) + "</tr>" for row in rows)
    caption = f"<caption>{escape(clean(title))}</caption>" if title else ""
    more = "".join(f"<p>{line}</p>" for line in _more(rows, count))
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _more(rows: Sequence[Any], count: int | None) -> list[str]:
    return [f"and {count - len(rows)} more rows"] if count is not None and count > len(rows) else []


def cell(value: Any) -> str:
    """A value on one line: numbers with one decimal from 100 on, absence as an en dash, long texts cut."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}"
    text = " ".join(clean(str(value)).split())
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
