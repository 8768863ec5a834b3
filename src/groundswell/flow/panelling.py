"""The boards of judges: from the verdicts in the store to ratings, with everything that makes them doubtful.

Beside its ratings a board carries how often its judges flipped, agreed and favoured, what it would be without each of
them, whether they passed their report card, and how far they agree with people.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from groundswell import __version__
from groundswell.config import SuiteSettings
from groundswell.flow.judging import warnings
from groundswell.flow.measuring import measured_of
from groundswell.flow.verdicts import Bench, benches
from groundswell.flow.workspace import Workspace
from groundswell.records import (
    Board,
    Comparison,
    Decision,
    Edition,
    Endpoint,
    Output,
    Rubric,
    Vote,
    WithdrawnOutput,
)

if TYPE_CHECKING:
    from groundswell.judge.panel import Pairs
    from groundswell.judge.snapshots import Served

CARD = "report card"
"""The question of a Decision that keeps a judge's card; its subject is the judge."""

SELECTION = "adaptive selection"
"""The question of a Decision that logs one round of adaptive judging; its subject is the edition."""

UNJUDGED = "no judge has said anything of it yet; [panel] names the judges"


def panel_boards(
    space: Workspace, suite: SuiteSettings, edition: Edition
) -> Iterator[tuple[Board, tuple[Comparison, ...]]]:
    """The boards of an edition, one for each modality that has comparisons, each with these comparisons."""
    for task, bench in benches(space, suite, edition):
        if (found := _board(space, edition, task, bench)) is not None:
            yield found


def _without_comparisons(
    space: Workspace, edition: Edition, task: str, bench: Bench
) -> tuple[Board, tuple[Comparison, ...]] | None:
    """A board that ranks nobody and says what there is: silence of the judges must not look like nothing to see."""
    coverage = _coverage(space, bench)
    if len(coverage) < 2:
        return None
    method = {
        "quorum": space.config.file.panel.quorum,
        "samples": len(bench.samples),
        "why": "no two outputs of a sample have grades of enough judges" if any(bench.said.values()) else UNJUDGED,
    }
    board = Board(name=edition.suite, modality=task, edition=edition.label, coverage=coverage, method=method)
    return board, ()


def _board(space: Workspace, edition: Edition, task: str, bench: Bench) -> tuple[Board, tuple[Comparison, ...]] | None:
    from groundswell.boards import RankOptions, board_from, without_own
    from groundswell.judge.leave_out import judges_of
    from groundswell.judge.panel import decided

    quorum = space.config.file.panel.quorum
    found = decided(bench.said, quorum=quorum)
    if not found.comparisons:
        return _without_comparisons(space, edition, task, bench)
    left_out = {**found.left_out, **bench.compared.left_out, **bench.served.left_out}
    board = board_from(found.comparisons, name=edition.suite, modality=task, edition=edition.label, left_out=left_out)
    judges = judges_of(bench.said)
    calibration, coverage = _calibration(space, bench, found), _coverage(space, bench)
    cards = _cards(space, judges)
    method = {
        **board.method,
        "judges": judges,
        "quorum": quorum,
        "samples": len(bench.samples),
        "versions": _versions(space, bench, coverage),
        "comparisons": "majority of the judges' verdicts on each pair of outputs of a sample; equal grades are a tie",
        "selection": _selection(space, edition),
        "calibration": _calibrated(calibration),
        "panel": {**_trust(space, bench, quorum), "cards": cards},
        "warnings": [*board.method.get("warnings", ()), *_warnings(space, judges, cards, bench.served)],
    }
    about = {key: sample.about for key, sample in bench.samples.items() if sample.about is not None}
    if own := without_own(found.comparisons, about, RankOptions()):
        method["without_own"] = own
    board = msgspec.structs.replace(board, coverage=coverage, method=method, calibration=calibration)
    return board, found.comparisons


def _versions(space: Workspace, bench: Bench, coverage: Mapping[str, Any]) -> dict[str, Any]:
    """By what the numbers were computed: Groundswell, rubrics and metrics; judges carry their own in their names."""
    used = {verdict.rubric for verdict in bench.served.verdicts}
    rubrics = {
        f"{each.name}@{each.key[:8]}": each.rules.get("version")
        for each in space.store.records(Rubric)
        if each.key in used
    }
    measured = [row for counts in coverage.values() for row in counts.get("measured", ())]
    metrics = {(row["metric"], row["backend"]): row["version"] for row in measured}
    return {
        "groundswell": __version__,
        "rubrics": dict(sorted(rubrics.items())),
        "metrics": [
            {"metric": metric, "backend": backend, "version": version}
            for (metric, backend), version in sorted(metrics.items())
        ],
    }


def _coverage(space: Workspace, bench: Bench) -> dict[str, dict[str, Any]]:
    """By model what was wanted, scored, refused and failed, and what was measured of its outputs."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in measured_of(space, bench.samples):
        rows[row["model"]].append(row)
    return {
        model: {**counts, "measured": rows[model]} if model in rows else dict(counts)
        for model, counts in bench.graded.coverage.items()
    }


def _trust(space: Workspace, bench: Bench, quorum: int) -> dict[str, Any]:
    """What a reader needs to trust or doubt the judges: agreement, preferences, flips, and the board without them."""
    from groundswell.judge import leave_out
    from groundswell.judge.bias import length_bias, position_bias, self_preference

    named = {judge.name: judge.family for judge in space.config.file.judge}
    judges = {judge: named.get(judge.partition("@")[0]) for judge in leave_out.judges_of(bench.said)}
    models = {each.name: each.family for each in space.store.records(Endpoint)}
    outputs = (output for output in space.store.records(Output) if output.sample in bench.samples)
    lengths = {output.key: length for output in outputs if (length := _length(output)) is not None}
    biases = self_preference(bench.said, judges, models) + position_bias(bench.duels)
    biases += length_bias(bench.said, lengths) if lengths else []
    return {
        "agreement": [msgspec.to_builtins(each) for each in leave_out.agreements(bench.said)],
        "bias": [{**msgspec.to_builtins(each), "flagged": each.flagged} for each in biases],
        "flips": {
            judge: {"flipped": flipped, "pairs": read, "rate": flipped / read}
            for judge, (flipped, read) in bench.compared.flips.items()
        },
        "served_models": dict(bench.served.models),
        "without_judge": _ranked(leave_out.leave_one_out(bench.said, quorum=quorum)),
        "without_family": _ranked(leave_out.leave_family_out(bench.said, judges, models, quorum=quorum)),
    }


def _length(output: Output) -> int | None:
    """Characters of an output's text; None for pictures."""
    if isinstance(output, WithdrawnOutput):
        return output.characters
    return None if output.text is None else len(output.text)


def _ranked(boards: Mapping[str, Pairs]) -> dict[str, list[dict[str, Any]]]:
    """Ranks and ratings of other panels' comparisons, by what was left out of the panel."""
    from groundswell.boards import board_from

    columns = ("model", "rating", "low", "high", "rank", "rank_low", "rank_high")
    made = {name: board_from(each.comparisons, name=name, modality="") for name, each in boards.items()}
    return {
        name: [{column: getattr(row, column) for column in columns} for row in board.ratings]
        for name, board in made.items()
    }


def _calibration(space: Workspace, bench: Bench, found: Pairs) -> dict[str, Any] | None:
    """How far each judge, and the panel, agree with the people who voted on these outputs; None where nobody did."""
    from groundswell.boards.agreement import Opinion, opinions_of
    from groundswell.boards.calibration import calibrate
    from groundswell.flow.arena import DECOYS, flagged
    from groundswell.vote.voters import is_expert, is_simulated

    voted = (vote for vote in space.store.records(Vote) if vote.sample in bench.samples)
    cast = [vote for vote in voted if not is_simulated(vote) and not is_expert(vote)]
    real = [vote for vote in cast if not DECOYS & {vote.left, vote.right}]
    if not real:
        return None
    flags = flagged(space, list(space.store.records(Vote)))
    people = opinions_of(vote for vote in real if vote.key not in flags)
    judged = [
        Opinion(sample=pair.sample, left=pair.left, right=pair.right, winner=winner, by=judge)
        for pair, winners in bench.said.items()
        for judge, winner in winners.items()
    ]
    tags = {key: sample.tags for key, sample in bench.samples.items()}
    return calibrate([*judged, *opinions_of(found.comparisons)], people, tags)


def _selection(space: Workspace, edition: Edition) -> str:
    rounds = [
        each for each in space.store.records(Decision) if each.question == SELECTION and each.subject == edition.key
    ]
    if not rounds:
        return "every output is put to every judge"
    return f"adaptive, in {len(rounds)} rounds; which models, by what was known before; probabilities are logged"


def _calibrated(calibration: Mapping[str, Any] | None) -> str:
    if calibration is None:
        return "uncalibrated: nobody has compared these judges with people"
    return f"compared with people on {calibration['people']['votes']} votes"


def _cards(space: Workspace, judges: Sequence[str]) -> dict[str, Any]:
    """The newest report card of each judge that has one."""
    kept = {each.subject: each for each in space.store.records(Decision) if each.question == CARD}
    return {judge: kept[judge].answer for judge in judges if judge in kept}


def _warnings(space: Workspace, judges: Sequence[str], cards: Mapping[str, Any], served: Served) -> list[str]:
    """Sentences that stand beside the board."""
    found = [
        f"{judge} failed its report card: {', '.join(card['failures'])}"
        for judge, card in cards.items()
        if card["mark"] == "failed"
    ]
    found += warnings(space, [judge.partition("@")[0] for judge in judges])
    if served.left_out:
        found.append("a host answered with another model under way; what the other model said is left out")
    return found
