"""Two editions of a suite beside each other: which samples came and went, and how every board moved.

Boards are made anew from the facts of the store, each on the samples of its edition; whether a difference is beyond
noise is known to `boards.movement`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundswell.boards.making import Fitted, counted
from groundswell.boards.movement import movement
from groundswell.config import SuiteSettings
from groundswell.editions.freezing import compared
from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace, editions
from groundswell.records import Edition

Name = tuple[str, str]
"""A board's name and modality."""


def compare(space: Workspace, suite: str, before: str, after: str) -> dict[str, Any]:
    """`{suite, before, after, came, went, stayed, boards, only_before, only_after}` of two editions by their labels.

    Withdrawn samples count by what is left of them. Raises UserError for a label that no edition of the suite has, or
    that several have.
    """
    old, new = _edition(space, suite, before), _edition(space, suite, after)
    counting = msgspec.structs.replace(space, store=space.store.with_withdrawn())
    fits_before, fits_after = _fits(counting, suite, old), _fits(counting, suite, new)
    samples = compared(old, new)
    return {
        "suite": suite,
        "before": _told(old),
        "after": _told(new),
        "came": list(samples.came),
        "went": list(samples.went),
        "stayed": len(samples.stayed),
        "boards": [
            msgspec.to_builtins(msgspec.structs.asdict(movement(fits_before[name], fitted)))
            for name, fitted in fits_after.items()
            if name in fits_before
        ],
        "only_before": sorted(name for name, _ in fits_before.keys() - fits_after.keys()),
        "only_after": sorted(name for name, _ in fits_after.keys() - fits_before.keys()),
    }


def _edition(space: Workspace, suite: str, label: str) -> Edition:
    known = [edition for edition in space.store.records(Edition) if edition.suite == suite]
    found = [edition for edition in known if edition.label == label]
    if len(found) == 1:
        return found[0]
    labels = ", ".join(dict.fromkeys(edition.label for edition in known)) or "none"
    why = "several editions have" if found else "no edition has"
    raise UserError(f"{why} the label {label} in the suite {suite}; there are: {labels}")


def _told(edition: Edition) -> dict[str, Any]:
    return {"label": edition.label, "edition": edition.key, "samples": len(edition.samples)}


def _fits(space: Workspace, suite: str, edition: Edition) -> Mapping[Name, Fitted]:
    """The boards of an edition, of judges and of people, with the votes that they were fitted from."""
    from groundswell.flow.arena import people_fits
    from groundswell.flow.panelling import panel_boards

    settings = next((each for each, _ in editions(space) if each.name == suite), None)
    settings = settings or SuiteSettings(name=suite, languages=edition.languages)
    fits = [
        Fitted(board=board, votes=counted(comparisons, {}))
        for board, comparisons in panel_boards(space, settings, edition)
        if comparisons
    ]
    fits += people_fits(space, frozenset(edition.samples))
    return {(fitted.board.name, fitted.board.modality): fitted for fitted in fits}
