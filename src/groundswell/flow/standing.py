"""What the facts of a workspace say: boards, the snapshot and site, and the way from a number home."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from groundswell.config import SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace, editions
from groundswell.generate.reference import is_reference
from groundswell.records import Board, Comparison, Edition, Endpoint, Outcome, Rubric, Sample, Verdict


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A board with the comparisons that it was made of."""

    board: Board
    comparisons: tuple[Comparison, ...]
    edition: Edition


def standings(space: Workspace) -> list[Standing]:
    """The boards of every edition, one for each modality that has comparisons."""
    return [standing for suite, edition in editions(space) for standing in _of_edition(space, suite, edition)]


def _of_edition(space: Workspace, suite: SuiteSettings, edition: Edition) -> list[Standing]:
    from groundswell.judge.grades import grades_of
    from groundswell.judge.stage import samples_of
    from groundswell.suites.asking import arithmetic_of

    store = space.store
    samples = samples_of(edition, store)
    models = {each.key: each.name for each in store.records(Endpoint) if not is_reference(each)}
    rubrics = {rubric.key: rubric for rubric in store.records(Rubric)}
    verdicts = [verdict for verdict in store.records(Verdict) if _counts(space, verdict)]
    found = []
    for task in sorted({sample.task for sample in samples.values()}):
        of_task = {key: sample for key, sample in samples.items() if sample.task == task}
        graded = grades_of(
            of_task, store.records(Outcome), verdicts, rubrics, models, arithmetic=arithmetic_of(suite.name)
        )
        if (standing := _standing(space, edition, task, of_task, graded)) is not None:
            found.append(standing)
    return found


def _counts(space: Workspace, verdict: Verdict) -> bool:
    """Verdicts of judges that are no longer on the panel stay in the store and off the boards."""
    panel = space.config.file.panel
    if verdict.judge == "checks":
        return panel.checks
    return verdict.judge.split("@")[0] in panel.judges


def _standing(
    space: Workspace, edition: Edition, task: str, samples: dict[str, Sample], graded: Any
) -> Standing | None:
    from groundswell.boards import board_from
    from groundswell.judge.panel import pairs

    quorum = space.config.file.panel.quorum
    found = pairs(graded.grades, quorum=quorum)
    if not found.comparisons:
        return None
    board = board_from(
        found.comparisons, name=edition.suite, modality=task, edition=edition.label, left_out=found.left_out
    )
    judges = sorted({grade.judge for grade in graded.grades})
    method = {
        **board.method,
        "judges": judges,
        "quorum": quorum,
        "samples": len(samples),
        "comparisons": "majority of the judges' verdicts on each pair of outputs of a sample; equal grades are a tie",
        "calibration": "uncalibrated: nobody has compared these judges with people",
    }
    board = msgspec.structs.replace(board, coverage=graded.coverage, method=method)
    return Standing(board=board, comparisons=found.comparisons, edition=edition)


def board_data(board: Board) -> dict[str, Any]:
    """A board as the command line prints it."""
    data: dict[str, Any] = msgspec.to_builtins(msgspec.structs.asdict(board))
    data["ratings"] = [{**msgspec.structs.asdict(row)} for row in board.ratings]
    data["unranked"] = [{**msgspec.structs.asdict(row)} for row in board.unranked]
    return data


def publish(space: Workspace, found: Sequence[Standing]) -> Path:
    """Write the snapshot of the boards and the site made of it; gives the site's folder."""
    from groundswell.publish import site

    folder = space.config.folder
    site.build(_snapshot(space, found), folder / "site")
    return folder / "site"


def report(space: Workspace) -> tuple[Path, Path]:
    """Write the snapshot and one self-contained page and a Markdown table of it; gives their paths."""
    from groundswell.publish import report as reports

    return reports.build(_snapshot(space, standings(space)), space.config.folder / "report")


def _snapshot(space: Workspace, found: Sequence[Standing]) -> Path:
    from groundswell.publish import snapshot

    all_editions = {standing.edition.key: standing.edition for standing in found}
    comparisons = [comparison for standing in found for comparison in standing.comparisons]
    facts = snapshot.collect(
        space.store, [standing.board for standing in found], list(all_editions.values()), comparisons
    )
    snapshot.write(facts, space.blobs, space.config.folder / "snapshot")
    return space.config.folder / "snapshot"


def explain(space: Workspace, name: str, model: str, sample: str | None) -> dict[str, Any]:
    """The way from a model's number on a board to the raw replies, outputs and posts."""
    from groundswell.publish.explain import explain as follow

    found = standings(space)
    standing = next(
        (each for each in found if name in (each.board.name, f"{each.board.name}/{each.board.modality}")), None
    )
    if standing is None:
        known = ", ".join(each.board.name for each in found) or "none yet; groundswell run"
        raise UserError(f"there is no board {name}; there are: {known}")
    followed: dict[str, Any] = follow(space.store, standing.board, model, sample, comparisons=standing.comparisons)
    return followed
