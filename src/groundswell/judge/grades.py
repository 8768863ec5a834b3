"""Grades of a board's outputs from the verdicts in the store, and what is missing of them.

A grade needs every dimension of every rubric that the output was asked about; a verdict without scores leaves a hole
that is counted, never a number. The arithmetic that makes one grade of many scores belongs to the suite.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any

import msgspec

from groundswell.judge.panel import Grade
from groundswell.records import Comparison, Failure, Judgment, Outcome, Output, Refusal, Rubric, Sample, Verdict

Arithmetic = Callable[[Sample, Mapping[str, float]], float | None]
"""One grade from the scores by dimension; None where one that it needs is missing."""


class Graded(msgspec.Struct, frozen=True, kw_only=True):
    """Grades, and by model what was wanted, scored, refused, failed and left unread."""

    grades: tuple[Grade, ...]
    coverage: Mapping[str, Mapping[str, Any]]


def mean_of_scores(sample: Sample, scores: Mapping[str, float]) -> float | None:
    """The plain arithmetic: the mean of the dimensions."""
    return fmean(scores.values()) if scores else None


def grades_of(
    samples: Mapping[str, Sample],
    outcomes: Iterable[Outcome],
    verdicts: Iterable[Verdict],
    rubrics: Mapping[str, Rubric],
    models: Mapping[str, str],
    *,
    arithmetic: Arithmetic = mean_of_scores,
) -> Graded:
    """Grades of the outputs of some samples. `models` gives the name of an endpoint by its key."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    outputs: dict[str, Output] = {}
    jobs: dict[str, set[str]] = defaultdict(set)
    for outcome in outcomes:
        if outcome.sample not in samples or (model := models.get(outcome.endpoint)) is None:
            continue
        if isinstance(outcome, Output):
            outputs[outcome.key] = outcome
        jobs[model].add(outcome.job)
        counts[model][_what(outcome)] += 1
    answers = _answers(outputs, verdicts, counts, models)
    grades: list[Grade] = []
    for (key, judge), judgments in answers.items():
        output = outputs[key]
        scores = {name: score for judgment in judgments for name, score in judgment.scores.items()}
        value = arithmetic(samples[output.sample], scores)
        if value is not None:
            margins = [rubrics[each.rubric].rules.get("tie_margin", 0.0) for each in judgments]
            grades.append(_grade(output, models[output.endpoint], judge, value, max(margins)))
    return Graded(grades=tuple(grades), coverage=_coverage(counts, jobs, grades))


def and_compared(graded: Graded, compared: Iterable[Comparison]) -> Graded:
    """The same with the outputs counted as scored that judges of pairs have compared."""
    scored: dict[str, set[str | None]] = defaultdict(set)
    for grade in graded.grades:
        scored[grade.model].add(grade.output)
    for each in compared:
        scored[each.left].add(each.left_output)
        scored[each.right].add(each.right_output)
    coverage = {model: {**row, "scored": len(scored[model])} for model, row in graded.coverage.items()}
    return Graded(grades=graded.grades, coverage=coverage)


def _what(outcome: Outcome) -> str:
    match outcome:
        case Output():
            return "outputs"
        case Refusal():
            return "refused"
        case Failure():
            return "failed"
        case _:
            raise TypeError(f"{type(outcome).__name__} is no outcome")


def _answers(
    outputs: Mapping[str, Output],
    verdicts: Iterable[Verdict],
    counts: Mapping[str, Counter[str]],
    models: Mapping[str, str],
) -> Mapping[tuple[str, str], list[Judgment]]:
    """First judgments of single outputs by (output, judge); verdicts without scores are counted for every output."""
    answers: dict[tuple[str, str], list[Judgment]] = defaultdict(list)
    for verdict in verdicts:
        asked = [output for key in verdict.outputs if (output := outputs.get(key)) is not None]
        if not isinstance(verdict, Judgment):
            for output in asked:
                counts[models[output.endpoint]][type(verdict).__name__.lower()] += 1
        elif len(verdict.outputs) == 1 and asked and verdict.repeat == 0:
            answers[verdict.outputs[0], verdict.judge].append(verdict)
    return answers


def _grade(output: Output, model: str, judge: str, value: float, margin: float) -> Grade:
    return Grade(
        sample=output.sample,
        variant=(output.language, output.draw),
        model=model,
        output=output.key,
        judge=judge,
        value=value,
        margin=margin,
    )


def _coverage(
    counts: Mapping[str, Counter[str]], jobs: Mapping[str, set[str]], grades: Iterable[Grade]
) -> dict[str, dict[str, Any]]:
    values: dict[str, list[float]] = defaultdict(list)
    scored: dict[str, set[str]] = defaultdict(set)
    for grade in grades:
        values[grade.model].append(grade.value)
        scored[grade.model].add(grade.output)
    return {
        model: {
            "wanted": len(jobs[model]),
            "scored": len(scored[model]),
            "refused": count["refused"],
            "failed": len(jobs[model]) - count["outputs"] - count["refused"],
            "unread": count["unread"],
            "blocked": count["blocked"],
            "truncated": count["truncated"],
            "mean_grade": fmean(values[model]) if values[model] else None,
        }
        for model, count in sorted(counts.items())
    }
