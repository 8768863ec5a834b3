"""The site's JSON, for programs: stable names, documented in docs/site.md. It holds what the pages say, no more."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from groundswell.publish import wording
from groundswell.publish.board_view import BoardView, Row
from groundswell.publish.facts import Facts
from groundswell.records import Record

COLUMNS = (
    *("model", "rank_low", "rank_high", "rating", "low", "high", "win_rate", "games"),
    *("scored", "wanted", "refused", "failed", "usd_per_1000", "median_seconds", "unranked", "votes"),
)

VERSION = 1
"""Of these files; raised when a name changes its meaning or goes away."""


def write(facts: Facts, views: Sequence[BoardView], out: Path) -> None:
    """Write `api/` below `out`."""
    boards = [{"slug": view.slug, **_plain(view.board)} for view in views]
    for view, board in zip(views, boards, strict=True):
        _put(out, f"api/boards/{view.slug}.json", board)
        _text(out, f"api/boards/{view.slug}.csv", board_csv(view))
    for key in facts.samples:
        _put(out, f"api/samples/{key}.json", sample_json(facts, key))
    _put(
        out,
        "api/models.json",
        [
            {"name": model.name, "slug": model.slug, "key": model.endpoint_key, "marks": list(model.marks)}
            | ({} if model.endpoint is None else {"endpoint": _plain(model.endpoint)})
            for model in facts.models.values()
        ],
    )
    _put(
        out,
        "api/index.json",
        {
            "version": VERSION,
            "as_of": facts.snapshot.as_of,
            "boards": [{"slug": each["slug"], "name": each["name"], "modality": each["modality"]} for each in boards],
            "editions": [{"key": each.key, **_plain(each)} for each in facts.snapshot.editions],
            "samples": list(facts.samples),
        },
    )


def sample_json(facts: Facts, key: str) -> dict[str, Any]:
    """A sample with everything that came of it."""
    outcomes = facts.outcomes.get(key, ())
    return {
        "key": key,
        "sample": _plain(facts.samples[key]),
        "outcomes": [
            {"key": each, "model": facts.name_of(found.endpoint), **_plain(found)} for each, found in outcomes
        ],
        "verdicts": [
            {"key": each, **_plain(found)} for output, _ in outcomes for each, found in facts.verdicts.get(output, ())
        ],
        "measured": [
            {"key": each, **_plain(found)} for output, _ in outcomes for each, found in facts.measured.get(output, ())
        ],
    }


def board_csv(view: BoardView) -> str:
    """A board as CSV; no cell is a formula to a spreadsheet."""
    out = StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    intervals = {rating.model: rating for rating in view.board.ratings}
    for row in (*view.rows, *view.unranked):
        name = wording.csv_cell(wording.clean(row.model.name))
        table.writerow([name, *_cells(row, intervals.get(row.model.name)), wording.csv_cell(view.simulated or "")])
    return out.getvalue()


def _cells(row: Row, rating: Any) -> list[object]:
    rated = (
        (None,) * 5 if rating is None else (rating.rank_low, rating.rank_high, rating.rating, rating.low, rating.high)
    )
    why = None if row.why is None else wording.csv_cell(row.why)
    cells = (*rated, row.win_rate, row.games, row.scored, row.wanted, row.refused, row.failed, row.price, row.time, why)
    return ["" if cell is None else cell for cell in cells]


def _plain(record: Record) -> dict[str, Any]:
    """A record's fields with its kind, without those that only say how it is stored."""
    found: dict[str, Any] = msgspec.to_builtins(record)
    detail = found.get("detail")
    if isinstance(detail, dict):
        for name in ("histograms", "map"):  # up to 1,536 numbers a picture; they stand in the snapshot
            detail.pop(name, None)
    return found


def _put(out: Path, name: str, value: object) -> None:
    _text(out, name, msgspec.json.encode(value, order="sorted").decode() + "\n")


def _text(out: Path, name: str, text: str) -> None:
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
