"""The stage `judge`: a verdict of every judge on every output, one question at a time.

What is asked comes from the suite, through `questions`; how it is asked and read is the business of `ask`. A host that
does not answer leaves a failed unit, never a verdict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from groundswell.ask.asking import Desk, Question, Unanswered, expected_cost, put
from groundswell.judge.checks import ChecksJudge
from groundswell.ports import Store
from groundswell.records import Done, Edition, Output, Record, Sample, Unit, UnitState, key_of

Questions = Callable[[Sample, Output], Sequence[Question]]


class AskJudges:
    """`ports.Stage`: every judge (`desks`) is asked every question about every output of an edition."""

    name = "judge"

    def __init__(self, edition: Edition, desks: Sequence[Desk], questions: Questions, *, repeats: int = 1) -> None:
        self._edition = edition
        self._desks = desks
        self._questions = questions
        self._repeats = repeats
        self._kept_rubrics: set[str] = set()

    def units(self, store: Store) -> Iterator[Unit]:
        """Output by output, in the order in which they came."""
        yield from self.about(store.records(Output), store)

    def about(self, outputs: Iterable[Output], store: Store) -> Iterator[Unit]:
        """The units about some outputs, which may be outputs that are only expected."""
        samples = samples_of(self._edition, store)
        for output in outputs:
            if (sample := samples.get(output.sample)) is None:
                continue
            for question in self._questions(sample, output):
                for desk in self._desks:
                    yield from self._asked(question, desk)

    def _asked(self, question: Question, desk: Desk) -> Iterator[Unit]:
        rubric = question.rubric.key
        price = expected_cost(question, desk.endpoint.price)
        for repeat in range(self._repeats):
            key = key_of("verdict", 1, question.outputs, desk.judge, rubric, repeat)
            yield Unit(key=key, payload=(replace(question, repeat=repeat), desk), price=price)

    async def do(self, unit: Unit) -> Done:
        """Put one question to one judge."""
        question, desk = unit.payload
        came = await put(question, desk)
        if not isinstance(came, Unanswered):
            records: tuple[Record, ...] = (came,)
            if came.rubric not in self._kept_rubrics:
                self._kept_rubrics.add(came.rubric)
                records = (came, question.rubric)
            return Done(state=UnitState.DONE, records=records, cost=came.cost)
        broken = came.broken
        no_key = broken.key_dead or broken.exhausted
        return Done(
            state=UnitState.FAILED,
            why=f"{broken.what}: {broken.reason}",
            transient=broken.transient or no_key,
            retry_after=broken.retry_after,
            cost=came.cost,
            tried=not no_key,
        )


class MeasureChecks:
    """`ports.Stage`: the checks that samples declare, measured on every output of an edition."""

    name = "judge"

    def __init__(self, edition: Edition, judge: ChecksJudge) -> None:
        self._edition = edition
        self._judge = judge

    def units(self, store: Store) -> Iterator[Unit]:
        samples = samples_of(self._edition, store)
        rubric = self._judge.rubric.key
        for output in store.records(Output):
            sample = samples.get(output.sample)
            if sample is not None and sample.checks:
                key = key_of("verdict", 1, (output.key,), self._judge.name, rubric, 0)
                yield Unit(key=key, payload=(sample, output), price=0.0)

    def travels(self, unit: Unit) -> bool:
        """Pixels can be looked at anywhere."""
        return True

    async def do(self, unit: Unit) -> Done:
        """Measure one output, in a thread: pixels are work for this machine."""
        verdict = await asyncio.to_thread(self._judge.grade, *unit.payload)
        return Done(state=UnitState.DONE, records=(verdict, self._judge.rubric), cost=0.0)


def samples_of(edition: Edition, store: Store) -> Mapping[str, Sample]:
    """The samples of an edition by key."""
    members = set(edition.samples)
    return {key: sample for sample in store.records(Sample) if (key := sample.key) in members}
