"""The demo: a workspace that needs no key, run to its board and its site."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from groundswell.config import FILE_NAME
from groundswell.flow.running import RunOptions, run, totals
from groundswell.flow.standing import board_data, publish, standings
from groundswell.flow.workspace import initialise, workspace
from groundswell.work.engine import Tally


def demo(folder: Path, observe: Callable[[Tally], None] | None) -> dict[str, Any]:
    """Make the demo's workspace if there is none, do what is missing, and give its boards and the place of its site."""
    if not (folder / FILE_NAME).exists():
        initialise(folder, "demo")
    with workspace(folder) as space:
        tallies = run(space, RunOptions(), observe)
        found = standings(space)
        page = folder / "site" / "index.html"
        did = sum(tally.ended for tally in tallies)
        if did or not page.exists():
            publish(space, found)
        data = totals(space)
    finished = sum(sum(stage.values()) - stage["missing"] for stage in data["stages"].values())
    return {
        **data,
        "nothing_to_do": not did,
        "units": finished,
        "boards": [board_data(standing.board) for standing in found],
        "site": str(page),
    }
