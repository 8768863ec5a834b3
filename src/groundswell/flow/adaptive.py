"""`judge --adaptive`: gradings bought where they narrow a board most, until its tiers have parted or the money is gone.

Every round is logged before it is paid for: which outputs, and with which probability each model was chosen. The
choice rests on earlier rounds alone.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groundswell.config import SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.crew import Crew
from groundswell.flow.judging import desks, questions, width
from groundswell.flow.panelling import SELECTION
from groundswell.flow.running import RunOptions, session
from groundswell.flow.verdicts import bench_of
from groundswell.flow.workspace import Workspace, editions
from groundswell.generate.reference import is_reference
from groundswell.judge.adaptive import FIRST, GROWTH, Look, Split, design, everything, look, pairings, split
from groundswell.records import Decision, Edition, Endpoint, Output, Sample
from groundswell.stats.votes import Floats

if TYPE_CHECKING:
    from groundswell.ask.asking import Question
    from groundswell.work.engine import Engine, Tally

Row = tuple[str, str | None, int]
"""Sample, language and draw: outputs that are compared."""


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs of one modality of an edition: a row a sample (and language and draw), a column a model."""

    models: tuple[str, ...]
    outputs: Mapping[Row, Mapping[str, str]]
    """Output's key by model."""


def judge_adaptively(
    space: Workspace, options: RunOptions, tiers: int | None, observe: Callable[[Tally], None] | None
) -> list[dict[str, Any]]:
    """What came of every modality of every edition: calls, tiers, and why it ended. `tiers` None = every model apart.

    Raises UserError where a judge compares two outputs, which leaves no single grading to choose.
    """
    return asyncio.run(_judge(space, options, tiers, observe))


async def _judge(
    space: Workspace, options: RunOptions, tiers: int | None, observe: Callable[[Tally], None] | None
) -> list[dict[str, Any]]:
    found = []
    async with session(space, options, observe) as (crew, engine):
        found_editions = editions(space)
        for suite, _ in found_editions:
            _check(crew, suite)
        for suite, edition in found_editions:
            for task, matrix in _matrices(space, edition).items():
                buyer = _Buyer(crew, engine, suite, edition, matrix)
                found.append({"suite": suite.name, "task": task, **await buyer.buy(tiers or len(matrix.models))})
                if engine.stopping:
                    return found
    return found


def _check(crew: Crew, suite: SuiteSettings) -> None:
    """Raises UserError before anything is paid where some judge of a suite does not grade alone."""
    graders, comparers = desks(crew, suite)
    if comparers or not graders:
        raise UserError(
            f"{suite.name} has judges that compare, or none; --adaptive chooses single gradings",
            where=crew.space.config.path,
        )


def _matrices(space: Workspace, edition: Edition) -> dict[str, Matrix]:
    """The outputs of an edition by modality; a modality with fewer than two models has nothing to part."""
    from groundswell.judge.stage import samples_of

    samples = samples_of(edition, space.store)
    names = {each.key: each.name for each in space.store.records(Endpoint) if not is_reference(each)}
    rows: dict[str, dict[Row, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for output in space.store.records(Output):
        if output.sample in samples and output.endpoint in names:
            row = (output.sample, output.language, output.draw)
            rows[samples[output.sample].task][row][names[output.endpoint]] = output.key
    made = {}
    for task, outputs in sorted(rows.items()):
        models = tuple(sorted({model for of_row in outputs.values() for model in of_row}))
        if len(models) > 1:
            made[task] = Matrix(models=models, outputs=dict(outputs))
    return made


class _Buyer:
    """Rounds of gradings of one matrix."""

    def __init__(self, crew: Crew, engine: Engine, suite: SuiteSettings, edition: Edition, matrix: Matrix) -> None:
        self._crew, self._engine, self._suite, self._edition = crew, engine, suite, edition
        self._matrix, self._graders = matrix, desks(crew, suite)[0]
        self._ask = questions(crew, suite)

    async def buy(self, tiers: int) -> dict[str, Any]:
        """Rounds until the tiers have parted, the samples are used up, or the engine stops."""
        rounds = list(self._logged())
        calls = 0
        while True:
            chosen = {key for each in rounds for key in each.answer["outputs"]}
            tally = await self._grade(chosen)
            calls += tally.done
            found = self._split()
            seen = None if found is None else look(found, len(self._matrix.outputs))
            unused = [row for row, outputs in self._matrix.outputs.items() if not chosen & set(outputs.values())]
            why = self._why(seen, tiers, unused)
            if why is not None:
                return {**self._said(seen, why), "calls": calls, "rounds": len(rounds)}
            rounds.append(self._log(found, seen, tiers, unused, rounds))

    def _why(self, seen: Look | None, tiers: int, unused: Sequence[Row]) -> str | None:
        """Why to end; None = go on."""
        if seen is not None and len(seen.tiers()) >= tiers:
            return "separated"
        if self._engine.stopping:
            return self._engine.stopping
        return None if unused else "every sample is used"

    async def _grade(self, chosen: set[str]) -> Tally:
        from groundswell.judge.stage import AskJudges

        def ask(sample: Sample, output: Output) -> Sequence[Question]:
            return self._ask(sample, output) if output.key in chosen else ()

        stage = AskJudges(self._edition, self._graders, ask)
        tally = await self._engine.run(stage, width=width(self._graders))
        if tally.stopped:
            self._engine.stop(tally.stopped)
        return tally

    def _split(self) -> Split | None:
        """What all gradings in the store say of this matrix."""
        bench = bench_of(
            self._crew.space, self._suite, self._edition, frozenset(row[0] for row in self._matrix.outputs)
        )
        models = {model: place for place, model in enumerate(self._matrix.models)}
        rows = {row: place for place, row in enumerate(self._matrix.outputs)}
        sums, counts = np.zeros((len(rows), len(models))), np.zeros((len(rows), len(models)))
        for grade in bench.graded.grades:
            place = rows[grade.sample, *grade.variant], models[grade.model]  # type: ignore[index]
            sums[place] += grade.value
            counts[place] += 1
        grades = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
        return split(grades, self._points(bench, rows, models))

    def _points(self, bench: Any, rows: Mapping[Row, int], models: Mapping[str, int]) -> Floats:
        """The panel's points of each pair's first model, (rows, pairs)."""
        from groundswell.judge.bias import POINTS
        from groundswell.judge.panel import decided

        of_output = {key: row for row, outputs in self._matrix.outputs.items() for key in outputs.values()}
        column = {pair: place for place, pair in enumerate(pairings(len(models)).each())}
        points = np.full((len(rows), len(column)), np.nan)
        for each in decided(bench.said, quorum=self._crew.space.config.file.panel.quorum).comparisons:
            place = rows[of_output[each.left_output or ""]], column[models[each.left], models[each.right]]
            points[place] = POINTS[each.winner]
        return points

    def _logged(self) -> Iterator[Decision]:
        """Rounds of earlier runs on this edition."""
        mine = {key for outputs in self._matrix.outputs.values() for key in outputs.values()}
        for each in self._crew.space.store.records(Decision):
            if each.question == SELECTION and each.subject == self._edition.key and mine & set(each.answer["outputs"]):
                yield each

    def _log(
        self, found: Split | None, seen: Look | None, tiers: int, unused: Sequence[Row], rounds: Sequence[Decision]
    ) -> Decision:
        """Choose the next round and write it down."""
        models = self._matrix.models
        plan = everything(len(models)) if found is None or seen is None else design(found, seen, tiers)
        bought = sum(len(each.answer["outputs"]) for each in rounds)
        wanted = FIRST * len(models) if seen is None else max(len(models), round(bought * (GROWTH - 1)))
        number = max(1, round(wanted / float(plan.probability().sum())))
        rng = np.random.default_rng([int(self._edition.key[:8], 16), len(rounds)])
        rows = [unused[place] for place in rng.permutation(len(unused))[:number]]
        outputs = [
            self._matrix.outputs[row][model]
            for row, graded in zip(rows, plan.draw(len(rows), rng), strict=True)
            for model, wanted_here in zip(models, graded, strict=True)
            if wanted_here and model in self._matrix.outputs[row]
        ]
        decision = Decision(
            subject=self._edition.key,
            question=SELECTION,
            reader="adaptive",
            material=f"round {len(rounds) + 1} of {', '.join(models)}",
            answer={"outputs": outputs, "probability": dict(zip(models, plan.probability().tolist(), strict=True))},
            evidence={"samples": len(rows), "of": len(unused), "tiers": self._tiers(seen)},
        )
        self._crew.space.store.put([decision])
        return decision

    def _tiers(self, seen: Look | None) -> list[list[str]] | None:
        return None if seen is None else [[self._matrix.models[model] for model in tier] for tier in seen.tiers()]

    def _said(self, seen: Look | None, why: str) -> dict[str, Any]:
        rates = None if seen is None else dict(zip(self._matrix.models, seen.rates.tolist(), strict=True))
        return {"stopped": why, "tiers": self._tiers(seen), "win_rates": rates}
