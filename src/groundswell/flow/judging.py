"""How the outputs of a suite are judged: which judges grade, which compare two outputs, and what they are asked.

A rubric of one's own, or the suite's protocol, says what is asked; judges of mode `pair` compare where the suite leaves
it open. What the verdicts amount to stands in `panelling`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from groundswell.config import SuiteSettings
from groundswell.flow.crew import Crew
from groundswell.flow.workspace import Workspace
from groundswell.ports import Stage
from groundswell.records import Edition, Judgment, Output, Rubric, Sample, Unread, Verdict

if TYPE_CHECKING:
    from groundswell.ask.asking import Desk, Question

CHECKS_AT_ONCE = 4
"""Checks under way at once: they are measured in this process."""

WITH_PROTOCOL = ("llava", "cpi-")
"""Suites whose own protocol says how outputs are judged."""


class Protocol(msgspec.Struct, frozen=True, kw_only=True):
    """How a suite's outputs are judged."""

    own: Rubric | None
    """A person's rubric that grades single outputs."""
    pair: Rubric | None
    """With which two outputs are compared; None = the suite's protocol grades."""
    everybody_pairs: bool
    """The person's rubric compares, so every judge does."""

    def compares(self, mode: str) -> bool:
        """Whether a judge of this mode compares two outputs of this suite."""
        return self.pair is not None and (self.everybody_pairs or mode == "pair")

    def arithmetic(self, suite: str) -> Callable[[Sample, Mapping[str, float]], float | None]:
        """How scores become a grade."""
        from groundswell.judge.own_rubric import arithmetic
        from groundswell.suites.asking import arithmetic_of

        return arithmetic_of(suite) if self.own is None else arithmetic(self.own)


def protocol(space: Workspace, suite: SuiteSettings) -> Protocol:
    """How a suite's outputs are judged. Raises UserError for a rubric file that cannot be used."""
    from groundswell.ask import rubrics
    from groundswell.judge.own_rubric import PAIR, is_pair, load

    path = space.file(suite.rubric)
    own = None if path is None else load(path)
    if own is not None and is_pair(own):
        return Protocol(own=None, pair=own, everybody_pairs=True)
    leaves_it_open = not suite.name.startswith(WITH_PROTOCOL)
    return Protocol(own=own, pair=rubrics.load(PAIR) if leaves_it_open else None, everybody_pairs=False)


def questions(crew: Crew, suite: SuiteSettings) -> Callable[[Sample, Output], Sequence[Question]]:
    """What judges that grade are asked about an output."""
    from groundswell.judge.own_rubric import question

    own, reference = protocol(crew.space, suite).own, _reference(crew, suite)
    if own is None:
        return crew.questions(suite)
    return lambda sample, output: () if output.endpoint == reference else (question(own, sample, output),)


def _reference(crew: Crew, suite: SuiteSettings) -> str | None:
    """Key of the endpoint whose answers others are compared with; they are not judged themselves."""
    from groundswell.generate.reference import reference_endpoint

    return None if suite.reference is None else reference_endpoint(crew.judge(suite.reference).endpoint).key


def desks(crew: Crew, suite: SuiteSettings) -> tuple[list[Desk], list[Desk]]:
    """The judges of the panel that grade single outputs of a suite, and those that compare two."""
    modes = {judge.name: judge.mode for judge in crew.space.config.file.judge}
    found = protocol(crew.space, suite)
    graders: list[Desk] = []
    comparers: list[Desk] = []
    for desk in crew.desks():
        (comparers if found.compares(modes[desk.endpoint.name]) else graders).append(desk)
    return graders, comparers


def judging(crew: Crew, suite: SuiteSettings, edition: Edition) -> Iterator[tuple[Stage, int]]:
    """The stages that judge an edition, each with how many units may be under way at once."""
    from groundswell.judge.checks import ChecksJudge
    from groundswell.judge.pairs import AskPairs
    from groundswell.judge.stage import AskJudges, MeasureChecks

    space = crew.space
    if space.config.file.panel.checks:
        yield MeasureChecks(edition, ChecksJudge(space.blobs.get)), CHECKS_AT_ONCE
    graders, comparers = desks(crew, suite)
    if graders:
        yield AskJudges(edition, graders, questions(crew, suite)), width(graders)
    pair = protocol(space, suite).pair
    if comparers and pair is not None:
        reference = _reference(crew, suite)
        yield AskPairs(edition, comparers, pair, passed_over=reference), width(comparers)


def width(desks: Sequence[Desk]) -> int:
    """Units under way at once: what the hosts take, and a few that wait for the disk."""
    return sum(desk.line.limits.concurrency for desk in desks) + CHECKS_AT_ONCE


def warnings(space: Workspace, names: Sequence[str] | None = None) -> list[str]:
    """What a person should know of the configured judges (`names`: only these) before their verdicts are trusted."""
    from groundswell.judge.snapshots import alias_warning

    judges = [judge for judge in space.config.file.judge if names is None or judge.name in names]
    return [warning for judge in judges if (warning := alias_warning(judge.name, judge.model)) is not None]


def reread(space: Workspace, *, dry_run: bool) -> dict[str, Any]:
    """Read every stored raw reply again with today's reader; nobody is asked. Gives what is taken otherwise now.

    The new reading takes the place of the old one, unless `dry_run`. `changed` counts by `was -> now`.
    """
    from groundswell.judge.checks import ChecksJudge
    from groundswell.judge.rereading import changes

    rubrics = {rubric.key: rubric for rubric in space.store.records(Rubric)}
    read = [each for each in space.store.records(Verdict) if each.reply is not None and each.judge != ChecksJudge.name]
    found = list(changes(read, rubrics))
    if not dry_run:
        space.store.replace(found)
    rows = [
        {"judge": old.judge, "sample": old.sample, "was": _reading(old), "now": _reading(new)} for old, new in found
    ]
    counts = Counter(f"{type(old).__name__.lower()} -> {type(new).__name__.lower()}" for old, new in found)
    return {"replies": len(read), "changed": dict(counts), "written": not dry_run, "changes": rows}


def _reading(verdict: Verdict) -> Any:
    """The scores of a verdict, or why it has none."""
    match verdict:
        case Judgment():
            return dict(verdict.scores)
        case Unread():
            return verdict.why
        case _:
            return type(verdict).__name__.lower()
