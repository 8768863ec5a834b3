"""From one edition of a suite to the next: which prompts came and went, and how the boards moved.

The differences and their intervals were computed before; here they are put on one scale, beside where each model
stood.
"""

from __future__ import annotations

from typing import Any, Final

from groundswell.publish import figures, wording
from groundswell.publish.facts import GREY, Facts
from groundswell.publish.figures import Scale
from groundswell.publish.sidelights import BoardMove, Change, Moved, Place

LISTED: Final = 100
"""Prompts that came, or went, that are listed; more are counted."""


def change(facts: Facts, found: Change) -> dict[str, Any]:
    """One step from edition to edition as the page shows it."""
    return {
        "change": found,
        "prompts": [
            (name, many[:LISTED], max(0, len(many) - LISTED))
            for name, many in (("came", found.came), ("went", found.went))
        ],
        "boards": [_board(facts, board) for board in found.boards],
    }


def _board(facts: Facts, board: BoardMove) -> dict[str, Any]:
    ends = [end for row in board.models for end in (row.low, row.difference, row.high) if end is not None]
    scale = figures.scale_of([*ends, 0.0])
    return {"board": board, "axis": figures.axis(scale), "rows": [_row(facts, scale, row) for row in board.models]}


def _row(facts: Facts, scale: Scale, row: Moved) -> dict[str, Any]:
    model = facts.models.get(row.model)
    look = (GREY, 0, False) if model is None else (model.colour, model.shape, model.baseline)
    dial = None
    if row.difference is not None:
        interval = None if row.low is None or row.high is None else (row.low, row.high)
        label = wording.clean(f"{row.model}: {wording.signed(row.difference)} points")
        dial = figures.whisker(scale, row.difference, interval, look, label=label, rule=0.0)
    return {
        "row": row,
        "model": model,
        "before": _stood(row.before),
        "after": _stood(row.after),
        "dial": dial,
        "said": {True: "moved", False: "within noise", None: row.why or "cannot be said"}[row.moved],
    }


def _stood(place: Place | None) -> tuple[str, str] | None:
    """Rank range and rating, in words."""
    return None if place is None else (wording.ranks(place.rank_low, place.rank_high), wording.number(place.rating))
