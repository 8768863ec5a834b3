"""What the judges of an edition said: which of their verdicts count now, and what these come to.

What follows for a board, and whether the judges are to be trusted, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from groundswell.config import SuiteSettings
from groundswell.flow.judging import Protocol, protocol
from groundswell.flow.workspace import Workspace
from groundswell.generate.reference import is_reference
from groundswell.records import Edition, Endpoint, Outcome, Output, Rubric, Sample, Verdict

if TYPE_CHECKING:
    from groundswell.judge.arithmetic import Duel, Duels
    from groundswell.judge.grades import Graded
    from groundswell.judge.panel import Said
    from groundswell.judge.snapshots import Served

CHECKS = "checks"


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """What the judges of one modality of an edition said."""

    samples: Mapping[str, Sample]
    served: Served
    graded: Graded
    duels: Sequence[Duel]
    compared: Duels
    said: Said


def benches(space: Workspace, suite: SuiteSettings, edition: Edition) -> Iterator[tuple[str, Bench]]:
    """Each modality of an edition with what the judges said of it."""
    from groundswell.judge.snapshots import one_model_each
    from groundswell.judge.stage import samples_of

    samples = samples_of(edition, space.store)
    how = protocol(space, suite)
    verdicts = _verdicts(space, how, samples)
    for task in sorted({sample.task for sample in samples.values()}):
        of_task = {key: sample for key, sample in samples.items() if sample.task == task}
        served = one_model_each([verdict for verdict in verdicts if verdict.sample in of_task])
        yield task, _bench(space, suite, how, of_task, served)


def bench_of(space: Workspace, suite: SuiteSettings, edition: Edition, only: frozenset[str]) -> Bench:
    """What the model judges said of some samples of an edition so far."""
    from groundswell.judge.snapshots import one_model_each
    from groundswell.judge.stage import samples_of

    samples = {key: sample for key, sample in samples_of(edition, space.store).items() if key in only}
    how = protocol(space, suite)
    said = [verdict for verdict in _verdicts(space, how, samples) if verdict.judge != CHECKS]
    return _bench(space, suite, how, samples, one_model_each(said))


def _verdicts(space: Workspace, how: Protocol, samples: Mapping[str, Sample]) -> list[Verdict]:
    """The verdicts that count: of judges on the panel, one model a name, asked as the suite is judged now.

    The others stay in the store and off the boards.
    """
    from groundswell.judge.own_rubric import OWN
    from groundswell.judge.snapshots import one_judge_a_name, one_rubric_a_name
    from groundswell.measure import text_judge

    text_rendering = text_judge.rubric().key
    file = space.config.file
    configured = {judge.name: judge for judge in file.judge if judge.name in file.panel.judges}
    current = {f"{name}@{judge.record().key[:8]}" for name, judge in configured.items()}
    rubrics = {rubric.key: rubric for rubric in space.store.records(Rubric)}

    def asked_so(verdict: Verdict) -> bool:
        if verdict.rubric == text_rendering:
            return False  # it is a measurement
        if verdict.judge == CHECKS:
            return file.panel.checks
        judge = configured.get(verdict.judge.partition("@")[0])
        if judge is None or how.compares(judge.mode) != (len(verdict.outputs) == 2):
            return False
        if len(verdict.outputs) == 2:
            return how.pair is not None and verdict.rubric == how.pair.key
        if how.own is not None:
            return verdict.rubric == how.own.key
        return verdict.rubric not in rubrics or rubrics[verdict.rubric].rules.get("origin") != OWN

    found = [each for each in space.store.records(Verdict) if each.sample in samples and asked_so(each)]
    judges = one_judge_a_name((verdict.judge for verdict in found), current)
    of_judges = [verdict for verdict in found if verdict.judge in judges]
    current_rubrics = one_rubric_a_name(of_judges, rubrics)
    return [verdict for verdict in of_judges if verdict.rubric in current_rubrics]


def _bench(
    space: Workspace, suite: SuiteSettings, how: Protocol, samples: Mapping[str, Sample], served: Served
) -> Bench:
    from groundswell.judge.arithmetic import duels
    from groundswell.judge.grades import and_compared, grades_of
    from groundswell.judge.pairs import duels_of
    from groundswell.judge.panel import said

    store = space.store
    models = {each.key: each.name for each in store.records(Endpoint) if not is_reference(each)}
    rubrics = {rubric.key: rubric for rubric in store.records(Rubric)}
    outcomes = [outcome for outcome in store.records(Outcome) if outcome.sample in samples]
    graded = grades_of(samples, outcomes, served.verdicts, rubrics, models, arithmetic=how.arithmetic(suite.name))
    pairs: list[Duel] = []
    if how.pair is not None:
        outputs = {each.key: each for each in outcomes if isinstance(each, Output) and each.endpoint in models}
        whole = [verdict for verdict in served.verdicts if all(key in outputs for key in verdict.outputs)]
        pairs = duels_of(whole, how.pair, outputs, models)
    compared = duels(pairs)
    return Bench(
        samples=samples,
        served=served,
        graded=and_compared(graded, compared.comparisons),
        duels=pairs,
        compared=compared,
        said=said(graded.grades, compared.comparisons),
    )
