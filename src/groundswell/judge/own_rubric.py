"""A person's own rubric put to outputs: which question it makes of one output, and the grade that its scores give.

The file may leave places for `{instruction}`, `{answer}` (what a chat model wrote), `{reference}` and `{rationale}`
(what the judge may know and the model may not). Pictures stand before the text with their roles, inputs first, output
last. Rubrics of suites are not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from groundswell.ask import rubrics
from groundswell.ask.asking import Question, Shown
from groundswell.ask.rubrics import Mode
from groundswell.errors import UserError
from groundswell.judge.arithmetic import grade
from groundswell.records import Output, Rubric, Sample

PAIR = Path(__file__).parent / "rubrics" / "pair.md"
"""What judges of pairs are asked where the suite has no rubric of its own for it."""

OWN = "own"
"""The rule `origin` of a person's rubric: its verdicts never mix with those of a suite's."""


def load(path: Path) -> Rubric:
    """The rubric of a file, with its arithmetic tried out.

    Raises UserError for one that cannot be read, wants an arithmetic that does not exist, or needs a reference pair.
    """
    read = rubrics.load(path)
    rubric = msgspec.structs.replace(read, rules={**read.rules, "origin": OWN})
    match rubric.rules["mode"]:
        case Mode.REFERENCE:
            raise UserError("mode reference belongs to llava; a rubric of your own grades, checks or pairs", where=path)
        case Mode.PAIR if len(rubric.dimensions) != 2:
            raise UserError("a pair rubric has two dimensions: one score for each of the results", where=path)
        case Mode.PAIR:
            return rubric
    try:
        grade(rubric, {dimension.name: dimension.high for dimension in rubric.dimensions})
    except KeyError as error:
        raise UserError(f"groups name {error}, which is no dimension of this rubric", where=path) from None
    return rubric


def is_pair(rubric: Rubric) -> bool:
    """Whether a rubric compares two outputs."""
    return bool(rubric.rules.get("mode") == Mode.PAIR)


def question(rubric: Rubric, sample: Sample, output: Output) -> Question:
    """The question of a grading rubric about one output. Raises UserError where the rubric wants what is not there."""
    language = output.language or next(iter(sample.prompts))
    given = {
        "instruction": sample.prompts[language],
        "answer": output.text,
        "reference": sample.reference,
        "rationale": sample.context or "none",
    }
    fields = {name: text for name, text in given.items() if text is not None and f"{{{name}}}" in rubric.text}
    parts: list[str | Shown] = [Shown(f"input picture {n}", each) for n, each in enumerate(sample.inputs, start=1)]
    parts += [Shown("result", picture) for picture in output.pictures]
    if "instruction" not in fields:
        parts.append(rubrics.fenced("instruction", sample.prompts[language]))
    if output.text is not None and "answer" not in fields:
        parts.append(rubrics.fenced("answer", output.text))
    parts.append(rubrics.render(rubric, **fields))
    return Question(rubric=rubric, sample=output.sample, outputs=(output.key,), text="", parts=tuple(parts))


def arithmetic(rubric: Rubric) -> Callable[[Sample, Mapping[str, float]], float | None]:
    """The rubric's arithmetic as boards use it: None where a score is missing."""

    def graded(sample: Sample, scores: Mapping[str, float]) -> float | None:
        whole = all(dimension.name in scores for dimension in rubric.dimensions)
        return grade(rubric, scores) if whole else None

    return graded
