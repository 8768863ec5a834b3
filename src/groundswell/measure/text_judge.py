"""Text rendering by a judge: 1..10 for legibility, spelling, punctuation and grammar, shown on the published 0..1.

The rubric stands in a file beside this module; every judge of the panel has a column of its own. How a question is put
and a reply is read is the business of `ask`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from groundswell.ask.asking import Desk, Question, Shown, Unanswered, expected_cost, put
from groundswell.ask.rubrics import load, render
from groundswell.measure.applicability import decided, is_asked, why_not
from groundswell.measure.metric import About
from groundswell.measure.unanswered import unanswered
from groundswell.ports import Store
from groundswell.records import (
    Blocked,
    Done,
    Judgment,
    Measured,
    Measurement,
    NotApplicable,
    Output,
    Rubric,
    Sample,
    Truncated,
    Unit,
    UnitState,
    Verdict,
    key_of,
)

METRIC: Final = "text"
VERSION: Final = 1
DIMENSION: Final = "text"

SCALE: Final = 10.0
"""The published values are the judge's 1..10, divided by this."""

ABOUT: Final = About(
    better="higher",
    unit="judge's score / 10",
    low=0.1,
    high=1.0,
    blind="what the judge misreads; whether the text is the wanted one, unless the judge compares it",
)


@cache
def rubric() -> Rubric:
    """What the judge is asked."""
    return load(files("groundswell.measure") / "rubrics" / "text_rendering.md")


def question(sample: Sample, output: Output, prompt: str) -> Question:
    """The question about one output with a picture; `prompt` is what the model was sent."""
    return Question(
        rubric=rubric(),
        sample=sample.key,
        outputs=(output.key,),
        text=render(rubric(), instruction=prompt),
        parts=(Shown("result", output.pictures[0]),),
    )


class AskText:
    """`ports.Stage`: every judge is asked about the text of every output that should have some.

    Whether it should is what the model `reader` has decided of the sample, and a unit waits for that; None = local
    rules say it.
    """

    name = "measure"

    def __init__(self, samples: Collection[str], desks: Sequence[Desk], reader: str | None = None) -> None:
        self._samples = samples
        self._desks = desks
        self._reader = reader

    def units(self, store: Store) -> Iterator[Unit]:
        """Output by output, in the order in which they came."""
        samples = {key: sample for sample in store.records(Sample) if (key := sample.key) in self._samples}
        answers = {} if self._reader is None else decided(store, self._reader)
        for output in store.records(Output):
            sample = samples.get(output.sample)
            if sample is None or not output.pictures or not is_asked(sample, METRIC):
                continue
            if self._reader is not None and (output.sample, METRIC) not in answers:
                continue
            why = why_not(sample, METRIC, answers.get((output.sample, METRIC)), self._reader)
            prompts = sample.prompts
            prompt = prompts.get(output.language or "") or next(iter(prompts.values()), "")
            asked = question(sample, output, prompt)
            for desk in self._desks:
                price = 0.0 if why is not None else expected_cost(asked, desk.endpoint.price)
                yield Unit(key=key_of("text", VERSION, output.key, desk.judge), payload=(asked, desk, why), price=price)

    async def do(self, unit: Unit) -> Done:
        """Ask about one output, unless no text is to be judged."""
        asked, desk, why = unit.payload
        if why is not None:
            return Done(state=UnitState.DONE, records=(_silent(asked, desk.judge, why),), cost=0.0)
        came = await put(asked, desk)
        if isinstance(came, Unanswered):
            return unanswered(came.broken, came.cost)
        return Done(state=UnitState.DONE, records=(came, by_judge(came), asked.rubric), cost=came.cost)


def _silent(asked: Question, judge: str, why: str) -> NotApplicable:
    return NotApplicable(
        output=asked.outputs[0],
        sample=asked.sample,
        metric=METRIC,
        version=VERSION,
        backend=_backend(judge, asked.rubric.key),
        why=why,
    )


def _backend(judge: str, rubric_key: str) -> str:
    return f"{judge} {rubric_key[:8]}"


def by_judge(verdict: Verdict) -> Measured:
    """A verdict by this rubric as s/10; one without a score says why in its place."""
    output, backend = verdict.outputs[0], _backend(verdict.judge, verdict.rubric)
    score = verdict.scores.get(DIMENSION) if isinstance(verdict, Judgment) else None
    if score is None:
        return NotApplicable(
            output=output, sample=verdict.sample, metric=METRIC, version=VERSION, backend=backend, why=_why(verdict)
        )
    return Measurement(
        output=output,
        sample=verdict.sample,
        metric=METRIC,
        version=VERSION,
        backend=backend,
        value=score / SCALE,
        detail={"score": score},
    )


def _why(verdict: Verdict) -> str:
    match verdict:
        case Blocked(why=why):
            return f"the judge refused: {why}"
        case Truncated():
            return "the judge's reply was cut before the score"
        case _:
            return "the judge's reply has no readable score"
