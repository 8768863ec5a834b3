"""Text rendering by a judge: 1..10 for legibility, spelling, punctuation and grammar, shown on the published 0..1.

The rubric stands in a file beside this module. How it is asked and how the reply is read is not known here.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from groundswell.ask.asking import Question, Shown
from groundswell.ask.rubrics import load, render
from groundswell.measure.metric import About
from groundswell.records import (
    Blocked,
    Judgment,
    Measured,
    Measurement,
    NotApplicable,
    Output,
    Rubric,
    Sample,
    Truncated,
    Verdict,
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


def by_judge(verdict: Verdict) -> Measured:
    """A verdict by this rubric as s/10; one without a score says why in its place."""
    output, backend = verdict.outputs[0], f"{verdict.judge} {verdict.rubric[:8]}"
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
