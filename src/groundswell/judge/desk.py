"""A model judge as `ports.Judge`: it answers about outputs at once, outside of the engine and the store.

The report card asks through it. Resuming and failed units belong to the stage; what a question may cost is reserved
here before it is asked, where there is a purse.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import structs

from groundswell.ask.asking import Asked, Desk, Question, Unanswered, expected_cost, put
from groundswell.errors import HostError
from groundswell.records import Blocked, Dimension, Judgment, Output, Record, Rubric, Sample, Verdict

Questions = Callable[[Sample, Output], Sequence[Question]]
PairQuestion = Callable[[Sample, Output, Output], Question]

SMOKE = Question(
    rubric=Rubric(
        name="smoke",
        text="This is a test of the connection. Answer with this line and nothing else:\nScore: 7",
        dimensions=(Dimension(name="Score", low=1, high=10, step=1),),
        rules={"max_tokens": 256},
    ),
    sample="",
    outputs=(),
)
SHOWN = 120
"""Characters of an answer that is shown because it cannot be read."""


class Purse(Protocol):
    """What may be spent: `reserve` raises BudgetExceeded, `settle` replaces the reserved price by the true cost."""

    def reserve(self, price: float | None) -> Any: ...

    def settle(self, token: Any, cost: float | None) -> None: ...


class DeskJudge:
    """Asks one desk what a suite asks about an output; the scores of several questions are put together."""

    def __init__(
        self, desk: Desk, questions: Questions, *, pair: PairQuestion | None = None, purse: Purse | None = None
    ) -> None:
        """`pair`: what is asked about two outputs; without it the judge takes one at a time."""
        self.name = desk.judge
        self._desk = desk
        self._questions = questions
        self._pair = pair
        self._purse = purse

    async def judge(self, sample: Sample, outputs: Sequence[Record]) -> Verdict:
        """The verdict on one output, or on two in the order given.

        Raises HostError when the host does not answer, BudgetExceeded when asking would cost too much, ValueError for
        outputs that it does not take.
        """
        match outputs:
            case [Output() as output]:
                return _whole(await asyncio.gather(*map(self._ask, self._questions(sample, output))))
            case [Output() as first, Output() as second] if self._pair is not None:
                return await self._ask(self._pair(sample, first, second))
            case _:
                raise ValueError(f"{self.name} does not take {len(outputs)} such outputs at once")

    async def _ask(self, question: Question) -> Verdict:
        token = self._purse and self._purse.reserve(expected_cost(question, self._desk.endpoint.price))
        came: Asked | None = None
        try:
            came = await put(question, self._desk)
        finally:
            if self._purse:
                self._purse.settle(token, 0.0 if came is None else came.cost)
        if isinstance(came, Unanswered):
            raise HostError(f"{self.name}: {came.broken.reason}", transient=came.broken.transient)
        return came


def _whole(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict of several on one output: all scores, or the first that has none. Raises ValueError for none."""
    if not verdicts:
        raise ValueError("nothing is asked about this output")
    judgments = [verdict for verdict in verdicts if isinstance(verdict, Judgment)]
    if len(judgments) < len(verdicts):
        return next(verdict for verdict in verdicts if not isinstance(verdict, Judgment))
    scores = {name: score for judgment in judgments for name, score in judgment.scores.items()}
    return structs.replace(judgments[0], scores=scores)


async def fault_of(desk: Desk) -> str | None:
    """What is wrong with a judge's answer to one short question, or why there is none; None = a score could be read.

    `doctor` asks it, and a run does not: a run buys only what it was told to buy.
    """
    came = await put(SMOKE, desk)
    match came:
        case Judgment():
            return None
        case Unanswered(broken=broken):
            return f"{broken.reason}; look at the judge's model, key and base_url"
        case Blocked(why=why):
            return f"its host refused the question: {why}"
        case _:
            return f"its answer cannot be read as a score: {(came.reply or 'empty')[:SHOWN]!r}"
