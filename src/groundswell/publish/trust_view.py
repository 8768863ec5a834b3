"""How far judges can be trusted: report cards, agreement with people and among themselves, preferences, and the
boards without them.

All numbers come from the boards and the report cards; here they are put on scales beside each other. A preference or
an agreement without an interval is shown as a dot alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from groundswell.publish import figures, wording
from groundswell.publish.board_view import MODALITIES, board_slug
from groundswell.publish.facts import Facts
from groundswell.publish.figures import Scale
from groundswell.publish.sidelights import Card, Finding
from groundswell.records import Board

PLANTS: Final = {
    "baseline": "A blank or noisy picture must lose to a real output",
    "copy": "The input given back must fail as an edit",
    "swap": "Another sample’s output must lose",
    "degraded": "The same output, visibly degraded, must cost",
    "repeat": "The same question twice must agree",
    "order": "Both orders of a pair must agree",
    "instruction": "Instructions planted in prompt, picture or answer must not move the grade",
}
"""What each kind of planted case asks of a judge."""

MEASURES: Final = {
    "tau_b": ("Kendall’s tau-b", "order of the outputs of one sample; 0 is chance", -1.0),
    "accuracy": ("Accuracy", "votes whose winner the judge named, ties apart", 0.0),
    "accuracy_decisive": ("Accuracy where both decided", "votes and verdicts that name a winner; half is chance", 0.0),
    "alpha": ("Krippendorff’s alpha", "left, right or tie; 0 is chance", -1.0),
    "spearman": ("Spearman", "of the outputs’ mean points within their sample", -1.0),
}
"""Name, what it says, and the low end of its scale."""

BIASES: Final = {
    "self-preference": "points that models of its own family get above what the other judges give them",
    "position": "points above one half that the output shown first gets",
    "length": "points that the longer answer gets above what the other judges give it",
}

PARTS: Final = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
SIGNED: Final = Scale(-1.0, 1.0, (-1.0, -0.5, 0.0, 0.5, 1.0))

LOOK: Final = (0, 0, False)
"""Colour, shape and filling of marks that stand for judges and not for models."""


def card(facts: Facts, judge: str) -> dict[str, Any] | None:
    """The report card of a judge with its kinds drawn; None where it was not examined."""
    found = facts.judge(judge).card
    if found is None:
        return None
    return {
        "card": found,
        "day": None if found.time is None else found.time[:10],
        "axis": figures.axis(PARTS, share=True),
        "rows": [_finding(each) for each in found.findings],
        "not_tried": [(plant, PLANTS.get(plant, "")) for plant in found.not_tried],
        "sentence": _sentence(found),
    }


def _finding(found: Finding) -> dict[str, Any]:
    interval = None if found.low is None or found.high is None else (found.low, found.high)
    said = f"{found.against} of {found.cases} against it"
    dial: Markup | None = None
    if found.rate is not None:
        dial = figures.whisker(PARTS, found.rate, interval, LOOK, label=f"{found.plant}: {said}", rule=found.may)
    return {"finding": found, "what": PLANTS.get(found.plant, ""), "dial": dial, "said": said}


def _sentence(found: Card) -> str:
    failed = [each.plant for each in found.findings if each.mark == "failed"]
    match found.mark:
        case "passed":
            return "It passed every kind of case."
        case "failed":
            return f"It failed {', '.join(failed)}."
        case _:
            return "It failed nothing, but not every kind could be told from noise."


def people(facts: Facts, judge: str | None = None) -> list[dict[str, Any]]:
    """By board that was compared with people's votes: each measure of agreement with every judge on one scale."""
    answer = []
    for board in facts.snapshot.boards:
        told: Any = board.calibration
        rows = [row for row in (told or {}).get("judges", ()) if judge in (None, row["judge"])]
        if rows:
            answer.append(
                {
                    "board": board,
                    "slug": board_slug(board),
                    "modality": MODALITIES.get(board.modality, board.modality),
                    "measures": _measures(rows),
                    "votes": rows[0]["votes"],
                    "people": told.get("people") or {},
                    "slices": _slices(told, judge),
                }
            )
    return answer


def _measures(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    answer = []
    for key, (name, what, low) in MEASURES.items():
        scale = PARTS if low == 0 else SIGNED
        cells = [{"judge": row["judge"], **_estimate(scale, row, key, row["judge"])} for row in rows]
        if any(cell["value"] is not None for cell in cells):
            answer.append({"name": name, "what": what, "axis": figures.axis(scale), "cells": cells})
    return answer


def _estimate(scale: Scale, row: Mapping[str, Any], key: str, label: str) -> dict[str, Any]:
    value, ends = row.get(key), row.get(f"{key}_interval")
    if value is None:
        return {"value": None, "interval": None, "dial": None}
    interval = None if ends is None else (float(ends[0]), float(ends[1]))
    zero = 0.0 if scale is SIGNED else None
    dial = figures.whisker(scale, float(value), interval, LOOK, label=wording.clean(f"{label}: {value:.2f}"), rule=zero)
    return {"value": value, "interval": interval, "dial": dial}


def _slices(told: Mapping[str, Any], judge: str | None) -> list[dict[str, Any]]:
    """tau-b by slice; only slices with enough votes are in a calibration."""
    return [
        {
            "tag": tag,
            "rows": [
                {"value": value, "votes": found["votes"], "judge": row["judge"], "tau": row.get("tau_b"),
                 "dial": _estimate(SIGNED, row, "tau_b", f"{value}, {row['judge']}")["dial"]}
                for value, found in values.items()
                for row in found["judges"]
                if judge in (None, row["judge"])
            ],
        }
        for tag, values in (told.get("slices") or {}).items()
    ]  # fmt: skip


def biases(facts: Facts, judge: str | None = None) -> list[dict[str, Any]]:
    """By board, the preferences of its judges with their intervals about 0; those that are surely there are flagged."""
    answer = []
    for board in facts.snapshot.boards:
        told = [row for row in _panel(board).get("bias", ()) if judge in (None, row["judge"])]
        if not told:
            continue
        ends = [abs(end) for row in told for end in row["excess"].values() if isinstance(end, int | float)]
        reach = max(0.1, *ends) if ends else 0.1
        scale = figures.scale_of([-reach, 0.0, reach])
        rows = [_bias(scale, row) for row in told]
        answer.append(
            {
                "board": board,
                "slug": board_slug(board),
                "modality": MODALITIES.get(board.modality, board.modality),
                "axis": figures.axis(scale),
                "rows": rows,
            }
        )
    return answer


def _bias(scale: Scale, row: Mapping[str, Any]) -> dict[str, Any]:
    excess = row["excess"]
    value, low, high = excess["value"], excess.get("low"), excess.get("high")
    label = wording.clean(f"{row['judge']}, {row['kind']}: {wording.short(value)}")
    interval = None if low is None or high is None else (low, high)
    dial = None if value is None else figures.whisker(scale, value, interval, LOOK, label=label, rule=0.0)
    return {**row, "value": value, "low": low, "high": high, "dial": dial, "what": BIASES.get(row["kind"], "")}


def panels(facts: Facts) -> list[dict[str, Any]]:
    """By board of several judges: their agreement with each other, flips, and the ranks without each of them."""
    answer = []
    for board in facts.snapshot.boards:
        told = _panel(board)
        agreement = [_alike(row) for row in told.get("agreement", ())]
        without = _without(facts, board, told)
        flips = [(name, row) for name, row in sorted((told.get("flips") or {}).items())]
        if agreement or without["columns"] or flips:
            answer.append({"board": board, "slug": board_slug(board),
                    "modality": MODALITIES.get(board.modality, board.modality), "agreement": agreement, "flips": flips,
                           "axis": figures.axis(PARTS, share=True), "without": without})  # fmt: skip
    return answer


def _alike(row: Mapping[str, Any]) -> dict[str, Any]:
    same = row["same"]
    interval = None if same.get("low") is None or same.get("high") is None else (same["low"], same["high"])
    label = wording.clean(f"{row['one']} and {row['other']}: {wording.percent(same['value'])} alike")
    dial = None if same["value"] is None else figures.whisker(PARTS, same["value"], interval, LOOK, label=label)
    return {**row, "value": same["value"], "dial": dial}


def _without(facts: Facts, board: Board, told: Mapping[str, Any]) -> dict[str, Any]:
    """Ranks of the board's models as they are, and without each judge and each family's judges."""
    boards = {f"without {name}": rows for name, rows in (told.get("without_judge") or {}).items()}
    boards |= {f"without judges by {name}": rows for name, rows in (told.get("without_family") or {}).items()}
    ranks = {name: {row["model"]: (row["rank_low"], row["rank_high"]) for row in rows} for name, rows in boards.items()}
    rows = []
    for rating in board.ratings:
        own = (rating.rank_low, rating.rank_high)
        cells = [ranks[name].get(rating.model) for name in boards]
        shown = [(wording.NONE if cell is None else wording.ranks(*cell), cell not in (None, own)) for cell in cells]
        rows.append({"model": facts.models[rating.model], "rank": wording.ranks(*own), "cells": shown})
    return {"columns": list(boards), "rows": rows if boards else []}


def _panel(board: Board) -> Mapping[str, Any]:
    found: Any = board.method.get("panel")
    return found or {}
