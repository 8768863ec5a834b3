"""What the facts of a workspace say: boards, the snapshot and site, and the way from a number home."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groundswell.config import SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace, editions
from groundswell.records import Board, Comparison, Edition, Measured, Sample, Vote, WithdrawnSample


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A board with the comparisons that it was made of."""

    board: Board
    comparisons: tuple[Comparison, ...]
    edition: Edition


def standings(space: Workspace) -> list[Standing]:
    """The boards of every edition, one for each modality that has comparisons, and those of people's votes.

    Withdrawn material counts by the verdicts that are left of it, and every board says how much of it there is.
    """
    counting = msgspec.structs.replace(space, store=space.store.with_withdrawn())
    found = [standing for suite, edition in editions(counting) for standing in _of_judges(counting, suite, edition)]
    found += _of_people(counting)
    withdrawn = {each.key: each.task for each in counting.store.records(WithdrawnSample)}
    return [_with_withdrawn(each, withdrawn) for each in found] if withdrawn else found


def _with_withdrawn(standing: Standing, tasks: Mapping[str, str]) -> Standing:
    """Say on a board how many of its comparisons are about withdrawn samples (`tasks` by key)."""
    board = standing.board
    samples = [each.sample for each in standing.comparisons if tasks.get(each.sample) == board.modality]
    if not samples:
        return standing
    said = {"samples": len(set(samples)), "comparisons": len(samples)}
    return msgspec.structs.replace(
        standing, board=msgspec.structs.replace(board, method={**board.method, "withdrawn": said})
    )


def _of_people(space: Workspace) -> list[Standing]:
    """Boards of votes, over all editions; each is shown with the edition that most of its samples stand in."""
    from groundswell.flow.arena import arena_boards

    votes = tuple(space.store.records(Vote))
    if not votes or not (boards := arena_boards(space)):
        return []
    voted = Counter(vote.sample for vote in votes)
    everywhere = [edition for _, edition in editions(space)]
    edition = max(everywhere, key=lambda each: sum(voted[key] for key in each.samples))
    return [Standing(board=board, comparisons=votes, edition=edition) for board in boards]


def _of_judges(space: Workspace, suite: SuiteSettings, edition: Edition) -> list[Standing]:
    from groundswell.flow.panelling import panel_boards

    return [
        Standing(board=board, comparisons=comparisons, edition=edition)
        for board, comparisons in panel_boards(space, suite, edition)
    ]


def board_data(board: Board) -> dict[str, Any]:
    """A board as the command line prints it."""
    data: dict[str, Any] = msgspec.to_builtins(msgspec.structs.asdict(board))
    data["ratings"] = [{**msgspec.structs.asdict(row)} for row in board.ratings]
    data["unranked"] = [{**msgspec.structs.asdict(row)} for row in board.unranked]
    return data


def publish(space: Workspace, found: Sequence[Standing]) -> Path:
    """Write the snapshot of the boards and the site made of it; gives the site's folder. The boards are kept, so that
    `replay` can prove them."""
    from groundswell.publish import site

    folder = space.config.folder
    space.store.put(standing.board for standing in found)
    site.build(_snapshot(space, found), folder / "site")
    return folder / "site"


def report(space: Workspace) -> tuple[Path, Path]:
    """Write the snapshot and one self-contained page and a Markdown table of it; gives their paths."""
    from groundswell.publish import report as reports

    return reports.build(_snapshot(space, standings(space)), space.config.folder / "report")


def _snapshot(space: Workspace, found: Sequence[Standing]) -> Path:
    from groundswell.flow.sidelights import sidelights
    from groundswell.publish import snapshot

    all_editions = {standing.edition.key: standing.edition for standing in found}
    comparisons = [comparison for standing in found for comparison in standing.comparisons]
    beside = sidelights(space, {edition.suite for edition in all_editions.values()})
    facts = snapshot.collect(
        space.store, [standing.board for standing in found], list(all_editions.values()), comparisons, beside
    )
    snapshot.write(facts, space.blobs, space.config.folder / "snapshot")
    return space.config.folder / "snapshot"


def explain(space: Workspace, name: str, model: str, sample: str | None) -> dict[str, Any]:
    """The way from a model's number on a board, or from its mean in a metric, to the raw replies, outputs and posts."""
    from groundswell.publish.explain import explain as follow
    from groundswell.publish.explain import explain_metric

    blobs, store = space.config.place(space.config.file.workspace.blobs), space.store.with_withdrawn()
    found = standings(space)
    if not _of(found, name) and any(each.metric == name for each in store.records(Measured)):
        followed = explain_metric(store, name, model, sample, blobs=blobs)
    else:
        standing = _named(found, name)
        counted = _counted(space, standing)
        followed = follow(store, standing.board, model, sample, comparisons=counted, blobs=blobs)
    stones = {each["key"]: each for each in space.store.tombstones()}
    for end in (followed.get("sample", {}), *followed.get("posts", ())):
        if (stone := stones.get(end.get("key", ""))) is not None:
            end |= {"gone": True, "withdrawn": {"time": stone["time"], "why": stone["why"]}}
    return followed


def comparisons_of(space: Workspace, name: str) -> Sequence[Comparison]:
    """The comparisons that count on a board. Raises UserError where there is none of that name."""
    return _counted(space, _named(standings(space), name))


def _counted(space: Workspace, standing: Standing) -> Sequence[Comparison]:
    """The comparisons that count on a board; of a slice of votes (`arena-edit/style=photo`), those of the slice."""
    from groundswell.flow.arena import kept_votes
    from groundswell.publish.facts import SLICING, slice_values

    board = standing.board
    if not (standing.comparisons and isinstance(standing.comparisons[0], Vote)):
        return standing.comparisons
    votes = kept_votes(space, board.modality)
    tag, _, value = board.name.partition("/")[2].partition("=")
    if tag not in SLICING:
        return votes
    inside = {sample.key for sample in space.store.records(Sample) if value in slice_values(sample, tag)}
    return [vote for vote in votes if vote.sample in inside]


def _of(found: Sequence[Standing], name: str) -> list[Standing]:
    return [each for each in found if name in (each.board.name, f"{each.board.name}/{each.board.modality}")]


def _named(found: Sequence[Standing], name: str) -> Standing:
    if named := _of(found, name):
        return named[0]
    known = ", ".join(each.board.name for each in found) or "none yet; groundswell run"
    raise UserError(f"there is no board {name}; there are: {known}")
