"""A model judge as `ports.Judge`: it answers about outputs at once, outside of the engine and the store.

The report card asks through it. Budgets, resuming and failed units belong to the stage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from groundswell.ask.asking import Desk, Question, Unanswered, put
from groundswell.errors import HostError
from groundswell.records import Output, Record, Sample, Verdict

Questions = Callable[[Sample, Output], Sequence[Question]]


class DeskJudge:
    """Asks one desk the first of the questions that a suite has about an output."""

    def __init__(self, desk: Desk, questions: Questions) -> None:
        self.name = desk.judge
        self._desk = desk
        self._questions = questions

    async def judge(self, sample: Sample, outputs: Sequence[Record]) -> Verdict:
        """The verdict on one output. Raises HostError when the host does not answer, ValueError for several outputs."""
        if len(outputs) != 1 or not isinstance(outputs[0], Output):
            raise ValueError("a grading judge takes one output at a time")
        came = await put(self._questions(sample, outputs[0])[0], self._desk)
        if isinstance(came, Unanswered):
            raise HostError(f"{self.name}: {came.broken.reason}", transient=came.broken.transient)
        return came
