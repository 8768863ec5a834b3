"""Decisions as one page that a person reads in a browser, each with the command that overrules it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader

from groundswell.files import write_text


def write_page(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the page: one section a decision, in the order given. Text of posts is escaped."""
    pages = Environment(loader=PackageLoader("groundswell.curate", "templates"), autoescape=True)
    shown = [{**row, "json": msgspec.json.format(msgspec.json.encode(row["answer"])).decode()} for row in rows]
    write_text(path, pages.get_template("review.html").render(rows=shown))
